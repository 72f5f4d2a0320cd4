# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests polarity: which changes are called worse or better, and what --fail-on worse judges.

The runs are derived from one capture of this host, changed by known amounts, so that the
expected changes do not depend on how busy the host is."""

import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

MADE = tempfile.TemporaryDirectory(prefix="ctprof-worse-")
FOLDER = Path(MADE.name)
RUNS = 8
MS = 1_000_000
NAMES = ("hurt", "helped", "busy", "calm")
EVENTS = "SCX_EV_SELECT_CPU_FALLBACK 42\nSCX_EV_BYPASS_DURATION 5000000\n"


def ctprof(*arguments, status=0):
    done = subprocess.run([str(harness.CTPROF), *map(str, arguments)], capture_output=True, check=False,
                          cwd=FOLDER, timeout=harness.PATIENCE_S)  # fmt: skip
    assert done.returncode == status, (done.returncode, done.stderr.decode())
    return done


def tree(ops):
    """Returns a root of sys with a BPF scheduler, or without one."""
    root = FOLDER / f"sys-{ops}"
    ext = root / "kernel/sched_ext"
    if not ext.exists():
        ext.mkdir(parents=True)
        (ext / "state").write_text("enabled\n" if ops else "disabled\n")
        for name in ("switch_all", "hotplug_seq", "enable_seq"):
            (ext / name).write_text("1\n" if ops else "0\n")
        (ext / "nr_rejected").write_text("0\n")
        if ops:
            (ext / "root").mkdir()
            (ext / "root/ops").write_text(f"{ops}\n")
            (ext / "root/events").write_text(EVENTS)
    return root


def whole(root=None):
    """Returns a capture of this host, reduced to four threads."""
    path = FOLDER / f"whole-{root.name if root else ''}"
    if not path.exists():
        ctprof("--plugins=procfs,scx" if root else "--plugins=procfs", "-q", "capture", "--smaps=never",
               *(["--proc-root=/proc", f"--sys-root={root}"] if root else []), "-o", path)  # fmt: skip
    data = json.loads(subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout)
    if root:  # the same threads for both sides
        data["threads"] = whole()["threads"]
    leaders = [thread for thread in data["threads"] if thread["tid"] == thread["tgid"]]
    data["threads"] = leaders[: len(NAMES)]
    return data


def write(path, seed, factors, root=None):
    """Writes a run: every number is the same, apart from 1 % noise, times its factor."""
    data = whole(root)
    noise = random.Random(seed)
    for name, thread in zip(NAMES, data["threads"]):
        thread["pcomm"] = thread["comm"] = name
        for metric, value in (("run_time_ns", 900 * MS), ("wait_time_ns", 500 * MS),
                              ("majflt", 4000), ("nonvoluntary_csw", 50000),
                              ("nr_migrations", 7000)):  # fmt: skip
            thread[metric] = int(value * noise.uniform(0.99, 1.01) * factors.get((name, metric), 1))
    subprocess.run(["zstd", "-q", "-o", path], input=json.dumps(data).encode(), check=True)


def side(name, factors, root=None):
    """Returns a directory of runs."""
    folder = FOLDER / name
    if not folder.exists():
        folder.mkdir()
        for run in range(RUNS):
            write(folder / f"{run}.ctprof.zst", f"{name} {run}", factors, root)
    return folder


def baseline():
    return side("a", {})


def changed():
    return side("b", {
        ("hurt", "wait_time_ns"): 2, ("helped", "majflt"): 0.5,
        # Neutral: more time on a CPU may mean more work done.
        ("busy", "run_time_ns"): 3,
        # Significant, as it is in every run, but below the gate.
        ("calm", "wait_time_ns"): 1.03,
    })  # fmt: skip


def judgements(*sides):
    report = json.loads(ctprof("compare", "-f", "json", "-n", "0", *sides).stdout)
    return {
        (row["group"], row["metric"]): row["judgement"]
        for section in report["sections"]
        for row in section.get("rows", [])
        if "judgement" in row
    }


def test_worse_and_better_are_the_pools_that_changed():
    found = judgements(baseline(), changed())
    # Metrics derived from these two change with them.
    derived = {"cpu_efficiency", "avg_turn_wait_ns"}
    plain = {key: word for key, word in found.items() if key[1] not in derived}
    assert plain == {("hurt", "wait_time_ns"): "worse", ("helped", "majflt"): "better"}, found
    assert found[("hurt", "cpu_efficiency")] == "worse", found
    # This one got better: the time on a CPU grew, but the wait did not.
    assert found[("busy", "cpu_efficiency")] == "better", found
    # A change without judgement is still reported.
    rows = json.loads(ctprof("compare", "-f", "json", "-n", "0", baseline(), changed()).stdout)
    verdicts = {(row["group"], row["metric"]): row["runs"]["verdict"]
                for section in rows["sections"] for row in section.get("rows", [])}  # fmt: skip
    assert verdicts[("busy", "run_time_ns")] == "changed", verdicts
    assert verdicts[("calm", "wait_time_ns")] == "changed", verdicts


def test_the_other_way_round_worse_is_better():
    found = judgements(changed(), baseline())
    assert found[("hurt", "wait_time_ns")] == "better", found
    assert found[("helped", "majflt")] == "worse", found


def test_equal_runs_are_neither():
    assert judgements(baseline(), side("again", {})) == {}
    ctprof("compare", "--fail-on=worse", baseline(), side("again", {}))


def test_fail_on_worse_lists_every_group_it_met():
    done = ctprof("compare", "-f", "json", "-n", "0", "--fail-on=worse", baseline(), changed(), status=3)
    hits = {(hit["group"], hit["metric"]) for hit in json.loads(done.stdout)["fail_on"]}
    assert hits == {("hurt", "wait_time_ns"), ("hurt", "cpu_efficiency"),
                    ("hurt", "avg_turn_wait_ns")}, hits  # fmt: skip
    assert "'worse': met by hurt: wait_time_ns by " in done.stderr.decode(), done.stderr
    # A smaller probability, or a filter, restricts it.
    ctprof("compare", "--fail-on=q<0.0001 && worse", baseline(), changed())
    ctprof("compare", "--fail-on=worse", "--filter=^(helped|busy|calm)$", baseline(), changed())


def test_neutral_metric_never_fails():
    side("c", {("busy", "run_time_ns"): 3, ("busy", "wait_time_ns"): 1})
    found = judgements(baseline(), FOLDER / "c")
    assert ("busy", "run_time_ns") not in found, found
    ctprof("compare", "--fail-on=worse", baseline(), FOLDER / "c")


def test_table_says_it():
    text = ctprof("compare", "--no-pager", baseline(), changed()).stdout.decode()
    line = next(line for line in text.splitlines() if "hurt" in line and "wait_time_ns" in line)
    assert line.split()[0] == "worse", text
    line = next(line for line in text.splitlines() if "busy" in line and "run_time_ns" in line)
    assert line.split()[0] == "changed", text


def test_junit_fails_with_the_word():
    done = ctprof("compare", "-f", "junit", "--fail-on=worse", baseline(), changed(), status=3)
    assert b"worse" in done.stdout and b'failures="3"' in done.stdout, done.stdout


def schedulers():
    """Returns a side without a BPF scheduler, and one with it."""
    factors = {("hurt", "wait_time_ns"): 2, ("calm", "wait_time_ns"): 8, ("helped", "majflt"): 0.5,
               ("busy", "nr_migrations"): 3}  # fmt: skip
    return side("plain", {}, tree("")), side("lavd", factors, tree("lavd_1.0"))


def test_another_scheduler_gets_a_report_in_chapters():
    report = json.loads(ctprof("compare", "-f", "json", "-n", "0", *schedulers()).stdout)
    found = {section["name"]: section["rows"] for section in report["sections"]}
    assert list(found) == ["runs-paid", "runs-events", "runs-migrations", "runs-turns", "runs"], list(found)
    # The pool that lost more comes first, with all that became worse of it.
    paid = [row["group"] for row in found["runs-paid"]]
    assert paid == sorted(paid) and set(paid) == {"calm", "hurt"}, paid
    assert {row["judgement"] for row in found["runs-paid"]} == {"worse"}, found["runs-paid"]
    # Only side B counts events: no change, and no 0 for side A.
    events = {row["metric"]: row for row in found["runs-events"]}
    fallback = events["sched_ext.events.SCX_EV_SELECT_CPU_FALLBACK"]
    assert (fallback["baseline"], fallback["candidate"], fallback["delta"]) == (None, 42, None), fallback
    assert events["sched_ext.durations.SCX_EV_BYPASS_DURATION"]["candidate"] == 5000000, events
    moved = found["runs-migrations"][0]
    assert (moved["group"], moved["metric"], moved["runs"]["verdict"]) == ("busy", "nr_migrations", "changed"), moved
    rest = {(row["group"], row["metric"]): row for row in found["runs"]}
    assert rest[("helped", "majflt")]["judgement"] == "better"
    assert "nr_migrations" not in {metric for _, metric in rest}


def test_chapters_in_text_html_and_junit():
    text = ctprof("compare", "--no-pager", *schedulers()).stdout.decode()
    heads = re.findall("^## (.*)$", text, re.MULTILINE)
    assert heads == ["Who paid: pools that became worse", "Events of the scheduler", "Migrations and wakeups",
                     "Turns on the CPUs", "Change or noise"], text  # fmt: skip
    assert "who paid: calm, hurt\n" in text, text
    page = ctprof("compare", "-f", "html", *schedulers()).stdout.decode()
    places = [page.index(f"<h2>{head}</h2>") for head in heads]
    assert places == sorted(places), places
    assert "who paid: calm, hurt" in page
    done = ctprof("compare", "-f", "junit", "--fail-on=worse", *schedulers(), status=3).stdout.decode()
    cases = re.findall('<testcase classname="(.*?)" name="(.*?)">(.*?)</testcase>', done, re.DOTALL)
    assert [case[0] for case in cases if "<failure" in case[2]] == [case[0] for case in cases[: done.count("<failure")]]
    event, = (rest for _, metric, rest in cases if metric.endswith("SCX_EV_SELECT_CPU_FALLBACK"))
    assert event.strip() == "<system-out>B 42 [42…42]</system-out>", event


def test_equal_schedulers_get_no_chapters():
    again = side("lavd again", {}, tree("lavd_1.0")), side("lavd too", {}, tree("lavd_1.0"))
    report = json.loads(ctprof("compare", "-f", "json", "-n", "0", "--fail-on=worse", *again).stdout)
    assert [section["name"] for section in report["sections"]] == ["runs"], report["sections"]
    assert not [row for row in report["sections"][0]["rows"] if "judgement" in row]


def test_two_captures_of_two_boots_are_judged_by_the_gates():
    for name, factors in (("one", {}), ("two", {("hurt", "wait_time_ns"): 2, ("calm", "wait_time_ns"): 1.03})):
        if not (FOLDER / name).exists():
            write(FOLDER / name, "same noise", factors)
    shown = ["compare", "--totals", "--no-pager", "--all", "--changed"]
    text = ctprof(*shown, "one", "two").stdout.decode()
    line = next(line for line in text.splitlines() if "hurt" in line and "wait_time_ns" in line)
    assert "worse" in line.split(), text
    assert "better" not in text, text
    done = ctprof("compare", "--totals", "-q", "--fail-on=worse", "one", "two", status=3)
    assert b"met by hurt" not in done.stdout
    ctprof("compare", "--totals", "--fail-on=worse", "one", "one")


def test_in_a_window_nothing_is_worse():
    for name in ("before", "after"):
        if not (FOLDER / name).exists():
            ctprof("--plugins=procfs", "-q", "capture", "--smaps=never", "-o", name)
    assert judgements("before", "after") == {}
    done = ctprof("compare", "--fail-on=worse", "before", "after", status=2)
    assert "have no baseline to be worse than" in done.stderr.decode(), done.stderr


def test_polarity_is_in_the_file():
    metrics = {each["name"]: each for each in whole()["metrics"]}
    assert metrics["wait_time_ns"]["polarity"] == "more_is_worse", metrics["wait_time_ns"]
    assert metrics["majflt"]["gate"] == 100, metrics["majflt"]
    assert "polarity" not in metrics["run_time_ns"], metrics["run_time_ns"]


if __name__ == "__main__":
    tap.main(globals(), world="own")
