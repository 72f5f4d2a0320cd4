#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No thread that lives throughout a capture is missing from it, whichever
other threads exit."""

import os
import time
from contextlib import ExitStack

import harness
import tap
from harness import Worker, capture

FORKS_A_MINUTE = 1000


def start_time(tgid, tid):
    with open(f"/proc/{tgid}/task/{tid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[19])


def living():
    """(tgid, tid) -> start time of every thread that can be seen."""
    threads = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        for tid in harness.tids_of(int(name)):
            try:
                threads[int(name), tid] = start_time(int(name), tid)
            except (FileNotFoundError, ProcessLookupError):
                continue
    return threads


def forks():
    """Processes and threads created since boot."""
    with open("/proc/stat") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("processes "))


def check_capture(jobs, lasting):
    before = living()
    snapshot = capture("--jobs", jobs)
    after = living()
    survivors = {key for key, start in before.items() if after.get(key) == start}
    assert lasting <= survivors, "the workers themselves are not seen to survive"
    missing = [key for key in sorted(survivors) if key not in snapshot.rows]
    assert not missing, f"{len(missing)} of {len(survivors)} missing: {missing[:20]}"
    assert snapshot.keys == sorted(set(snapshot.keys)), "rows are out of order"
    for key in survivors:
        row = snapshot.rows[key]
        began = row["start_time_clock_ticks"]
        assert began == before[key], f"{key} began at {began}, not at {before[key]}"


def churn(*workers):
    """Captures with one worker and with two while the processes make threads exit."""
    with ExitStack() as stack:
        started = [stack.enter_context(Worker(*arguments)) for arguments in workers]
        lasting = {(w.pid, w.pid) for w in started}
        began, first = time.monotonic(), forks()
        for jobs in (1, 2) * 4:
            check_capture(jobs, lasting)
        rate = (forks() - first) * 60 / (time.monotonic() - began)
    if rate < FORKS_A_MINUTE:
        raise tap.Skip(f"this machine makes only {rate:.0f} forks a minute")


def test_short_processes_hide_no_other():
    churn(["--churn-processes"], ["--churn-processes"], ["--processes", 20, "--threads", 20])


def test_short_threads_hide_none_of_their_process():
    churn(["--churn-threads", 200], ["--churn-threads", 2000])


def test_short_processes_and_threads_together():
    churn(["--churn-threads", 500, "--churn-processes"], ["--churn-processes"])


if __name__ == "__main__":
    tap.main(globals(), world="own")
