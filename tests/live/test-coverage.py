#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How often the 95 % interval of a share contains the truth: 200 windows of threads that write
down when they wait for what."""

import concurrent.futures
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness  # noqa: E402
import tap  # noqa: E402

WINDOWS = int(os.environ.get("COVERAGE_WINDOWS", "200"))
SECONDS = 2
RATE = 10
LEAST = 0.92
# Each window has instants of its own.
AT_ONCE = 8
STATES = ("timer", "idle")
# Name of a process -> threads, and the lengths in s of its two waits: fixed, with ends at the same
# times for all threads of the pool; or, with a seed, random with this mean.
PLANTED = {
    "at-the-rate": (1, 0.03, 0.07, None),
    "twice-the-rate": (1, 0.02, 0.03, None),
    "near-the-rate": (1, 0.06, 0.041, None),
    "slow": (1, 0.4, 0.6, None),
    "random-a": (1, 0.05, 0.15, 1),
    "random-b": (1, 0.3, 0.3, 2),
    "random-c": (1, 0.01, 0.02, 3),
    "pool-at-rate": (8, 0.03, 0.07, None),
    "pool-slow": (8, 0.5, 0.3, None),
}
# Each thread writes "BEGIN END STATE" after each of its waits, without the time that it then waited
# for a CPU, which is exact in the report and no part of the sleep.
PROGRAM = """
import ctypes, math, os, random, select, threading, time
ctypes.CDLL(None).prctl(15, {name!r}.encode(), 0, 0, 0)
ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
clock = lambda: time.clock_gettime(time.CLOCK_BOOTTIME)
period = {timer} + {idle}

def lengths(now, choice):
    if choice:
        return choice.expovariate(1 / {timer}), choice.expovariate(1 / {idle})
    begin = math.floor(now / period + 0.5) * period
    return max(begin + {timer} - now, 0), {idle}

def wait(schedstat, log, state, function, length):
    awake = lambda: sum(map(int, os.pread(schedstat, 99, 0).split()[:2]))
    before, begin = awake(), clock()
    function(max(length, 0))
    end, after = clock(), awake()
    os.write(log, b"%.6f %.6f %s\\n" % (begin, max(end - (after - before) / 1e9, begin), state))

def run(number):
    log = os.open("{log}.%d" % number, os.O_WRONLY | os.O_CREAT, 0o600)
    schedstat = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
    choice = random.Random({seed}) if {seed} else None
    nothing = select.poll()
    nothing.register(os.pipe()[0], select.POLLIN)
    while True:
        now = clock()
        timer, idle = lengths(now, choice)
        wait(schedstat, log, b"timer", time.sleep, timer)
        wait(schedstat, log, b"idle", lambda length: nothing.poll(length * 1000), now + timer + idle - clock())

for number in range(1, {threads}):
    threading.Thread(target=run, args=[number], daemon=True).start()
run(0)
"""


@contextlib.contextmanager
def planted(folder):
    processes = []
    try:
        for name, (threads, timer, idle, seed) in PLANTED.items():
            text = PROGRAM.format(name=name, threads=threads, timer=timer, idle=idle, seed=seed, log=f"{folder}/{name}")
            processes.append(subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.DEVNULL))
        for name in PLANTED:
            file = Path(folder) / f"{name}.0"
            harness.wait_for(lambda file=file: file.exists() and file.stat().st_size > 200, name)
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


class Truth:
    """What the threads of a pool have written down."""

    def __init__(self, files):
        self.n = len(files)
        self.waits = {state: [] for state in STATES}
        for file in files:
            for line in file.read_text(encoding="ascii").splitlines()[:-1]:
                begin, end, state = line.split()
                self.waits[state].append((float(begin), float(end)))

    def share(self, state, begin, end):
        """In percent."""
        total = sum(max(min(until, end) - max(since, begin), 0) for since, until in self.waits[state])
        return 100 * total / (end - begin) / self.n


def window(folder, number):
    """Its begin and end by CLOCK_BOOTTIME, and {(pool, state): (low, high)}."""
    ends, report = Path(folder) / f"ends-{number}", Path(folder) / f"report-{number}"
    with open(ends, "w+", encoding="ascii") as stdout:
        subprocess.run([harness.CTPROF, "-q", "stat", f"--states={RATE}", "--sections=states", "-fjson", "-o", report,
                        "--", "sh", "-c", f"cat /proc/uptime; sleep {SECONDS}; cat /proc/uptime"],
                       stdin=subprocess.DEVNULL, stdout=stdout, check=True)
        stdout.seek(0)
        begin, end = (float(line.split()[0]) for line in stdout.read().splitlines())
    (section,) = [each for each in json.loads(report.read_text())["sections"] if each["name"] == "states"]
    report.unlink()
    found = {}
    for row in section["rows"]:
        pool, state = row["group"][-2:]
        if row["metric"] in ("share_low", "share_high"):
            found.setdefault((pool, state), {})[row["metric"]] = row["candidate"]
    return begin, end, {key: (row["share_low"], row["share_high"]) for key, row in found.items()}


def test_intervals_contain_the_truth():
    with tempfile.TemporaryDirectory(prefix="ctprof-coverage-") as folder:
        with planted(folder), concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            windows = list(pool.map(window, [folder] * WINDOWS, range(WINDOWS)))
        truths = {name: Truth(list(Path(folder).glob(f"{name}.*"))) for name in PLANTED}
    coverage = {}
    for name, truth in truths.items():
        for state in STATES:
            # A state that no sample has seen has no row; then its share is said to be 0.
            hits = sum(low <= truth.share(state, begin, end) <= high
                       for begin, end, found in windows
                       for low, high in [found.get((name, state), (0, 0))])
            coverage[name, state] = hits / len(windows)
    for key, value in coverage.items():
        missing = sum(key not in found for _, _, found in windows)
        print(f"# {key[0]} {key[1]}: {100 * value:.1f} % of {len(windows)}, {missing} without a row")
    assert min(coverage.values()) >= LEAST, coverage


if __name__ == "__main__":
    tap.main(globals(), world="own")
