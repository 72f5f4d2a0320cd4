#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in the guest, as root: ctprof against other readings of the same threads.
Besides tests of its own, it runs those of tests/live that depend on the kernel.
"""

import contextlib
import ctypes
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import harness
import tap
import taskstats
import truth
from harness import Worker, capture

KERNEL = Path("/proc/sys/kernel")
CGROUPS = Path("/sys/fs/cgroup")
ZRAM = Path("/sys/block/zram0")
SCHED_EXT = Path("/sys/kernel/sched_ext")
SCHEDULER = [str(harness.BUILD / "tests/kernels" / name) for name in ("scheduler", "scheduler.bpf.o")]
MIB = 1 << 20
BUSY = "name=62757379,burn=30,read=100000,write=50000,faults=64"
# Takes 16 MiB, frees none of it, and reads it again when told to.
TOUCHER = """
import sys
held = bytearray(b"x" * (16 << 20))
for line in sys.stdin:
    print(sum(held[::4096]), flush=True)
"""
# Runs processes one after the other under a few numbers, each with a name that says what it does:
# every second one computes. Prints what those of each name used.
REUSER = """
import json, os, sys, time
names = ("reuse-idle", "reuse-busy")
used = dict.fromkeys(names, 0.0)
with open("/proc/sys/kernel/pid_max", "w") as file:
    file.write("303")
for i in range(int(sys.argv[1])):
    pid = os.fork()
    if pid == 0:
        with open("/proc/self/comm", "w") as comm:
            comm.write(names[i % 2])
        while i % 2 and time.process_time() < 0.05:
            pass
        os._exit(0)
    rusage = os.wait4(pid, 0)[2]
    used[names[i % 2]] += rusage.ru_utime + rusage.ru_stime
with open("/proc/sys/kernel/pid_max", "w") as file:
    file.write(sys.argv[2])
