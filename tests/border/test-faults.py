# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plugins that break the rules, and the messages about them; test-isolation.py has those
that crash."""

import os

from rig import BUILD, OWN_BATCH, add_tests, check_failure, check_printable, everything, rig

import tap

# Fault of toy.c -> words of the message. None of these plugins may be used.
UNUSABLE = {
    "wrong-major": ["ABI 2"],
    "short-descriptor": ["struct_size"],
    "huge-descriptor": ["struct_size"],
    "no-name": ["name"],
    "odd-name": ["name"],
    "no-version": ["version"],
    "unknown-kind": ["kind"],
    "no-ops": ["ops"],
    "no-collect": ["collect"],
    "short-ops": ["collect"],
    "sizeless-ops": ["ops", "struct_size"],
    "missing-needs": ["needs"],
    "missing-options": ["options"],
    "odd-option": ["option 'when'", "default"],
    "null-entry": ["NULL"],
}

# The same for plugins that load and then cannot open.
UNOPENED = {
    "open-fails": ["no luck today"],
    "open-fails-in-two-lines": ["no luck\\n\\x1b[31mtoday"],
    "open-fails-in-silence": ["No such device"],
    "odd-metric": ["Not a name", "name"],
    "short-metric": ["metric"],
}

# Files that are not plugins: how to make one from the toy's file.
NO_PLUGIN = {
    "text": lambda file: file.write_text("#!/bin/sh\n"),
    "empty": lambda file: file.write_text(""),
    "header-only": lambda file: file.write_bytes(file.read_bytes()[:64]),
    "directory": lambda file: (file.unlink(), file.mkdir()),
    "dangling-link": lambda file: (file.unlink(), file.symlink_to("nowhere")),
    "no-entry": lambda file: file.write_bytes((BUILD / "tests/border/ctprof-noentry.so").read_bytes()),
    "other-name": lambda file: file.write_bytes((BUILD / "tests/border/ctprof-toy-2.so").read_bytes()),
}


def check_named(r, env, *words):
    """A plugin named by the user: no capture, no list, and one line with the reason."""
    for result in (r.capture(env=env), r.run("metric-list", env=env), r.run("plugins", env=env)):
        check_failure(result, 1, "toy", *words)
        assert not result.out, f"something on stdout\n{result}"
    assert r.left() == []


def check_passed_over(r, env, *words):
    """A plugin that was not named, only found: a warning, and the others work."""
    r.install("toy-2")
    result = r.capture(plugins=everything(), env=env)
    assert result.status == 0, str(result)
    check_printable(result)
    told = [line for line in result.err if line.startswith("ctprof: warning: ") and "toy" in line]
    assert len(told) == 1, f"expected one warning\n{result}"
    for word in words:
        assert word in told[0], f"expected '{word}'\n{result}"
    assert r.left() == ["snap"]
    assert len(r.lines("thread")) == 6
    assert all("toy_2_word=opened" in line for line in r.lines("thread"))


def check_unusable(fault, *words):
    env = {"TOY_FAULT": fault}
    with rig() as r:
        check_named(r, env, "ctprof-toy.so", *words)
        check_passed_over(r, env, "ctprof-toy.so", *words)


def check_unopened(fault, *words):
    env = {"TOY_FAULT": fault}
    with rig() as r:
        check_named(r, env, *words)
        check_passed_over(r, env, *words)


def check_no_plugin(what, spoil):
    with rig() as r:
        spoil(r.plugins / "ctprof-toy.so")
        check_named(r, None, "ctprof-toy.so")
        check_passed_over(r, None, "ctprof-toy.so")


def check_loads(fault, need):
    """Of structs with the length of another ctprof version, the known part is
    used."""
    with rig() as r:
        env = {"TOY_FAULT": fault}
        result = r.capture(env=env)
        assert result.status == 0 and len(result.err) == 1, str(result)
        assert r.lines("thread")[0] == "thread 1000 1000 toy_count=1000 toy_word=opened"
        told = r.run("plugins", "toy", env=env)
        assert told.status == 0 and not told.err and need in told.out, str(told)
        told = r.run("plugins", "--format", "json", env=env)
        assert told.status == 0 and not told.err and need in told.out, str(told)


add_tests(globals(), "unusable", check_unusable, UNUSABLE)
add_tests(globals(), "unopened", check_unopened, UNOPENED)
add_tests(globals(), "no_plugin", check_no_plugin, {k: [v] for k, v in NO_PLUGIN.items()})
add_tests(globals(), "loads", check_loads,
          {"newer": ["proc/second"], "short-needs": ["proc/older"]})


def test_sound_plugin():
    with rig() as r:
        result = r.capture()
        assert result.status == 0 and len(result.err) == 1, str(result)
        assert r.lines("scope") == ["scope 50 toy_host=7"]
        assert r.lines("plugin") == ["plugin toy state=10 failures=0 why=-"]
        assert r.lines("end") == ["end threads=6 processes=3"]


def test_cut_file_names_the_plugin():
    """The loader maps more than the file has, which causes either a crash (SIGBUS) or an
    error."""
    with rig() as r:
        file = r.plugins / "ctprof-toy.so"
        file.write_bytes(file.read_bytes()[:1000])
        check_failure(r.capture(), 1, "toy")
        assert r.left() == []


def test_metric_of_another_kind_is_refused():
    with rig() as r:
        r.install("toy-2")
        env = {"TOY_2_FAULT": "unlike-metric"}
        named = r.capture(plugins="toy,toy-2,snapshot", env=env)
        check_failure(named, 1, "toy-2", "toy_count", "taken")
        assert r.left() == []
        result = r.capture(plugins=everything(), env=env)
        assert result.status == 0, str(result)
        assert len([line for line in result.err if "toy-2" in line]) == 1, str(result)


def test_two_sources_of_one_metric():
    with rig() as r:
        r.install("toy-2")
        result = r.capture(plugins="toy-2,toy,snapshot")
        assert result.status == 0, str(result)
        assert r.lines("thread")[0] == \
            "thread 1000 1000 toy_count=1000 toy_word=opened toy_2_word=opened"
        found = r.lines("metric")
        assert "metric toy_count of toy" in found and "metric toy_2_word of toy-2" in found, found


def test_second_source_fills_in():
    with rig(processes=9, threads=OWN_BATCH) as r:
        r.install("toy-2")
        result = r.capture(plugins="toy-2,toy,snapshot", env={"TOY_FAULT": "collect-fails"})
        assert result.status == 0, str(result)
        assert len(r.lines("thread")) == 9 * OWN_BATCH
        for line in r.lines("thread"):
            tid = line.split(" ")[2]
            assert f" toy_count={tid} " in line and "toy_2_word=opened" in line, line
            assert "toy_word=!" in line, line
        # A definition names the source that filled it.
        found = r.lines("metric")
        assert "metric toy_count of toy-2" in found and "metric toy_word of toy" in found, found


def test_failing_collect_is_switched_off_and_said_once():
    with rig(processes=12, threads=OWN_BATCH) as r:
        result = r.capture("--jobs", "2", env={"TOY_FAULT": "collect-fails"})
        assert result.status == 0, str(result)
        told = [line for line in result.err if "toys are broken" in line]
        assert len(told) == 1 and "switched off" in told[0], str(result)
        report = r.lines("plugin")
        assert len(report) == 1 and "state=30" in report[0] and "toys are broken" in report[0]


def test_failing_collect_is_told_on_a_small_host():
    with rig() as r:
        result = r.capture(env={"TOY_FAULT": "collect-fails"})
        assert any("toys are broken" in line for line in result.err), str(result)


def test_warnings_come_to_an_end():
    with rig() as r:
        result = r.capture(env={"TOY_FAULT": "log-floods"})
        assert result.status == 0 and 1000 <= len(result.err) <= 1002, len(result.err)
        assert [line for line in result.err if "further warnings are left out" in line], result.err[-2:]


def test_what_it_writes_over_a_batch_is_not_believed():
    with rig() as r:
        r.install("toy-2")
        result = r.capture(plugins=everything(), env={"TOY_FAULT": "batch-grows"})
        assert result.status == 0 and len(r.lines("thread")) == 6, str(result)
        assert all("toy_2_word=opened" in line for line in r.lines("thread"))


def test_threads_that_are_there_do_not_vanish():
    with rig() as r:
        result = r.run("capture", "--pid", os.getpid(), "-o", r.file, env={"TOY_FAULT": "all-vanish"})
        assert result.status == 0 and r.lines("thread"), str(result)
        assert any("plugin toy: 1 failures" in line and "reported living threads as gone" in line for line in result.err), str(result)


def test_bad_puts_are_counted_and_harm_nothing():
    with rig() as r:
        result = r.capture(env={"TOY_FAULT": "bad-puts"})
        assert result.status == 0, str(result)
        assert r.lines("thread")[0] == "thread 1000 1000 toy_count=1000 toy_word=opened"
        assert len(r.lines("thread")) == 6
        assert r.lines("plugin") == ["plugin toy state=10 failures=9 why=-"]
        assert any("plugin toy: 9 failures" in line for line in result.err), str(result)


def test_garbage_as_an_answer():
    with rig(processes=12, threads=OWN_BATCH) as r:
        result = r.capture("--jobs", "1", env={"TOY_FAULT": "collect-garbage"})
        assert result.status == 0, str(result)
        assert any("switched off" in line and "-2147483648" in line for line in result.err), str(result)
        assert "state=30" in r.lines("plugin")[0] and "-2147483648" in r.lines("plugin")[0]
        assert all("toy_count=!50 toy_word=!50" in line for line in r.lines("thread"))


def test_positive_answer_is_a_failure():
    with rig() as r:
        result = r.capture(env={"TOY_FAULT": "collect-much"})
        assert result.status == 0, str(result)
        # The rows of the host and of the threads.
        assert r.lines("plugin") == ["plugin toy state=10 failures=2 why=-"], str(result)
        assert any("plugin toy: 2 failures" in line and "returned 2147483647" in line
                   for line in result.err), str(result)


def test_positive_answers_in_a_row_switch_the_source_off():
    with rig(processes=12, threads=OWN_BATCH) as r:
        result = r.capture("--jobs", "1", env={"TOY_FAULT": "collect-much"})
        assert result.status == 0 and "state=30" in r.lines("plugin")[0], str(result)
        assert any("switched off" in line and "2147483647" in line for line in result.err), str(result)


def test_source_denied_at_start_is_left_out():
    with rig() as r:
        r.install("toy-2")
        result = r.capture(plugins="toy,toy-2,snapshot", env={"TOY_FAULT": "start-denied"})
        assert result.status == 0, str(result)
        assert len([line for line in result.err if "not allowed" in line]) == 1, str(result)
        assert " toy_word=!20" in r.lines("thread")[0]
        assert "plugin toy state=20 failures=0 why=not allowed" in r.lines("plugin")


def test_no_source_left_is_a_failure():
    with rig() as r:
        result = r.capture(env={"TOY_FAULT": "start-denied"})
        assert result.status == 1, str(result)
        assert any("not allowed" in line for line in result.err), str(result)
        assert r.left() == []


def test_worker_that_cannot_open_is_told_once():
    with rig() as r:
        r.install("toy-2")
        result = r.capture("--jobs", "2", plugins="toy,toy-2,snapshot",
                           env={"TOY_FAULT": "worker-fails"})
        assert result.status == 0, str(result)
        assert len([line for line in result.err if "no socket" in line]) == 1, str(result)


def test_slow_batches_keep_the_order():
    with rig(processes=12, threads=OWN_BATCH) as r:
        result = r.capture("--jobs", "4", env={"TOY_FAULT": "collect-sleeps"})
        assert result.status == 0, str(result)
        seen = [tuple(map(int, line.split(" ")[1:3])) for line in r.lines("thread")]
        assert len(seen) == 12 * OWN_BATCH and seen == sorted(seen)


def test_messages_of_plugins_are_one_printable_line():
    with rig() as r:
        result = r.capture(env={"TOY_FAULT": "odd-log"})
        assert result.status == 0 and len(result.err) == 2, str(result)
        check_printable(result)
        assert "toy: two\\nlines \\x1b[31mand\\xff colour" in result.err[0], str(result)


def check_sink(fault, *words):
    with rig() as r:
        check_failure(r.capture(env={"TOYSINK_FAULT": fault}), 1, "snapshot", *words)
        assert r.left() == []


add_tests(globals(), "sink", check_sink, {
    "begin-fails": ["will not begin"],
    "rows-fail": ["no more rows"],
    "end-fails": ["Invalid argument"],
})


def test_any_sink_that_can_writes_the_capture():
    with rig() as r:
        r.install("toydraw")
        result = r.capture("--sink", "toydraw", plugins="toy,snapshot",
                           env={"TOYSINK_FAULT": "begin-fails"})
        assert result.status == 0 and len(result.err) == 1, str(result)
        assert r.lines("end") == ["end threads=6 processes=3"]
        # Its file is not named like a snapshot.
        r.file.unlink()
        result = r.run("--proc-root", r.proc, "capture", "--sink", "toydraw")
        assert result.status == 0, str(result)
        made = [file.name for file in r.tmp.iterdir() if file.name.endswith(".toydraw")]
        assert len(made) == 1 and not list(r.tmp.glob("*.ctprof.zst")), made


def test_sink_that_cannot_write_a_capture_is_refused():
    with rig() as r:
        for name in ("json", "toy"):
            result = r.capture("--sink", name, plugins="toy,snapshot")
            check_failure(result, 2, f"--sink '{name}'", "captures, such as snapshot")
        check_failure(r.capture("--sink", "nosuch", plugins="toy,snapshot"), 2, "nosuch", "not installed")
        assert r.left() == []


def test_source_in_the_sinks_place():
    with rig() as r:
        r.install("toy", "snapshot")
        check_failure(r.capture(), 1, "ctprof-snapshot.so")
        assert r.left() == []


if __name__ == "__main__":
    tap.main(globals(), world="own")
