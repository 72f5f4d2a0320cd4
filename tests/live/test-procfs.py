#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ctprof's procfs source against an independent reading of the same threads."""

import os
import subprocess
import sys

import harness
import tap
import truth
from harness import Worker, capture

BUSY = "name=62757379,burn=30,read=100000,write=50000,faults=64"

ODD_NAMES = {
    "newline, parenthesis": b"x\nb) R",
    "UTF-8 cut in the middle": "ééééééé".encode()[:-1] + b"\xe2",
    "UTF-8 cut in a long sequence": b"a\xf0\x9f\x92",
    "no UTF-8 at all": b"\xff\xfe\x80\xc0\xaf",
    "overlong and surrogate": b"\xc0\x80\xed\xa0\x80",
    "valid UTF-8": "größe→".encode(),
    "blanks at the edges": b"  both edges  ",
    "empty": b"",
    "parentheses": b"(a) (b) S 1",
    "brackets": b"[kworker/0:0]",
    "control bytes": b"\x01\x1b[31m\x7f\t\r",
    "newline at the end": b"tail\n",
    "quotes": b"\"q\\u0041\"'",
    "fifteen bytes": b"123456789012345",
    "a line of stat": b"1) R 2 3 4 5 6",
    "a line of sched": b"\nnr_wakeups:9",
    "a line of status": b"\nState:\tX",
}


def compare_worker(snapshot, worker):
    threads = worker.threads()
    assert sorted(threads) == [k for k in snapshot.keys if k[0] in worker.pids]
    truth.check(snapshot, truth.read_threads(threads), truth.read_memories(worker.pids))


def test_every_field_of_every_stopped_thread_is_what_procfs_says():
    with Worker("--thread", BUSY, "--threads", 4) as one:
        with Worker("--processes", 3, "--threads", 5) as many:
            one.stop(), many.stop()
            snapshot = capture()
            compare_worker(snapshot, one)
            compare_worker(snapshot, many)


def check_policies(cases):
    """cases: (spec, policy, nice, real-time priority, CPUs) for each thread."""
    with Worker(*(a for case in cases for a in ("--thread", case[0]))) as worker:
        worker.stop()
        snapshot = capture("--pid", worker.pid)
        compare_worker(snapshot, worker)
        for (spec, *want), actor in zip(cases, worker.truth["actors"]):
            row = snapshot.rows[worker.pid, actor["tid"]]
            got = [row[key] for key in ("policy", "nice", "rt_priority", "cpu_affinity")]
            assert got == want, f"{spec}: {got}"


def test_policy_nice_and_affinity_are_those_that_were_set():
    allowed = sorted(os.sched_getaffinity(0))
    check_policies(
        [
            (f"policy=batch,nice=5,cpu={allowed[-1]}", "SCHED_BATCH", 5, 0, allowed[-1:]),
            ("policy=idle,nice=19", "SCHED_IDLE", 19, 0, allowed),
            ("nice=1", "SCHED_OTHER", 1, 0, allowed),
        ]
    )


def test_real_time_policies_are_those_that_were_set():
    allowed = sorted(os.sched_getaffinity(0))
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except PermissionError:
        raise tap.Skip("needs CAP_SYS_NICE") from None
    check_policies(
        [
            ("policy=fifo:10", "SCHED_FIFO", nice, 10, allowed),
            ("policy=rr:99", "SCHED_RR", nice, 99, allowed),
        ]
    )


def test_counters_hold_what_the_thread_did():
    with Worker("--thread", BUSY) as worker:
        worker.stop()
        actor = worker.truth["actors"][0]
        row = capture("--pid", worker.pid).rows[worker.pid, actor["tid"]]
        for name in ("rchar", "syscr", "wchar", "syscw"):
            assert row[name] == actor[name], f"{name}: {row[name]}, the thread: {actor[name]}"
        # These can only grow after the thread has read its own values.
        for name, told in (("run_time_ns", "cpu_ns"), ("minflt", "minflt")):
            assert row[name] >= actor[told] > 0, f"{name}: {row[name]}, the thread: {actor[told]}"
        assert actor["minflt"] >= 64