print(json.dumps(used))
"""
SPIN = "while True: pass"
# The tests of tests/live to run; others are about ctprof rather than the kernel, or take an
# emulated machine minutes.
LIVE = {
    "bpf": ["did_not_move", "averages", "odd_states", "only_for_threads_that_are_left", "cgroups_have",
            "cpu_of_rusage", "process_and_cgroup"],
    "doctor": None,
    "namespaces": None,
    "priority": ["raises_all", "none_raises", "auto", "niceness", "without", "skew"],
    "procfs": ["every_field", "policy_nice", "real_time", "counters_hold", "leader_exited",
               "zombie", "ordinary_user", "absence_is_summed"],
    "kernel-threads": None,
    "memory": ["told_as_procfs", "leader_that_has_exited", "refused"],
}


def load(name):
    """The tests of tests/live/test-NAME.py that LIVE lists."""
    path = harness.SOURCE / f"tests/live/test-{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # An emulated machine needs 20 ms for one, and 1 ms for its last steps.
    module.CHILDREN = 50
    module.PROCESSES = 15
    module.LAST_NS = 50_000_000
    return {key: test for key, test in vars(module).items() if key.startswith("test_")
            and (LIVE[name] is None or any(part in key for part in LIVE[name]))}


def call(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def sysctl(name, value):
    """Set meanwhile; skips on a kernel without it."""
    path = KERNEL / name
    if not path.exists():
        raise tap.Skip(f"this kernel has no kernel.{name}")
    before = path.read_text()
    path.write_text(value)
    try:
        yield
    finally:
        path.write_text(before)


@contextlib.contextmanager
def cgroup(name):
    """A cgroup with the memory controller; processes left in it are killed with
    it."""
    controllers = CGROUPS / "cgroup.controllers"
    if not controllers.exists() or "memory" not in controllers.read_text().split():
        raise tap.Skip("this kernel has no memory controller in cgroup v2")
    for controller in ("cpu", "memory", "pids"):
        with contextlib.suppress(OSError):
            (CGROUPS / "cgroup.subtree_control").write_text(f"+{controller}")
    path = CGROUPS / name
    path.mkdir()
    try:
        yield path
    finally:
        harness.wait_for(lambda: not (path / "cgroup.procs").read_text(), f"{name} to be empty")
        path.rmdir()


def need_swap():
    """zram, as there is no disk."""
    if not ZRAM.exists():
        raise tap.Skip("this kernel has no zram")
    if not Path("/proc/swaps").read_text().count("\n") > 1:
        (ZRAM / "disksize").write_text(str(128 * MIB))
        call("mkswap", "/dev/zram0")
        call("swapon", "/dev/zram0")


class Toucher:
    """A process in a cgroup that has been swapped out, then swapped in by itself."""

    def __init__(self, group):
        self.process = subprocess.Popen([sys.executable, "-c", TOUCHER], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        preexec_fn=lambda: join(group))
        self.pid = self.process.pid
        self.touch()

    def touch(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def stop(self):
        os.kill(self.pid, 19)
        harness.wait_for(lambda: harness.state_of(self.pid, self.pid) == "T", "it to stop")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def join(group):
    (group / "cgroup.procs").write_text(str(os.getpid()))


def swap_out(group):
    (group / "memory.high").write_text(str(4 * MIB))
    (group / "memory.high").write_text("max")


def fields_of(path):
    """{key: number} of "key number" lines."""
    lines = (line.split() for line in path.read_text().splitlines())
    return {key: int(number) for key, number in lines}


def status_of(pid):
    """{key: bytes} of the "kB" lines of status and smaps_rollup."""
    found = {}
    for name in ("status", "smaps_rollup"):
        for line in Path(f"/proc/{pid}/{name}").read_text().splitlines():
            key, _, rest = line.partition(":")
            if rest.endswith(" kB"):
                found[key] = int(rest[:-3]) * 1024
    return found


def differences(snapshot, row, want):
    return {name: (snapshot.value(row, name), number) for name, number in want.items()
            if snapshot.value(row, name) != ("value", number)}


# ---- tests -----------------------------------------------------------------


def test_schedstats_that_are_on_are_read_to_the_nanosecond():
    with sysctl("sched_schedstats", "1"), Worker("--thread", BUSY, "--threads", 2) as worker:
        worker.stop()
        snapshot = capture("--pid", worker.pid)
        told = truth.read_threads(worker.threads())
        wrong = [line for key, fields in told.items()
                 for line in truth.compare_thread(snapshot, snapshot.rows[key], fields)]
        assert not wrong, wrong
        # A thread that never slept has not been woken.
        for name in ("nr_wakeups", "exec_max"):
            assert any(snapshot.rows[key][name] > 0 for key in told), f"{name} is 0 with schedstats on"


def test_doctor_follows_the_switch_of_schedstats():
    doctor = load("doctor")["test_schedstats_are_told_as_they_stand"]
    for value in "10":
        with sysctl("sched_schedstats", value):
            doctor()


def test_delays_are_what_the_kernel_answers():
    """Before 5.14 delays are always counted, since then on request."""
    switch = KERNEL / "task_delayacct"
    if "nodelayacct" in Path("/proc/cmdline").read_text().split():
        raise tap.Skip("booted with nodelayacct")
    with sysctl("task_delayacct", "1") if switch.exists() else contextlib.nullcontext():
        need_swap()
        with cgroup("delays") as group, Toucher(group) as toucher:
            swap_out(group)
            toucher.touch()
            toucher.stop()
            snapshot = capture("--plugins=procfs,taskstats", "--pid", toucher.pid)
            row = snapshot.rows[toucher.pid, toucher.pid]
            want = taskstats.read_delays(toucher.pid)
            assert not differences(snapshot, row, want), differences(snapshot, row, want)
            # Older ones count what waits for a disk, which zram does not.
            assert want["swapin_delay_count"] > 0 or not switch.exists(), want
            waited = int(Path(f"/proc/{toucher.pid}/schedstat").read_text().split()[1])
            assert row["cpu_delay_total_ns"] == waited
            load("doctor")["test_delay_accounting_is_told_as_the_sysctl_stands"]()


def test_delays_of_threads_older_than_the_switch():
    """No delays are counted: by BPF they are absent. taskstats answers 0 (as its README says)."""
    with sysctl("task_delayacct", "0"), Worker("--threads", 2) as old:
        (KERNEL / "task_delayacct").write_text("1")
        with Worker("--threads", 2) as new:
            harness.need_bpf()
            for plugins in ("bpf,procfs", "bpf,procfs,taskstats"):
                snapshot = capture(f"--plugins={plugins}", *harness.BPF_ALWAYS)
                for worker, want in ((old, ("absent", "unsupported")), (new, ("value", 0))):
                    got = {snapshot.value(row, "swapin_delay_count") for row in snapshot.of(worker.pid).values()}
                    assert got == {want}, (plugins, worker is old, got)


def report_of(section, command, *arguments):
    report = json.loads(harness.run(command, "--format=json", *arguments).stdout)
    found = [one for one in report["sections"] if one["name"] == section]
    return found[0].get("lines") or found[0]["rows"] if found else []


def has_states_by_bpf():
    """On Debian's kernels."""
    release = tuple(map(int, os.uname().release.split(".")[:2]))
    return release >= (5, 19) and Path("/sys/kernel/btf/vmlinux").exists()


