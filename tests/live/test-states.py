#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How threads with known behaviour spend their time, as 'stat --states' reports it."""

import contextlib
import ctypes
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness  # noqa: E402
import tap  # noqa: E402

USERFAULTFD = {"x86_64": 323, "aarch64": 282}
# Waits for a page of its memory that it must deliver itself.
FAULT = """
import mmap, struct
page = mmap.PAGESIZE
memory = mmap.mmap(-1, page, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
end = ctypes.CDLL(None).syscall({call}, 1)
fcntl.ioctl(end, 0xc018aa3f, struct.pack("QQQ", 0xaa, 0, 0))
fcntl.ioctl(end, 0xc020aa00, struct.pack("QQQQ", at, page, 1, 0))
memory[0]
""".replace("{call}", str(USERFAULTFD.get(platform.machine())))


def has_userfaultfd():
    number = USERFAULTFD.get(platform.machine())
    end = ctypes.CDLL(None).syscall(number, 1) if number else -1
    if end >= 0:
        os.close(end)
    return end >= 0


# Name of a process -> the code that its main thread runs, and the state of most of its time.
PLANTED = {
    "p-timer": ("time.sleep(600)", "timer"),
    "p-pipe": ("os.read(os.pipe()[0], 1)", "pipe"),
    "p-socket": ("a, b = socket.socketpair(); a.recv(1)", "socket"),
    "p-idle": ("e = select.epoll(); e.register(os.pipe()[0]); e.poll()", "idle"),
    "p-poll": ("p = select.poll(); p.register(os.pipe()[0]); p.poll()", "idle"),
    "p-lock": ("l = threading.Lock(); l.acquire(); l.acquire()", "lock"),
    "p-flock": ("f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX)", "lock"),
    "p-child": ("os.waitpid(os.posix_spawn('/bin/sleep', ['sleep', '600'], {}), 0)", "child"),
    "p-stop": ("os.kill(os.getpid(), signal.SIGSTOP)", "stopped"),
    "p-eventfd": ("os.read(int(sys.argv[2]), 8)", "pipe"),
    "p-spin": ("while True: pass", "cpu"),
    "p-nice": ("os.nice(19)\nwhile True: pass", "cpu"),
    "p-send": ("a, b = socket.socketpair()\nwhile True: a.send(bytes(65536))", "socket"),
    "p-write": ("r, w = os.pipe()\nwhile True: os.write(w, bytes(65536))", "pipe"),
}
if has_userfaultfd():
    PLANTED["p-fault"] = (FAULT, "fault")
SLEEPER = """
import ctypes, fcntl, os, select, signal, socket, sys, threading, time
ctypes.CDLL(None).prctl(15, {name!r}.encode(), 0, 0, 0)
ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
{code}
"""
EXACT = {"user", "system", "runnable", "disk", "swap-in", "reclaim"}


@contextlib.contextmanager
def planted(folder):
    """Starts the processes of PLANTED and waits until they have settled."""
    import fcntl  # noqa: PLC0415

    lock = Path(folder) / "lock"
    lock.touch()
    eventfd = ctypes.CDLL(None).eventfd(0, 0)
    os.set_inheritable(eventfd, True)
    with open(lock, encoding="ascii") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        processes = [subprocess.Popen([sys.executable, "-c", SLEEPER.format(name=name, code=code),
                                       lock, str(eventfd)], close_fds=False)
                     for name, (code, _) in PLANTED.items()]
        try:
            for process, name in zip(processes, PLANTED, strict=True):
                comm = Path(f"/proc/{process.pid}/comm")
                harness.wait_for(lambda: comm.read_text().strip() == name, name)
            time.sleep(0.3)
            yield {name: process.pid for name, process in zip(PLANTED, processes, strict=True)}
        finally:
            for process in processes:
                process.kill()
                process.wait()
            os.close(eventfd)


def rows_of(report):
    """{pool: {state: row}}"""
    (section,) = [each for each in report["sections"] if each["name"] == "states"]
    found = {}
    for row in section["rows"]:
        pool, state = row["group"][-2:]
        found.setdefault(pool, {}).setdefault(state, {})[row["metric"]] = row
    return found


def value(row, metric):
    return row[metric]["candidate"] if metric in row else None


def check(pools):
    for name, (_, expected) in PLANTED.items():
        states = pools[name]
        shares = {state: value(row, "share") for state, row in states.items()}
        assert abs(sum(shares.values()) - 100) < 0.001, (name, shares)
        cpu = sum(share for state, share in shares.items() if state in EXACT)
        if expected == "cpu":
            # A wait for a CPU counts when it ends.
            assert cpu + shares.get("unknown", 0) > 90, (name, shares)
            assert cpu > 50, (name, shares)
            continue
        assert shares.get(expected, 0) > 90, (name, shares)
        low, high = (value(states[expected], key) for key in ("share_low", "share_high"))
        assert low <= shares[expected] <= high + 0.001, (name, low, shares, high)


def stat(*arguments, seconds="2", prefix=()):
    command = [*prefix, harness.CTPROF, "-q", "stat", *arguments, "--sections=states", "-fjson", "--",
               "sleep", seconds]  # fmt: skip
    found = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    return rows_of(json.loads(found.stdout))


def test_states_of_planted_threads_add_up():
    with tempfile.TemporaryDirectory(prefix="ctprof-states-") as folder, planted(folder):
        check(stat("--states=10"))


def test_by_files_they_are_the_same():
    prefix = []
    if harness.is_root():
        prefix = [harness.need_command("setpriv"), "--bounding-set=-bpf,-perfmon,-sys_admin"]
    with tempfile.TemporaryDirectory(prefix="ctprof-states-") as folder, planted(folder):
        check(stat("--states=10", prefix=prefix))


def test_without_samples_the_sleep_is_one_row():
    with tempfile.TemporaryDirectory(prefix="ctprof-states-") as folder, planted(folder):
        pools = stat(seconds="1")
    assert set(pools["p-pipe"]) - EXACT == {"sleeping"}, pools["p-pipe"]


def test_a_command_that_ends_has_its_states():
    """Its threads are in no capture; their states are known from sampling."""
    pools = stat("--states=10", seconds="2.5")
    shares = {state: value(row, "share") for state, row in pools["sleep"].items()}
    assert shares.get("timer", 0) > 60, shares
    assert abs(sum(shares.values()) - 100) < 0.001, shares


if __name__ == "__main__":
    tap.main(globals(), world="own")
