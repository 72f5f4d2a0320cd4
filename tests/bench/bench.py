# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the benches: the cost of a command, pairs of commands, a table."""

import os
import random
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402

COST = str(harness.BUILD / "tests/bench/cost")
# The exit status that meson treats as a skipped test.
SKIPPED = 77


class Cost:
    """The cost of a command: CPU and wall seconds, KiB of peak RSS."""

    def __init__(self, command):
        done = subprocess.run(
            [COST, *command],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        cpu_us, wall_us, self.rss_kib = map(int, done.stdout.split())
        self.cpu, self.wall = cpu_us / 1e6, wall_us / 1e6


def pairs(runs, one, other):
    """Returns the costs of runs of both commands, paired, in random order."""
    result = []
    for _ in range(runs):
        order = [0, 1]
        random.shuffle(order)
        costs = [None, None]
        for which in order:
            costs[which] = Cost((one, other)[which])
        result.append(costs)
    return result


def ratio(costs, kind):
    return statistics.median(
        getattr(a, kind) / max(getattr(b, kind), 1e-6) for a, b in costs
    )


class Missing(Exception):
    """Raised if a program to compare with is not installed."""


class Table:
    def __init__(self):
        self.status = 0

    def row(self, what, goal, result, met=None):
        verdict = "" if met is None else "met" if met else "missed"
        print(f"{what:52} {goal:>10} {result:>12} {verdict}".rstrip(), flush=True)

    def ratio(self, what, goal, measure):
        """Measures a ratio; a bench that cannot run is reported and remembered."""
        try:
            result = measure()
        except (RuntimeError, Missing) as error:
            self.no_result(what, error)
        else:
            self.row(what, f"<= {goal}", f"{result:.2f}", result <= goal)

    def info(self, what, measure):
        """Does the same without a goal."""
        try:
            self.row(what, "", f"{measure():.2f}")
        except (RuntimeError, Missing) as error:
            self.no_result(what, error)

    def no_result(self, what, error):
        if not isinstance(error, Missing):
            self.status = 1
        elif self.status == 0:
            self.status = SKIPPED
        self.row(what, "", "no result")
        print(f"  {error}", file=sys.stderr)


def need(command):
    if not shutil.which(command[0]):
        raise Missing(f"the command {command[0]} is not installed")
    return command


def idle_threads(threads, processes):
    """Starts a worker with that many threads and processes."""
    return harness.Worker("--processes", processes, "--threads", max(0, threads // processes - 1))