def test_children_and_parent_of_this_process_are_known():
    burn = "import time\nwhile time.process_time() < 0.1: pass"
    subprocess.run([sys.executable, "-c", burn], check=True)
    # ctprof itself is reaped only after it has read these values.
    times = os.times()
    snapshot = capture("--pid", os.getpid())
    row = snapshot.rows[os.getpid(), os.getpid()]
    spent = {"cutime_clock_ticks": times.children_user, "cstime_clock_ticks": times.children_system}
    for name, seconds in spent.items():
        assert snapshot.value(row, name) == ("value", round(seconds * 100)), name
    assert sum(spent.values()) >= 0.1
    assert snapshot.value(row, "ppid") == ("value", os.getppid())


def test_processes_have_the_number_and_name_of_their_user():
    with open("/etc/passwd", encoding="utf-8") as file:
        names = {int(line.split(":")[2]): line.split(":")[0] for line in reversed(file.readlines())}
    for user in {None, harness.NOBODY} if harness.is_root() else {None}:
        with subprocess.Popen(["sleep", "1000"], **harness.other_user(user)) as process:
            row = capture("--pid", process.pid).rows[process.pid, process.pid]
            process.kill()
        uid = os.getuid() if user is None else user
        found = {name: row.get("extra", {}).get(name) for name in ("uid", "user")}
        assert found == {"uid": uid, "user": names.get(uid)}, found


def test_names_of_any_bytes_survive():
    specs = [a for name in ODD_NAMES.values() for a in ("--thread", "name=" + name.hex())]
    with Worker(*specs) as worker:
        worker.stop()
        snapshot = capture("--pid", worker.pid)
        compare_worker(snapshot, worker)
        for (what, name), actor in zip(ODD_NAMES.items(), worker.truth["actors"]):
            row = snapshot.rows[worker.pid, actor["tid"]]
            assert snapshot.reason(row, "comm") is None, what
            try:
                assert row["comm"] == name.decode() and "comm_hex" not in row, what
            except UnicodeDecodeError:
                assert row["comm_hex"] == name.hex(), what
                assert row["comm"] == name.decode(errors="replace"), (what, row["comm"])


def test_a_process_whose_leader_exited_keeps_its_threads_and_its_memory():
    with Worker("--leader-exits", "--thread", BUSY, "--threads", 2) as worker:
        worker.stop()
        snapshot = capture()
        compare_worker(snapshot, worker)
        leader = snapshot.rows[worker.pid, worker.pid]
        assert leader["state"] == "Z", leader["state"]
        assert leader["smaps_rollup_kib"]["Rss"] > 0
        assert leader["extra"]["smaps_source"] == "sibling"
        assert len(snapshot.of(worker.pid)) == len(harness.tids_of(worker.pid))


def test_a_zombie_is_a_row_without_memory():
    with Worker("--zombies", 2) as worker:
        worker.stop()
        snapshot = capture()
        compare_worker(snapshot, worker)
        for pid in worker.zombies:
            row = snapshot.rows[pid, pid]
            assert row["state"] == "Z"
            assert snapshot.reason(row, "smaps_rollup_kib") == "inapplicable"
            assert row["extra"]["smaps_state"] == "not-applicable"
        # Nothing is lost, so no message is printed.
        absent = capture("--pid", worker.zombies[0]).stderr.partition("absent: ")[2]
        assert "smaps" not in absent and "inapplicable" not in absent, absent


def test_a_process_of_3000_threads():
    try:
        worker = Worker("--threads", 2999)
    except AssertionError:
        raise tap.Skip("3000 threads cannot be had here") from None
    with worker:
        worker.stop()
        for jobs in (1, 2):
            snapshot = capture("--pid", worker.pid, "--jobs", jobs)
            assert len(snapshot.keys) == 3000, len(snapshot.keys)
            compare_worker(snapshot, worker)


def resolved(snapshot, pids):
    """The rows of pids with their absences, without values that depend on others' mappings."""
    rows = []
    for key in snapshot.keys:
        if key[0] not in pids:
            continue
        row = dict(snapshot.rows[key])
        row["absent"] = snapshot.absences(row)
        row["smaps_rollup_kib"] = {
            k: v for k, v in row["smaps_rollup_kib"].items() if k in truth.OWN_MEMORY
        }
        del row["presence"]
        rows.append(row)
    return rows


