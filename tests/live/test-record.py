#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings of this host: complete after SIGTERM, readable after SIGKILL and a full disk."""

import contextlib
import json
import math
import os
import re
import resource
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
import tap
from harness import CTPROF, Worker, wait_for

TABLE = b"CTPS"
# One plugin that is always available: other tests keep the machine busy.
PLAIN = ["--plugins=procfs"]


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="ctprof-record-") as path:
        yield Path(path)


class Replay:
    """Samples put together again from their frames, threads by (tgid, tid)."""

    def __init__(self):
        self.threads = {}
        self.absent = {}

    @staticmethod
    def flatten(record):
        values = {key: value for key, value in record.items() if key not in ("extra", "presence")}
        return values | record.get("extra", {})

    def take_whole(self, record, sets):
        key = (record["tgid"], record["tid"])
        absent = {name: why for why, names in sets[record["presence"]].items() for name in names}
        self.threads[key] = self.flatten(record)
        self.absent[key] = absent

    def take_changed(self, record):
        key = (record["tgid"], record["tid"])
        absent = {
            name: why for why, names in record.get("presence", {}).items() for name in names
        }
        changed = self.flatten(record)
        for name in changed:
            self.absent[key].pop(name, None)
        self.threads[key].update(changed)
        self.absent[key].update(absent)

    def take(self, frame):
        sets = frame.get("presence_sets", [])
        if frame["format"].get("frame") != "delta":
            self.threads, self.absent = {}, {}
        for lost in frame.get("gone", []):
            if "tid" in lost:
                key = (lost["tgid"], lost["tid"])
                del self.threads[key], self.absent[key]
        for record in frame.get("threads", []) + frame.get("new", []):
            self.take_whole(record, sets)
        for record in frame.get("changed", []):
            self.take_changed(record)

    def values(self):
        """The present values of each thread."""
        return {
            key: {name: value for name, value in row.items() if name not in self.absent[key]}
            for key, row in self.threads.items()
        }


