#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Removes each file of a recorded kernel in turn, with all sources loaded.
Whatever the file, a value either stays the same or becomes absent: none becomes
a different number, least of all 0.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

FIXTURE = harness.SOURCE.parent / "shared/fixtures/7.2.13+deb14-amd64-scx"
CGROUP = "lab.slice/capped.service"
# Conclusions that a source draws from a missing file, instead of a value.
CONCLUSIONS = {"host.task_delayacct", "host.config_task_xacct", "smaps_state", "smaps_source"}
# A system call with a path, below the folder that strace -y shows.
ASKED = re.compile(r'\b\w+\((?:(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"')


def lookup(tree, name):
    """Returns the member of nested objects with that dotted name; None: there is none."""
    for part in name.split("."):
        if not isinstance(tree, dict) or part not in tree:
            return None
        tree = tree[part]
    return tree


def object_values(tree, absent, names):
    """Returns metric -> value, for present values."""
    gone = {name for why in absent.values() for name in why}
    values = {name: lookup(tree, name) for name in names if name not in gone}
    return {name: value for name, value in values.items() if value is not None}


def values_of(snapshot):
    data = snapshot.data
    of_scope = lambda scope: [m["name"] for m in data["metrics"] if m["scope"] == scope]
    absent = {}
    for part in ("host", "psi", "sched_ext", "extra"):
        for why, names in ((data.get(part) or {}).get("absent") or {}).items():
            absent.setdefault(why, []).extend(names)
    found = object_values({**data.get("extra", {}), **data}, absent, of_scope("host"))
    for path, one in data["cgroup_stats"].items():
        values = object_values(one, one.get("absent", {}), of_scope("cgroup"))
        found |= {f"{path}: {name}": value for name, value in values.items()}
    for key, row in snapshot.rows.items():
        gone = set(snapshot.absences(row)) | {"presence", "extra"}
        both = {**row, **row.get("extra", {})}
        found |= {f"{key} {name}": v for name, v in both.items() if name not in gone}
    return found


def arguments(root):
    trees = [f"--{name}-root={root / name}" for name in ("proc", "sys", "cgroup")]
    return ["--plugins=all", *trees]


def capture(root):
    return harness.capture(*arguments(root))


def asked_for(root):
    """Returns the paths that a capture passes to the kernel; None if strace cannot run."""
    log = root / "log"
    with contextlib.suppress(OSError):
        done = subprocess.run(
            ["strace", "-f", "-y", "-qq", "-e", "trace=%file", "-o", log, harness.CTPROF, "capture",
             *arguments(root), "-o", "/dev/null"],
            stdin=subprocess.DEVNULL, capture_output=True, check=False,
            env={**os.environ, **harness.NO_LEAK_CHECK},
        )  # fmt: skip
        if done.returncode == 0:
            found = ASKED.findall(log.read_text(errors="replace"))
            return {os.path.normpath(os.path.join(*names)) for names in found}
    return None


@contextlib.contextmanager
def copy_of_fixture():
    if not FIXTURE.is_dir():
        raise tap.Skip(f"needs {FIXTURE.name} in ../shared/fixtures")
    with tempfile.TemporaryDirectory() as made:
        root = Path(made).resolve()
        for tree in ("proc", "sys", "cgroup"):
            shutil.copytree(FIXTURE / tree, root / tree, copy_function=shutil.copyfile)
        # The fixture may be read-only.
        for folder, _, _ in os.walk(root):
            os.chmod(folder, 0o755)
        yield root


def two_processes(root):
    """Returns a process with many threads and one with few, which represent all others."""
    tgids = [int(p.name) for p in (root / "proc").iterdir() if p.name.isdigit()]
    by_size = sorted(tgids, key=lambda tgid: len(list((root / f"proc/{tgid}/task").iterdir())))
    return {str(by_size[0]), str(by_size[-1])}


def candidates(root):
    """Leaves out files that are not read as long as all exist, since removing them would have no effect."""
    chosen, asked = two_processes(root), asked_for(root)
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        parts = path.relative_to(root).parts
        if parts[0] == "log" or (asked is not None and str(path) not in asked):
            continue
        if parts[0] == "proc" and parts[1].isdigit() and parts[1] not in chosen:
            continue
        if parts[0] == "cgroup" and len(parts) > 2 and CGROUP not in str(path):
            continue
        yield path


def complaints(before, after, path):
    """Yields changes other than a value becoming absent."""
    for key in sorted(after):
        if key.rpartition(" ")[2] in CONCLUSIONS or after[key] == before.get(key):
            continue
        yield f"without {path}: {key} was {before.get(key, 'absent')}, is {after[key]}"


def check(spoil, mend, names_left_alone=()):
    with copy_of_fixture() as root:
        before = values_of(capture(root))
        found, of_use = [], 0
        for path in list(candidates(root)):
            # Every file is an entry of these maps.
            if path.name.startswith("sched_") or path.name in names_left_alone:
                continue
            spoil(path)
            after = values_of(capture(root))
            mend(path)
            found += complaints(before, after, path.relative_to(root))
            of_use += before.keys() != after.keys()
        assert not found, "\n".join(found[:40])
        # The loop would prove nothing if the removed files were not read.
        assert of_use >= 60, f"only {of_use} files cost a value"


def test_a_missing_file_turns_values_absent_and_nothing_else():
    with tempfile.TemporaryDirectory() as elsewhere:
        away = Path(elsewhere) / "away"
        check(lambda path: shutil.move(path, away), lambda path: shutil.move(away, path))


def test_an_empty_file_turns_values_absent_and_nothing_else():
    kept = {}

    def spoil(path):
        kept[path] = path.read_bytes()
        os.truncate(path, 0)

    # A thread's name, a kernel's command line, and the I/O of a cgroup may be empty.
    check(spoil, lambda path: path.write_bytes(kept[path]), ("comm", "cmdline", "io.stat"))


if __name__ == "__main__":
    tap.main(globals())
