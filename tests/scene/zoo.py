#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The zoo: situations whose cause is known, and what ctprof says of each.

usage: zoo.py [--busy] [--user] [--again] [SITUATION...]
  --busy   beside two processes that compute and one that starts others
  --user   ctprof runs as an ordinary user, and so do the beasts that can
  --again  also what build/zoo.jsonl has the result of

A situation is one or more beasts (beast.c). stat watches it for three seconds, and then
record; compare, replay and memory read the recording. What is said is FALSE if a
sentence matches what must never be said of it, or a number is impossible or differs
from what /proc says of the beast; NAMED if the cause is in it; else SILENT.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402
from terminal import terminal  # noqa: E402

BEAST = harness.BUILD / "tests/scene/beast"
RESULTS = harness.BUILD / "zoo.jsonl"
SECONDS = 3
INSIDE = "--inside"
# One that other users may run, too.
PYTHON = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
CPUS = os.sysconf("SC_NPROCESSORS_ONLN")
# How much a number of ctprof may differ from the same number of /proc, which is read within its window, and
# before and after.
SHARE, LEAST = 0.12, 0.06
LEAST_BUSY = 0.5
# Waiting per second of CPU; a little less than that of the rule, whose window differs.
STARVED_RATIO = 15


class Beast:
    """A beast to be run: its name, kind and numbers, and where and how it runs."""

    def __init__(self, name, kind, *numbers, cpus=None, nice=0, policy=None, cgroup=None, quota=None, limit=None,
                 weight=None):
        self.name, self.kind, self.numbers = name, kind, numbers
        self.cpus, self.nice, self.policy = cpus, nice, policy
        self.cgroup, self.quota, self.limit, self.weight = cgroup, quota, limit, weight

    def needs_root(self):
        return self.policy == os.SCHED_FIFO or self.cgroup or self.nice < 0

    def enter(self, folder, as_user):
        if folder:
            (folder / "cgroup.procs").write_text("0", encoding="utf-8")
        if self.cpus is not None:
            os.sched_setaffinity(0, self.cpus)
        if self.nice:
            os.nice(self.nice)
        if self.policy is not None:
            os.sched_setscheduler(0, self.policy, os.sched_param(1 if self.policy == os.SCHED_FIFO else 0))
        if as_user and not self.needs_root():
            os.setgroups([])
            os.setgid(harness.NOBODY)
            os.setuid(harness.NOBODY)


class Situation:
    """want: each of these must match some sentence; never: none of these may match any.  records: only
    records of ended threads have the cause, which an ordinary user does not get.  groups: those that show
    it, if they are read on demand."""

    def __init__(self, name, beasts, want=(), never=(), settle=1.0, records=False, groups=None):
        self.name, self.beasts = name, beasts
        self.want, self.never, self.settle = want, never, settle
        self.records, self.options = records, [f"--groups={groups}"] if groups else []

    def wanted(self, as_user):
        return () if as_user and self.records else self.want


STARVED = r"{0}\b.* starved"
BUSIEST = r"{0}\b.*(takes most|most) CPU"
GROWS = r"{0}\b.*grew"
DISK = r"{0}\b.*(disk I/O|of [\d.]+.?B/s (read|written))"
SAY_READY = ("shrink",)
NEVER_SLEEP = ("spin",)
FIFO, IDLE = os.SCHED_FIFO, os.SCHED_IDLE
LAST = {CPUS - 1}

