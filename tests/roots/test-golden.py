#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that a capture of recorded kernels does not change."""

import itertools
import json
import os
import subprocess
import tempfile
from pathlib import Path

import golden
import harness
import tap
import truth
from harness import Worker

# The roots that exist without the shared recordings.
OWN = {path.parent.name for path in golden.HERE.glob("*/proc")}


def differences(want, got, where=""):
    """Returns where two JSON values differ, one line for each difference."""
    if isinstance(want, dict) and isinstance(got, dict):
        pairs = [(key, want.get(key), got.get(key)) for key in {**want, **got}]
    elif isinstance(want, list) and isinstance(got, list):
        pairs = [(i, *both) for i, both in enumerate(itertools.zip_longest(want, got))]
    else:
        return [] if want == got else [f"{where}: golden {want!r}, now {got!r}"]
    return [line for key, *both in pairs for line in differences(*both, f"{where}/{key}")]


def check(name):
    root = golden.roots().get(name)
    if not root:
        raise tap.Skip("the recorded kernel is not here")
    want = (golden.GOLDEN / f"{name}.json").read_text(encoding="utf-8")
    got = golden.normalise(golden.capture(root))
    lines = differences(json.loads(want), json.loads(got))
    assert want == got, f"{len(lines)} differences:\n" + "\n".join(lines[:40] or ["order"])


def add_golden_tests():
    for name in sorted({path.stem for path in golden.GOLDEN.glob("*.json")} | set(golden.roots())):
        globals()["test_golden_" + name] = lambda name=name: check(name)


def test_two_jobs_make_the_same_snapshot():
    for name in sorted(OWN):
        root = golden.roots()[name]
        first, second = (golden.capture(root, "--jobs", jobs) for jobs in (1, 3))
        assert first.data["threads"] == second.data["threads"], name


def test_every_field_of_every_thread_is_what_the_recorded_files_say():
    """This ensures that no wrong golden text can be blessed."""
    lines = []
    for root in golden.roots().values():
        snapshot = golden.capture(root)
        recorded = root.glob("proc/[0-9]*/task/[0-9]*")
        assert sorted(snapshot.keys) == sorted(
            (int(path.parts[-3]), int(path.name)) for path in recorded
        )
        for (tgid, tid), row in snapshot.rows.items():
            fields = truth.read_thread(tgid, tid, root / "proc")
            lines += truth.compare_thread(snapshot, row, fields)
            if tgid == tid:
                memory = truth.read_memory(tgid, root / "proc")
                lines += truth.compare_memory(snapshot, row, memory)
    assert not lines, f"{len(lines)} differences:\n" + "\n".join(lines[:40])


def test_what_is_recorded_is_captured_as_if_it_lived():
    with tempfile.TemporaryDirectory() as folder, Worker("--threads", 3) as worker:
        worker.stop()
        threads = truth.read_threads(worker.threads())
        memory = truth.read_memory(worker.pid)
        record = golden.HERE / "record"
        subprocess.run([record, folder, str(worker.pid)], check=True)
        snapshot = golden.capture(Path(folder))
        for key, fields in threads.items():
            assert not truth.compare_thread(snapshot, snapshot.rows[key], fields)
        assert not truth.compare_memory(snapshot, snapshot.rows[worker.pid, worker.pid], memory)
        names = {name for _, _, names in os.walk(folder) for name in names}
        assert not names & {"environ", "cmdline", "hostname"}, names


add_golden_tests()

if __name__ == "__main__":
    tap.main(globals())
