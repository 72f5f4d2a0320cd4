#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The threads that --priority raises while a capture reads, as shown by that capture."""

import contextlib
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import harness
import tap
from harness import capture

RAISED = {"deadline": "SCHED_DEADLINE", "rr": "SCHED_RR"}


def overload():
    """More runnable threads than CPUs."""
    return harness.spinners(os.cpu_count() + 1)


def policies(snapshot):
    """{thread name: policies} of the capturing process, which is the child of our child.
    Other tests may run a ctprof at the same time."""
    parents = {tgid: row.get("extra", {}).get("ppid") for (tgid, tid), row in snapshot.rows.items()
               if tid == tgid}  # fmt: skip
    found = {}
    for (tgid, _), row in snapshot.rows.items():
        if parents.get(parents.get(tgid)) == os.getpid():
            found.setdefault(row["comm"], set()).add(row["policy"])
    return found


def read(*arguments, **more):
    return capture("--plugins=procfs,memory", "--memory=processes", *arguments, **more)


def need_rights():
    if not harness.is_root():
        raise tap.Skip("needs root, for CAP_SYS_NICE")


def check_raised(how, policy):
    need_rights()
    snapshot = read(f"--priority={how}")
    if "--priority: refused" in snapshot.stderr:
        raise tap.Skip(f"{policy} cannot be had here")
    # New threads are raised within a period, and under SCHED_RR lowered for a part of each.
    for name in ("ctprof", "ctprof-worker"):
        harness.wait_for(lambda: policy in policies(read(f"--priority={how}"))[name],
                         f"{name} under {policy}")


def test_deadline_raises_all_that_reads():
    check_raised("deadline", "SCHED_DEADLINE")


def test_rr_raises_all_that_reads():
    check_raised("rr", "SCHED_RR")


# Replaces the program that reads ELF files: waits for a limited time until it is raised.
PROGRAM = """#!/bin/sh
i=0
while [ $i -lt 200 ]; do
	i=$((i + 1))
	if chrt -p $$ | grep -q SCHED_RR; then
		echo > {file}
		exit
	fi
done
"""


def test_rr_raises_the_program_that_reads_elf_files():
    need_rights()
    harness.need_command("chrt")
    with tempfile.TemporaryDirectory(prefix="ctprof-priority-") as folder:
        os.chmod(folder, 0o777)
        program, file = Path(folder) / "program", Path(folder) / "raised"
        program.write_text(PROGRAM.format(file=file))
        program.chmod(0o755)

        def is_raised():
            snapshot = capture("--plugins=procfs,jemalloc", "--priority=rr", "-p", os.getpid(), "-O", f"jemalloc.helper={program}")
            if "--priority: refused" in snapshot.stderr:
                raise tap.Skip("SCHED_RR cannot be had here")
            return file.exists()

        harness.wait_for(is_raised, "a program that is raised")


def threads_of(pid):
    """{name: (policy, number of waits)} of the threads of the process that a recorder runs."""
    found = {}
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        for task in Path(f"/proc/{child}/task").iterdir():
            with contextlib.suppress(OSError):  # it has ended
                status = (task / "status").read_text()
                waits = int(status.split("\nvoluntary_ctxt_switches:")[1].split()[0])
                policy = os.sched_getscheduler(int(task.name)) & ~os.SCHED_RESET_ON_FORK
                found[(task / "comm").read_text().strip()] = (policy, waits)
    return found


def rests(pid):
    """Whether no thread is raised and the pacer does not run."""
    before = threads_of(pid)
    time.sleep(0.05)  # a dozen periods
    after = threads_of(pid)
    return (
        "ctprof-pacer" in before
        and before["ctprof-pacer"] == after["ctprof-pacer"]
        and after["ctprof"][0] == os.SCHED_OTHER
    )


def test_between_samples_nothing_is_raised():
    need_rights()
    with tempfile.TemporaryDirectory(prefix="ctprof-priority-") as folder:
        file = Path(folder) / "raised.ctprof"
        arguments = ["record", "--priority=rr", "-i", "1h", "-p", str(os.getpid()), "-o", file]
        with subprocess.Popen([harness.CTPROF, "--plugins=procfs", *arguments],
                              stderr=subprocess.DEVNULL) as recorder:  # fmt: skip
            try:
                harness.wait_for(lambda: file.exists() and file.stat().st_size > 0, "a sample")
                if "ctprof-pacer" not in threads_of(recorder.pid):
                    raise tap.Skip("SCHED_RR cannot be had here")
                harness.wait_for(lambda: rests(recorder.pid), "a rest")
            finally:
                recorder.terminate()


def test_none_raises_nothing():
    found = policies(read("--priority=none"))
    assert not set().union(*found.values()) & set(RAISED.values()), found


def test_auto_raises_on_an_overloaded_host_only():
    need_rights()
    with harness.no_niceness(), overload():
        # Under SCHED_RR threads are lowered for a part of each period.
        harness.wait_for(lambda: policies(read())["ctprof"] & set(RAISED.values()), "a raise")
        found = policies(read())
    assert "ctprof-pacer" in found, found


def test_a_niceness_that_was_chosen_stays():
    with overload():
        snapshot = read(preexec_fn=lambda: os.nice(5))
    assert "ctprof-pacer" not in policies(snapshot), policies(snapshot)


def test_without_the_right_it_is_told_only_when_asked_for():
    user = harness.need_other_user() if harness.is_root() else None
    with overload():
        assert "--priority" not in read(user=user).stderr
    snapshot = read("--priority=rr", user=user)
    assert "needs CAP_SYS_NICE" in snapshot.stderr, snapshot.stderr
    assert "ctprof-pacer" not in policies(snapshot), policies(snapshot)


def test_without_a_thread_to_be_had_the_main_one_reads():
    need_rights()
    # LeakSanitizer wants a thread of its own at the end, and dies without one.
    done = harness.run("capture", "--plugins=procfs", "--priority=rr", "-o", "-", check=False,
                       env={**os.environ, **harness.NO_LEAK_CHECK},
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)))
    assert done.returncode == 0, done.stderr
    found = policies(harness.Snapshot(done.stdout))
    assert "ctprof" in found and "ctprof-worker" not in found, found
    assert done.stderr.count(b"ctprof: ") == 1, done.stderr


def test_a_recorded_root_raises_nothing():
    root = harness.SOURCE / "tests/roots/6.12-schedstats"
    done = harness.run("-v", "--proc-root", root / "proc", "capture", "--priority=rr", "-o", "-")
    assert b"reading under" not in done.stderr, done.stderr


def test_the_summary_shows_the_skew():
    assert " s (skew " in read().stderr


if __name__ == "__main__":
    tap.main(globals(), world="own")
