#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The memory of processes as requested on the command line, compared with procfs."""

import os
import pwd
from pathlib import Path

import harness
import tap
from harness import Worker, capture

PLUGINS = "--plugins=procfs,memory"
KIB = 1024


def lines_of(path):
    """{key: first number} of the "key: number" lines of a file."""
    found = {}
    for line in Path(path).read_text(errors="replace").splitlines():
        key, colon, rest = line.partition(":")
        words = rest.split()
        if colon and words and words[0].isdigit():
            found[key] = int(words[0])
    return found


def row_of(snapshot, pid):
    return snapshot.rows[pid, pid]


def told(snapshot, pid, *names):
    row = row_of(snapshot, pid)
    return {name: snapshot.value(row, name) for name in names}


def need_rollup():
    if not Path("/proc/self/smaps_rollup").exists():
        raise tap.Skip("this kernel has no smaps_rollup")


def test_a_stopped_process_is_told_as_procfs_does():
    need_rollup()
    with Worker("--threads", 3) as worker:
        worker.stop()
        snapshot = capture(PLUGINS, "--memory=processes")
        pid = worker.pid
        rollup, status = (lines_of(f"/proc/{pid}/{name}") for name in ("smaps_rollup", "status"))
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        want = {
            "memory_state": "exact",
            "memory_source": "rollup",
            "rss_bytes": rollup["Rss"] * KIB,
            "anonymous_bytes": rollup["Anonymous"] * KIB,
            "swap_bytes": rollup["Swap"] * KIB,
            "rss_peak_bytes": status["VmHWM"] * KIB,
            "status_rss_anon_bytes": status["RssAnon"] * KIB,
            "ppid": os.getpid(),
            "uid": os.getuid(),
            "user": pwd.getpwuid(os.getuid()).pw_name,
            "cmdline": " ".join(part.decode() for part in command if part),
            "cwd": "/",
        }
        assert told(snapshot, pid, *want) == {k: ("value", v) for k, v in want.items()}
        # Both sources can fill that map, but its values are of a single reading.
        map_ = row_of(snapshot, pid)["smaps_rollup_kib"]
        assert told(snapshot, pid, "pss_bytes") == {"pss_bytes": ("value", map_["Pss"] * KIB)}
        summary = snapshot.data["extra"]["memory_summary"]
        assert summary["exact"] >= 1 and summary["read_ns"] > 0


def test_nothing_is_told_that_was_not_asked_for():
    snapshot = capture("--plugins=all")
    names = {metric["name"] for metric in snapshot.data["metrics"]}
    assert "smaps_rollup_kib" in names and "pss_bytes" not in names
    told_absent = set().union(*(snapshot.absences(row) for row in snapshot.rows.values()))
    assert not told_absent & {"pss_bytes", "memory_state"}
    assert not any("memory_state" in (row.get("extra") or {}) for row in snapshot.rows.values())


def test_a_definition_names_the_source_that_fills_it():
    shared = ("pcomm", "state", "nr_threads", "smaps_rollup_kib")
    for arguments, source in (((), "procfs"), (("--memory=processes",), "memory")):
        metrics = capture("--plugins=all", *arguments).data["metrics"]
        found = {metric["plugin"] for metric in metrics if metric["name"] in shared}
        # BPF reads some of it if there are many threads.
        assert found - {"bpf"} == {source}, (arguments, found)


def test_memory_adds_to_the_groups_and_metrics_that_are_named():
    cases = [
        (["--groups=sched"], True, False),
        (["--groups=io"], False, True),
        (["--metrics=rchar"], False, True),
        ([], True, True),
    ]
    for arguments, sched, io in cases:
        snapshot = capture(PLUGINS, "--memory=processes", *arguments)
        row = row_of(snapshot, os.getpid())
        for name, wanted in (("minflt", sched), ("rchar", io), ("rss_bytes", True)):
            skipped = snapshot.reason(row, name) == "skipped"
            assert skipped != wanted, f"{arguments}: {name}"


def test_what_is_too_big_is_skipped_and_told():
    snapshot = capture(PLUGINS, "--memory=processes", "--smaps-max-rss=4KiB")
    found = told(snapshot, os.getpid(), "memory_state", "memory_source", "pss_bytes")
    assert found == {
        "memory_state": ("value", "skipped"),
        "memory_source": ("value", "status"),
        "pss_bytes": ("absent", "skipped"),
    }
    assert told(snapshot, os.getpid(), "memory_would_ns")["memory_would_ns"][1] > 0
    # procfs has not read the files that were to be spared either.
    assert not row_of(snapshot, os.getpid())["smaps_rollup_kib"]
    assert "--smaps-max-rss" in snapshot.stderr


def test_what_it_was_started_with_can_be_left_out():
    for options, reason in ((), None), (("--no-cmdline",), "skipped"):
        snapshot = capture(PLUGINS, "--memory=processes", "-p", os.getpid(), *options)
        row = snapshot.rows[(os.getpid(), os.getpid())]
        for name in ("cmdline", "cwd"):
            assert snapshot.reason(row, name) == reason, (options, name, row)
        assert snapshot.reason(row, "rss_bytes") is None


def test_the_source_can_be_chosen():
    need_rollup()
    for source in ("rollup", "smaps"):
        snapshot = capture(PLUGINS, "--memory=processes", f"--smaps-source={source}")
        found = told(snapshot, os.getpid(), "memory_source")
        assert found == {"memory_source": ("value", source)}, source


def test_a_leader_that_has_exited_has_the_memory_of_its_threads():
    with Worker("--threads", 2, "--leader-exits") as worker:
        snapshot = capture(PLUGINS, "--memory=processes")
        found = told(snapshot, worker.pid, "memory_state", "memory_source")
        assert found["memory_state"] == ("value", "exact")
        assert found["memory_source"][1].startswith("sibling")


def test_what_is_refused_is_told_by_status_and_the_remedy_once():
    user = harness.need_other_user()
    snapshot = capture(PLUGINS, "--memory=processes", user=user)
    found = told(snapshot, os.getpid(), "memory_state", "memory_source", "pss_bytes", "cwd")
    assert found == {
        "memory_state": ("value", "approximate"),
        "memory_source": ("value", "status"),
        "pss_bytes": ("absent", "denied"),
        "cwd": ("absent", "denied"),
    }
    lines = [line for line in snapshot.stderr.splitlines() if "CAP_PERFMON" in line]
    assert len(lines) == 1 and "needs CAP_SYS_PTRACE, or CAP_PERFMON" in lines[0], lines


if __name__ == "__main__":
    tap.main(globals(), world="own")