def test_the_number_of_jobs_changes_nothing():
    with Worker("--processes", 30, "--threads", 9) as many, Worker("--threads", 700) as big:
        many.stop(), big.stop()
        pids = [*many.pids, *big.pids]
        # However long a read takes on a busy host.
        first, *others = (resolved(capture("--jobs", jobs, "--smaps=always", "--smaps-timeout=5min"), pids)
                          for jobs in (1, 2, 7))  # fmt: skip
        assert len(first) == 31 + 30 * 9 + 701
        for other in others:
            assert len(other) == len(first)
            changed = [(one, two) for one, two in zip(first, other) if one != two]
            assert not changed, changed[0]


def test_rows_stand_in_strict_order():
    with Worker("--processes", 20, "--threads", 30), Worker("--threads", 600):
        for jobs in (1, 2, 7):
            keys = capture("--jobs", jobs).keys
            assert keys == sorted(set(keys)), f"{jobs} jobs"


def test_what_an_ordinary_user_may_not_read_is_denied_and_not_zero():
    """Memory and io of root's threads."""
    user = harness.need_other_user() if harness.is_root() else None
    with Worker("--thread", BUSY, "--threads", 2) as worker:
        worker.stop()
        pid = worker.pid if harness.is_root() else foreign_process()
        snapshot = capture(user=user)
        expected = ask(user, truth.read_threads, [(pid, tid) for tid in harness.tids_of(pid)])
        if harness.is_root():
            truth.check(snapshot, expected)
        for (tgid, tid), fields in expected.items():
            if fields["rchar"] != ("absent", "denied"):
                continue
            row = snapshot.rows[tgid, tid]
            reasons = snapshot.absences(row)
            assert all(reasons.get(name) == "denied" for name in truth.IO), reasons
            assert all(row[name] == 0 for name in truth.IO), "what is absent is written as 0"
            if tgid == tid:
                assert reasons.get("smaps_rollup_kib") == "denied", reasons
                assert row["smaps_rollup_kib"] == {}
                assert row["extra"]["smaps_state"] == "inaccessible"


def ask(user, function, *arguments):
    return function(*arguments) if user is None else harness.as_user(user, function, *arguments)


def foreign_process():
    if not isinstance(truth.slurp("/proc/1/task/1/io"), str):
        raise tap.Skip("process 1 is no other user's")
    return 1


def test_an_ordinary_user_sees_all_of_the_own_threads():
    user = harness.need_other_user() if harness.is_root() else None
    with Worker("--thread", BUSY, "--processes", 2, "--threads", 3, user=user) as worker:
        worker.stop()
        snapshot = capture(user=user)
        threads = ask(user, truth.read_threads, worker.threads())
        truth.check(snapshot, threads, ask(user, truth.read_memories, worker.pids))


def test_absence_is_summed_up_on_stderr():
    user = harness.need_other_user() if harness.is_root() else None
    if not user:
        foreign_process()
    snapshot = capture(user=user)
    assert "(not permitted)" in snapshot.stderr and "io" in snapshot.stderr, snapshot.stderr
    assert "CAP_SYS_PTRACE" in snapshot.stderr, "no remedy in: " + snapshot.stderr


def test_parse_summary_counts_what_was_read():
    with Worker("--threads", 20) as worker:
        worker.stop()
        snapshot = capture("--pid", worker.pid)
        summary = snapshot.data["parse_summary"]
        assert summary["tids_walked"] == 21, summary
        assert summary["negative_dotted_values"] == 0, summary
        if harness.is_root():
            assert summary["read_failures"] == 0, summary


def test_the_peak_memory_told_is_ctprofs_own():
    """It is not the peak of the program that started ctprof."""
    ballast = bytearray(256 << 20)
    peak = capture("--pid", os.getpid()).data["capture"]["peak_rss_bytes"]
    assert 0 < peak < len(ballast), f"{peak >> 20} MiB"


if __name__ == "__main__":
    tap.main(globals(), world="own")