def test_a_quota_is_no_contention():
    """Since 6.18 a throttled thread waits on no queue, before on that of its cgroup: either way it is
    throttled, and wants no CPU."""
    with cgroup("capped") as group:
        if not (group / "cpu.max").exists():
            raise tap.Skip("this kernel has no quotas")
        (group / "cpu.max").write_text("20000 100000")
        spinner = subprocess.Popen([sys.executable, "-c", SPIN], preexec_fn=lambda: join(group))
        try:
            found = report_of("findings", "stat", "--smaps=never", "--sections=findings", "--group-by=process", "--", "sleep", "5")
            states = report_of("states", "stat", "--states=10", "--smaps=never", "--sections=states", "--group-by=process", "--", "sleep", "5")
        finally:
            spinner.kill()
            spinner.wait()
    own = {line["finding"]: line["sentence"] for line in found if f"[{spinner.pid}]" in line["sentence"]}
    assert "throttled" in own and "quota is 0.20 CPU" in own["throttled"], found
    assert not {"starved", "wants-cpu", "busiest"} & set(own), own
    shares = {row["group"][-1]: row["candidate"] for row in states if f"[{spinner.pid}]" in str(row["group"]) and row["metric"] == "share"}
    if has_states_by_bpf():
        assert shares["throttled"] > 40 and abs(sum(shares.values()) - 100) < 0.001, (shares, states)


def test_who_holds_what_a_thread_waits_for():
    """By BPF if the program can be loaded, else by files: both find the same. Twice, as data that
    was seen once is not read again."""
    mutex, libc = ctypes.create_string_buffer(64), ctypes.CDLL(None)
    libc.pthread_mutex_lock(mutex)
    thread = threading.Thread(target=libc.pthread_mutex_lock, args=[mutex], daemon=True)
    thread.start()
    try:
        path = Path(f"/proc/self/task/{thread.native_id}/syscall")
        harness.wait_for(lambda: path.read_text().startswith("202 "), "the thread")
        snapshot = capture("-g", "all,states,lock", "--plugins=procfs,states,locks")
        rows = report_of("states", "stat", "--states=10", "--sections=states", "--smaps=never", "--", "sleep", "3")
    finally:
        libc.pthread_mutex_unlock(mutex)
        thread.join()
    source = snapshot.data["extra"]["states_summary"]["source"]
    print(f"# states by {source}")
    assert source == "bpf" or not has_states_by_bpf(), source
    assert snapshot.value(snapshot.rows[os.getpid(), thread.native_id], "wait_state") == ("value", "lock")
    (lock,) = [row for row in snapshot.data["objects"] if row["group"] == "lock" and f"[{os.getpid()}] 0x" in row["name"]]
    assert lock["lock_waiters"] == 1 and lock["lock_holder"].endswith(f"[{os.getpid()}]"), lock
    own = Path("/proc/self/comm").read_text().strip()
    shares = {row["group"][-1]: row["candidate"] for row in rows if own in row["group"] and row["metric"] == "share"}
    assert shares.get("lock", 0) > 20, (own, shares, rows[:5])


