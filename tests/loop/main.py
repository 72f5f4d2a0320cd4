# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program that scripts/test runs. The script has the help, and checks the options."""

import fnmatch
import os
import sys
import tempfile
import time
from pathlib import Path

import fuzz
import guards
import lanes
import suite
import table

BUDGET_S = 300  # for the release tests of a default run
UNSTABLE_MAX = 2
# Suites whose tests install what was built, which is more than a test can name.
INSTALLING = {"docs", "foreign", "kernels", "packages"}


def section(text):
    print(f"\n==== {text}", flush=True)


def put_stamps(lane, passed):
    for name, paths in guards.load_guards().items():
        if lane.name == "gcc" and name in passed:
            guards.put_stamp(lane, name, paths)


def run_lint(lane, rows, sums):
    """Before anything is built."""
    section("lint")
    lanes.configure(lane)
    suite.run(lane, suite.choose(lane, rows, "quick"), sums, "scripts-test-lint")


def build(lane, rows, names, more=()):
    installs = any(row.name in names and row.suite in INSTALLING for row in rows)
    lanes.build(lane, names, more, installs)


def run_lane(lane, rows, sums, tier, fuzzing):
    """Builds what these tests need, and runs them."""
    section(lane.title)
    for text in lane.notes:
        sums.note("skipped", f"[{lane.name}] {text}")
    lanes.configure(lane)
    names = suite.choose(lane, rows, tier)
    build(lane, rows, names, fuzz.list_targets(lane) if fuzzing else ())
    put_stamps(lane, suite.run(lane, names, sums))
    if fuzzing:
        seconds = os.environ.get("FUZZ_SECONDS", "3")
        section(f"libFuzzer, {seconds} s a target")
        fuzz.run(lane, seconds, sums)


def run_lanes(rows, sums, scratch, tier, fuzzing):
    for name, maker in lanes.MAKERS.items():
        if not any(row.is_in(name, tier) for row in rows):
            continue
        try:
            run_lane(maker(scratch), rows, sums, tier, fuzzing and name == "asan")
        except lanes.Unavailable as why:
            sums.note("skipped", f"[{name}] {why}")
        except lanes.Broken as what:
            sums.note("failed", f"[{name}] {what}")


def find_pace(rows, sums):
    """The seconds that tests took here, divided by those of the table."""
    known = {row.name: row.cells["gcc"][1] for row in rows if "gcc" in row.cells}
    took = [(seconds, known[name]) for (lane, name), seconds in sums.seconds.items()
            if lane == "gcc" and known.get(name)]
    return sum(t for t, _ in took) / sum(k for _, k in took) if took else 1


def run_guarded(lane, rows, sums):
    """The release tests whose files have changed, as far as their budget goes."""
    guarded, base, have = guards.load_guards(), guards.find_base(), lanes.list_tests(lane)
    seconds = {row.name: row.cells["gcc"][1] for row in rows if row.name in guarded and row.name in have}
    changed = [name for name in seconds if guards.has_changed(lane, name, guarded[name], base)]
    chosen, left = guards.choose(changed, seconds, BUDGET_S / max(find_pace(rows, sums), 0.1))
    if chosen:
        section(f"release tests whose files have changed: {' '.join(chosen)}")
        build(lane, rows, chosen)
        put_stamps(lane, suite.run(lane, chosen, sums, "scripts-test-guarded"))
    if left:
        print(f"left out, though files that they guard have changed: scripts/test {' '.join(left)}")


def choose_rows(rows, patterns):
    for pattern in patterns:
        if not any(fnmatch.fnmatch(row.name, pattern) or row.suite == pattern for row in rows):
            sys.exit(f"scripts/test: '{pattern}' is neither a test nor a suite (both are in tests/table)")
    return [row for row in rows if any(fnmatch.fnmatch(row.name, p) or row.suite == p for p in patterns)]


def run_tier(tier, rows, sums, scratch):
    gcc = lanes.make_gcc(scratch)
    run_lint(gcc, [row for row in rows if row.suite == "lint"], sums)
    run_lanes([row for row in rows if row.suite != "lint"], sums, scratch, tier, fuzzing=tier != "quick")
    if tier == "default" and (gcc.folder / "ctprof").exists():
        run_guarded(gcc, rows, sums)


def write_times():
    """Takes the times of the last runs over into the table."""
    seconds = {}
    for name, folder in lanes.FOLDERS.items():
        for log in sorted(Path(folder, "meson-logs").glob("scripts-test*.json"), key=os.path.getmtime):
            for test, entry in suite.read_log(log).items():
                if not log.stem.endswith("again") and entry["result"] == "OK":
                    seconds[name, test] = entry["duration"]
    text = table.rewrite(table.TABLE.read_text(encoding="utf-8"), seconds)
    table.TABLE.write_text(text, encoding="utf-8")
    print(text, end="")


def summarize(sums, began):
    section(f"summary, after {time.monotonic() - began:.0f} s")
    strict = os.environ.get("CTPROF_TEST_STRICT", "0") not in ("", "0")
    if sums.unstable and (strict or len(sums.unstable) > UNSTABLE_MAX):
        sums.note("failed", f"{len(sums.unstable)} unstable tests")
    if sums.count["passed"] + sums.count["failed"] == 0:
        sums.note("failed", "no test ran")
    print("\n".join(sorted(set(sums.notes))))
    for text in sums.unstable:
        print(f"unstable: {text}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**sums.count))
    return sums.count["failed"] == 0


def main(arguments):
    began = time.monotonic()
    os.chdir(table.ROOT)
    if arguments == ["--times"]:
        write_times()
        return True
    rows, sums = table.load_rows(), suite.Sums()
    with tempfile.TemporaryDirectory(prefix="ctprof-test-") as scratch:
        if arguments and not arguments[0].startswith("-"):
            run_lanes(choose_rows(rows, arguments), sums, Path(scratch), "release", fuzzing=False)
        else:
            run_tier(arguments[0][2:] if arguments else "default", rows, sums, Path(scratch))
    return summarize(sums, began)


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
