#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Processes that hang in the kernel because of a real FUSE server that does
not answer."""

import contextlib
import json
import os
import select
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
import tap

sys.path.insert(0, str(harness.SOURCE / "tests/border"))

import rig  # noqa: E402

STUCK = harness.BUILD / "tests/live/stuck"
TOY = harness.BUILD / "plugins/jemalloc/tests/libtoy-tsd.so"


def device_for(user, folder):
    """Most distributions let every user open /dev/fuse, but not all."""
    if user is None:
        return {}
    device = f"{folder}.fuse"
    os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(10, 229))
    os.chmod(device, 0o666)
    return {"STUCK_FUSE": device}


@contextlib.contextmanager
def stuck_below(folder, user=None, **kinds):
    """Starts the given number of processes of each kind (stuck.c); yields their PIDs."""
    if not harness.is_root() or not os.path.exists("/dev/fuse"):
        raise tap.Skip("needs root and /dev/fuse")
    with subprocess.Popen(
        [STUCK, folder, *(f"{kind}={n}" for kind, n in kinds.items())], cwd="/",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "STUCK_LIBRARY": str(TOY), **device_for(user, folder)}, **harness.other_user(user),
    ) as process:
        line = process.stdout.readline()
        if not line:
            raise tap.Skip(process.stderr.read().decode().strip())
        yield json.loads(line)["pids"]
        process.stdin.close()
        # A file there may claim to be root's; only those processes have asked for it.
        assert process.stdout.read() == b"0\n"


@contextlib.contextmanager
def stuck(user=None, **kinds):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        place = f"{folder}/place"
        os.mkdir(place)
        with stuck_below(place, user, **kinds) as pids:
            yield pids


def lost(shot, pid):
    """The names of the values that are missing because the process did not answer."""
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
            # The second plugin does not wait for it again.
            assert f"jemalloc: process {pid}: no answer" not in shot.stderr, shot.stderr
        check_sound(shot, worker)
        for pid in pids[12:]:
            row = shot.rows[(pid, pid)]
            assert shot.reason(row, "smaps_rollup_kib") is None, shot.absences(row)
            assert shot.reason(row, "allocated_bytes") is not None


VIEWS = ["pools", "ledger", "processes", "areas", "shared", "tmpfs", "sysv", "categories"]
# Each command that reads the memory of processes, or where they wait.
READERS = [*(["memory", view] for view in VIEWS), ["capture", "--memory=all", "-o", "/dev/null"],
           ["record", "--memory=all", "-n", 2, "-i", "50ms", "-o", "-"], ["stat", "--memory=all", "--", "true"],
           ["stat", "--states", "--", "true"], ["capture", "--groups=wait,lock,jemalloc,smaps", "-o", "/dev/null"], ["doctor"]]


def test_each_view_goes_on_without_it():
    """No command waits long for a process that holds its lock, and the other processes are shown."""
    with stuck(mmap=2) as pids:
        for words in READERS:
            began = time.monotonic()
            harness.run(*words)
            assert time.monotonic() - began < harness.PATIENCE_S / 2, words
        view = json.loads(harness.run("memory", "processes", "--flat", "--all", "--format=json").stdout)
        shown = {line["pid"]: line for one in view["sections"] for line in one.get("lines", ()) if "pid" in line}
        assert shown[os.getpid()]["pss"] and shown[os.getpid()]["rss"], shown[os.getpid()]
        for pid in pids:
            assert pid in shown and not shown[pid]["pss"], shown.get(pid)
        assert harness.run("memory", "process", os.getpid()).stdout
        done = harness.run("memory", "process", pids[0], check=False)
        assert done.returncode == 1 and b"no mappings of process %d" % pids[0] in done.stderr, done.stderr


def test_what_ends_and_cannot_be_reaped():
    """A process without memory on which SIGKILL has no effect has a row like any other."""
    with stuck(exit=4) as pids:
        shot = harness.capture("--plugins=procfs,memory,jemalloc,taskstats")
        for pid in pids:
            row = shot.rows[(pid, pid)]
            assert not lost(shot, pid), shot.absences(row)
            assert shot.value(row, "smaps_rollup_kib") == ("absent", "inapplicable"), shot.absences(row)
            assert shot.value(row, "run_time_ns")[0] == "value"


def test_more_of_them_than_threads_wait_for_them():
    """More of each kind than the 128 threads that may wait at a time."""
    # Started after them, because processes are read in the order of their PIDs.
    with stuck(mmap=300, exec=200) as pids, harness.Worker() as worker:
        shot = harness.capture("--plugins=procfs,memory,jemalloc,taskstats", "--jobs=1")
        for pid in pids[:300]:
            assert shot.value(shot.rows[(pid, pid)], "run_time_ns")[0] == "value", pid
        for pid in pids[300:]:
            assert "run_time_ns" in lost(shot, pid), pid
        check_sound(shot, worker)


def threads_of(recorder):
    """The threads of the reading process.  A search by stat would wait for stuck processes."""
    child = Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text().split()[0]
    return len(os.listdir(f"/proc/{child}/task"))


def samples_of(file):
    return subprocess.run(["zstdcat", file], capture_output=True, check=False).stdout.count(b'"format":') \
        if file.exists() else 0


def test_a_recording_asks_no_one_twice():
    """Only one thread waits for a process that does not answer, however many samples are taken, and
    it is reported in one line."""
    harness.need_command("zstdcat")
    with harness.Worker() as worker, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "host.ctprof"
        place = f"{folder}/place"
        os.mkdir(place)
        with open(f"{folder}/said", "w+", encoding="utf-8") as said, \
                stuck_below(place, mmap=3, exec=2) as pids:
            chosen = [word for pid in (worker.pid, *pids) for word in ("--pid", str(pid))]
            process = subprocess.Popen(
                [harness.CTPROF, "--plugins=procfs,jemalloc,memory", "record", "-i", "20ms", "--smaps=always",
                 "--jobs=2", *chosen, "-o", file], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
            try:
                harness.wait_for(lambda: samples_of(file) >= 5, "5 samples")
                before = threads_of(process)
                harness.wait_for(lambda: samples_of(file) >= 30, "30 samples")
                # Worker and helper threads start and exit.
                assert threads_of(process) <= before + 8, (before, threads_of(process))
            finally:
                process.terminate()
                process.wait(timeout=harness.PATIENCE_S)
            said.seek(0)
            text = said.read()
            assert process.returncode == 0, text
            for pid in pids[:3]:
                assert text.count(f"process {pid}: no answer") <= 1, text
            assert len(text.splitlines()) < 10, text


def capture_with_toy(folder, plugins, fault, victim, *arguments):
    """Captures with the rig's plugin, whose fault makes it wait for the victim.  Returns the status,
    stderr and the file.  stderr is a file, because processes left running keep descriptors open."""
    with rig.rig() as made, open(f"{folder}/said", "w+", encoding="utf-8") as said:
        (made.plugins / "ctprof-snapshot.so").unlink()
        process = made.start(
            made.command("--plugin-timeout", "4s", "capture", "--jobs=1", "-o", made.file, *arguments,
                         plugins=plugins),
            {"TOY_FAULT": fault, "TOY_VICTIM": str(victim)}, stdout=subprocess.DEVNULL, stderr=said)
        status = process.wait(timeout=harness.PATIENCE_S)
        said.seek(0)
        assert made.file.exists(), said.read()
        return status, said.read(), harness.Snapshot(made.file.read_bytes())


def test_one_that_gets_stuck_between_being_asked_and_being_read():
    with harness.Worker() as worker, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        place = f"{folder}/place"
        os.mkdir(place)
        with stuck_below(place, late=1) as (pid,):
            status, said, shot = capture_with_toy(folder, "toy,procfs,snapshot", "lure-thread", place,
                                                  "--pid", worker.pid, "--pid", pid)
        # After a quarter of --plugin-timeout.
        assert status == 0 and "kept plugin procfs waiting for 1 s: starting over" in said, (status, said)
        assert "run_time_ns" in lost(shot, pid), shot.absences(shot.rows[(pid, pid)])
        assert shot.value(shot.rows[(worker.pid, worker.pid)], "run_time_ns")[0] == "value"


def test_a_process_that_not_even_sigkill_ends_is_left_behind():
    """A plugin that reads the memory (process_vm_readv) of a process that holds its mmap lock."""
    with harness.Worker() as worker, tempfile.TemporaryDirectory() as folder, stuck(mmap=1) as (pid,):
        # Not chosen by --pid, because a process that is must not be lost.
        plugins = rig.everything().replace("-procfs,", "")
        status, said, shot = capture_with_toy(folder, plugins, "freeze-thread", pid, "--pid", worker.pid)
        assert status == 4 and "plugin toy: left out: it made no progress" in said, (status, said)
        assert said.count("starting over without that process") == 3, said
        assert shot.value(shot.rows[(worker.pid, worker.pid)], "run_time_ns")[0] == "value"


def time_to_end(made, pid):
    """How long an interrupted capture takes to end, one of whose threads waits for that process."""
    with subprocess.Popen(
            made.command("capture", "-o", made.file, "--pid", os.getpid(), plugins="toy,procfs"),
            env={**os.environ, "TOY_FAULT": "freeze-open", "TOY_VICTIM": str(pid)}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        child = f"/proc/{process.pid}/task/{process.pid}/children"
        harness.wait_for(lambda: any(harness.state_of(int(one), int(one)) == "D" for one in Path(child).read_text().split()),
                         "the wait")
        began = time.monotonic()
        process.terminate()
        process.wait(timeout=harness.PATIENCE_S)
        took = time.monotonic() - began
        # The process that was left behind keeps the pipe open.
        assert not select.select([process.stdout], [], [], 0.1)[0], "the end of the pipe"
        process.stdout.close()
        return took


def test_ctprof_goes_on_without_it_after_half_a_second():
    """After the 0.4 s that it had to end by itself; a busy host takes longer."""
    with stuck(mmap=1) as (pid,), rig.rig() as made:
        (made.plugins / "ctprof-snapshot.so").unlink()
        took = [time_to_end(made, pid) for _ in range(3)]
        assert 0.9 <= min(took) < 1.4, took


def stat_with_toy(plugins, fault, pid):
    """Returns the status, stderr, and if there is a report.  The victim's PID is written after the
    first capture."""
    with rig.rig() as made, open(made.tmp / "said", "w+", encoding="utf-8") as said:
        (made.plugins / "ctprof-snapshot.so").unlink()
        told = made.tmp / "told"
        process = made.start(
            made.command("--plugin-timeout", "1s", "stat", "--jobs=1", "--pid", os.getpid(), "-o", made.tmp / "report",
                         "--", "sh", "-c", f"echo {pid} >{told}", plugins=plugins),
            {"TOY_FAULT": fault, "TOY_VICTIM": str(pid if fault.startswith("freeze") else told)},
            stdout=subprocess.DEVNULL, stderr=said)
        try:
            status = process.wait(timeout=harness.PATIENCE_S)
        finally:
            process.kill()
        said.seek(0)
        return status, said.read(), (made.tmp / "report").exists()


def test_stat_does_not_wait_for_what_it_has_left_behind():
    """Such a process keeps its end of the socket that carries the captures of stat open."""
    with stuck(mmap=1) as (pid,):
        plugins = rig.everything().replace("-procfs,", "")
        status, said, is_there = stat_with_toy(plugins, "chill-thread", pid)
        assert status == 4 and is_there and "kept plugin toy waiting" in said, (status, said)
        # Chosen by --pid, so it must not be lost; stuck before the plugin has answered anything.
        status, said, is_there = stat_with_toy("toy,procfs", "freeze-open", pid)
        assert status == 1 and not is_there and "plugin toy: made no progress" in said, (status, said)


def test_one_of_which_nothing_can_be_read_keeps_no_one_waiting():
    """Processes in exec, with a file open whose closing is never answered: the kernel then
    lets no one read their io or maps, or since Linux 6.18 their stat.  There are more than
    one thread can wait for; ordinary users' captures end, too."""
    with harness.Worker() as worker, stuck(exec=100) as pids:
        # It would exit with 4 if a plugin were left out.
        shot = harness.capture("--plugins=procfs,memory,jemalloc,taskstats")
        for pid in pids:
            assert {"smaps_rollup_kib", "run_time_ns", "allocated_bytes"} <= lost(shot, pid), pid
        check_sound(shot, worker)
        view = harness.run("memory", "processes", "--format=json")
        assert str(worker.pid).encode() in view.stdout, view.stderr
        harness.capture("--plugins=procfs,states", "--groups=identity,wait")
        harness.capture("--plugins=procfs,locks", "--groups=identity,lock")
        harness.capture("--plugins=procfs", user=harness.need_other_user())


