#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Windows of this host show the processes that ran, and their CPU time adds up."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import harness
import tap
from harness import Worker

NS_PER_TICK = 10_000_000
NS_PER_US = 1000


def host_busy_ns():
    """The busy time of all CPUs, without idle and stolen time."""
    user, nice, system, _, _, irq, softirq = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:8]
    )
    return (user + nice + system + irq + softirq) * NS_PER_TICK


def stat(*command, options=()):
    """The report of a window, and the output of the command."""
    with tempfile.TemporaryDirectory(prefix="ctprof-window-") as folder:
        report = Path(folder) / "report"
        done = subprocess.run(
            [harness.CTPROF, "-q", "stat", "--smaps=never", "--group-by=comm-exact", "--limit=0",
             "--format=json", *options, "-o", report, "--", *map(str, command)],
            capture_output=True, check=False, timeout=harness.PATIENCE_S,
            env={**os.environ, "TMPDIR": folder},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(report.read_text()), done.stdout


def section(report, name):
    found = [it for it in report["sections"] if it["name"] == name]
    return found[0]["rows"] if found else []


def whole_stat(*command, options=()):
    """A window without lost records, its output, and the busy time of the host meanwhile."""
    before = host_busy_ns()
    report, printed = stat(*command, options=(*harness.ROOMY, *options))
    around = host_busy_ns() - before
    assert not report["window"].get("exits_lost"), section(report, "command")
    return report, printed, around


def need_exits(report):
    if "exited_with_record" not in report["window"]:
        raise tap.Skip("exit records cannot be had here")


def account(report):
    parts = {row["group"]: row["delta"] for row in section(report, "cpu-account")}
    assert parts["host"] is not None, parts
    known = parts["threads"] + parts["exited"] + parts["ctprof"] + parts["unaccounted"]
    assert abs(known - parts["host"]) < 1, parts
    assert parts["ctprof"] > 0, parts
    return parts


def check_short_processes(options, is_exact):
    """Five hundred processes that touch some memory, next to some that stay."""
    with Worker("--threads", 20), harness.own_name(harness.CHURNER) as own_churner:
        report, printed, around = whole_stat(own_churner, "touch", 500, 1, options=options)
    need_exits(report)
    truth = json.loads(printed)
    parts = account(report)
    # What parents were charged with is in ticks, as the host's time is; they need not be the same ones.
    assert parts["host"] <= around * (1 if is_exact else 1.02) + NS_PER_TICK, (parts, around)
    # Captures take time while others run, so some busy time from before and after the window may
    # be in it.  The rest is interrupts, and without bpf the exits of ctprof's threads.
    slack = 0.1 * parts["host"] + around - parts["host"] + 20 * NS_PER_TICK
    assert abs(parts["unaccounted"]) <= slack, parts
    children = (truth["children_user_us"] + truth["children_system_us"]) * NS_PER_US
    assert parts["exited"] >= 0.95 * children, (parts, truth)
    shown = {row["group"]: row for row in section(report, "primary")
             if row["metric"] == "run_time_ns"}  # fmt: skip
    row = shown[own_churner.name]
    own = (truth["own_user_us"] + truth["own_system_us"]) * NS_PER_US
    if is_exact:
        assert abs(row["delta"] - children - own) <= 0.01 * (children + own), (row, truth)
        assert "missing" not in row, row
    else:
        # The run time since the last tick or switch is not in a thread's record; how much it is
        # depends on the other load of its CPU. So all are marked.
        is_disturbed = children + own < truth["wall_us"] * NS_PER_US / 2
        least = 0 if is_disturbed else 0.95 * (children + own)
        assert least < row["delta"] <= 1.05 * (children + own), (row, truth)
        assert row["missing"][1] > 0 and row["n"][1] > 500, row
    assert report["window"]["exited_unseen"] >= 500, report["window"]


def test_short_processes_are_in_the_sum():
    check_short_processes(harness.BPF_NEVER, is_exact=False)


def test_short_processes_are_exact_by_bpf():
    harness.need_bpf()
    check_short_processes([], is_exact=True)


def test_a_fork_storm_is_accounted_for():
    """Thousands of short processes per second."""
    harness.need_bpf()
    report, _, around = whole_stat(harness.CHURNER, "exit", 10000, 8)
    need_exits(report)
    parts = account(report)
    print(f"# {parts['unaccounted'] / parts['host']:.2%} of {parts['host'] / 1e9:.2f} s unaccounted")
    assert report["window"]["exited_unseen"] >= 10000, report["window"]
    # Captures take time while others run, so some busy time from before and after the window
    # may be in it.
    slack = 0.02 * parts["host"] + around - parts["host"] + 10 * NS_PER_TICK
    assert abs(parts["unaccounted"]) <= slack, (parts, slack)


def test_no_counter_falls_while_processes_come_and_go():
    report, _ = stat(harness.CHURNER, "exit", 500, 2)
    counters = {"run_time_ns", "wait_time_ns", "timeslices", "utime_clock_ticks", "minflt",
                "voluntary_csw", "rchar", "wchar"}  # fmt: skip
    rows = [row for row in section(report, "primary") if row["metric"] in counters]
    fallen = [row for row in rows if row["delta"] is not None and row["delta"] < 0]
    assert rows and not fallen, fallen
    assert all(row["pct"] is None for row in rows)


def test_a_small_buffer_is_told():
    """The message also names the option of that source that makes room."""
    sources = {"taskstats": harness.BPF_NEVER}
    if harness.BPF_NEVER:
        harness.need_bpf()
        sources["bpf"] = ()
    for source, options in sources.items():
        small = (*options, "-O", f"{source}.buffer=4096")
        report, _ = stat(harness.CHURNER, "exit", 3000, 4, options=small)
        need_exits(report)
        notes = [it for it in report["sections"] if it["name"] == "command"][0]["notes"]
        if any("none lost" in note for note in notes):
            print(f"# {source}: the listener was as fast as the exits")
            continue
        assert report["window"]["exits_lost"] is True, report["window"]
        (note,) = [note for note in notes if note.startswith("exits incomplete: ")]
        assert note.endswith(f" lost (-O {source}.buffer=SIZE)"), notes


def test_totals_and_windows_are_asked_for():
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{name}.ctprof.zst" for name in "ab"]
        for file in files:
            harness.run("-q", "--plugins=procfs,host", "capture", "-o", file)
        for options, is_window in (((), True), (("--window",), True), (("--totals",), False)):
            done = harness.run("compare", *options, "--format=json", *files)
            assert ("window" in json.loads(done.stdout)) == is_window, options
        swapped = harness.run("compare", "--window", *reversed(files), check=False)
        assert swapped.returncode == 2 and b"--window: the candidate was not" in swapped.stderr
        both = harness.run("compare", "--window", "--totals", *files, check=False)
        assert both.returncode == 2, both


if __name__ == "__main__":
    tap.main(globals(), world="of exit records")
