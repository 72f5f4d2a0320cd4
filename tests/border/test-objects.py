# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sources that name objects: from the batch to the sink, the file and the reports."""

import contextlib
import itertools
import json
import shutil
import signal

from rig import BUILD, check_failure, check_printable, rig

import tap

SHOW = ["--no-pager", "--sections", "parts,segments"]


@contextlib.contextmanager
def namers():
    with rig() as r:
        r.install("namer")
        yield r


def capture(r, *arguments, **env):
    result = r.capture(*arguments, plugins="toy,namer,snapshot",
                       env={"TOYSINK_GROUP": "parts", **env})
    assert result.status == 0, str(result)
    check_printable(result)
    return result


def test_objects_come_in_order_behind_the_threads():
    with namers() as r:
        result = capture(r)
        objects = r.lines("object")
        assert [line.split(" ")[2] for line in objects[:600]] == [f"/seg-{i}" for i in range(600)]
        assert objects[600:] == ["object parts used0 part_bytes=1024",
                                 "object parts used1 part_bytes=!20"]
        words = [line.split(" ")[0] for line in r.file.read_text().splitlines()]
        parts = [word for word, _ in itertools.groupby(words)]
        assert parts == ["begin", "scope", "thread", "object", "metric", "plugin", "end"], parts
        assert "602 objects" in result.err[-1], str(result)


def test_no_objects_wanted_none_asked_for():
    with namers() as r:
        result = capture(r, "--groups=toy", NAMER_FAULT="crash")
        assert r.lines("object") == [] and "objects" not in result.err[-1], str(result)


def test_objects_alone_are_reason_to_run_a_source():
    with namers() as r:
        capture(r, "--groups=toy,parts")
        assert len(r.lines("object")) == 2, r.lines("object")


def test_objects_of_a_group_nobody_wants_go_nowhere():
    with namers() as r:
        result = capture(r, NAMER_FAULT="unasked")
        assert [line.split(" ")[1] for line in r.lines("object")] == ["parts"] * 100
        assert "100 objects" in result.err[-1], str(result)


def test_broken_rules_are_counted_and_harm_nothing():
    with namers() as r:
        result = capture(r, NAMER_FAULT="rules")
        assert r.lines("object") == ["object parts good part_bytes=8"]
        report = [line for line in r.lines("plugin") if " namer " in line]
        assert report == ["plugin namer state=10 failures=10 why=-"], report
        assert any("namer" in line and "10 failures" in line for line in result.err), str(result)


def test_failing_collect_ends_the_sources_objects():
    with namers() as r:
        result = capture(r, NAMER_FAULT="fails")
        assert len(r.lines("object")) == 256, "the batch that failed is not believed"
        told = [line for line in result.err if "out of luck" in line]
        assert len(told) == 1 and "namer" in told[0], str(result)


def test_crash_is_blamed_on_the_source():
    with namers() as r:
        result = r.capture(plugins="toy,namer,snapshot", env={"NAMER_FAULT": "crash"})
        assert result.status != 0 and "namer" in result.err[-1], str(result)
        assert r.left() == [], r.left()


def test_signal_ends_what_is_named_without_end():
    with namers() as r:
        process = r.start(r.command("--proc-root", r.proc, "capture", "-o", r.file,
                                    plugins="toy,namer,snapshot"), {"NAMER_FAULT": "endless"})
        r.wait_for_output(process)
        process.send_signal(signal.SIGINT)
        check_failure(r.finish(process), -signal.SIGINT, "interrupted")
        assert r.left() == [], f"left: {r.left()}"


# ---- with the real sinks --------------------------------------------------


@contextlib.contextmanager
def files():
    """Two snapshots; in the second, each segment is 1000 bytes larger."""
    with namers() as r:
        shutil.copyfile(BUILD / "ctprof-snapshot.so", r.plugins / "ctprof-snapshot.so")
        r.before, r.after = r.output / "before", r.output / "after"
        for file, more in ((r.before, "0"), (r.after, "1000")):
            result = r.run("--proc-root", r.proc, "capture", "-o", file,
                           plugins="toy,namer,snapshot",
                           env={"NAMER_ROWS": "5", "NAMER_MORE": more})
            assert result.status == 0, str(result)
        yield r


def report(r, *arguments, **options):
    result = r.run(*arguments, plugins=None, **options)
    assert not result.err or options.get("env"), str(result)
    return result


def sections(result):
    return {section["name"]: [(row["group"], row["metric"]) + tuple(
        row.get(key) for key in ("value", "baseline", "candidate", "delta") if key in row)
        for row in section["rows"]] for section in json.loads(result.out)["sections"]}


def test_show_folds_sorts_and_keeps_words_apart():
    with files() as r:
        text = report(r, "show", *SHOW, r.before).out
        assert "even /seg-{N}" in text and "odd /seg-{N}" in text, text
        assert "used0" in text and "used1" in text and "/seg-3" not in text, text
        text = report(r, "show", *SHOW, "--no-thread-normalize", r.before).out
        assert "odd /seg-3" in text, text


def test_show_as_json():
    with files() as r:
        found = sections(report(r, "show", *SHOW, "-f", "json", r.before))
        assert list(found) == ["segments", "parts"], found
        names = [row[0] for row in found["parts"]]
        assert "used0" in str(names[0]) and "used1" in str(names[1]), found
        assert "null" not in str(found["segments"]), found


def test_compare_shows_what_grew():
    with files() as r:
        text = report(r, "compare", *SHOW, "--changed", r.before, r.after).out
        assert "even /seg-{N}" in text and "used0" not in text, text
        found = sections(report(r, "compare", *SHOW, "-f", "json", r.before, r.after))
        assert len(found["segments"]) == 2 and len(found["parts"]) == 1, found


def test_compare_fails_on_objects():
    with files() as r:
        for condition, status in (("seg_bytes:delta>=3000B", 3), ("seg_bytes:delta>3000B", 0)):
            result = r.run("compare", "--no-pager", "--fail-on", condition, r.before, r.after,
                           plugins=None)
            assert result.status == status, f"{condition}: {result}"


def test_file_without_the_group_is_misuse():
    with files() as r:
        check_failure(r.run("show", "--sections", "disks", r.before, plugins=None), 2, "disks")


if __name__ == "__main__":
    tap.main(globals(), world="own")