def test_a_cpu_goes_and_comes_in_a_recording():
    switch = Path("/sys/devices/system/cpu/cpu1/online")
    if not switch.exists():
        raise tap.Skip("no CPU can be taken off line")
    path = "/tmp/unplugged.ctprof"
    recorder = subprocess.Popen([harness.CTPROF, "-q", "record", "--smaps=never", "-i", "200ms", "-o", path])
    try:
        size = lambda: os.path.getsize(path) if os.path.exists(path) else 0  # noqa: E731
        for text in "0101":
            before = size()
            harness.wait_for(lambda before=before: size() > before, "another sample")
            switch.write_text(text)
    finally:
        switch.write_text("1")
        recorder.terminate()
    assert recorder.wait() == 0
    host = {row["metric"]: row["candidate"] for row in report_of("host", "compare", "--sections=host", path)}
    assert host["cpus"] in (1, 2) and 0 <= host["busy"] <= host["cpus"], host
    rows = report_of("primary", "compare", "--sections=primary", "--limit=0", "--metrics=run_time_ns,wait_time_ns,timeslices", path)
    fallen = [row for row in rows if row["delta"] is not None and row["delta"] < 0]
    assert rows and not fallen, fallen
    for at in (1, -1):
        harness.run("show", "--sample", at, "-o", "/dev/null", path)


def test_numbers_that_are_used_again():
    """Each has its own CPU time: it never falls, and none of it is another's."""
    most = (KERNEL / "pid_max").read_text().strip()
    harness.need_bpf()
    path = "/tmp/reused.json"
    done = harness.run("-q", *harness.BPF_ALWAYS, *harness.ROOMY, "stat", "--smaps=never", "--group-by=comm-exact", "--limit=0",
                       "--sections=primary", "--format=json", "-o", path, "--", sys.executable, "-c", REUSER, 400, most)
    used, report = json.loads(done.stdout), json.loads(Path(path).read_text())
    rows = report["sections"][0]["rows"]
    cpu = {row["group"]: row["delta"] for row in rows if row["metric"] == "run_time_ns"}
    for name, seconds in used.items():
        assert abs(cpu[name] / 1e9 - seconds) <= 0.1 * seconds + 0.1, (name, cpu, used)
    counters = {"run_time_ns", "wait_time_ns", "timeslices", "minflt", "rchar", "voluntary_csw"}
    fallen = [row for row in rows if row["metric"] in counters and row["delta"] is not None and row["delta"] < 0]
    assert not fallen, fallen


def test_swapped_memory_is_told_by_capture_and_memory():
    need_swap()
    with cgroup("swapped") as group, Toucher(group) as toucher:
        swap_out(group)
        toucher.stop()
        # The kernel reads it from the process's own memory: a page comes back for it.
        Path(f"/proc/{toucher.pid}/cmdline").read_bytes()
        told = status_of(toucher.pid)
        assert told["VmSwap"] >= 4 * MIB, told
        snapshot = capture("--plugins=procfs,memory", "--memory=processes", "--pid", toucher.pid)
        row = snapshot.rows[toucher.pid, toucher.pid]
        want = {"swap_bytes": told["Swap"], "rss_bytes": told["Rss"],
                "anonymous_bytes": told["Anonymous"]}
        assert not differences(snapshot, row, want), differences(snapshot, row, want)
        view = json.loads(harness.run("memory", "processes", "--flat", "--format=json").stdout)
        line, = (line for section in view["sections"] for line in section.get("lines", ())
                 if line.get("pid") == toucher.pid)
        assert line["swap"] == told["SwapPss"], (line, told)
        assert line["rss"] == told["Rss"], (line, told)


