# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests --group-by scheduler, and the report of a change of the BPF scheduler, on recorded hosts."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

MADE = tempfile.TemporaryDirectory(prefix="ctprof-scheduler-")
FOLDER = Path(MADE.name)
FIXTURES = Path(os.environ.get("CTPROF_FIXTURES") or harness.SOURCE.parent / "shared/fixtures")
HOST = FIXTURES / "7.2.13+deb14-amd64-scx"
STATE = "kernel/sched_ext"


def ctprof(*arguments, status=0):
    done = subprocess.run([str(harness.CTPROF), *map(str, arguments)], capture_output=True, check=False,
                          cwd=FOLDER, timeout=harness.PATIENCE_S)  # fmt: skip
    assert done.returncode == status, (done.returncode, done.stderr.decode())
    return done


def capture(name, change=None, groups="all,scx-threads"):
    """Makes a capture of the recorded host after changing its state of sched_ext."""
    if not (HOST / "proc").is_dir():
        raise tap.Skip(f"needs {HOST.name} in ../shared/fixtures")
    tree = FOLDER / "sys"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(HOST / "sys" / STATE, tree / STATE)
    if change:
        change(tree / STATE)
    ctprof("--plugins=procfs,scx,host", "-q", "capture", f"--proc-root={HOST / 'proc'}", f"--sys-root={tree}",
           f"--groups={groups}", "-o", name)  # fmt: skip
    return name


def warnings(a, b):
    return json.loads(ctprof("compare", "--totals", "-f", "json", a, b).stdout)["warnings"]


def test_threads_are_grouped_by_their_scheduler():
    found = json.loads(ctprof("show", "-f", "json", "-n", "0", "--group-by=scheduler", capture("one")).stdout)
    rows = [row for section in found["sections"] if section["name"] == "primary" for row in section["rows"]]
    assert rows and {row["group"] for row in rows} == {"simple"}, rows


def test_capture_without_the_label_says_how_to_get_it():
    done = ctprof("show", "--group-by=scheduler", capture("plain", groups="all"), status=1)
    assert b"capture with --groups=all,scx-threads" in done.stderr, done.stderr


def test_another_scheduler_is_told():
    other = capture("other", lambda tree: (tree / "root/ops").write_text("layered_1.0\n"))
    (said,) = [each for each in warnings(capture("one"), other) if "BPF scheduler" in each]
    assert said.startswith("BPF scheduler: simple in the baseline, layered_1.0 in the candidate: "), said


def test_no_scheduler_is_told_as_none():
    def unload(tree):
        shutil.rmtree(tree / "root")
        (tree / "state").write_text("disabled\n")

    (said,) = [each for each in warnings(capture("one"), capture("none", unload)) if "BPF scheduler" in each]
    assert said.startswith("BPF scheduler: simple in the baseline, none in the candidate: "), said


def test_scheduler_that_was_loaded_again_is_told():
    again = capture("again", lambda tree: (tree / "enable_seq").write_text("7\n"))
    (said,) = [each for each in warnings(capture("one"), again) if "BPF scheduler" in each]
    assert said == "BPF scheduler: simple was loaded again: its events start at 0", said


def test_same_scheduler_is_no_difference():
    assert not [each for each in warnings(capture("one"), capture("same")) if "BPF scheduler" in each]


if __name__ == "__main__":
    tap.main(globals())