# `never` has the sentences that a rule would give for the same numbers if it did not consider anything else.
SITUATIONS = [
    Situation("idle", [Beast("zoo-quiet", "sleepers")], never=["zoo-quiet"]),
    Situation("one-spins", [Beast("zoo-spin", "spin")], ["zoo-spin"], [STARVED.format("zoo-spin")]),
    Situation("all-spin", [Beast("zoo-spin", "spin", 4 * CPUS)], ["zoo-spin"], [r"zoo-spin\b.*not busy"]),
    Situation("threads-spin", [Beast("zoo-spin", "spin-threads", 4 * CPUS)], ["zoo-spin"], [r"zoo-spin\b.*not busy"]),
    Situation("part", [Beast("zoo-part", "part", 1, 40)], ["zoo-part"], [STARVED.format("zoo-part")]),
    Situation("pinned", [Beast("zoo-pin", "spin-threads", 8, cpus=LAST)], [rf"zoo-pin\b.*(CPU {CPUS - 1}\b|pinned|affinity)"],
              [r"zoo-pin\b.*not busy"]),
    Situation("pinned-processes", [Beast("zoo-pin", "spin", 8, cpus=LAST)], [rf"zoo-pin\b.*(CPU {CPUS - 1}\b|pinned|affinity)"],
              [r"zoo-pin\b.*not busy"]),
    Situation("nice", [Beast("zoo-front", "spin", 2 * CPUS), Beast("zoo-batch", "spin", 2, nice=19)],
              [r"zoo-batch\b.*(nice 19|starved)"], [STARVED.format("zoo-front")]),
    Situation("nice-alone", [Beast("zoo-batch", "spin", 1, nice=19)], ["zoo-batch"], [STARVED.format("zoo-batch")]),
    Situation("idle-policy", [Beast("zoo-front", "spin", 2 * CPUS), Beast("zoo-batch", "spin", 2, policy=IDLE)],
              [r"zoo-batch\b.*(SCHED_IDLE|starved)"], [STARVED.format("zoo-front")]),
    Situation("weight", [Beast("zoo-front", "spin", 2 * CPUS), Beast("zoo-batch", "spin", 2, cgroup="zoo-light", weight=1)],
              [r"zoo-batch\b.*cpu\.weight 1\b"], [STARVED.format("zoo-front")]),
    # It uses less than a CPU, since the kernel's own threads are starved by it, too.
    Situation("fifo", [Beast("zoo-fifo", "part", 1, 60, policy=FIFO, cpus=LAST)], [r"zoo-fifo\b.*FIFO"], [STARVED.format("zoo-fifo")]),
    Situation("hot-thread", [Beast("zoo-hot", "hot", 8)], ["hot-compactor"], [STARVED.format("zoo-hot")]),
    Situation("hot-process", [Beast("zoo-hot", "hot-process", 50)], [r"zoo-hot\[\d+\]"], [STARVED.format("zoo-hot")]),
    Situation("in-kernel", [Beast("zoo-kernel", "in-kernel")], [r"zoo-kernel\b.*(kernel|system)"], [DISK.format("zoo-kernel")]),
    Situation("datagrams", [Beast("zoo-flood", "datagrams")], [r"zoo-flood\b.*(kernel|system|softirq)"], [STARVED.format("zoo-flood")]),
    Situation("timer", [Beast("zoo-timer", "timer", 900)], (), [BUSIEST.format("zoo-timer"), STARVED.format("zoo-timer")]),
    Situation("timers", [Beast("zoo-timer", "timer", 900, 60)], (), [STARVED.format("zoo-timer"), r"zoo-timer\b.* wants"]),
    Situation("ping-pong", [Beast("zoo-pong", "ping-pong")], ["zoo-pong"], [STARVED.format("zoo-pong")]),
    Situation("quota", [Beast("zoo-cap", "spin", 2, cgroup="zoo-cap", quota=0.2)], [r"zoo-cap\b.*throttled.*0\.20 CPU"],
              [STARVED.format("zoo-cap"), BUSIEST.format("zoo-cap"), r"zoo-cap\b.* wants"]),
    Situation("quota-above", [Beast("zoo-cap", "spin", 2, cgroup="zoo-above/inner", quota=0.2)],
              [r"zoo-cap\b.*throttled by zoo-above.*0\.20 CPU"],
              [STARVED.format("zoo-cap"), BUSIEST.format("zoo-cap"), r"zoo-cap\b.* wants"]),
    Situation("quota-idle", [Beast("zoo-cap", "sleepers", 2, cgroup="zoo-cap", quota=0.2)], (), ["throttled", "zoo-cap"]),
    Situation("jobs", [Beast("zoo-jobs", "jobs", 20000, 2)], ["zoo-jobs"], (), records=True),
    Situation("fork-storm", [Beast("zoo-storm", "jobs", 500, 4)], ["zoo-storm"], ()),
    Situation("one-ends", [Beast("zoo-end", "ending", 3)], (), [r"came and went.*zoo-end", r"started.*zoo-end"]),
    Situation("one-ends-beside-jobs", [Beast("zoo-end", "ending", 3), Beast("zoo-jobs", "jobs", 20000, 1)], ["zoo-jobs"],
              [r"(came and went|started and)[^,]*zoo-end"], records=True),
    Situation("leak", [Beast("zoo-leak", "leak", 60)], [GROWS.format("zoo-leak")], ()),
    Situation("slow-leak", [Beast("zoo-leak", "leak", 20)], (), ()),
    Situation("leak-of-one", [Beast("zoo-leak", "leak-one", 60, 8)], [r"zoo-leak(\[\d+\]).*grew|grew.*zoo-leak\[\d+\]"], ()),
    Situation("two-leaks", [Beast("zoo-leak", "leak", 60), Beast("zoo-drip", "leak", 40)], [r"zoo-leak", r"zoo-drip"], ()),
    Situation("shrinks", [Beast("zoo-shrink", "shrink", 512, 60)], (), [GROWS.format("zoo-shrink")]),
    Situation("large", [Beast("zoo-large", "newborn", 300)], (), [GROWS.format("zoo-large")], settle=2.0),
    Situation("limit", [Beast("zoo-set", "working-set", 256, cgroup="zoo-set", limit=100 << 20)], [r"zoo-set\b.*limit"],
              [r"^memory is short"], settle=2.0),
    Situation("into-cache", [Beast("zoo-dirty", "into-cache")], [r"zoo-dirty\b"], [r"zoo-dirty\b.*\d of [\d.]+.?B/s written"]),
    Situation("out-of-cache", [Beast("zoo-cached", "out-of-cache")], ["zoo-cached"], [DISK.format("zoo-cached")]),
    Situation("reads-disk", [Beast("zoo-reader", "read-direct")], [r"zoo-reader\b.*(disk|read)"], ()),
    Situation("crowd-reads-disk", [Beast("zoo-crowd", "read-crowd", 16)], [r"^disk \S+ is busy\b.* of zoo-crowd\b"],
              [STARVED.format("zoo-crowd")], settle=2.0),
    Situation("one-reads-disk", [Beast("zoo-reader", "read-one", 50)], [r"zoo-reader\[\d+\]"], ()),
    Situation("sync", [Beast("zoo-sync", "sync-loop")], [r"zoo-sync\b"], [STARVED.format("zoo-sync")]),
    Situation("uninterruptible", [Beast("zoo-stuck", "stuck", 5)], [r"zoo-stuck.*\b5\b.*\bD\b|\b5\b.*zoo-stuck.*\bD\b"],
              [r"zoo-stuck.*disk"]),
    Situation("convoy", [Beast("zoo-lock", "convoy", 16)], [r"zoo-lock\b.*(lock|futex|wait)"], [STARVED.format("zoo-lock")],
              groups="all,lock"),
    Situation("deadlock", [Beast("zoo-dead", "deadlock")], [r"deadlock.*zoo-dead\b"], [STARVED.format("zoo-dead")],
              groups="all,lock"),
    Situation("pipe-stall", [Beast("zoo-writer", "pipe-stall")], (), [STARVED.format("zoo-writer"), DISK.format("zoo-writer")]),
    Situation("slow-peer", [Beast("zoo-client", "slow-peer")], (), [STARVED.format("zoo-client")]),
    Situation("epoll-idle", [Beast("zoo-server", "epoll-idle", 500)], (), ["zoo-server"]),
    Situation("sleepers", [Beast("zoo-sleep", "sleepers", 500)], (), ["zoo-sleep"]),
    Situation("called-ctprof", [Beast("ctprof", "spin")], [r"ctprof\b.*CPU"], ()),
    Situation("called-total", [Beast("total", "spin")], [r"total\b.*CPU"], ()),
    Situation("called-exited", [Beast("exited", "spin")], [r"exited\b.*CPU"], ()),
    Situation("spin-and-leak", [Beast("zoo-spin", "spin"), Beast("zoo-leak", "leak", 60)], ["zoo-spin", GROWS.format("zoo-leak")],
              [GROWS.format("zoo-spin")]),
]
NOISE = [Beast("noise-spin", "spin", 2, nice=5), Beast("noise-jobs", "jobs", 5000, 1, nice=5)]


