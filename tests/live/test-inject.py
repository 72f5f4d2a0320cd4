#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Failing system calls, one at a time, anywhere in a capture.

Allowed results: a complete file, whose numbers are the kernel's or absent, or no file and
a message; never a hang, a crash, or a partial file.  A few places of each call are tried,
every place with CTPROF_INJECT_ALL=1.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import harness
import tap

# Calls, and what they fail with here.
FAULTS = [
    ("openat", "EMFILE"), ("openat", "EIO"), ("read", "EIO"), ("read", "EINTR"), ("write", "ENOSPC"),
    ("mmap", "ENOMEM"), ("linkat", "EIO"), ("recvmsg,recvfrom", "ENOBUFS"), ("sendmsg,sendto", "ENOBUFS"),
    ("getdents64", "EIO"), ("newfstatat,fstat,statx", "EIO"), ("clone,clone3", "EAGAIN"),
    ("process_vm_readv", "EFAULT"), ("ftruncate,fsync", "EIO"), ("poll,ppoll", "EINTR"),
]
PLACES = 3
PLUGINS = "--plugins=procfs,memory,taskstats,cgroup,host,psi,system,jemalloc,snapshot"
# Move while a process is stopped, or are of the reading itself.
MOVING = re.compile(r"delay|_ns$|smaps_read|cpuset|affinity")


def command(file, pid):
    return [harness.CTPROF, "capture", PLUGINS, "--pid", str(pid), "--jobs=1", "-o", file]


def capture(file, pid, *through):
    return subprocess.run(
        [*through, *command(file, pid)],
        stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/", timeout=harness.PATIENCE_S)


def inject(calls, error, when):
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}",
            "-e", f"inject={calls}:error={error}:when={when}"]


def count_calls(folder, calls, *command):
    """The largest number of these calls that one thread of the command makes."""
    log = folder / "log"
    subprocess.run(["strace", "-f", "-qq", "-o", log, "-e", f"trace={calls}", *command],
                   stdin=subprocess.DEVNULL, capture_output=True, check=True)
    threads = re.findall(r"^(\d+) +\w+\(", log.read_text(errors="replace"), re.M)
    log.unlink()
    return max((threads.count(one) for one in set(threads)), default=0)


def places(n):
    if os.environ.get("CTPROF_INJECT_ALL"):
        return range(1, n + 1)
    return sorted({1 + (n - 1) * i // max(PLACES - 1, 1) for i in range(PLACES)}) if n else []


def check(done, file, truth, what, is_loading):
    text = done.stderr.decode(errors="replace")
    # The dynamic linker's own failures.
    if is_loading and (done.returncode == 127 or (done.returncode < 0 and not text)):
        return
    assert done.returncode in (0, 1, 2, 4), f"{what}: {done.returncode}\n{text}"
    left = sorted(path.name for path in file.parent.iterdir())
    if done.returncode in (1, 2):
        assert text.strip(), f"{what}: failed without a word"
    assert left in ([], [file.name]), f"{what}: left {left}"
    if not file.exists():
        assert done.returncode in (1, 2), f"{what}: no file\n{text}"
        return
    shot = harness.Snapshot(file.read_bytes())
    file.unlink()
    for key, row in shot.rows.items():
        for name, value in truth.get(key, {}).items():
            now = shot.value(row, name)
            assert now[0] == "absent" or now == value, f"{what}: {name} is {now}, not {value}"


def test_faults():
    harness.need_command("strace")
    with harness.Worker("--threads", 2) as worker, tempfile.TemporaryDirectory() as folder:
        worker.stop()
        folder = Path(folder)
        file = folder / "out"
        first = capture(file, worker.pid)
        assert first.returncode == 0, first.stderr.decode()
        shot = harness.Snapshot(file.read_bytes())
        truth = {key: {name: shot.value(row, name) for name in row
                       if isinstance(row[name], int) and not MOVING.search(name)}
                 for key, row in shot.rows.items()}
        file.unlink()
        broken = []
        for calls, error in FAULTS:
            n = count_calls(folder, calls, *command(file, worker.pid))
            file.unlink()
            loading = count_calls(folder, calls, harness.CTPROF, "--version")
            for when in places(n):
                what = f"{calls} {error} at {when}"
                try:
                    done = capture(file, worker.pid, *inject(calls, error, when))
                    check(done, file, truth, what, when <= loading)
                except (AssertionError, subprocess.TimeoutExpired) as problem:
                    broken.append(f"{what}: {problem}")
                    for path in folder.iterdir():
                        path.unlink()
        assert not broken, "\n".join(broken)


tap.main(globals())
