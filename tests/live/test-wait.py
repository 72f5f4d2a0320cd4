#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where threads of known kinds wait, compared with the kernel's own files."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness  # noqa: E402
import tap  # noqa: E402

ME = os.getpid()


class Waiters:
    """Waiting threads of the test: some on a pipe, one on a lock."""

    def __enter__(self):
        self.ends = [os.pipe() for _ in range(3)]
        self.lock = threading.Lock()
        self.lock.acquire()
        targets = [lambda end=end: os.read(end[0], 1) for end in self.ends]
        targets.append(self.lock.acquire)
        self.threads = [threading.Thread(target=target) for target in targets]
        for thread in self.threads:
            thread.start()
        self.tids = [thread.native_id for thread in self.threads]
        self.settled = 0
        harness.wait_for(self.is_settled, "threads that wait")
        return self

    def is_settled(self):
        """Whether they have slept for a while; before that they wait for each other to start."""
        turns = [Path(f"/proc/self/task/{tid}/schedstat").read_text() for tid in self.tids]
        asleep = all(state_of(tid) == "S" for tid in self.tids)
        self.settled = self.settled + 1 if asleep and turns == getattr(self, "turns", None) else 0
        self.turns = turns
        return self.settled > 20

    def __exit__(self, *_):
        self.lock.release()
        for _, end in self.ends:
            os.write(end, b"x")
        for thread in self.threads:
            thread.join()
        for pair in self.ends:
            for end in pair:
                os.close(end)


def state_of(tid):
    return Path(f"/proc/self/task/{tid}/stat").read_text().rpartition(")")[2].split()[0]


def channel_of(tid):
    try:
        return Path(f"/proc/self/task/{tid}/wchan").read_text()
    except FileNotFoundError as error:
        raise tap.Skip("the kernel has no wchan") from error


def stack_of(tid):
    """The three functions on top of the stack, or None if it cannot be read."""
    try:
        lines = Path(f"/proc/self/task/{tid}/stack").read_text().splitlines()
    except OSError:
        return None
    names = [line.split()[1].partition("+")[0] for line in lines if "+" in line]
    return " < ".join(names[:3])


def test_each_thread_waits_where_the_kernel_says():
    with Waiters() as waiters:
        channels = {tid: channel_of(tid) for tid in waiters.tids}
        stacks = {tid: stack_of(tid) for tid in waiters.tids}
        snapshot = harness.capture("-p", ME, "-g", "all,wait", "--plugins=procfs,snapshot,states")
    if set(channels.values()) == {"0"}:
        raise tap.Skip("the kernel does not tell wait channels here")
    for tid in waiters.tids:
        row = snapshot.rows[ME, tid]
        assert row["extra"].get("wait_channel") == channels[tid], (row, channels)
        if stacks[tid]:
            assert row["extra"]["wait_stack"] == stacks[tid], (row, stacks)
        else:
            assert snapshot.reason(row, "wait_stack") in ("denied", "unsupported"), row
    assert len(set(channels.values())) == 2, "a pipe and a lock are one place"


def test_a_report_counts_the_waiters_of_each_place():
    with Waiters() as waiters:
        pipe, lock = channel_of(waiters.tids[0]), channel_of(waiters.tids[-1])
        packed = harness.run("-q", "capture", "-p", ME, "-m", "wait_channel", "-o-")
    if "0" in (pipe, lock):
        raise tap.Skip("the kernel does not tell wait channels here")
    shown = subprocess.run([harness.CTPROF, "show", "-fjson", "--sections=wait", "-"],
                           input=packed.stdout, stdout=subprocess.PIPE, check=True).stdout
    (section,) = json.loads(shown)["sections"]
    counts = {row["group"][-1]: row["value"] for row in section["rows"]}
    assert counts[pipe] >= 3 and counts[lock] >= 1, (section, pipe, lock)


def test_unasked_nothing_is_read():
    snapshot = harness.capture("-p", ME, "--plugins=procfs,snapshot,states")
    assert snapshot.keys and "wait_channel" not in snapshot.text, snapshot.text[-2000:]


if __name__ == "__main__":
    tap.main(globals(), world="own")
