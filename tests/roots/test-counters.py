#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares captures of a recorded host between which the kernel's own counters behave oddly: they decrease,
CPUs come and go, a quota counts nothing."""

import contextlib
import json
import re
import shutil
import tempfile
from pathlib import Path

import golden
import harness
import tap

SECONDS = 10
TICKS = 100
CPU_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice")
BEFORE = {"user": 10000, "system": 2000, "idle": 50000, "iowait": 3000, "softirq": 100}
BUSY = {"user": 400, "system": 50, "softirq": 10}  # 0.46 of a CPU
MANY = 8192
PRESSURE = "".join(f"{kind} avg10=0.00 avg60=0.00 avg300=0.00 total={{0}}\n" for kind in ("some", "full"))


def cpu_lines(total, cpus):
    values = [total.get(name, 0) for name in CPU_FIELDS]
    lines = [["cpu", *values], *([f"cpu{cpu}", *(value // len(cpus) for value in values)] for cpu in cpus)]
    return "".join(" ".join(map(str, line)) + "\n" for line in lines)


class Host:
    """A recorded root with its own clock and CPUs."""

    def __init__(self, folder, name):
        self.root, self.seconds = Path(folder) / name, 1000
        self.captures = []
        shutil.copytree(golden.HERE / name, self.root)
        self.write("sys/kernel/random/boot_id", "0f0f0f0f-0000-4000-8000-000000000001\n")

    def write(self, path, text):
        (self.root / "proc" / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / "proc" / path).write_text(text, encoding="ascii")

    def capture(self, total, cpus=(0, 1)):
        """Captures SECONDS after the previous capture."""
        rest = "intr 100\nctxt 1000\nbtime 1700000000\nprocesses 500\nprocs_running 1\nprocs_blocked 0\n"
        self.write("stat", cpu_lines(total, cpus) + rest)
        self.write("uptime", f"{self.seconds}.00 5000.00\n")
        self.seconds += SECONDS
        self.captures.append(self.root.parent / f"{len(self.captures)}.ctprof.zst")
        harness.run("-q", "capture", *golden.options(self.root), "-o", self.captures[-1])

    def compare(self, *options):
        done = harness.run("compare", "--limit=0", *options, "--format=json", *self.captures[-2:])
        return json.loads(done.stdout)


@contextlib.contextmanager
def host(name="6.12-schedstats"):
    with tempfile.TemporaryDirectory(prefix="ctprof-counters-") as folder:
        yield Host(folder, name)


def rows_of(report, section):
    found = [one for one in report["sections"] if one["name"] == section]
    return {row["metric"]: row for row in found[0]["rows"]} if found else {}


def later(**changes):
    return {name: value + BUSY.get(name, 0) + changes.get(name, 0) for name, value in BEFORE.items()}


def check_window(report, cpus):
    """The time of the CPUs is neither negative nor more than is possible."""
    assert report["window"]["seconds"] == SECONDS, report["window"]
    shown = rows_of(report, "host")
    assert shown["cpus"]["candidate"] == cpus, shown["cpus"]
    for name in ("busy", "busy_ticks", "interrupts", "idle"):
        value = shown[name]["candidate"] if name in shown else None
        assert value is None or 0 <= value <= (cpus if name == "busy" else max(cpus, 2)), shown[name]
    for row in rows_of(report, "host-metrics").values():
        counts = row["metric"].startswith("system.cpu.") and row["metric"] != "system.cpu.online"
        assert not counts or row["delta"] is None or row["delta"] >= 0, row
    return shown


def test_idle_and_iowait_that_fall():
    """This happens if a CPU sleeps while another one reads its time: a decreased value is unknown, and the
    other values are as before."""
    for fall in ({"iowait": -600, "idle": 1600}, {"idle": -400, "iowait": 400}, {"idle": -1, "iowait": -1}):
        with host() as one:
            one.capture(BEFORE)
            one.capture(later(**fall))
            report = one.compare("--sections=host,host-metrics")
            shown = check_window(report, 2)
            assert abs(shown["busy"]["candidate"] - 0.46) < 1e-9, shown["busy"]
            assert "idle" not in shown or shown["idle"]["candidate"] is None, shown["idle"]
            metrics = rows_of(report, "host-metrics")
            for name, change in fall.items():
                delta = metrics[f"system.cpu.{name}"]["delta"]
                assert delta is None if change < 0 else delta == change, (name, delta)


def test_cpus_that_come_and_go():
    """If the CPUs change between two captures, the window has those at its end.  If the first line is the sum
    of the CPUs that are online, it decreases with them."""
    for cpus, total, busy in (((0,), later(idle=500), 0.46), ((0, 1, 2, 3), later(idle=3000), 0.46),
                              ((0,), later(user=1500), 1), ((1,), {"user": 5400, "idle": 25000}, None)):  # fmt: skip
        with host() as one:
            one.capture(BEFORE)
            one.capture(total, cpus)
            shown = check_window(one.compare("--sections=host,host-metrics"), len(cpus))
            got = shown["busy"]["candidate"] if "busy" in shown else None
            assert got == busy or abs(got - busy) < 1e-9, (cpus, shown["busy"])
            text = harness.run("compare", "--no-pager", *one.captures).stdout.decode()
            assert f" of {len(cpus)} busy" in text or busy is None, text


def test_an_idle_host_is_idle():
    """The reader itself runs on a CPU meanwhile, and the kernel counts it: an idle host has no other runnable
    thread."""
    with host() as one:
        for average, runnable in (("0.00", 1), ("0.00", 3)):
            one.write("loadavg", f"{average} {average} {average} {runnable}/150 4711\n")
            one.capture(later() if one.captures else BEFORE)
            shown = harness.run("show", "--no-pager", one.captures[-1]).stdout.decode()
            assert f"load 0.00 0.00 0.00   {runnable - 1} runnable" in shown, shown


def test_thousands_of_cpus():
    """There are more CPUs than the 1024 in glibc's set, and all of them or every other one is allowed."""
    status = "172/task/172/status"
    for cpus, mask in ((range(MANY), "ffffffff"), (range(0, MANY, 2), "55555555")):
        with host() as one:
            text = (one.root / "proc" / status).read_text(encoding="ascii")
            listed = f"0-{MANY - 1}" if len(cpus) == MANY else ",".join(map(str, cpus))
            head, _, tail = text.partition("Cpus_allowed:")
            tail = tail.partition("Cpus_allowed_list:")[2].partition("\n")[2]
            masks = ",".join([mask] * (MANY // 32))
            one.write(status, f"{head}Cpus_allowed:\t{masks}\nCpus_allowed_list:\t{listed}\n{tail}")
            one.capture(BEFORE, range(MANY))
            snapshot = harness.Snapshot(one.captures[0].read_bytes())
            row = snapshot.rows[172, 172]
            assert snapshot.value(row, "cpu_affinity") == ("value", list(cpus)), snapshot.value(row, "cpu_affinity")
            one.capture(later(idle=MANY * SECONDS * TICKS), range(MANY))
            check_window(one.compare("--sections=host,host-metrics"), MANY)


def add_to(path, changes):
    """Adds to the numbers of a file, given by name or position."""
    words = re.split(r"(\s+)", path.read_text(encoding="ascii"))
    for key, change in changes.items():
        at = words.index(key) + 2 if isinstance(key, str) else 2 * key
        words[at] = str(int(words[at]) + change)
    path.write_text("".join(words), encoding="ascii")


def test_a_quota_that_a_bpf_scheduler_keeps():
    """Under sched_ext the kernel does not count throttling.  A pool that gets exactly its quota, and waits,
    wants no more CPUs.  A pool that gets less, or much more, is not limited by its quota; nor is one that
    does not wait, or a host without a BPF scheduler."""
    for used, quota, wait_s, state, rule in (
        (200, 20, 9, "enabled", "throttled"),
        (215, 20, 9, "enabled", "throttled"),
        (200, 20, 1, "enabled", None),
        (200, 20, 9, "disabled", "wants-cpu"),
        (200, 40, 9, "enabled", "wants-cpu"),
        (200, 5, 9, "enabled", "wants-cpu"),
        (200, None, 9, "enabled", "wants-cpu"),
    ):
        with host("7.2-scx") as one:
            (one.root / "sys/kernel/sched_ext/state").write_text(f"{state}\n", encoding="ascii")
            group = one.root / "cgroup/lab.slice/multi.service"
            (one.root / "cgroup/cgroup.controllers").write_text("cpu memory pids\n", encoding="ascii")
            (group / "cpu.max").write_text(f"{quota * 1000 if quota else 'max'} 100000\n", encoding="ascii")
            one.capture(BEFORE)
            for tid in (137, 141):
                add_to(one.root / f"proc/137/task/{tid}/schedstat", {0: used * 5 * 10**6, 1: wait_s * 10**9})
                add_to(one.root / f"proc/137/task/{tid}/status", {"voluntary_ctxt_switches:": 9})
            add_to(group / "cpu.stat", {"usage_usec": used * 10**4})
            one.capture(later(idle=500, user=1500))
            lines = one.compare("--sections=findings")["sections"][0]["lines"]
            found = {line["finding"] for line in lines if line["sentence"].startswith("lab-multi ")}
            found &= {"throttled", "wants-cpu", "starved"}
            assert found == ({rule} if rule else set()), (used, quota, wait_s, state, lines)
            said = [line["sentence"] for line in lines if line["finding"] == "throttled"]
            assert not said or said[0].endswith(" uses all of its quota of 0.20 CPU, and waits"), said


def test_pressure_by_quotas():
    """The kernel counts a thread that is throttled by its quota as waiting for a CPU."""
    for throttled, pressure, most in ((4, 6, 40), (8, 6, 60), (0, 6, None), (8, 0, None)):
        with host("7.2-scx") as one:
            group = one.root / "cgroup/lab.slice/multi.service"
            (one.root / "cgroup/cgroup.controllers").write_text("cpu memory pids\n", encoding="ascii")
            (group / "cpu.max").write_text("20000 100000\n", encoding="ascii")
            one.write("pressure/cpu", PRESSURE.format(0))
            one.capture(BEFORE)
            counts = {"usage_usec": 2 * 10**6, "nr_periods": 100}
            add_to(group / "cpu.stat", {**counts, "nr_throttled": 90, "throttled_usec": throttled * 10**6})
            one.write("pressure/cpu", PRESSURE.format(pressure * 10**6))
            one.capture(later(idle=1500, user=200))
            text = harness.run("compare", "--no-pager", *one.captures).stdout.decode()
            said = re.search(r"^ *CPU .*", text, re.MULTILINE)[0]
            assert f"pressure {pressure * 10:>3} %" in said, said
            found = re.search(r"pressure by quotas up to (\d+) %", said)
            assert (int(found[1]) if found else None) == most, (throttled, pressure, said)


if __name__ == "__main__":
    tap.main(globals())
