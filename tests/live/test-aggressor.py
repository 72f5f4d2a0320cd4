#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What ran while a planted victim waited for a CPU, as the findings of 'stat' and a page of 'top' say it."""

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness  # noqa: E402
import tap  # noqa: E402
from terminal import terminal  # noqa: E402

# All run on one CPU, with precedence over most others there.
SPINNER = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.prctl(1, 9, 0, 0, 0)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.nice(-10)
libc.prctl(15, sys.argv[1].encode(), 0, 0, 0)
while True: pass
"""
# One process that wakes another, again and again.
RINGER = """
import ctypes, os, time
libc = ctypes.CDLL(None)
ears, bell = os.pipe()
if os.fork() == 0:
    libc.prctl(15, b"p-hearer", 0, 0, 0)
    os.close(bell)
    while os.read(ears, 1): pass
    os._exit(0)
libc.prctl(15, b"p-ringer", 0, 0, 0)
for _ in range(200):
    time.sleep(0.002)
    os.write(bell, b"x")
"""
RULES = {"starved", "wants-cpu", "waits-for-cpu"}


@contextlib.contextmanager
def spinning(*names):
    processes = [subprocess.Popen([sys.executable, "-c", SPINNER, name]) for name in names]
    try:
        for process, name in zip(processes, names, strict=True):
            comm = Path(f"/proc/{process.pid}/comm")
            harness.wait_for(lambda comm=comm, name=name: comm.read_text().rstrip("\n") == name, name)
        yield [process.pid for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def times_of(pid):
    """How long a thread has run, and waited."""
    return [int(word) for word in Path(f"/proc/{pid}/schedstat").read_text().split()[:2]]


def finding_of(victim):
    command = [harness.CTPROF, "-q", "stat", "--groups=identity,sched,host,system,latency,latency-matrix",
               "-Olatency.max-overhead=0", f"--filter=^{victim}$", "--sections=findings,latency-matrix", "-fjson",
               "--", "sleep", "3"]  # fmt: skip
    found = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    sections = {each["name"]: each.get("lines") for each in json.loads(found.stdout)["sections"]}
    if "latency-matrix" not in sections:
        raise tap.Skip("no program can be loaded into the kernel")
    (sentence,) = {row["sentence"] for row in sections["findings"] if row["finding"] in RULES}
    return sentence


def check(aggressor):
    with spinning("p-victim", aggressor, aggressor) as (victim, *others):
        before = [times_of(pid) for pid in (victim, *others)]
        sentence = finding_of("p-victim")
        after = [times_of(pid) for pid in (victim, *others)]
    waited = after[0][1] - before[0][1]
    ran = sum(new[0] - old[0] for new, old in zip(after[1:], before[1:], strict=True))
    said = re.search(rf"; meanwhile .*?{re.escape(aggressor)} (ran )?(\d+) %", sentence)
    assert said, sentence
    assert abs(int(said[2]) - 100 * ran / waited) < 15, (sentence, ran / waited)
    assert "not known" not in sentence, sentence


def test_the_aggressor_is_named():
    check("p-aggressor")


def test_the_first_screen_has_percentiles_and_times():
    """Even without the group sched, by which pools are ranked otherwise."""
    command = [harness.CTPROF, "-q", "stat", "--groups=latency", "--sections=pools", "-fjson", "--", "sleep", "2"]
    with spinning("p-victim", "p-other") as (victim, _):
        before = times_of(victim)
        found = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        after = times_of(victim)
    report = json.loads(found.stdout)
    (section,) = report["sections"]
    if "run_delay:p99" not in {field["name"] for field in section["fields"]}:
        raise tap.Skip("no program can be loaded into the kernel")
    (line,) = [line for line in section["lines"] if line["pool"] == "p-victim"]
    shown = {name: value["candidate"] for name, value in line.items() if isinstance(value, dict) and "candidate" in value}
    assert 0 < shown["run_delay:p50"] <= shown["run_delay:p99"] <= shown["run_delay:max"], shown
    seconds = report["window"]["seconds"]
    for name, ns in zip(("cpu", "waiting"), (b - a for a, b in zip(before, after, strict=True)), strict=True):
        assert 0 < shown[name] * seconds <= 1.01 * ns / 1e9, (name, shown, seconds, ns)
    assert shown["cpu"] + shown["waiting"] > 0.9, shown


def programs_of(shown):
    """How many descriptors of programs in the kernel the processes of ctprof in the terminal have."""
    supervisor = int(shown.state("pane_pid"))
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    n = 0
    for pid in (supervisor, *children):
        for path in Path(f"/proc/{pid}/fdinfo").iterdir():
            with contextlib.suppress(FileNotFoundError):
                n += "prog_id:" in path.read_text()
    return n


def ran_for(text, name):
    """How long that pool ran while the pool of the page waited, and how long the window was; None: not shown."""
    units = {"s": 1, "ms": 1e-3, "µs": 1e-6}
    found = [re.search(pattern, text, re.MULTILINE)
             for pattern in (rf"^ {name} +([\d.]+)(s|ms|µs)$", r" ([\d.]+)(s|ms) apart")]
    return [float(each[1]) * units[each[2]] for each in found] if all(found) else None


def test_an_open_pool_has_what_ran_meanwhile():
    """In the window, not since it was opened; and nothing is attached before or after."""
    if b"without ncurses" in harness.run("replay", "/none", check=False).stderr:
        raise tap.Skip("this build has no ncurses")
    with spinning("p-victim", "p-rival") as pids, \
            terminal(150, 40, f"exec {harness.CTPROF} --plugins=procfs,host,latency,table,snapshot "
                              f"top -i 1s {' '.join(map(str, pids))}") as shown:  # fmt: skip
        text = shown.wait(lambda now: "p-victim" in now and "p-rival" in now, "the pools")
        assert programs_of(shown) == 0 and "run_delay" not in text, text
        shown.press("/")
        shown.type("p-victim")
        shown.press("Enter", "Enter")
        text = shown.wait(lambda now: ran_for(now, "p-rival") or "left out" in now, "what ran meanwhile")
        if "left out" in text:
            raise tap.Skip("no program can be loaded into the kernel")
        assert "WHILE IT WAITED" in text and text.count("run_delay:p99") == 2, text
        assert programs_of(shown) > 0
        for _ in range(4):
            time = text.splitlines()[0]
            text = shown.wait(lambda now, time=time: now.splitlines()[0] != time and ran_for(now, "p-rival"), "a window")
        ran, apart = ran_for(text, "p-rival")
        assert 0.1 * apart < ran < 1.1 * apart, text
        shown.press("Escape")
        shown.wait(lambda now: programs_of(shown) == 0 and "run_delay" not in now, "the pools, and no program")
        shown.press("q")


def wakeups(*options):
    """How often each pool woke each other pool, as the matrix of 'stat' shows it."""
    command = [harness.CTPROF, "-q", "stat", "--groups=latency-matrix", "--sections=latency-matrix", "-n0", "-fjson",
               *options, "--", sys.executable, "-c", RINGER]  # fmt: skip
    found = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    sections = json.loads(found.stdout)["sections"]
    if not sections:
        raise tap.Skip("no program can be loaded into the kernel")
    return {row["group"]: row["candidate"] for row in sections[0]["rows"] if row["metric"] == "woken_count"}


def test_wakeups_are_counted_if_that_is_asked_for():
    found = wakeups("-Olatency.wakeups=yes", "-Olatency.max-overhead=0")
    # 200 writes, and the end of the pipe.
    assert 100 < found["p-hearer: p-ringer"] <= 201, found
    assert found["p-hearer"] >= found["p-hearer: p-ringer"], found
    assert not any(wakeups().values())


def test_a_process_may_be_called_like_what_is_none():
    """The parts of a wait that are no pool are known by labels."""
    check("(idle)")


def test_a_process_may_be_called_like_a_pair():
    check("p-victim: who")


if __name__ == "__main__":
    tap.main(globals())
