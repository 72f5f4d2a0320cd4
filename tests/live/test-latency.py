#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sums of the group latency, added up turn by turn, are those that the kernel counted for the same threads."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness  # noqa: E402
import tap  # noqa: E402

HOLDERS = 10
THREADS = 3000
SPINNERS = 3
# How long they run at least, and how many turns each of them then has on average.
SECONDS = 4
TURNS = 3
# Processes with threads that compute a little now and then, and processes that never sleep.
PLANTED = """
import ctypes, os, sys, threading, time
PR_SET_PDEATHSIG, SIGKILL = 1, 9
prctl = ctypes.CDLL(None).prctl
holders, threads, spinners = map(int, sys.argv[1:])
def work(i):
    while True:
        time.sleep(0.1 + i % 10 / 10)
        sum(range(2000))
def hold():
    threading.stack_size(64 << 10)
    for i in range(1, threads // holders):
        threading.Thread(target=work, args=(i,)).start()
    os.write(1, b"%d\\n" % os.getpid())
    work(0)
def spin():
    os.write(1, b"%d\\n" % os.getpid())
    while True: pass
prctl(PR_SET_PDEATHSIG, SIGKILL)
for i in range(holders + spinners):
    if os.fork() == 0:
        prctl(PR_SET_PDEATHSIG, SIGKILL)
        hold() if i < holders else spin()
time.sleep(1 << 20)
"""
# Lets a group of processes run until they have had enough turns, and stops it again.
RUN = """
import os, signal, sys, time
group, seconds, enough, *pids = map(int, sys.argv[1:])
def files(name):
    for pid in pids:
        for tid in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{tid}/{name}") as file:
                yield file.read()
def count_turns():
    return sum(int(text.split()[2]) for text in files("schedstat"))
enough += count_turns()
os.killpg(group, signal.SIGCONT)
time.sleep(seconds)
while count_turns() < enough:
    time.sleep(1)
os.killpg(group, signal.SIGSTOP)
while {text.rpartition(")")[2].split()[0] for text in files("stat")} != {"T"}:
    time.sleep(0.1)
"""
METRICS = ("timeslices", "wait_time_ns", "run_delay_ns", "run_time_ns", "slice_length_ns")
SLEPT = "run_delay_slept_ns"
# Sleeps, and on the same CPU computes more than its share before each sleep: the kernel leaves it in the run queue then.
SLEEPER = """
import ctypes, os, time
ctypes.CDLL(None).prctl(1, 9)
os.nice(19)
while True:
    end = time.thread_time() + 0.004
    while time.thread_time() < end: pass
    time.sleep(0.4)
"""
# Lets the process run for a while, and moves it to the other CPU and back, each time that it sleeps.
MOVE = """
import os, signal, sys, time
pid, one, other, n = map(int, sys.argv[1:])
def wait_for(state):
    while open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] != state: time.sleep(0.001)
os.kill(pid, signal.SIGCONT)
for cpu in (other, one) * n:
    wait_for("S")
    os.sched_setaffinity(pid, {cpu})
    time.sleep(0.5)
os.kill(pid, signal.SIGSTOP)
wait_for("T")
"""


@contextlib.contextmanager
def planted():
    """Yields the group's ID and the processes, which are stopped."""
    numbers = map(str, (HOLDERS, THREADS, SPINNERS))
    with subprocess.Popen([sys.executable, "-c", PLANTED, *numbers], stdout=subprocess.PIPE, text=True,
                          start_new_session=True) as parent:  # fmt: skip
        try:
            pids = [int(parent.stdout.readline()) for _ in range(HOLDERS + SPINNERS)]
            os.killpg(parent.pid, signal.SIGSTOP)
            for pid in pids:
                harness.wait_for(lambda pid=pid: all(harness.state_of(pid, tid) == "T" for tid in harness.tids_of(pid)),
                                 "the threads to stop")  # fmt: skip
            yield parent.pid, pids
        finally:
            os.killpg(parent.pid, signal.SIGKILL)


