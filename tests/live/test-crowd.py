#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Many processes of one user: hostile ones together cost no more than the limit for one, and
ordinary ones lose no values."""

import contextlib
import re
from pathlib import Path

import harness
import tap

FOLDER = harness.BUILD / "plugins/jemalloc/tests"
BIGLIST, LIBRARY, PLAIN = FOLDER / "biglist", FOLDER / "libtoy-tsd.so", FOLDER / "jemalloc-worker-plain"
ORDINARY, HOSTILE = 2000, 1000
# Memory of the host used by a process, much of it in the kernel; a crowd gets an eighth of all.
KIB = 1024
RUNS = 2048


def as_many(wanted, kib):
    text = Path("/proc/meminfo").read_text(encoding="utf-8")
    there = int(re.search(r"MemAvailable: *(\d+)", text)[1])
    return max(100, min(wanted, there // 8 // kib))


def allocated(snapshot, pid):
    """The set of ("value", N) or ("absent", reason) over the threads of a process."""
    return {snapshot.value(row, "allocated_bytes") for row in snapshot.of(pid).values()}


@contextlib.contextmanager
def crowd(copies, *more, user):
    """Yields the PIDs of copies processes, or of as many as the user can have."""
    with harness.started(BIGLIST, 0, LIBRARY, copies, *more, user=user) as (pid, lines):
        if not lines:
            raise tap.Skip("this user can have no such processes")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
        pids = [pid, *map(int, children.split())]
        print(f"# {len(pids)} processes", flush=True)
        assert len(pids) == int(lines[-1]) and len(pids) > 50, lines
        yield pids


def capture():
    return harness.capture("--plugins=procfs,jemalloc", "--smaps=never")


def test_ordinary_ones_lose_nothing():
    user = harness.need_other_user()
    with crowd(as_many(ORDINARY, KIB), user=user) as pids:
        snapshot = capture()
        lost = {pid: allocated(snapshot, pid) for pid in pids
                if any(kind != "value" for kind, _ in allocated(snapshot, pid) or {("absent", "no row")})}
        assert not lost, f"{len(lost)} of {len(pids)}: {dict(list(lost.items())[:5])}"
        assert "left out" not in snapshot.stderr, snapshot.stderr


def test_hostile_ones_cost_what_one_may():
    """Each process alone is within the limits. Together they cost a thousand times as much, but other
    users' processes lose nothing."""
    user = harness.need_other_user()
    with harness.started(PLAIN, "quiet", 3, LIBRARY) as (victim, lines):
        truth = {("value", int(line.split()[1])) for line in lines if len(line.split()) == 3}
        with crowd(as_many(HOSTILE, KIB), RUNS, user=user) as pids:
            snapshot = capture()
        looked_at = [pid for pid in pids if allocated(snapshot, pid) != {("absent", "timeout")}]
        print(f"# {len(looked_at)} of {len(pids)} were looked at", flush=True)
        assert 0 < len(looked_at) < len(pids) / 4, f"{len(looked_at)} of {len(pids)}"
        assert truth and allocated(snapshot, victim) == truth, (truth, allocated(snapshot, victim))
        told = [line for line in snapshot.stderr.splitlines() if "left out" in line]
        assert len(told) == 1 and f"user {user}" in told[0], snapshot.stderr


if __name__ == "__main__":
    tap.main(globals(), world="own")
