#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Failing system calls, one at a time, anywhere in a capture.

Allowed results: a complete file, whose numbers are the kernel's or absent, or no file and
a message; never a hang, a crash, or a partial file.  A few occurrences of each call fail,
every place with CTPROF_INJECT_ALL=1.
"""

import collections
import contextlib
import os
import re
import signal
import subprocess
import tempfile
from pathlib import Path

import harness
import tap

# System calls and the errors they fail with.
FAULTS = [
    ("openat", "EMFILE"), ("openat", "EIO"), ("read", "EIO"), ("read", "EINTR"), ("write", "ENOSPC"),
    ("mmap", "ENOMEM"), ("linkat", "EIO"), ("recvmsg,recvfrom", "ENOBUFS"), ("sendmsg,sendto", "ENOBUFS"),
    ("getdents64", "EIO"), ("newfstatat,fstat,statx", "EIO"), ("clone,clone3", "EAGAIN"),
    ("process_vm_readv", "EFAULT"), ("ftruncate,fsync", "EIO"), ("poll,ppoll", "EINTR"),
    ("sendto", "ENOBUFS"), ("socket,socketpair,bind", "EMFILE"), ("linkat,renameat,unlinkat", "EACCES"),
    ("recvmsg,recvfrom", "EAGAIN"), ("pread64,pwrite64,lseek", "EIO"), ("dup,dup2,dup3,fcntl", "EMFILE"),
]
# All other calls of a capture fail with this error, as if a container's filter refused them.
REFUSED = "EPERM"
# Calls that cannot fail, or whose success the C library relies on.
SAFE = set("""
    arch_prctl brk clock_gettime close execve exit exit_group futex getegid geteuid getgid getpid
    getppid getrandom gettid getuid munmap mprotect prlimit64 restart_syscall rseq rt_sigaction
    rt_sigprocmask rt_sigreturn sched_yield set_robust_list set_tid_address sigaltstack tgkill
    time wait4 waitid
""".split())
PLACES = 3
TOYS = harness.BUILD / "plugins/jemalloc/tests"
PLUGINS = "--plugins=procfs,memory,taskstats,cgroup,host,psi,system,jemalloc,snapshot"
# Values that change while a process is stopped, or that describe the reading itself.
MOVING = re.compile(r"delay|_ns$|smaps_read|cpuset|affinity|_measured$|_active$|^presence$")


def command(file, pids):
    chosen = [word for pid in pids for word in ("--pid", str(pid))]
    return [harness.CTPROF, "capture", PLUGINS, *chosen, "--jobs=1", "-o", file]


def capture(file, pids, *through):
    return subprocess.run(
        [*through, *command(file, pids)],
        stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/", timeout=harness.PATIENCE_S)


def inject(calls, error, when):
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}",
            "-e", f"inject={calls}:error={error}:when={when}"]


def count_calls(folder, *command):
    """{call: the largest number of times that one thread of the command makes it}."""
    log = folder / "log"
    subprocess.run(["strace", "-f", "-qq", "-o", log, *command],
                   stdin=subprocess.DEVNULL, capture_output=True, check=True)
    made = collections.Counter(re.findall(r"^(\d+) +(\w+)\(", log.read_text(errors="replace"), re.M))
    log.unlink()
    most = collections.Counter()
    for (_, call), n in made.items():
        most[call] = max(most[call], n)
    return most


def most_of(counts, calls):
    return max(counts[call] for call in calls.split(","))


def places(n):
    if os.environ.get("CTPROF_INJECT_ALL"):
        return range(1, n + 1)
    return sorted({1 + (n - 1) * i // max(PLACES - 1, 1) for i in range(PLACES)}) if n else []


def check(done, file, truth, what, is_loading):
    text = done.stderr.decode(errors="replace")
    # Failures within the dynamic linker.
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


def truth_of(shot):
    return {key: {name: shot.value(row, name) for name in row
                  if isinstance(row[name], int) and not MOVING.search(name)}
            for key, row in shot.rows.items()}


@contextlib.contextmanager
def with_heap():
    """The PIDs of a process whose jemalloc counters are read, if the plugin is built."""
    library = TOYS / "libtoy-tsd.so"
    if not library.exists():
        yield []
        return
    with subprocess.Popen([TOYS / "jemalloc-worker-plain", "quiet", "3", library], cwd="/",
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        while (line := process.stdout.readline()) and line != b"ready\n":
            pass
        os.kill(process.pid, signal.SIGSTOP)
        harness.wait_for(lambda: harness.state_of(process.pid, process.pid) == "T", "it to stop")
        try:
            yield [process.pid]
        finally:
            process.kill()


def check_faults(choose):
    """choose maps the calls that a capture makes to [(calls, error)]."""
    harness.need_command("strace")
    with harness.Worker("--threads", 2) as worker, with_heap() as heap, tempfile.TemporaryDirectory() as folder:
        pids = [worker.stop().pid, *heap]
        folder = Path(folder)
        file = folder / "out"
        first = capture(file, pids)
        assert first.returncode == 0, first.stderr.decode()
        shot = harness.Snapshot(file.read_bytes())
        assert all(shot.value(shot.rows[pid, pid], "allocated_bytes")[0] == "value" for pid in heap)
        truth = truth_of(shot)
        made = count_calls(folder, *command(file, pids))
        file.unlink()
        loading = count_calls(folder, harness.CTPROF, "--version")
        broken = []
        for calls, error in choose(made):
            for when in places(most_of(made, calls)):
                what = f"{calls} {error} at {when}"
                try:
                    done = capture(file, pids, *inject(calls, error, when))
                    check(done, file, truth, what, when <= most_of(loading, calls))
                except (AssertionError, subprocess.TimeoutExpired) as problem:
                    broken.append(f"{what}: {problem}")
                    for path in folder.iterdir():
                        path.unlink()
        assert not broken, "\n".join(broken)


def test_faults():
    check_faults(lambda made: FAULTS)


def test_every_other_call_refused():
    listed = {call for calls, _ in FAULTS for call in calls.split(",")}
    check_faults(lambda made: [(call, REFUSED) for call in sorted(set(made) - listed - SAFE)])


def test_stat_ends():
    """It ends with a message, whichever way its processes fail to reach each other."""
    harness.need_command("strace")
    with tempfile.TemporaryDirectory() as folder:
        for calls, error in (("recvfrom", "ENOBUFS"), ("sendto", "ENOBUFS"), ("sendto", "EPIPE"),
                             ("memfd_create", "EMFILE"), ("ftruncate", "EIO"), ("pwrite64", "EIO")):
            done = subprocess.run(
                [*inject(calls, error, 1), harness.CTPROF, "--plugins=procfs", "stat", "--pid", str(os.getpid()),
                 "-o", f"{folder}/report", "--", "true"],
                stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/", timeout=harness.PATIENCE_S)
            assert done.returncode in (0, 1), f"{calls} {error}: {done}"
            assert done.returncode == 0 or done.stderr, f"{calls} {error}: failed without a word"


tap.main(globals(), world="own")