def growths(program, *arguments):
    """{tid: {metric: growth}} of all threads, while the program ran."""
    done = harness.run("-q", "stat", "--groups=identity,sched,host,latency", "-Olatency.max-overhead=0",
                       "--group-by=thread", f"--metrics={','.join((*METRICS, SLEPT))}", "--sections=primary", "-n0", "-fjson", "--",
                       sys.executable, "-c", program, *arguments)  # fmt: skip
    found = {}
    for row in json.loads(done.stdout)["sections"][0]["rows"]:
        tid = int(re.search(r"\[(\d+)\]$", row["group"])[1])
        found.setdefault(tid, {})[row["metric"]] = row["delta"]
    return found


def is_closed(row):
    """Whether both sums are the kernel's, except for a hundredth and a microsecond per turn."""
    return all(row.get(name) is not None for name in METRICS) and all(
        abs(counted - row[kernel]) <= row[kernel] / 100 + 1000 * row["timeslices"]
        for counted, kernel in ((row["run_delay_ns"] + (row.get(SLEPT) or 0), "wait_time_ns"), (row["slice_length_ns"], "run_time_ns")))


def test_sums_are_the_kernels_for_nearly_every_thread():
    with planted() as (group, pids):
        found = growths(RUN, group, SECONDS, TURNS * THREADS, *pids)
        tids = {tid for pid in pids for tid in harness.tids_of(pid)}
    if not any("run_delay_ns" in row for row in found.values()):
        raise tap.Skip("no program can be loaded into the kernel")
    assert len(tids) == THREADS + SPINNERS, len(tids)
    rows = {tid: found.get(tid, {}) for tid in tids}
    others = {tid: row for tid, row in rows.items() if not is_closed(row)}
    assert len(others) <= len(rows) / 100, (len(others), len(rows), list(others.items())[:5])
    assert sum(row.get("timeslices") or 0 for row in rows.values()) >= TURNS * THREADS


@contextlib.contextmanager
def sleeper(cpu):
    """Yields a process that sleeps most of the time, and is stopped, beside one that never does, on that CPU."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    programs = SLEEPER, "while True: pass"
    with contextlib.ExitStack() as stack:
        started = [stack.enter_context(subprocess.Popen([sys.executable, "-c", program])) for program in programs]
        os.sched_setaffinity(0, own)
        try:
            started[0].send_signal(signal.SIGSTOP)
            harness.wait_for(lambda: harness.state_of(started[0].pid, started[0].pid) == "T", "the sleeper to stop")
            yield started[0].pid
        finally:
            for each in started:
                each.kill()


def test_a_sleep_that_the_kernel_counts_as_a_wait_is_none():
    """Since Linux 6.12, of a thread that is moved to another CPU just after it has fallen asleep."""
    cpus = sorted(os.sched_getaffinity(0))
    if tuple(map(int, os.uname().release.split(".")[:2])) < (6, 12) or len(cpus) < 2:
        raise tap.Skip("only since Linux 6.12, and with two CPUs")
    with sleeper(cpus[0]) as pid:
        for rounds in (2, 8):
            row = growths(MOVE, pid, *cpus[:2], rounds).get(pid, {})
            if "run_delay_ns" not in row:
                raise tap.Skip("no program can be loaded into the kernel")
            assert is_closed(row), row
            if row.get(SLEPT):
                break
    # It is always moved too late on a busy host.
    if not row.get(SLEPT) and (row["wait_time_ns"] < 200_000_000 or os.getloadavg()[0] > 2 * len(cpus)):
        raise tap.Skip("the kernel took no sleep for a wait")
    # A sleep of 400 ms, less the time until it was moved.
    assert row.get(SLEPT, 0) > 200_000_000, row


def test_values_are_skipped_while_no_program_is_attached():
    """With detach=yes, programs are attached from the second sample on, and there is only one."""
    snapshot = harness.capture("--plugins=procfs,latency", "--groups=identity,latency", "-Olatency.detach=yes")
    if harness.report_of(snapshot, "latency")["state"] != "live":
        raise tap.Skip("no program can be loaded into the kernel")
    assert {snapshot.reason(row, "run_delay") for row in snapshot.rows.values()} == {"skipped"}


if __name__ == "__main__":
    tap.main(globals())
