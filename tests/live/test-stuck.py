#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Processes that hang in the kernel because of a real FUSE server that does
not answer."""

import contextlib
import json
import os
import subprocess
import tempfile

import harness
import tap

STUCK = harness.BUILD / "tests/live/stuck"


@contextlib.contextmanager
def stuck(**kinds):
    """The PIDs of this number of processes of each kind (stuck.c)."""
    if not harness.is_root() or not os.path.exists("/dev/fuse"):
        raise tap.Skip("needs root and /dev/fuse")
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
        [STUCK, folder, *(f"{kind}={n}" for kind, n in kinds.items())],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:
        line = process.stdout.readline()
        if not line:
            raise tap.Skip(process.stderr.read().decode().strip())
        yield json.loads(line)["pids"]


def lost(shot, pid):
    """The values of a process that did not answer."""
    row = shot.rows[(pid, pid)]
    return {name for name in shot.absences(row) if shot.reason(row, name) == "timeout"}


def check_sound(shot, worker):
    for pid in worker.living:
        row = shot.rows[(pid, pid)]
        assert shot.reason(row, "smaps_rollup_kib") is None, shot.absences(row)
        assert shot.reason(row, "allocated_bytes") == "inapplicable", shot.absences(row)


def test_only_those_are_lost():
    """Many processes that hold their mmap lock forever, and programs whose files never
    open, only lose the values that need these; other processes and plugins lose
    nothing."""
    with harness.Worker() as worker, stuck(mmap=12, exe=4) as pids:
        shot = harness.capture("-v", "--plugins=procfs,memory,jemalloc")
        for pid in pids[:12]:
            row = shot.rows[(pid, pid)]
            for name in ("smaps_rollup_kib", "allocated_bytes"):
                assert shot.value(row, name) == ("absent", "timeout"), (name, shot.absences(row))
            assert shot.value(row, "run_time_ns")[0] == "value"
            # Who comes second does not wait for it again.
            assert f"jemalloc: process {pid}: no answer" not in shot.stderr, shot.stderr
        check_sound(shot, worker)
        for pid in pids[12:]:
            row = shot.rows[(pid, pid)]
            assert shot.reason(row, "smaps_rollup_kib") is None, shot.absences(row)
            assert shot.reason(row, "allocated_bytes") is not None


def test_what_ends_and_cannot_be_reaped():
    """It has no memory any more, and SIGKILL does nothing: it is a row as others are."""
    with stuck(exit=4) as pids:
        shot = harness.capture("--plugins=procfs,memory,jemalloc,taskstats")
        for pid in pids:
            row = shot.rows[(pid, pid)]
            assert not lost(shot, pid), shot.absences(row)
            assert shot.value(row, "smaps_rollup_kib") == ("absent", "inapplicable"), shot.absences(row)
            assert shot.value(row, "run_time_ns")[0] == "value"


def test_one_of_which_nothing_can_be_read_keeps_no_one_waiting():
    """Becoming another program, with a file open whose closing gets no answer: the kernel
    then lets no one read its io or maps, or since Linux 6.18 its stat.  More of them than
    one thread can wait for, with ordinary users' rights, too."""
    with harness.Worker() as worker, stuck(exec=100) as pids:
        # Which would exit with 4 if a plugin were left out.
        shot = harness.capture("--plugins=procfs,memory,jemalloc,taskstats")
        for pid in pids:
            assert {"smaps_rollup_kib", "run_time_ns", "allocated_bytes"} <= lost(shot, pid), pid
        check_sound(shot, worker)
        view = harness.run("memory", "processes", "--format=json")
        assert str(worker.pid).encode() in view.stdout, view.stderr
        harness.capture("--plugins=procfs,wait", "--groups=identity,wait")
        harness.capture("--plugins=procfs", user=harness.need_other_user())


tap.main(globals())
