#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same command against itself, beside a load that changes: how often is it called changed?

usage: same.py [TIMES]
Three kinds of commands in turn, eight runs of each side. Prints one line for each
comparison with a changed row, or with a stranger above the command, and a sum.
"""

import json
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402

COMMANDS = {
    "computes": "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done",
    "starts others": "for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done",
    "writes": "dd if=/dev/zero of=/dev/shm/ctprof-same bs=64k count=400 2>/dev/null; rm /dev/shm/ctprof-same; sleep .05",
}
LOADS = ("while :; do :; done", "while :; do /bin/true; done",
         "while :; do dd if=/dev/zero of=/dev/null bs=1M count=2000 2>/dev/null; sleep .2; done")


def change_load(rng, ended):
    """Runs up to three of the loads, each for up to 4 s."""
    running = []
    while not ended.is_set():
        for process in running:
            process.send_signal(signal.SIGKILL)
            process.wait()
        running = [subprocess.Popen(["sh", "-c", rng.choice(LOADS)]) for _ in range(rng.randint(0, 3))]
        ended.wait(rng.uniform(0.3, 4))
    for process in running:
        process.kill()
        process.wait()


def compare(command):
    """Returns the rows that changed, and whether a stranger is above a row of the command."""
    done = subprocess.run([harness.CTPROF, "stat", "--repeat=8", "--format=json", "--limit=0",
                           f"--versus=sh -c '{command}'", "--", "sh", "-c", command],
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True)
    rows = next(s["rows"] for s in json.loads(done.stdout)["sections"] if s["name"] == "runs")
    own = [row["group"] == "command" for row in rows]
    changed = [row for row in rows if row["runs"]["verdict"] == "changed"]
    return changed, False in own and True in own[own.index(False):]


def main(times=60):
    seed = random.randrange(1 << 30)
    print(f"seed {seed}", flush=True)
    ended = threading.Event()
    loading = threading.Thread(target=change_load, args=(random.Random(seed), ended))
    loading.start()
    with_changes = above = 0
    try:
        for i in range(times):
            kind = list(COMMANDS)[i % len(COMMANDS)]
            changed, is_above = compare(COMMANDS[kind])
            with_changes += bool(changed)
            above += is_above
            if changed or is_above:
                print(i, kind, "a stranger above" if is_above else "",
                      *(f"{r['group']} {r['metric']} {r['pct']} q {r['runs']['q']} {r['runs']['verdict']};" for r in changed), flush=True)
    finally:
        ended.set()
        loading.join()
    print(f"{times} comparisons, {with_changes} with a changed row, {above} with a stranger above the command")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