class Recorder:
    """ctprof record in a session of its own, so that all of it can be ended."""

    def __init__(self, file, *arguments, plugins=PLAIN, **variables):
        self.file = Path(file)
        self.process = subprocess.Popen(
            [CTPROF, *plugins, "record", "-o", file, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd="/",
            start_new_session=True,
            env=os.environ | {name: str(value) for name, value in variables.items()},
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.stderr.close()
        self.process.wait()

    def wait_for_samples(self, n):
        wait_for(lambda: self.file.exists() and len(harness.frames(self.file)) >= n, f"{n} samples")

    def end(self, number):
        os.kill(self.process.pid, number)
        text = self.process.communicate()[1].decode()
        return self.process.returncode, text


def test_samples_are_captures():
    with folder() as path, Worker("--threads", "3") as worker:
        worker.stop()
        file = path / "still.ctprof"
        # The memory that a process shares also depends on other processes.
        only = ["--smaps=never", "-p", worker.pid]
        harness.run(*PLAIN, "record", *only, "-n", 3, "-i", "20ms", "-o", file)
        frames = harness.frames(file)
        assert len(frames) == 3
        assert [f["format"].get("frame") for f in frames] == [None, "delta", "delta"]
        replay, whole = Replay(), Replay()
        for frame in frames:
            replay.take(frame)
        whole.take(harness.capture(*only).data)
        assert len(whole.threads) >= 4, "the worker has threads"
        for key, values in whole.values().items():
            other = replay.values()[key]
            differ = {name for name in values | other if values.get(name) != other.get(name)}
            assert not differ, f"{key}, frozen: {differ}"
        assert not frames[2].get("changed"), "of frozen threads nothing changes"
        assert file.read_bytes().endswith(TABLE)
        assert file.stat().st_mode & 0o777 == 0o600


def check_same(path, worker, plugins):
    """Of stopped threads, only values that other processes change differ."""
    file, thread = path / "same.ctprof", worker.threads()[-1]
    arguments = ["--smaps=never", "-p", worker.pid, "-i", "20ms"]
    cpu = min(os.sched_getaffinity(0))
    with Recorder(file, *arguments, plugins=plugins) as recorder:
        recorder.wait_for_samples(4)
        os.setpriority(os.PRIO_PROCESS, thread[1], 7)
        os.sched_setaffinity(thread[1], {cpu})
        before = len(harness.frames(file))
        recorder.wait_for_samples(before + 3)
        status, text = recorder.end(signal.SIGTERM)
    assert status == 0, text
    replay, frames = Replay(), harness.frames(file)
    for frame in frames:
        replay.take(frame)
    whole = Replay()
    whole.take(harness.capture(*plugins, *arguments[:3]).data)
    assert whole.threads[thread]["nice"] == 7 and whole.threads[thread]["cpu_affinity"] == [cpu]
    for key, values in whole.values().items():
        other = replay.values()[key]
        differ = {name for name in values | other if values.get(name) != other.get(name)}
        assert not differ, f"{plugins}, {key}: {differ}"
    changed = [c for frame in frames for c in frame.get("changed", [])]
    assert 1 <= len(changed) <= 2, "once, or one after the other"
    assert {(c["tgid"], c["tid"]) for c in changed} == {thread}, changed


def test_threads_that_do_not_run():
    with folder() as path, Worker("--threads", "3") as worker:
        check_same(path, worker.stop(), PLAIN)


def test_threads_that_do_not_run_by_bpf():
    harness.need_bpf()
    with folder() as path, Worker("--threads", "3") as worker:
        check_same(path, worker.stop(), ["--plugins=bpf,procfs", *harness.BPF_ALWAYS])


def memory_of(recorder):
    """The memory of the reading process in bytes."""
    child = Path(f"/proc/{recorder.process.pid}/task/{recorder.process.pid}/children").read_text().split()[0]
    status = Path(f"/proc/{child}/status").read_text()
    return int(re.search(r"^RssAnon:\s+(\d+)", status, re.M)[1]) << 10


def test_a_crowd_that_went_leaves_no_memory():
    """Memory needed to read many threads is freed after they have exited."""
    if "asan" in harness.BUILD.name:
        raise tap.Skip("a sanitizer keeps what is freed")
    with folder() as path:
        file = path / "crowd.ctprof"

        def wait_for_frames(n):
            before = len(frames_of(file.read_bytes())) if file.exists() else 0
            wait_for(lambda: file.exists() and len(frames_of(file.read_bytes())) >= before + n, f"{n} samples more")

        with Recorder(file, "-i", "20ms", "--smaps=never") as recorder:
            wait_for_frames(5)
            before = memory_of(recorder)
            with Worker("--processes", 9, "--threads", 999):
                wait_for_frames(5)
                crowded = memory_of(recorder)
            wait_for_frames(80)
            after = memory_of(recorder)
            status, text = recorder.end(signal.SIGTERM)
        assert status == 0, text
        print(f"# {before / MIB:.1f} MiB, {crowded / MIB:.1f} with ten thousand threads, {after / MIB:.1f} after")
        assert after - before <= (crowded - before) / 2, (before, crowded, after)


def test_ends_come_and_go():
    with folder() as path:
        file = path / "moving.ctprof"
        with Worker("--threads", "2") as first, Recorder(
            file, "-i", "20ms", "--smaps=never"
        ) as recorder:
            recorder.wait_for_samples(2)
            with Worker("--threads", "1") as second:
                later = second.pid
                recorder.wait_for_samples(len(harness.frames(file)) + 2)
            recorder.wait_for_samples(len(harness.frames(file)) + 2)
            status, text = recorder.end(signal.SIGTERM)
        assert status == 0, text
        replay, seen = Replay(), set()
        for frame in harness.frames(file):
            replay.take(frame)
            seen |= set(replay.threads)
        assert (first.pid, first.pid) in replay.threads
        assert (later, later) in seen and (later, later) not in replay.threads
        assert file.read_bytes().endswith(TABLE)
        assert f"{len(harness.frames(file))} samples" in text, text


# Starts threads that stay, one after the other, and says of each when it was there.
MAKER = """
import sys, threading, time
stop = threading.Event()
for _ in range(int(sys.argv[1])):
    thread = threading.Thread(target=stop.wait, daemon=True)
    thread.start()
    print(thread.native_id, time.clock_gettime_ns(time.CLOCK_BOOTTIME), flush=True)
print("done", flush=True)
sys.stdin.read()
"""
MADE = 1500


def check_times(plugins):
    with folder() as path, subprocess.Popen([sys.executable, "-c", MAKER, str(MADE)], text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as maker:
        made, file = [maker.stdout.readline().split()], path / "made.ctprof"
        with Recorder(file, "-i", "20ms", "--smaps=never", "-p", maker.pid, plugins=plugins) as recorder:
            made += [line.split() for line in iter(maker.stdout.readline, "done\n")]
            recorder.wait_for_samples(2)
            status, text = recorder.end(signal.SIGTERM)
        maker.stdin.close()
        assert status == 0, text
        replay, missed = Replay(), {}
        for i, frame in enumerate(harness.frames(file)):
            replay.take(frame)
            began = frame["capture"]["begin_boottime_ns"]
            due = {int(tid) for tid, there in made if int(there) < began}
            missed |= {i: len(due - {tid for _, tid in replay.threads})} if due else {}
        print(f"# {len(missed)} samples, {len(due)} of {MADE} threads in the last")
        assert missed and not any(missed.values()), {i: n for i, n in missed.items() if n}


def test_a_sample_has_the_threads_of_its_time():
    """A sample has each thread that existed when it began: its time is not taken after the reading."""
    check_times(PLAIN)


def test_a_sample_by_bpf_has_the_threads_of_its_time():
    harness.need_bpf()
    check_times(["--plugins=bpf,procfs", *harness.BPF_ALWAYS])


def test_killed():
    with folder() as path:
        file = path / "killed.ctprof"
        with Recorder(file, "-i", "10ms", "--smaps=never") as recorder:
            recorder.wait_for_samples(5)
            os.killpg(recorder.process.pid, signal.SIGKILL)
            recorder.process.wait()
        assert len(harness.frames(file)) >= 5
        shown = harness.run("show", "--no-pager", "--format", "csv", file).stdout.decode()
        assert "ctprof" in shown, "the last whole sample shows ctprof itself"


def test_hangup():
    """As when the terminal is closed."""
    with folder() as path:
        file = path / "hangup.ctprof"
        with Recorder(file, "-i", "20ms", "-p", os.getpid()) as recorder:
            recorder.wait_for_samples(2)
            status, text = recorder.end(signal.SIGHUP)
        assert status == 0, text
        assert file.read_bytes().endswith(TABLE), "it is whole"
        told = notes(file)
        assert "SIGHUP" in told[-1] and "SIGHUP" not in str(told[:-1]), told
        shown = harness.run("show", "--no-pager", file)
        assert b"ended by SIGHUP" in shown.stderr, shown.stderr


class Clocks:
    """The offsets that tests/live/clocks.c adds to the clocks, in s."""

    LIBRARY = harness.BUILD / "tests/live/libclocks.so"

    def __init__(self, path):
        if not self.LIBRARY.exists():
            raise tap.Skip("no clocks can be preloaded under a sanitizer")
        self.path = path
        self.variables = {"LD_PRELOAD": self.LIBRARY, "CTPROF_TEST_CLOCKS": path}
        path.write_bytes(bytes(4096))

    def set(self, boot, real, at=0):
        """at: the number of the read of the real time from which on the offset applies."""
        with open(self.path, "r+b") as file:
            file.write(struct.pack("=qqq", int(boot * 1e9), int(real * 1e9), at))


def notes(file):
    return [frame["capture"].get("note", "") for frame in harness.frames(file)]


def test_clocks():
    """The next sample reports that the host was suspended or the clock was set."""
    with folder() as path:
        clocks, file = Clocks(path / "clocks"), path / "clocks.ctprof"
        with Recorder(file, "-i", "20ms", "-p", os.getpid(), **clocks.variables) as recorder:
            for boot, real, note in [
                (0, 3600, "the clock was set forward by 3600."),
                (90, 3690, "the host was suspended for 90."),
                (90, 90, "the clock was set back by "),
            ]:
                recorder.wait_for_samples(len(harness.frames(file)) + 2)
                before = len(harness.frames(file))
                clocks.set(boot, real)
                wait_for(lambda n=note, b=before: n in str(notes(file)[b:]), note)
            status, text = recorder.end(signal.SIGTERM)
        assert status == 0, text
        named = [note for note in notes(file) if "clock" in note or "suspended" in note]
        assert len(named) == 3, named
        frames = harness.frames(file)
        at = next(i for i, note in enumerate(notes(file)) if "suspended" in note)
        assert "clock" not in notes(file)[at], "a host that sleeps does not set its clock"
        jump = frames[at]["captured_at_unix_ns"] - frames[at - 1]["captured_at_unix_ns"]
        assert 90e9 <= jump <= 3600e9, jump
        shown = harness.run("show", "--no-pager", "--sample", at, file)
        assert b"the host was suspended for 90." in shown.stderr, shown.stderr


def test_over_midnight():
    """A clock is set to the next day: windows keep their real length, and each sample has the date
    of its own day."""
    with folder() as path:
        clocks, file = Clocks(path / "clocks"), path / "host-20261122T000000Z.ctprof"
        with Recorder(file, "-i", "20ms", "-p", os.getpid(), plugins=["--plugins=procfs,host"],
                      **clocks.variables) as recorder:  # fmt: skip
            recorder.wait_for_samples(2)
            clocks.set(0, 86400 - time.time() % 86400 + 1)
            recorder.wait_for_samples(len(harness.frames(file)) + 2)
            status, text = recorder.end(signal.SIGTERM)
        assert status == 0, text
        frames = harness.frames(file)
        days = [frame["captured_at_unix_ns"] // (86400 * 10**9) for frame in frames]
        assert days == sorted(days) and days[-1] == days[0] + 1, days
        took = (frames[-1]["capture"]["begin_boottime_ns"] - frames[0]["capture"]["begin_boottime_ns"]) / 1e9
        window = json.loads(harness.run("compare", "--format=json", file).stdout)["window"]["seconds"]
        assert abs(window - took) < 1e-3 and took < harness.PATIENCE_S * 2, (window, took)
        harness.run("export", "--partition", "--format=ndjson", "-o", path / "days", file)
        rows = [len(one.read_bytes().splitlines()) for one in sorted((path / "days").rglob("*.ndjson"))]
        threads = len(os.listdir("/proc/self/task"))
        assert rows == [threads * days.count(days[0]), threads * days.count(days[-1])], (rows, days)


def test_suspended_at_any_moment():
    """The sample whose time jumps reports it, wherever it happens between two reads of the clock."""
    told = 0
    for at in range(4, 16):
        with folder() as path:
            clocks, file = Clocks(path / "clocks"), path / "clocks.ctprof"
            clocks.set(90, 90, at)
            only = ["-n", 5, "-i", "20ms", "-p", os.getpid()]
            with Recorder(file, *only, **clocks.variables) as recorder:
                text = recorder.process.communicate()[1].decode()
            assert recorder.process.returncode == 0, text
            times = [frame["captured_at_unix_ns"] for frame in harness.frames(file)]
            jumps = [0] + [b - a >= 90e9 for a, b in zip(times, times[1:])]
            said = ["the host was suspended for 90." in note for note in notes(file)]
            assert said == jumps, (at, said, times, notes(file))
            assert "clock" not in str(notes(file)), (at, notes(file))
            told += any(said)
    assert told > 3, "it was not in between"


HEAP = """
import sys
print("ready", flush=True)
for line in sys.stdin:
    if line.startswith("take"):
        held = bytearray(int(line.split()[1]))
    else:
        del held
    print("done", flush=True)
"""
MIB = 1 << 20


def test_heap_as_a_series():
    """The memory that a program with jemalloc allocates and frees, sample by sample."""
    if not (harness.BUILD / "ctprof-jemalloc.so").exists():
        raise tap.Skip("jemalloc is not built")
    program = [sys.executable, "-c", HEAP]
    with folder() as path, subprocess.Popen(
        program,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"LD_PRELOAD": "libjemalloc.so.2"},
    ) as heap:
        assert heap.stdout.readline() == "ready\n"
        if "libjemalloc" not in Path(f"/proc/{heap.pid}/maps").read_text():
            raise tap.Skip("libjemalloc2 is not installed")
        file, key, at = path / "heap.ctprof", (heap.pid, heap.pid), []
        plugins = ["--plugins=jemalloc,procfs"]
        arguments = ["-g", "jemalloc", "-p", heap.pid, "-i", "20ms"]
        with Recorder(file, *arguments, plugins=plugins) as recorder:
            for order in ("take 67108864", "give"):
                recorder.wait_for_samples(len(harness.frames(file)) + 2)
                at.append(len(harness.frames(file)) - 1)
                print(order, file=heap.stdin, flush=True)
                assert heap.stdout.readline() == "done\n"
            recorder.wait_for_samples(len(harness.frames(file)) + 2)
            status, text = recorder.end(signal.SIGTERM)
        heap.stdin.close()
        assert status == 0, text
        replay, series = Replay(), []
        for frame in harness.frames(file):
            replay.take(frame)
            row = replay.values()[key]
            assert "allocated_bytes" in row, replay.absent[key]
            series.append((row["allocated_bytes"], row["deallocated_bytes"]))
        shown = report("compare", "-m", "allocated_bytes", file)
    assert series == sorted(series), "what is counted does not fall"
    taken = [series[i][0] - series[0][0] for i in at]
    assert taken[0] < 64 * MIB <= taken[1], series
    given = [series[i][1] - series[0][1] for i in (at[1], -1)]
    assert given[0] < 64 * MIB <= given[1], series
    assert "allocated_bytes" in shown


def test_command():
    with folder() as path:
        file = path / "command.ctprof"
        done = harness.run(
            *PLAIN, "record", "-i", "10ms", "-o", file, "--", "sh", "-c", "exit 7", check=False
        )
        assert done.returncode == 7, done.stderr
        assert len(harness.frames(file)) >= 2, "one before it, one at its end"
        missing = harness.run(
            *PLAIN, "record", "-o", path / "none", "--", "/no/such/command", check=False
        )
        assert missing.returncode == 127, missing.stderr


def test_refusals():
    with folder() as path:
        there = path / "there.ctprof"
        there.write_bytes(b"precious")
        done = harness.run(*PLAIN, "record", "-n", 1, "-o", there, check=False)
        assert done.returncode == 1 and b"it exists" in done.stderr, done.stderr
        assert there.read_bytes() == b"precious"
        file = path / "locked.ctprof"
        with Recorder(file, "-i", "20ms") as recorder:
            recorder.wait_for_samples(1)
            done = harness.run(
                *PLAIN, "record", "-n", 1, "--max-size", "1MiB", "-o", file, check=False
            )
            assert b"another process is recording into it" in done.stderr, done.stderr
        none = path / "none.ctprof"
        for wrong in ("smaps", "smaps=", "=1s", "smaps=never", "none=1s"):
            done = harness.run(*PLAIN, "record", "-n", 1, "--every", wrong, "-o", none, check=False)
            assert done.returncode == 2 and b"--every" in done.stderr, (wrong, done.stderr)
            assert not none.exists(), "nothing is left of what was not recorded"


def test_rotation():
    with folder() as path:
        file = path / "turn.ctprof"
        arguments = ["-n", 9, "-i", "10ms", "--max-size", "1", "--keep", "3", "-o", file]
        harness.run(*PLAIN, "record", *arguments)
        names = sorted(each.name for each in path.iterdir())
        assert names == ["turn.ctprof", *(f"turn.ctprof.{i}" for i in (1, 2, 3))], names
        for each in path.iterdir():
            frames = harness.frames(each)
            assert len(frames) == 1 and "threads" in frames[0], "each begins with a whole sample"
            assert each.read_bytes().endswith(TABLE)


def test_restarts_delete_nothing():
    with folder() as path:
        file = path / "again.ctprof"
        for n in range(5):
            harness.run(*PLAIN, "record", "-p", os.getpid(), "-n", 1, "--max-size=1GiB", "--keep=2", "-o", file)
            assert len(list(path.iterdir())) == n + 1, sorted(path.iterdir())


def test_without_threads():
    """As where a service may not start more threads: samples are slower, but complete."""
    if not harness.is_root():
        raise tap.Skip("needs root, to become a user who may have no thread")
    with folder() as path:
        file = path / "alone.ctprof"
        arguments = ["-p", os.getpid(), "-n", 3, "-i", "10ms", "--smaps=never", "-o", file]
        # LeakSanitizer needs a thread, too.
        done = harness.run(*PLAIN, "record", *arguments, check=False,
                           env={**os.environ, **harness.NO_LEAK_CHECK},
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)))  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert len(harness.frames(file)) == 3


def test_slow_groups():
    with folder() as path, Worker() as worker:
        file = path / "slow.ctprof"
        arguments = ["-n", 3, "-i", "10ms", "--every", "smaps=1h", "--smaps=always"]
        harness.run(*PLAIN, "record", "-p", worker.pid, *arguments, "-o", file)
        replay, reasons = Replay(), []
        for frame in harness.frames(file):
            replay.take(frame)
            reasons.append(replay.absent[worker.pid, worker.pid].get("smaps_rollup_kib"))
        assert reasons == [None, "skipped", "skipped"], reasons


def report(*arguments):
    return harness.run(*arguments, "--no-pager", "--format", "csv").stdout.decode()


# Reports of one sample, without the history, which covers earlier samples as well.
VALUES = ["-m", "run_time_ns,timeslices,minflt,rchar,nr_threads,processor"]


def test_show_at_a_time_is_the_window_that_ended_there():
    """Two consecutive windows add up to the change from the first to the last sample."""
    with folder() as path, Worker() as worker:
        file = path / "three.ctprof"
        harness.run(*PLAIN, "record", "-p", worker.pid, "-n", 3, "-i", "50ms", "--smaps=never", "-o", file)

        def seconds(*arguments):
            return json.loads(harness.run(*arguments, "-f", "json", file).stdout)["window"]["seconds"]

        first, last = (seconds("show", "--at", time) for time in ("+0s", "-0s"))
        assert first > 0 and last > 0
        assert abs(first + last - seconds("compare")) < 1e-6, (first, last)


def test_reading():
    with folder() as path, Worker("--threads", "2") as worker:
        file, part = path / "read.ctprof", path / "part.ctprof"
        arguments = ["-p", worker.pid, "-n", 70, "-i", "10ms", "--smaps=never"]
        harness.run(*PLAIN, "record", *arguments, "-o", file)
        shown = [report("show", *VALUES, "--sample", n, file) for n in (0, 3, 66, 69)]
        assert all(shown)
        assert shown[3] == report("show", *VALUES, file) == report("show", *VALUES, "--sample", -1, file)
        assert shown[0] == report("show", *VALUES, "--sample", -70, file)
        for arguments, text in [
            (["show", "--sample", 70], b"has 70 samples"),
            (["show", "--sample", "x"], b"expected a number"),
            (["show", "--at", "noon"], b"expected a time"),
            (["show", "--at", "2001-01-01T00:00:00Z"], b"the recording is from"),
            (["show", "--at", "+0s", "--sample", 0], b"exclude each other"),
            (["compare", "--from", "-0s"], b"one sample"),
            (["stat", "--every", "1s"], b"not with a recording"),
            (["stat", "--from", "+0s", "true"], b"only with a recording"),
        ]:
            done = harness.run(*arguments, file, check=False)
            assert done.returncode in (1, 2) and text in done.stderr, (arguments, done.stderr)
        # A part begins with a whole sample, and its other frames are copied from the file.
        done = harness.run("cut", "--from", "-0s", "-o", part, file)
        assert b"6 samples" in done.stderr, done.stderr
        assert file.read_bytes().find(part.read_bytes()[:1000]) > 0
        assert report("show", *VALUES, "--sample", 2, part) == shown[2]
        assert report("show", *VALUES, part) == shown[3]
        # A window of the file equals the comparison of two files that hold its ends.
        first = path / "first.ctprof"
        harness.run("cut", "--to", "+0s", "-o", first, file)
        window = report("compare", *VALUES, "--group-by", "comm", file)
        assert "run_time_ns" in window and window == report(
            "compare", *VALUES, "--group-by", "comm", first, part
        )
        assert window == report("stat", *VALUES, "--group-by", "comm", file)
        cut = path / "broken.ctprof"
        cut.write_bytes(file.read_bytes()[:-3000])
        broken = harness.run("show", "--no-pager", cut)
        assert b"not a whole sample" in broken.stderr, broken.stderr


def parts_of(file):
    """The files of a recording that was rotated, the oldest first."""
    older = [Path(f"{file}.{i}") for i in range(1, 1000)]
    return [path for path in older[::-1] if path.exists()] + [Path(file)]


@contextlib.contextmanager
def rotated():
    """A recording of several samples a file, and its process."""
    with folder() as path, Worker("--threads", "2") as worker:
        file = path / "turn.ctprof"
        # Without a sleep between two files: rotation is that of a service.
        harness.run(*PLAIN, "record", "-p", worker.pid, "-n", 24, "-i", "50ms", "--max-age", "200ms",
                    "--keep", 1000, "--smaps=never", "-o", file)  # fmt: skip
        parts = parts_of(file)
        assert len(parts) > 2, parts
        assert sum(len(harness.frames(part)) for part in parts) == 24
        yield file, parts


def warnings(*arguments):
    return harness.run(*arguments).stderr.decode()


def count(file):
    """The number of samples that a report finds."""
    text = harness.run("show", "--sample", 10**6, file, check=False).stderr.decode()
    return int(re.search(r"has (\d+) sample", text)[1])


def test_a_rotated_recording_is_one():
    with rotated() as (file, parts):
        oldest, n = parts[0], [len(harness.frames(part)) for part in parts]
        assert count(file) == 24 == count(file.parent) and count(oldest) == n[0], n
        assert not warnings("compare", file), warnings("compare", file)
        # Each sample is that of its file.
        for number, part, sample in ((0, oldest, 0), (n[0] - 1, oldest, -1), (n[0], parts[1], 0), (23, file, -1)):
            alone = part
            if part == file:
                alone = file.parent / "alone" / "alone.ctprof"
                alone.parent.mkdir()
                alone.write_bytes(file.read_bytes())
            assert report("show", *VALUES, "--sample", number, file) == report("show", *VALUES, "--sample", sample, alone)
        # A window of the whole is that between the ends.
        first = file.parent / "alone" / "first.ctprof"
        harness.run("cut", "--to", "+0s", "-o", first, oldest)
        by_comm = ["compare", *VALUES, "--group-by", "comm"]
        window = report(*by_comm, file)
        assert "run_time_ns" in window and window == report(*by_comm, first, file) == report(*by_comm, file.parent)
        # Times are of the whole, too, and what is between two files is a window like any other.
        ends = [sample for part in parts[:-1] for sample in harness.frames(part)[-1:]]
        at = ends[0]["captured_at_unix_ns"] / 1e9
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f"{at % 1:.6f}"[1:] + "Z"
        assert report("show", *VALUES, "--at", stamp, oldest) == report("show", *VALUES, "--at", stamp, file)
        between = json.loads(harness.run("compare", "--from", stamp, "--to", "-0s", "-f", "json", file).stdout)
        span = harness.frames(file)[-1]["captured_at_unix_ns"] - ends[0]["captured_at_unix_ns"]
        assert abs(between["window"]["seconds"] - span / 1e9) < 0.05, (between["window"], span)
        # All of it as one file, with one table.
        whole = file.parent / "alone" / "whole.ctprof"
        assert b"24 samples" in harness.run("cut", "-o", whole, file).stderr
        assert len(harness.frames(whole)) == 24 == count(whole)
        assert whole.read_bytes().count(TABLE) == 1 and window == report(*by_comm, whole)
        # A part that begins in one file and ends in another.
        part = file.parent / "alone" / "part.ctprof"
        harness.run("cut", "--from", stamp, "--to", "-0s", "-o", part, file)
        assert report(*by_comm, "--from", stamp, part) == report(*by_comm, "--from", stamp, file)


def test_export_of_a_rotated_recording():
    with rotated() as (file, parts):

        def rows(*arguments):
            return len(harness.run("export", "-f", "csv", "--rows", "captures", *arguments).stdout.splitlines()) - 1

        assert rows(file) == 24 == rows(file.parent)
        assert rows(parts[0]) == len(harness.frames(parts[0]))
        # Named one by one, nothing is there twice.
        assert rows(*parts) == 24 == rows(*parts[::-1])
        folder_ = file.parent / "out"
        harness.run("export", "-f", "csv", "--rows", "captures", "--partition", "-o", folder_, file)
        assert sum(len(each.read_text().splitlines()) - 1 for each in folder_.rglob("*.csv")) == 24


def test_files_that_are_not_of_the_recording():
    with rotated() as (file, parts):
        here, second = len(harness.frames(file)), Path(f"{file}.1")
        older = second.read_bytes()

        def check(why, samples=here):
            assert count(file) == samples, (why, count(file))
            said = warnings("compare", file)
            assert f"{why}" in said and said.count("\n") == 1, (why, said)

        for path in parts[:-2]:
            path.unlink()
        second.write_bytes(b"a letter\n")
        check("turn.ctprof.1 is left out with all older files: it is not an earlier recording of the same boot")
        second.unlink()
        second.mkdir()
        check("turn.ctprof.1 is left out with all older files: it is not a regular file of the same owner")
        second.rmdir()
        kept = file.parent / "kept"
        kept.write_bytes(older)
        second.symlink_to(kept)
        check("turn.ctprof.1 is left out with all older files: it is not a regular file of the same owner")
        second.unlink()
        os.mkfifo(second)
        check("turn.ctprof.1 is left out with all older files: it is not a regular file of the same owner")
        second.unlink()
        if harness.is_root():
            second.write_bytes(older)
            os.chown(second, 12345, 12345)
            check("turn.ctprof.1 is left out with all older files: it is not a regular file of the same owner")
            second.unlink()
        # The same file again is no older one; nor is what is left after a hole.
        second.write_bytes(file.read_bytes())
        check("turn.ctprof.1 is left out with all older files: it is not an earlier recording of the same boot")
        second.unlink()
        Path(f"{file}.2").write_bytes(older)
        assert count(file) == here
        # One that was cut off is read up to its last whole sample.
        second.write_bytes(older[:-200])
        whole = len(harness.frames(second))
        check("bytes of a file before it are", here + whole)
        # Of another boot.
        second.write_bytes(older)
        first = harness.frames(second)[0]
        first["capture"]["begin_boottime_ns"] += 10**12
        packed = json.dumps(first, separators=(",", ":")).encode()
        second.write_bytes(subprocess.run(["zstd", "-q"], input=packed, stdout=subprocess.PIPE, check=True).stdout)
        check("turn.ctprof.1 is left out with all older files: it is not an earlier recording of the same boot")


def test_a_gap_between_files_is_said():
    with folder() as path:
        file = path / "twice.ctprof"
        arguments = ["-p", os.getpid(), "-n", 3, "-i", "50ms", "--smaps=never", "--max-size=1GiB", "-o", file]
        harness.run(*PLAIN, "record", *arguments)
        time.sleep(2)
        harness.run(*PLAIN, "record", *arguments)
        assert count(file) == 6
        said = re.search(r"nothing was recorded from (\S+Z) to (\S+Z)", warnings("compare", file))
        ends = [harness.frames(one) for one in parts_of(file)]
        wanted = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(frame["captured_at_unix_ns"] // 10**9))
                  for frame in (ends[0][-1], ends[1][0])]  # fmt: skip
        assert said and list(said.groups()) == wanted, (said, wanted)
        # Of two recordings, none is chosen.
        (path / "other.ctprof").write_bytes(file.read_bytes())
        done = harness.run("show", path, check=False)
        assert done.returncode == 1 and b"a directory with one recording (*.ctprof), found 2" in done.stderr, done.stderr
        (path / "none").mkdir()
        done = harness.run("show", path / "none", check=False)
        assert done.returncode == 1 and b"a directory with one recording (*.ctprof), found 0" in done.stderr, done.stderr


def frames_of(data):
    """The (begin, end) of each frame."""
    starts = [found.start() for found in re.finditer(re.escape(b"\x28\xb5\x2f\xfd"), data)]
    return list(zip(starts, [*starts[1:], data.rfind(TABLE)]))


def test_one_bad_sample():
    """It only makes the samples stored as changes of it unreadable, up to the next whole one."""
    with folder() as path, Worker("--threads", "9") as worker:
        file, bad, part = (path / name for name in ("good.ctprof", "bad.ctprof", "part.ctprof"))
        harness.run(*PLAIN, "record", "-p", worker.pid, "-n", 70, "-i", "10ms", "--smaps=never", "-o", file)
        good, samples = file.read_bytes(), harness.frames(file)
        frames, whole = frames_of(good), [f["format"].get("frame") != "delta" for f in samples]
        assert len(frames) == 70 and whole[64] and not whole[4], whole

        def spoilt(*arguments):
            return harness.run(*arguments, "--format=csv", *VALUES, bad, check=False)

        def after_start(n):
            return f"+{math.ceil((samples[n]['captured_at_unix_ns'] - samples[0]['captured_at_unix_ns']) / 1e3)}us"

        for k, bit in ((4, 0), (4, 7), (64, 3)):
            data, (start, end) = bytearray(good), frames[k]
            data[(start + end) // 2] ^= 1 << bit
            bad.write_bytes(data)
            until = next((n for n in range(k + 1, 70) if whole[n]), 70)
            for n in {0, k - 1, k, k + 1, until - 1, until, 69} - {70}:
                shown = spoilt("show", "--sample", n)
                if k <= n < until:
                    assert shown.returncode == 1 and not shown.stdout, (k, n)
                    assert shown.stderr.count(b"\n") == 1 and b"sample %d, " % k in shown.stderr, shown.stderr
                else:
                    assert shown.stdout.decode() == report("show", *VALUES, "--sample", n, file), (k, n)
            # Exits in it are unknown, so no window spans it; windows beside it work.
            assert b"sample %d, " % k in spoilt("compare").stderr
            beside = ["--to", after_start(k - 1)] if until == 70 else ["--from", after_start(until)]
            assert spoilt("compare", *beside).stdout.decode() == report("compare", *VALUES, *beside, file)
            harness.run("cut", *beside, "-o", part, bad)
            assert report("compare", *VALUES, part) == report("compare", *VALUES, *beside, file)


def section(name, *arguments):
    done = harness.run(*arguments, "--no-pager", "--format", "json")
    found = [s for s in json.loads(done.stdout)["sections"] if s["name"] == name]
    return found[0]["lines"] if found else None


def number(cell):
    return cell["candidate"] if isinstance(cell, dict) else cell


@contextlib.contextmanager
def busy():
    """A process that computes; its pid."""
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def test_history():
    """The windows of a recording add up to the difference between its ends."""
    with folder() as path, busy() as pid:
        file = path / "past.ctprof"
        arguments = ["-p", pid, "-n", 40, "-i", "20ms", "--smaps=never"]
        harness.run(*PLAIN, "record", *arguments, "-o", file)
        lines = section("history", "compare", file)
        pool = [line for line in lines if line["subject"] == "sh"]
        assert len(pool) == 16 == len([line for line in lines if line["subject"] == "host"])
        assert [line["at"] for line in pool] == sorted(line["at"] for line in pool)
        (whole,) = [line for line in section("pools", "compare", file) if line["pool"] == "sh"]
        assert len(whole["cpu_history"]) == 16, whole
        assert set(whole["cpu_history"]) <= set("▁▂▃▄▅▆▇█"), whole
        used = sum(number(line["cpu"]) * number(line["seconds"]) for line in pool)
        seconds = sum(number(line["seconds"]) for line in pool)
        # No window has more than the one thread can use in it, even if it is read late at the end.
        full = any(number(line["cpu"]) > 1 - 1e-6 for line in pool)
        missing = number(whole["cpu"]) * seconds - used
        assert used > 0 and -1e-6 * used < missing < (0.1 if full else 1e-6) * used, (missing, pool)
        shown = section("history", "show", file)
        assert [line["cpu"] for line in shown if line["subject"] == "sh"], "show has it, too"
        # Two samples have no history, nor does a report of metrics named by the user.
        first = path / "two.ctprof"
        harness.run(*PLAIN, "record", *arguments[:2], "-n", 2, "-i", "20ms", "-o", first)
        assert section("history", "compare", first) is None
        assert section("history", "compare", "-m", "run_time_ns", file) is None


def test_two_samples_are_called_by_their_times():
    with folder() as path:
        file = path / "two.ctprof"
        harness.run(*PLAIN, "record", "-p", os.getpid(), "-n", 2, "-i", "1100ms", "--smaps=never", "-o", file)
        title = harness.run("compare", file, env={**os.environ, "TZ": "XYZ-3"}).stdout.decode().splitlines()[0]
        found = re.match(r" (\d\d:\d\d:\d\d) → (\d\d:\d\d:\d\d) XYZ   \S+ apart", title)
        assert found and found[1] != found[2], title


SHORT = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def test_host_over_all_samples():
    """The lines of the host show what was typical of single samples, not of windows of many."""
    with folder() as path:
        file, used = path / "host.ctprof", []
        plugins = ["--plugins=procfs,host,system"]
        arguments = ["-p", os.getpid(), "-n", 20, "-i", "200ms", "--smaps=never"]
        harness.run(*plugins, "record", *arguments, "-o", file)
        memory = {}
        for frame in harness.frames(file):
            memory |= frame.get("extra", {}).get("system", {}).get("memory", {})
            used.append(1024 * (memory["total"] - memory["available"]))
        shown = harness.run("compare", "--no-pager", file).stdout.decode()
        line = next(line for line in shown.splitlines() if "median" in line and "in use" in line)
        told = re.findall(r"(?:median|95%|max) ([0-9.]+)([KMGT])", line)
        values = sorted(used[1:])
        expected = [statistics.median(values), values[math.ceil(len(values) * 0.95) - 1], values[-1]]
        assert len(told) == 3, line
        for (number_, unit), value in zip(told, expected):
            assert abs(float(number_) * SHORT[unit] - value) <= 0.01 * value, (line, expected)


def test_runs():
    """A recording is a run, from its first sample to its last."""
    with folder() as path, busy() as pid:
        files = []
        for side in "ab":
            (path / side).mkdir()
            for n in range(2):
                files.append(path / side / f"{n}.ctprof")
                arguments = ["-p", pid, "-n", 3, "-i", "20ms", "--smaps=never"]
                harness.run(*PLAIN, "record", *arguments, "-o", files[-1])

        def values(*arguments):
            rows = harness.run("compare", "--no-pager", "--format", "json", *arguments).stdout
            sections = json.loads(rows)["sections"]
            return next(row["runs"] for s in sections if s["name"] == "runs" for row in s["rows"]
                        if row["metric"] == "run_time_ns")  # fmt: skip

        found = values(files[0], files[1], "--", files[2], files[3])
        assert found == values(path / "a", path / "b"), "and a directory of them a set"
        lines = report("compare", "-m", "run_time_ns", files[0]).splitlines()
        head = lines[0].split(",")
        delta = next(float(line.split(",")[head.index("delta")]) for line in lines
                     if line.startswith("primary,"))  # fmt: skip
        assert found["baseline"][0] == delta, (found, delta)


def test_full_disk():
    if not harness.is_root():
        raise tap.Skip("needs root, to mount a small file system")
    with folder() as path:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=512k", "ctprof-record", path],
            capture_output=True,
            check=False,
        )
        if done.returncode != 0:
            raise tap.Skip(f"no tmpfs can be mounted: {done.stderr.decode().strip()}")
        try:
            check_full_from_the_start(path)
            fill_disk(path)
        finally:
            subprocess.run(["umount", "-l", path], check=True)


def check_full_from_the_start(path):
    """Samples for which there is no space are counted, too."""
    file, filler = path / "none.ctprof", path / "filler"
    with open(filler, "wb", buffering=0) as out, contextlib.suppress(OSError):
        while True:
            out.write(bytes(4096))
    done = harness.run(*PLAIN, "record", "-p", os.getpid(), "-n", 3, "-i", "10ms", "-o", file, check=False,
                       timeout=harness.PATIENCE_S)
    assert done.returncode == 1 and b"No space left" in done.stderr, done.stderr
    assert not file.exists()
    filler.unlink()


def fill_disk(path):
    file, filler = path / "full.ctprof", path / "filler"
    # The threads of a busy host would fill it by themselves.
    with Recorder(file, "-p", os.getpid(), "-i", "20ms", plugins=["--plugins=procfs,host"]) as recorder:
        recorder.wait_for_samples(2)
        with open(filler, "wb", buffering=0) as out, contextlib.suppress(OSError):
            while True:
                out.write(bytes(4096))
        line = recorder.process.stderr.readline()
        while b"recording goes on" not in line:
            assert line, "the recorder ended"
            line = recorder.process.stderr.readline()
        whole = len(harness.frames(file))
        filler.unlink()
        recorder.wait_for_samples(whole + 2)
        status, text = recorder.end(signal.SIGINT)
    assert status == 0, text
    frames, told = harness.frames(file), notes(file)
    assert any("could not be written: " in note for note in told), told
    assert "not written" in text, text
    after = next(i for i, note in enumerate(told) if "could not be written" in note)
    assert "threads" in frames[after], "what follows needs nothing that was lost"


if __name__ == "__main__":
    tap.main(globals(), world="of exit records")
