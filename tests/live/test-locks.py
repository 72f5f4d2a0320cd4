#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Locks of other languages: the right holder, or none."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness  # noqa: E402
import tap  # noqa: E402

WAITERS = 4
# Each prints its PID, that of the thread that holds its locks, once the others have been started.
CXX = """
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unistd.h>
int main() {
	static std::mutex plain;
	static std::recursive_mutex recursive;
	static std::shared_mutex shared;
	plain.lock(); recursive.lock(); shared.lock();
	for (int i = 0; i < WAITERS; i++) {
		std::thread([] { plain.lock(); }).detach();
		std::thread([] { recursive.lock(); }).detach();
		std::thread([] { shared.lock_shared(); }).detach();
	}
	printf("%d\\n", (int)getpid());
	fflush(stdout);
	pause();
}
""".replace("WAITERS", str(WAITERS))
RUST = """
use std::sync::{Arc, Mutex};
fn main() {
    let lock = Arc::new(Mutex::new(0));
    let held = lock.lock().unwrap();
    for _ in 0..WAITERS {
        let lock = lock.clone();
        std::thread::spawn(move || { *lock.lock().unwrap() += 1; });
    }
    println!("{}", std::process::id());
    std::thread::sleep(std::time::Duration::from_secs(600));
    drop(held);
}
""".replace("WAITERS", str(WAITERS))
GO = """
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

func main() {
	var lock sync.Mutex
	lock.Lock()
	for i := 0; i < WAITERS; i++ {
		go func() { runtime.LockOSThread(); lock.Lock() }()
	}
	fmt.Println(os.Getpid())
	time.Sleep(600 * time.Second)
}
""".replace("WAITERS", str(WAITERS))
# The GIL is always wanted by some of them; a lock of Python is a semaphore.
PYTHON = f"""
import os, threading, time
def spin():
    while True:
        pass
lock = threading.Lock()
lock.acquire()
for _ in range({WAITERS}):
    threading.Thread(target=spin, daemon=True).start()
    threading.Thread(target=lock.acquire, daemon=True).start()
print(os.getpid(), flush=True)
time.sleep(600)
"""


def count_waiting(pid):
    """The number of its threads in futex(), by the numbers of x86_64 and aarch64."""
    calls = [file.read_text(encoding="ascii") for file in Path(f"/proc/{pid}/task").glob("*/syscall")]
    return sum(call.startswith(("202 ", "98 ")) for call in calls)


@contextlib.contextmanager
def started(waiters, *command):
    """Runs a program of above until its threads wait; yields its PID."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        assert select.select([process.stdout], [], [], harness.PATIENCE_S)[0], "it says nothing"
        assert int(process.stdout.readline()) == process.pid
        harness.wait_for(lambda: count_waiting(process.pid) >= waiters, "its threads")
        time.sleep(0.3)
        yield process.pid
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()


@contextlib.contextmanager
def compiled(waiters, name, source, *command):
    """Compiles the source, and runs it."""
    harness.need_command(command[0])
    with tempfile.TemporaryDirectory(prefix="ctprof-locks-") as folder:
        file, program = Path(folder) / name, Path(folder) / "planted"
        file.write_text(source, encoding="ascii")
        try:
            done = subprocess.run([*command, program, file], env={**os.environ, "GO111MODULE": "off"}, capture_output=True,
                                  text=True, check=False, timeout=harness.PATIENCE_S)  # fmt: skip
        except subprocess.TimeoutExpired:
            raise tap.Skip(f"{command[0]} takes too long") from None
        if done.returncode:
            raise tap.Skip(f"{command[0]} cannot compile: {done.stderr.strip()[-200:]}")
        with started(waiters, program) as pid:
            yield pid


def locks_of(pid):
    """The values of each lock of the process."""
    snapshot = harness.capture("-g", "all,lock", "--plugins=procfs,snapshot,locks")
    return [row for row in snapshot.data.get("objects", [])
            if row["group"] == "lock" and f"[{pid}] 0x" in row["name"]]  # fmt: skip


def said_of_locks():
    """What a report says about locks of the planted program, in a window in which its threads wait."""
    done = harness.run("-q", "stat", "--groups=all,lock", "--all", "-fjson", "--", "sleep", "0.5")
    (section,) = [each for each in json.loads(done.stdout)["sections"] if each["name"] == "findings"]
    return [line["sentence"] for line in section["lines"] if "planted" in line["sentence"]
            and (line["finding"] in ("lock", "deadlock") or "contend" in line["sentence"])]  # fmt: skip


def check_none_held(locks):
    for values in locks:
        assert values["lock_kind"] == "futex", values
        assert "lock_holder" not in values and "lock_deadlock" not in values, values


def test_cxx_has_the_holder_of_each_lock():
    with compiled(3 * WAITERS, "planted.cc", CXX, "g++", "-std=c++17", "-pthread", "-o") as pid:
        locks = locks_of(pid)
        assert f", held by planted[{pid}]" in "".join(said_of_locks())
    assert sorted(values["lock_kind"] for values in locks) == ["mutex", "mutex", "rwlock"], locks
    for values in locks:
        assert values["lock_waiters"] == WAITERS, values
        assert values["lock_holder"].endswith(f"[{pid}]"), values


def test_rust_has_no_holder():
    """Its parked threads are not said to contend for anything."""
    with compiled(WAITERS, "planted.rs", RUST, "rustc", "-o") as pid:
        check_none_held(locks_of(pid))
        assert not said_of_locks()


def test_go_has_no_holder():
    with compiled(WAITERS, "planted.go", GO, "go", "build", "-o") as pid:
        check_none_held(locks_of(pid))
        assert not said_of_locks()


def test_the_gil_has_no_holder():
    with started(WAITERS, sys.executable, "-c", PYTHON) as pid:
        for _ in range(5):
            # What the interpreter keeps about it is guarded by a mutex, which some thread holds for a moment.
            check_none_held([values for values in locks_of(pid) if values["lock_kind"] != "mutex"])


if __name__ == "__main__":
    tap.main(globals(), world="own")