HELD = """
import ctypes, os, threading, time
ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
lock, take = ctypes.create_string_buffer(64), ctypes.CDLL(None).pthread_mutex_lock
take(lock)
for _ in range(2):
    threading.Thread(target=take, args=[lock], daemon=True).start()
print(os.getpid(), flush=True)
time.sleep(600)
"""


@contextlib.contextmanager
def held_lock():
    """Yields the PID of a process with a mutex that its main thread holds, and two others wait for."""
    with subprocess.Popen([sys.executable, "-c", HELD], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        try:
            pid = int(process.stdout.readline())
            tasks = Path(f"/proc/{pid}/task")
            harness.wait_for(lambda: sum(file.read_text().startswith(("202 ", "98 ")) for file in tasks.glob("*/syscall")) == 2,
                             "its threads")
            yield pid
        finally:
            process.kill()


def test_locks_in_pages_that_never_come():
    """They have no holder, and no one reads the pages: the first reader could not be ended (stuck() asserts that the
    server was not asked).  Locks of other processes keep theirs."""
    with held_lock() as holder, stuck(lock=3) as pids:
        for without in ((), (harness.need_command("setpriv"), "--bounding-set=-bpf,-perfmon,-sys_admin")):
            began = time.monotonic()
            done = subprocess.run(
                [*without, harness.CTPROF, "capture", "--plugins=procfs,snapshot,locks", "--groups=identity,lock", "-o", "-"],
                stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=harness.PATIENCE_S)
            assert time.monotonic() - began < harness.PATIENCE_S / 2
            assert b"answer" not in done.stderr, done.stderr
            locks = [row for row in harness.Snapshot(done.stdout).data.get("objects", []) if row["group"] == "lock"]
            for pid in pids:
                (lock,) = [row for row in locks if f"[{pid}] 0x" in row["name"]]
                assert lock["lock_waiters"] == 2 and lock["lock_kind"] == "futex" and "lock_holder" not in lock, lock
            (lock,) = [row for row in locks if f"[{holder}] 0x" in row["name"]]
            assert lock["lock_holder"].endswith(f"[{holder}]"), lock


def states_by_files(seconds, *arguments):
    """The states of all threads of the host, sampled without BPF: {pool: {state: share}}."""
    done = subprocess.run(
        [harness.need_command("setpriv"), "--bounding-set=-bpf,-perfmon,-sys_admin", harness.CTPROF, "-q", "stat",
         "--states=10", "--sections=states", "-fjson", *arguments, "--", "sleep", str(seconds)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, timeout=harness.PATIENCE_S)
    (section,) = [each for each in json.loads(done.stdout)["sections"] if each["name"] == "states"]
    found = {}
    for row in section["rows"]:
        if row["metric"] == "share":
            pool, state = row["group"][-2:]
            found.setdefault(pool, {})[state] = row["candidate"]
    return found


def test_states_by_files_do_not_wait_for_one_in_execve():
    """It can keep the readers of its syscall waiting, since Linux 6.18 also those of its stat."""
    with harness.Worker() as worker, stuck(exec=100):
        began = time.monotonic()
        shares = states_by_files(2)["worker"]
        assert time.monotonic() - began < harness.PATIENCE_S / 2
        assert abs(sum(shares.values()) - 100) < 0.001 and "sleeping" not in shares, (worker.pid, shares)


def test_states_of_one_that_enters_execve_while_it_is_sampled():
    """Its thread has the state unknown from then on, until it answers, and is not taken for ended."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        place = f"{folder}/place"
        os.mkdir(place)
        with stuck_below(place, late=1) as (pid,):
            with tempfile.NamedTemporaryFile("r") as report:
                process = subprocess.Popen(
                    [harness.need_command("setpriv"), "--bounding-set=-bpf,-perfmon,-sys_admin", harness.CTPROF, "-q",
                     "record", "--states=10", "-n", "4", "-i", "1s", "-o", f"{folder}/host.ctprof"],
                    stdin=subprocess.DEVNULL, stderr=report)
                time.sleep(1.5)
                Path(f"{place}.go").touch()
                assert process.wait(timeout=harness.PATIENCE_S) == 0, report.read()
        frames = harness.frames(Path(folder) / "host.ctprof")
        # An instant is one of all threads, however long one of them is waited for.
        assert frames[-1]["extra"]["states_instants"] > 10, frames[-1]["extra"]
        ended = [each["name"] for frame in frames for each in frame.get("objects", ()) if each["group"] == "states-ended"]
        assert not any(name.startswith(f"{pid}:") for name in ended), ended


def test_beyond_1024_of_those_no_one_is_read():
    """They and the 128 that may be asked at a time; a later sample of a recording asks no one."""
    with stuck(exec=1160), harness.Worker() as worker, tempfile.TemporaryDirectory() as folder:
        shot = harness.capture("--plugins=procfs")
        assert "run_time_ns" in lost(shot, worker.pid), shot.absences(shot.rows[(worker.pid, worker.pid)])
        assert not lost(shot, os.getpid()), shot.absences(shot.rows[(os.getpid(), os.getpid())])
        file = Path(folder) / "host.ctprof"
        harness.run("--plugins=procfs", "record", "-n", 2, "-i", "50ms", "--smaps=never", "-o", file)
        first, second = harness.frames(file)
        changed = {row["tgid"]: row for row in second["changed"]}
        assert "run_time_ns" in changed[os.getpid()]["presence"]["timeout"], changed[os.getpid()]


def check_no_request(pids):
    """A capture sends no request (stuck.c counts them), ends, and has all values of others."""
    with harness.Worker() as worker:
        shot = harness.capture("--plugins=procfs,jemalloc")
        for pid in pids:
            assert shot.value(shot.rows[(pid, pid)], "run_time_ns")[0] == "value"
        check_sound(shot, worker)


def test_no_file_of_an_overlay_on_fuse_is_opened():
    """Any user can make an overlay, and the device of its files is not that of FUSE."""
    with stuck(user=harness.need_other_user(), overlay=1) as pids:
        check_no_request(pids)


def test_no_file_of_a_detached_mount_is_opened():
    """The mount is no longer in any mountinfo."""
    with stuck(detach=1) as pids:
        check_no_request(pids)


def test_no_page_is_read_that_a_server_would_have_to_deliver():
    """Not even SIGKILL ends that wait, so the reading thread and its process would stay."""
    if not TOY.exists():
        raise tap.Skip("the source jemalloc was not built")
    with stuck(page=3) as pids:
        check_no_request(pids)


tap.main(globals(), world="own", beside=2)