# ---- cgroups -----------------------------------------------------------------------


def controller(name, files):
    """Returns the mount of a cgroup controller, v1 or v2; None: this host has none."""
    for root in (Path("/sys/fs/cgroup", name), Path("/sys/fs/cgroup")):
        if root.exists() and any((root / "zoo-probe" / file).exists() for file in files if make(root / "zoo-probe")):
            (root / "zoo-probe").rmdir()
            return root
        with contextlib.suppress(OSError):
            (root / "zoo-probe").rmdir()
    return None


def make(folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return True


def put(folder, name, text):
    if (folder / name).exists():
        (folder / name).write_text(text, encoding="utf-8")


@contextlib.contextmanager
def cgroup_of(beast):
    """Makes the beast's own cgroup; the quota applies to the first part of its path."""
    if not beast.cgroup:
        yield None
        return
    root = controller("cpu", ("cpu.max", "cpu.cfs_quota_us")) if beast.quota or beast.weight else \
        controller("memory", ("memory.max", "memory.limit_in_bytes"))
    if not root:
        raise tap.Skip("this host has no such cgroup controller")
    folder = root / beast.cgroup
    top = root / beast.cgroup.split("/", maxsplit=1)[0]
    if not make(folder):
        raise tap.Skip("no cgroup can be made here")
    try:
        if beast.quota:
            us = int(beast.quota * 100000)
            put(top, "cpu.cfs_period_us", "100000")
            put(top, "cpu.cfs_quota_us", str(us))
            put(top, "cpu.max", f"{us} 100000")
        if beast.weight:
            put(top, "cpu.shares", str(beast.weight * 1024 // 100))
            put(top, "cpu.weight", str(beast.weight))
        if beast.limit:
            put(top, "memory.limit_in_bytes", str(beast.limit))
            put(top, "memory.max", str(beast.limit))
        yield folder
    finally:
        harness.wait_for(lambda: not (folder / "cgroup.procs").read_text(encoding="utf-8"), "the cgroup's end")
        folder.rmdir()
        if top != folder:
            top.rmdir()


# ---- what is so ----------------------------------------------------------------------


def family(pid):
    """Returns a process and all its descendants."""
    found, i = [pid], 0
    while i < len(found):
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{found[i]}/task"):
                found += map(int, Path(f"/proc/{found[i]}/task/{task}/children").read_text(encoding="utf-8").split())
        i += 1
    return found


def measure(pid, name):
    """Returns thread -> (CPU, waiting) in s, of the existing processes of that name."""
    threads = {}
    for each in family(pid):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{each}/comm").read_text(encoding="utf-8").strip() != name:
                continue
            for tid in os.listdir(f"/proc/{each}/task"):
                words = Path(f"/proc/{each}/task/{tid}/schedstat").read_text(encoding="utf-8").split()
                threads[tid] = int(words[0]) / 1e9, int(words[1]) / 1e9
    return threads


def change(before, after):
    """Returns by how much [CPU, waiting] of the threads grew that are there at the end."""
    return [sum(max(after[tid][i] - before.get(tid, (0, 0))[i], 0) for tid in after) for i in (0, 1)]


def measure_inside(seconds, path, pids):
    """The command that stat runs: writes how much [CPU, waiting] of each beast grew within the window."""
    before = {name: measure(pid, name) for name, pid in pids.items()}
    time.sleep(seconds)
    Path(path).write_text(json.dumps({name: change(before[name], measure(pid, name)) for name, pid in pids.items()}),
                          encoding="utf-8")


@contextlib.contextmanager
def running(beasts, as_user=False):
    """Runs the beasts; yields name -> PID of each."""
    with contextlib.ExitStack() as stack:
        pids = {}
        for beast in beasts:
            folder = stack.enter_context(cgroup_of(beast))
            child = subprocess.Popen([BEAST, beast.name, beast.kind, *map(str, beast.numbers)], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True, preexec_fn=lambda b=beast, f=folder: b.enter(f, as_user))
            stack.callback(end, child)
            pids[beast.name] = int(child.stdout.readline())
            if beast.kind in SAY_READY:
                child.stdout.readline()
        yield pids


def end(child):
    child.stdin.close()
    child.wait()
    child.stdout.close()


# ---- what is said ----------------------------------------------------------------------


def lines_of(report, name):
    return next((x["lines"] for x in report["sections"] if x["name"] == name), [])


def number(cell):
    return cell.get("candidate") if isinstance(cell, dict) else cell


def sentences_of(report):
    return [line["sentence"] for line in lines_of(report, "findings")]


def impossible(report):
    """Returns numbers of the first screen that are impossible on any host."""
    wrong = []
    for line in lines_of(report, "pools"):
        value = {key: number(line.get(key)) for key in ("threads", "born", "gone", "cpu", "waiting", "user", "system")}
        most = (value["threads"] or 0) + (value["gone"] or 0)
        if (value["cpu"] or 0) > CPUS * 1.01 or (value["cpu"] or 0) > most * 1.01 + 0.01:
            wrong.append(f"{line['pool']}: CPU {value['cpu']} of {most} threads")
        if (value["waiting"] or 0) > most * 1.01 + 0.01:
            wrong.append(f"{line['pool']}: {value['waiting']} of {most} threads wait")
        if any((x or 0) < 0 for x in value.values()):
            wrong.append(f"{line['pool']}: negative: {value}")
        if None not in (value["user"], value["system"], value["cpu"]) and \
                abs(value["user"] + value["system"] - value["cpu"]) > 0.02 + 0.02 * value["cpu"]:
            wrong.append(f"{line['pool']}: user {value['user']} + system {value['system']} != CPU {value['cpu']}")
    for line in next((x["rows"] for x in report["sections"] if x["name"] == "cpu-account"), []):
        if (line["candidate"] or 0) < -1e6:
            wrong.append(f"{line['group']}: {line['candidate']} ns of CPU")
    return wrong


def differs(report, name, inner, outer, seconds):
    """Compares the pool's line with the growth that /proc showed within the window, and around it."""
    wrong = []
    line = next((x for x in lines_of(report, "pools") if x["pool"] == name), None)
    # Threads that have ended are in the line, but not in /proc.
    gone = number(line["gone"]) or 0 if line else 0
    for key, low, high in zip(("cpu", "waiting"), inner, outer):
        value = number(line[key]) if line else 0
        high = high * (1 + SHARE) + (LEAST + gone) * seconds
        if value is not None and not low * (1 - SHARE) - LEAST * seconds <= value * seconds <= high:
            wrong.append(f"{name}: {key} {value:.2f} for {seconds:.2f} s, but /proc: {low:.2f} to {high:.2f} s")
    return wrong


def user_options(as_user):
    return harness.other_user(65534) if as_user else {}


def ctprof(*words, as_user=False):
    done = subprocess.run([harness.CTPROF, *map(str, words)], capture_output=True, stdin=subprocess.DEVNULL, check=False,
                          **user_options(as_user))
    assert done.returncode in (0, 4), done.stderr.decode()
    return json.loads(done.stdout) if "json" in words else done.stdout.decode()


def watch(pids, spinners, options, as_user):
    """Runs stat over the situation; returns its report, the wrong numbers of the beasts, the most CPUs that
    one of them used, and those that got next to nothing of what they wanted.  spinners: those that never
    sleep."""
    most, starved = 0, set()
    outer = {name: measure(pid, name) for name, pid in pids.items()}
    began = time.monotonic()
    with tempfile.NamedTemporaryFile("r") as inside:
        os.chmod(inside.name, 0o666)
        words = [PYTHON, __file__, INSIDE, SECONDS, inside.name, json.dumps(pids)]
        report = ctprof("--plugins=all", "stat", *options, "--format", "json", "--", *words, as_user=as_user)
        inner = json.load(inside)
    spent = time.monotonic() - began
    seconds = report["window"]["seconds"]
    wrong = impossible(report)
    for name, pid in pids.items():
        after = measure(pid, name)
        around = change(outer[name], after)
        most = max(most, around[0] / spent)
        if around[1] > STARVED_RATIO * around[0]:
            starved.add(name)
        # The kernel counts a wait when it ends, which may be seconds after it began; and time taken by a
        # hypervisor is not waiting.
        if name in spinners:
            left = max(len(after) * spent - around[0], 0)
            inner[name][1] = min(left, inner[name][1])
            around[1] = max(left, around[1])
        wrong += differs(report, name, inner[name], around, seconds)
    return report, wrong, most, starved


def replayed(path):
    with terminal(100, 30, f"exec {harness.CTPROF} replay {path}") as shown:
        text = shown.wait(lambda text: "POOL" in text, "a screen")
        shown.press("q")
    return [line[3:].strip() for line in text.splitlines() if line.startswith(" ! ")]


def say(situation, pids, as_user, is_brief):
    """Returns (sentences by command, what is wrong)."""
    spinners = {beast.name for beast in situation.beasts if beast.kind in NEVER_SLEEP}
    report, wrong, cpu, starved = watch(pids, spinners, situation.options, as_user)
    said = {"stat": sentences_of(report)}
    if not is_brief:
        wrong += say_of_recording(said, situation.options, as_user)
    for command, sentences in said.items():
        for pattern in situation.never:
            # A beast that other programs leave no CPU is starved, whatever else limits it.
            if "not busy" in pattern and cpu < LEAST_BUSY or pattern in map(STARVED.format, starved):
                continue
            wrong += [f"{command}: {text}" for text in sentences if re.search(pattern, text)]
    return said, wrong


def say_of_recording(said, options, as_user):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = Path(folder, "zoo.ctprof")
        ctprof("record", *options, "-q", "-i", "1s", "-n", SECONDS + 1, "-o", path, as_user=as_user)
        compared = ctprof("compare", "--format", "json", path, as_user=as_user)
        said["compare"] = sentences_of(compared)
        said["replay"] = replayed(path)
        ctprof("memory", "--format", "json", as_user=as_user)
        return impossible(compared)


def judge(situation, busy=False, as_user=False, is_brief=False):
    """Returns one line of the table.  is_brief: only for stat."""
    if any(beast.needs_root() for beast in situation.beasts) and not harness.is_root():
        raise tap.Skip("needs root")
    with running(NOISE if busy else []), running(situation.beasts, as_user) as pids:
        time.sleep(situation.settle)
        said, wrong = say(situation, pids, as_user, is_brief)
    missed = {command: [p for p in situation.wanted(as_user) if not any(re.search(p, text) for text in sentences)]
              for command, sentences in said.items()}
    verdict = "FALSE" if wrong else "NAMED" if not missed["stat"] else "SILENT"
    return {"situation": situation.name, "busy": busy, "user": as_user, "verdict": verdict, "wrong": wrong,
            "missed": missed, "said": said}


def show(result):
    where = ("busy " if result["busy"] else "quiet") + (" user" if result["user"] else " root")
    print(f"# {result['verdict']:6} {result['situation']:22} {where}  {'; '.join(result['said']['stat'][:2])[:150]}", flush=True)
    for text in result["wrong"]:
        print(f"#        false: {text}", flush=True)
    if result["verdict"] == "SILENT":
        print(f"#        missed: {', '.join(result['missed']['stat'])}", flush=True)


def visit(names, busy, as_user, again):
    known = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() and not again else []
    done = {(r["situation"], r["busy"], r["user"]): r for r in known}
    shown = []
    for situation in SITUATIONS:
        if names and situation.name not in names:
            continue
        result = done.get((situation.name, busy, as_user))
        if not result:
            try:
                result = judge(situation, busy, as_user)
            except tap.Skip as why:
                print(f"# skip   {situation.name}: {why}")
                continue
            with RESULTS.open("a", encoding="utf-8") as out:
                out.write(json.dumps(result) + "\n")
        shown.append(result)
        show(result)
    counts = {v: sum(r["verdict"] == v for r in shown) for v in ("NAMED", "SILENT", "FALSE")}
    print("# " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items()))
    return shown


if __name__ == "__main__":
    if sys.argv[1:2] == [INSIDE]:
        sys.exit(measure_inside(int(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])))
    flags = {word for word in sys.argv[1:] if word.startswith("--")}
    chosen = [word for word in sys.argv[1:] if not word.startswith("--")]
    if flags - {"--busy", "--user", "--again"}:
        sys.exit(__doc__)
    seen = visit(chosen, "--busy" in flags, "--user" in flags, "--again" in flags)
    sys.exit(any(result["verdict"] == "FALSE" for result in seen))