def test_a_cgroup_is_what_its_files_say():
    with cgroup("counted") as group, Toucher(group) as toucher:
        toucher.stop()
        snapshot = capture("--plugins=procfs,cgroup", "--pid", toucher.pid)
        assert snapshot.rows[toucher.pid, toucher.pid]["cgroup"] == "/counted"
        got = snapshot.data["cgroup_stats"]["/counted"]
        assert got["pids"]["current"] == 1
        assert got["memory"]["stat"]["anon"] == fields_of(group / "memory.stat")["anon"] >= 16 * MIB
        assert got["memory"]["current"] == int((group / "memory.current").read_text())
        assert got["cpu"]["usage_usec"] == fields_of(group / "cpu.stat")["usage_usec"] > 0


def test_show_and_stat_count_a_stopped_worker_as_procfs_does():
    with Worker("--thread", BUSY, "--thread", BUSY) as worker:
        worker.stop()
        tids = [actor["tid"] for actor in worker.truth["actors"]]
        want = sum(truth.read_thread(worker.pid, tid)["run_time_ns"][1] for tid in tids)
        common = ["--group-by=comm-exact", "--metrics=run_time_ns", "--format=json",
                  "--filter=^busy$", "--sections=primary"]
        path = Path("/tmp/counted.ctprof.zst")
        harness.run("capture", "--pid", worker.pid, "-o", path)
        shown = json.loads(harness.run("show", *common, path).stdout)
        row, = shown["sections"][0]["rows"]
        assert (row["threads"], row["value"]) == ([2], want), row
        shown = json.loads(harness.run("stat", *common, "--", "true").stdout)
        row, = shown["sections"][0]["rows"]
        assert (row["baseline"], row["candidate"]) == (want, want), row


def test_a_kernel_that_is_locked_down_is_left_to_the_others():
    """If the kernel was booted so, as with CTPROF_KERNEL_OPTIONS=lockdown=confidentiality."""
    locked = Path("/sys/kernel/security/lockdown")
    if not locked.exists() or "[confidentiality]" not in locked.read_text():
        raise tap.Skip("this kernel is not locked down")
    snapshot = capture("--plugins=bpf,procfs", *harness.BPF_ALWAYS)
    report = harness.report_of(snapshot)
    assert "locked down: confidentiality" in report["why"], report
    assert snapshot.value(next(iter(snapshot.rows.values())), "run_time_ns")[0] == "value"


def scheduler_state():
    ops = SCHED_EXT / "root/ops"
    return ((SCHED_EXT / "state").read_text().strip(), ops.read_text().strip() if ops.exists() else None)


def need_sched_ext():
    if not SCHED_EXT.exists():
        raise tap.Skip("this kernel has no sched_ext")
    if not all(map(os.path.exists, SCHEDULER)):
        raise tap.Skip("built without libbpf or clang")
    assert scheduler_state() == ("disabled", None), scheduler_state()


@contextlib.contextmanager
def scheduler():
    """A BPF scheduler that leaves everything to the kernel, as long as a process lives."""
    need_sched_ext()
    process = subprocess.Popen(SCHEDULER, stderr=subprocess.PIPE)
    try:
        harness.wait_for(lambda: process.poll() is not None or scheduler_state()[0] == "enabled", "the scheduler")
        assert process.poll() is None, process.stderr.read().decode()
        yield process
    finally:
        process.kill()
        process.communicate()
        harness.wait_for(lambda: scheduler_state() == ("disabled", None), "the end of the scheduler")


def events():
    return fields_of(SCHED_EXT / "root/events")


def events_of(told):
    return {**told.get("events", {}), **told.get("durations", {})}


def capture_schedulers():
    return capture("--plugins=procfs,scx", "--groups=all,scx-threads")


