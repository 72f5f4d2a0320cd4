#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The cgroups of v1 controllers: each has its own path, and none is of another namespace."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import harness
import tap

NAME = f"ctprof-test-{os.getpid()}"
HELD = 16 << 20
# Joins the cgroup before it starts, so that all of its memory is charged there.
JOIN = 'for folder; do echo $$ >"$folder/cgroup.procs"; done; exec python3 -c "$0"'
BURN = f"held = bytearray({HELD}); held[::4096] = b'x' * len(held[::4096])\nwhile True: pass"


def mounts():
    """v1 controller -> its mount point."""
    found = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup" and before.split()[3] == "/":
            found.update((name, Path(before.split()[4])) for name in options.split(","))
    return found


@contextlib.contextmanager
def cgroups(*paths):
    """Creates CONTROLLER/NAME for each."""
    roots = mounts()
    made = []
    try:
        for path in paths:
            controller, _, name = path.partition("/")
            if controller not in roots:
                raise tap.Skip(f"there is no v1 controller {controller}")
            folder = roots[controller] / name
            try:
                folder.mkdir()
            except OSError as error:
                raise tap.Skip(f"{folder}: {error.strerror}") from None
            made.append(folder)
        yield made
    finally:
        for folder in reversed(made):
            folder.rmdir()


@contextlib.contextmanager
def burner(*folders):
    """A stopped process in these cgroups of cpuacct and memory that has used CPU time and memory."""
    process = subprocess.Popen(["sh", "-c", JOIN, BURN, *folders])
    try:
        while int((folders[1] / "memory.usage_in_bytes").read_text()) < HELD:
            assert process.poll() is None
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        yield process.pid
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def sleeper(folder):
    """A process in that cgroup."""
    process = subprocess.Popen(["sh", "-c", 'echo $$ >"$0" && echo && exec sleep 1000', folder / "cgroup.procs"],
                               stdout=subprocess.PIPE)  # fmt: skip
    try:
        assert process.stdout.readline() == b"\n"
        yield
    finally:
        process.kill()
        process.communicate()


def capture(*command):
    done = subprocess.run(
        [*command, harness.CTPROF, "--plugins=procfs,cgroup", "capture", "-q", "-o", "-"],
        stdin=subprocess.DEVNULL, capture_output=True, check=True, cwd="/",
    )  # fmt: skip
    return harness.Snapshot(done.stdout)


def lacks(cgroup, *names):
    return set(names) <= set(cgroup["absent"].get("unsupported", ()))


def test_each_controller_has_its_own_path():
    with cgroups(f"cpuacct/{NAME}-a", f"memory/{NAME}-b") as (a, b):
        with burner(a, b) as pid:
            usage = int((a / "cpuacct.usage").read_text())
            peak = int((b / "memory.max_usage_in_bytes").read_text())
            snapshot = capture()
    row = snapshot.rows[pid, pid]
    paths = row["extra"]["cgroup_v1"]
    assert paths["cpuacct"] == f"/{NAME}-a" and paths["memory"] == f"/{NAME}-b", paths
    of_cpu, of_memory = (snapshot.data["cgroup_stats"][f"/{NAME}-{x}"] for x in "ab")
    assert of_cpu["cpu"]["usage_usec"] == usage // 1000 > 0
    assert lacks(of_cpu, "memory.current", "memory.peak"), of_cpu["absent"]
    assert HELD <= of_memory["memory"]["current"] <= peak
    assert of_memory["memory"]["peak"] == peak
    assert lacks(of_memory, "cpu.usage_usec"), of_memory["absent"]


def test_a_cgroup_above_is_read_if_it_has_a_limit():
    paths = [f"cpu/{NAME}-{x}" for x in ("a", "a/in", "b", "b/in")]
    with cgroups(*paths) as folders:
        for name, value in (("cpu.cfs_period_us", 100000), ("cpu.cfs_quota_us", 20000)):
            if not (folders[0] / name).exists():
                raise tap.Skip("this kernel has no quotas")
            (folders[0] / name).write_text(str(value))
        with sleeper(folders[1]), sleeper(folders[3]):
            rows = capture().data["cgroup_stats"]
    names = {path for path in rows if path.startswith(f"/{NAME}")}
    assert names == {f"/{NAME}-{x}" for x in ("a", "a/in", "b/in")}, names
    assert rows[f"/{NAME}-a"]["cpu"]["max_quota_us"] == 20000
    assert "/" in rows


SPIN = """
open("/proc/self/comm", "w").write("capped")
open({procs!r}, "w").write("0")
while True:
    pass
"""


def throttled_ns(folder):
    return int(dict(line.split() for line in (folder / "cpu.stat").read_text().splitlines())["throttled_time"])


def test_to_be_throttled_is_a_state_of_its_own():
    """By BPF: a spinner that waits for its quota does not wait for a CPU. How long is in the cgroup's file."""
    if harness.capture("-g", "all,states", "--plugins=procfs,states").data["extra"]["states_summary"]["source"] != "bpf":
        raise tap.Skip("needs BPF")
    with cgroups(f"cpu/{NAME}") as (folder,):
        if not (folder / "cpu.cfs_quota_us").exists():
            raise tap.Skip("this kernel has no quotas")
        (folder / "cpu.cfs_quota_us").write_text("20000")
        spinner = subprocess.Popen([sys.executable, "-c", SPIN.format(procs=str(folder / "cgroup.procs"))])
        try:
            harness.wait_for(lambda: throttled_ns(folder) > 0, "the quota to be used up")
            before, began = throttled_ns(folder), time.monotonic()
            done = harness.run("-q", "stat", "--states=10", "--sections=states", "-fjson", "--", "sleep", "5")
            truth = (throttled_ns(folder) - before) / (time.monotonic() - began) / 1e7
        finally:
            spinner.kill()
            spinner.wait()
    (section,) = [each for each in json.loads(done.stdout)["sections"] if each["name"] == "states"]
    rows = {}
    for row in section["rows"]:
        if "capped" in row["group"]:
            rows.setdefault(row["metric"], {})[row["group"][-1]] = row["candidate"]
    assert abs(sum(rows["share"].values()) - 100) < 0.001, rows
    # One window in twenty is not within its interval.
    assert rows["share_low"]["throttled"] - 10 < truth < rows["share_high"]["throttled"] + 10, (truth, rows)


def test_the_v1_root_has_no_peak():
    with cgroups(f"memory/{NAME}"):
        snapshot = capture()
    root = snapshot.data["cgroup_stats"]["/"]
    assert root["memory"]["current"] > 0
    assert "memory.peak" in root["absent"]["inapplicable"], root["absent"]


def test_a_namespace_does_not_show_the_host_as_its_own():
    harness.need_command("unshare")
    with cgroups(f"memory/{NAME}") as (folder,):
        inside = f'echo $$ >{folder}/cgroup.procs && exec unshare --cgroup "$@"'
        snapshot = capture("sh", "-c", inside, "sh")
    for path in ("/", "/.."):
        cgroup = snapshot.data["cgroup_stats"].get(path)
        # In cpu its cgroup is the root outside; in memory it is the root of the namespace.
        values = ("cpu.usage_usec", "memory.current", "memory.peak", "pids.current")
        assert cgroup is None or lacks(cgroup, *values), (path, cgroup["absent"])
    assert "/" in snapshot.data["cgroup_stats"]


if __name__ == "__main__":
    tap.main(globals(), world="of the root of its cgroups")
