# SPDX-License-Identifier: LGPL-2.1-or-later
"""`meson test` of some tests of a lane: counted point by point, and a test that failed is
run again, once and alone, where that can clear it."""

import json
import os
import subprocess

import lanes
import tally

AGAIN_MAX = 8  # that many failures are no accident any more
# Many tests wait for something: half of them more than there are CPUs.
JOBS = len(os.sched_getaffinity(0)) * 3 // 2


class Sums:
    """The totals of the whole run."""

    def __init__(self):
        self.count = {"passed": 0, "failed": 0, "skipped": 0}
        self.notes = []
        self.unstable = []
        self.seconds = {}  # (lane, test) -> seconds

    def note(self, outcome, text):
        """An outcome that no test program reports."""
        print(f"{outcome}: {text}", flush=True)
        self.notes.append(f"{outcome}: {text}")
        self.count[outcome] += 1

    def add(self, points, lane, program):
        for outcome, name, reason in points:
            self.count[outcome] += 1
            if outcome != "passed":
                self.notes.append(f"{outcome}: [{lane}] {program} {name}: {reason}".rstrip(": "))


def read_log(path):
    """The entries of a log of meson's, by the test's name."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", errors="replace") as log:
        entries = [json.loads(line) for line in log]
    return {entry["name"].split(" / ")[-1]: entry for entry in entries}


def run_meson(lane, names, logbase, *options):
    """-> (exit status, entries)"""
    log = lane.folder / "meson-logs" / f"{logbase}.json"
    log.unlink(missing_ok=True)
    command = [*lane.wrapper, "meson", "test", "-C", lane.folder, "--no-rebuild", "--logbase", logbase,
               "--timeout-multiplier", "4", "--print-errorlogs", *options, *names]
    done = subprocess.run([str(word) for word in command], check=False,
                          env={**os.environ, **lane.env})
    return done.returncode, read_log(log)


def keep_outputs(lane, name, *entries):
    """Both outputs of an unstable test; returns their folder."""
    folder = lane.folder / "unstable"
    folder.mkdir(exist_ok=True)
    for which, entry in zip(("failed", "passed"), entries):
        text = (entry.get("stdout") or "") + (entry.get("stderr") or "")
        (folder / f"{name}.{which}").write_text(text, errors="surrogateescape")
    return folder


def run_again(lane, name, entry, sums):
    """The entry that counts: the second one if it passed, else the first."""
    print(f"{name} failed: again, alone", flush=True)
    status, entries = run_meson(lane, [name], "scripts-test-again", "--num-processes", "1")
    again = entries.get(name)
    if status != 0 or again is None:
        return entry
    folder = keep_outputs(lane, name, entry, again)
    sums.unstable.append(f"{name} [{lane.name}], outputs in {folder}/")
    return again


def run(lane, names, sums, logbase="scripts-test"):
    """Runs these tests, which are built. Returns the names of those that passed."""
    status, entries = run_meson(lane, names, logbase, "--num-processes", JOBS)
    failed = [name for name, entry in entries.items() if tally.has_failed(entry)]
    for name in failed:
        print("\n".join([f"---- {name}:", *tally.list_failures(entries[name])]), flush=True)
    passed = set(entries) - set(failed)
    for name, entry in entries.items():
        sums.seconds[lane.name, name] = entry.get("duration", 0)
        if name in failed and len(failed) <= AGAIN_MAX and lane.name != "tsan" and not tally.is_final(entry):
            entry = run_again(lane, name, entry, sums)
        if name in failed and not tally.has_failed(entry):
            passed.add(name)
        sums.add(tally.tally_program(entry), lane.name, name)
    if set(names) - set(entries):
        sums.note("failed", f"[{lane.name}] not run: {' '.join(sorted(set(names) - set(entries)))}")
    elif status != 0 and not failed:
        sums.note("failed", f"[{lane.name}] meson test ended with {status}")
    return passed


def choose(lane, rows, tier):
    """The names of the tests of that tier in that lane which the build has, in the order in
    which they should run: meson keeps the order in which it is given names."""
    have = lanes.list_tests(lane)
    names = [row.name for row in rows if row.name in have and row.is_in(lane.name, tier)]
    return sorted(names, key=lambda name: -have[name]["priority"])