def test_a_bpf_scheduler_is_what_sysfs_says():
    with scheduler():
        before, snapshot, after = events(), capture_schedulers(), events()
        got = snapshot.data["sched_ext"]
        assert (got["state"], got["ops"]) == scheduler_state(), got
        for name in ("switch_all", "nr_rejected", "hotplug_seq", "enable_seq"):
            assert got[name] == int((SCHED_EXT / name).read_text()), (name, got)
        told = events_of(got)
        assert told and set(told) == set(before), (told, before)
        assert all(before[name] <= told[name] <= after[name] for name in told), (before, told, after)
        own = snapshot.rows[os.getpid(), os.getpid()]
        assert snapshot.value(own, "scheduler") == ("value", scheduler_state()[1]), own
        print(f"# sched_ext: {json.dumps(got)}", flush=True)
        tree = Path("/tmp/recorded")
        call(sys.executable, harness.SOURCE / "tests/roots/record", tree, str(os.getpid()))
    alive = capture_schedulers().data["sched_ext"]
    assert alive["state"] == "disabled" and not alive.get("ops"), alive
    # What was recorded meanwhile has the scheduler, and the events of that moment.
    roots = [f"--{name}-root={tree / name}" for name in ("proc", "sys", "cgroup")]
    snapshot = capture(*roots, "--plugins=procfs,scx", "--groups=all,scx-threads")
    recorded = snapshot.data["sched_ext"]
    assert (recorded["state"], recorded["ops"]) == (got["state"], got["ops"]), (recorded, got)
    assert events_of(recorded) == fields_of(tree / "sys/kernel/sched_ext/root/events"), recorded
    assert snapshot.value(snapshot.rows[os.getpid(), os.getpid()], "scheduler") == ("value", got["ops"])


def test_versus_scheduler_runs_a_real_one_and_takes_it_away():
    need_sched_ext()
    log = Path("/tmp/schedulers")
    began = int((SCHED_EXT / "enable_seq").read_text())
    command = f"cat {SCHED_EXT}/state {SCHED_EXT}/root/ops 2>/dev/null | tr '\\n' ' ' >>{log}; echo >>{log}"
    found = json.loads(harness.run(
        "--plugins=procfs,scx,schedstat", "stat", "-q", "--smaps=never", "--repeat=2", "-f", "json", "-n", 0,
        f"--versus-scheduler={' '.join(SCHEDULER)}", "--", "sh", "-c", command).stdout)
    a, b = ["disabled"], ["enabled", "ctprof_defaults"]
    assert [line.split() for line in log.read_text().splitlines()] == [a, b, b, a], log.read_text()
    assert int((SCHED_EXT / "enable_seq").read_text()) == began + 2
    assert scheduler_state() == ("disabled", None), scheduler_state()
    names = [section["name"] for section in found["sections"]]
    assert names[0] == "runs-command" and "runs-events" in names, names
    # The kernel takes it away when ctprof is killed, too.
    words = [harness.CTPROF, "--plugins=procfs", "stat", "-q", "--smaps=never", "--repeat=2",
             f"--versus-scheduler={' '.join(SCHEDULER)}", "--", "sh", "-c",
             f"[ $(cat {SCHED_EXT}/state) = disabled ] || sleep 1000"]  # fmt: skip
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as run:
        harness.wait_for(lambda: scheduler_state()[0] == "enabled", "the scheduler")
        os.killpg(run.pid, signal.SIGKILL)
    harness.wait_for(lambda: scheduler_state() == ("disabled", None), "the host's own scheduler")


def chosen():
    """All tests; booted with ctprof.only=NAME those of that file alone, or those here about states or sched_ext."""
    options = dict(word.partition("=")[::2] for word in Path("/proc/cmdline").read_text().split())
    only = options.get("ctprof.only")
    parts = {"states": ("quota", "holds"), "sched_ext": ("scheduler",)}.get(only)
    if parts:
        return {name: test for name, test in globals().items() if any(part in name for part in parts)}
    if only:
        return load(only) if only in LIVE else globals()
    return {**globals(), **{name: test for file in LIVE for name, test in load(file).items()}}


if __name__ == "__main__":
    tap.main(chosen())
