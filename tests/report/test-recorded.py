#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares and shows two captures of a recorded kernel: every section, as
table, JSON and CSV, by every axis, against goldens.

BLESS=1 in the environment rewrites the goldens in recorded/.
"""

import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "recorded"
FIXTURES = Path(os.environ.get("CTPROF_FIXTURES") or harness.SOURCE.parent / "shared/fixtures")
KERNELS = {
    "6.1": "6.1.0-50-amd64",
    "6.12": "6.12.107+deb13-amd64",
    "7.2-scx": "7.2.13+deb14-amd64-scx",
}
AXES = ("pcomm", "comm", "comm-exact", "cgroup", "all", "thread")
FORMATS = {"table": "txt", "json": "json", "csv": "csv"}
# Enough groups to show each section's layout and order, but few enough to read.
LIMIT, CGROUP_LIMIT, POOLS_LIMIT = "1", "2", "8"


def capture(root, target, *more):
    trees = [f"--{name}-root={root / name}" for name in ("proc", "sys", "cgroup")]
    harness.run("capture", *trees, "--jobs=1", "-o", target, *more)


def folder_of(kernel):
    fixture = FIXTURES / KERNELS[kernel]
    if not (fixture / "later/proc").is_dir():
        raise tap.Skip(f"needs {fixture.name} in ../shared/fixtures")
    return fixture


def report(folder, *arguments):
    limit = CGROUP_LIMIT if "cgroup" in arguments else LIMIT
    # The first screen has a line for each pool.
    if not any(word in arguments for word in ("--group-by", "--sections", "--format")):
        limit = POOLS_LIMIT
    done = harness.run(*arguments, "--limit", limit, "--no-pager", cwd=folder)
    # Leave out the warnings, which name the folders of the fixtures.
    return re.sub(r'"warnings":\[.*?\],"sections"', '"warnings":[],"sections"', done.stdout.decode())


def check(name, text):
    path = GOLDEN / name
    if os.environ.get("BLESS"):
        path.write_text(text, newline="")
        return
    want = path.read_bytes().decode().splitlines() if path.exists() else []
    lines = list(difflib.unified_diff(want, text.splitlines(), name, "now", lineterm="", n=1))
    assert not lines, "\n".join(lines[:40])


def compare_all(kernel):
    fixture = folder_of(kernel)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        capture(fixture, folder / "base")
        capture(fixture / "later", folder / "later")
        for axis in AXES:
            for kind, suffix in FORMATS.items():
                option = ["--all", "--group-by", axis, "--format", kind]
                text = report(folder, "compare", "--totals", *option, "base", "later")
                check(f"{kernel}-compare-{axis}.{suffix}", text)
                if kind == "json":
                    json.loads(text)
        for kind, suffix in FORMATS.items():
            option = ["--all", "--format", kind]
            check(f"{kernel}-window-pcomm.{suffix}", report(folder, "compare", *option, "base", "later"))
            option += ["--group-by", "cgroup"]
            check(f"{kernel}-show-cgroup.{suffix}", report(folder, "show", *option, "later"))
        check(f"{kernel}-first-show.txt", report(folder, "show", "later"))
        check(f"{kernel}-first-window.txt", report(folder, "compare", "base", "later"))
        check(f"{kernel}-first-totals.txt", report(folder, "compare", "--totals", "base", "later"))


def test_reports_of_a_kernel_with_schedstats():
    compare_all("6.12")


def test_reports_of_a_kernel_with_sched_ext():
    compare_all("7.2-scx")


def with_delays(source, target, factor):
    """Fills the snapshot as if taskstats had answered, since recorded roots have no netlink."""
    text = subprocess.run(["zstdcat", source], stdout=subprocess.PIPE, check=True).stdout
    data = json.loads(text)
    names = [n for n in data["threads"][0] if "_delay_" in n or n.startswith("hiwater_")]
    for number, row in enumerate(data["threads"]):
        for place, name in enumerate(names):
            row[name] = factor * (1000 * number + place)
        row |= dict.fromkeys(("taskstats_measured", "cpu_delay_active"), True)
    for one in data["presence_sets"]:
        for reason in one:
            one[reason] = [n for n in one[reason] if n not in names]
    packed = json.dumps(data, separators=(",", ":")).encode()
    subprocess.run(["zstd", "-q", "-f", "-o", target], input=packed, check=True)


def test_delays_have_reports_of_their_own():
    fixture = folder_of("6.12")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        capture(fixture, folder / "plain")
        with_delays(folder / "plain", folder / "base", 1)
        with_delays(folder / "plain", folder / "later", 3)
        for kind, suffix in FORMATS.items():
            option = ["--sections", "taskstats-delay", "--group-by", "pcomm", "--format", kind]
            check(f"delay-compare.{suffix}", report(folder, "compare", "--totals", *option, "base", "later"))
            check(f"delay-show.{suffix}", report(folder, "show", *option, "later"))


def test_rates_of_recorded_threads_are_of_the_recorded_time():
    """No thread may run for more than a second per second."""
    fixture = folder_of("6.1")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        capture(fixture, folder / "base")
        capture(fixture / "later", folder / "later")
        options = "--rate --group-by thread --metrics run_time_ns --limit 0 --format json".split()
        done = harness.run("compare", *options, "base", "later", cwd=folder)
    (rows,) = [x["rows"] for x in json.loads(done.stdout)["sections"] if x["name"] == "primary"]
    rates = {row["group"]: row["delta"] for row in rows if row["delta"] is not None}
    assert max(rates.values()) <= 1e9, rates
    # The times in proc/uptime are 15.82 and 21.44.
    assert round(rates["lab-busy[151]"]) == round((5961645842 - 4224362158) / 5.62), rates


def test_hosts_that_differ_are_told():
    old, new = folder_of("6.12"), folder_of("7.2-scx")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        capture(old, folder / "base")
        capture(new, folder / "later")
        for kind, suffix in FORMATS.items():
            option = ["--sections", "host-metrics", "--no-orphans", "--format", kind]
            check(f"host-compare.{suffix}", report(folder, "compare", "--totals", *option, "base", "later"))


def test_memory_has_a_report_by_category():
    fixture = folder_of("6.12")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        capture(fixture, folder / "base", "--memory=processes")
        capture(fixture / "later", folder / "later", "--memory=processes")
        for kind, suffix in FORMATS.items():
            option = ["--sections", "memory-categories", "--categories", "chromeos"]
            option += ["--no-orphans", "--group-by=all", "--format", kind]
            text = report(folder, "compare", "--totals", *option, "base", "later")
            check(f"categories-compare.{suffix}", text)


# Sections about what stat runs, which no recorded root has; see tests/report/test-commands.py.
LIVE = {"command", "wait", "states", "history"}


def test_every_section_is_in_a_golden():
    shown = json.loads(harness.run("metric-list", "--format", "json").stdout)
    want = {section["name"] for section in shown["sections"]}
    seen = set()
    for path in GOLDEN.glob("*.json"):
        seen |= {section["name"] for section in json.loads(path.read_text())["sections"]}
    assert want - LIVE == seen & want, want - seen


if __name__ == "__main__":
    tap.main(globals())
