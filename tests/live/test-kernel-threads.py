#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kernel threads by ctprof's procfs source, against an independent reading."""

import contextlib
import os

import harness
import tap
import truth


def test_kernel_threads():
    """Compares the fields that do not change between two readings around the capture."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    kernel = [(pid, pid) for pid in pids if is_kernel_thread(pid)]
    if not kernel:
        raise tap.Skip("no kernel thread is to be seen here")
    before = read_those_alive(kernel)
    snapshot = harness.capture()
    after = read_those_alive([key for key in before if is_kernel_thread(key[0])])
    still = {key: fields for key, fields in after.items() if fields == before[key]}
    assert still, "no kernel thread stood still"
    truth.check(snapshot, still, {tgid: ("absent", "inapplicable") for tgid, _ in still})
    for key in still:
        assert snapshot.rows[key]["extra"]["smaps_state"] == "not-applicable"


def read_those_alive(keys):
    """Skips threads that are gone: a kernel worker may exit while it is read."""
    alive = {}
    for key in keys:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            alive |= truth.read_threads([key])
    return alive


def is_kernel_thread(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            flags = int(file.read().rpartition(b")")[2].split()[6])
    except (FileNotFoundError, ProcessLookupError):
        return False
    return bool(flags & 0x00200000)


if __name__ == "__main__":
    tap.main(globals(), world="of its kernel threads")
