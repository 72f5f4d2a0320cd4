# SPDX-License-Identifier: LGPL-2.1-or-later
"""Turns a recorded root's snapshot into text that can be read, compared and kept."""

import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "live"))

import harness  # noqa: E402

GOLDEN = HERE / "golden"
FIXTURES = Path(os.environ.get("CTPROF_FIXTURES") or harness.SOURCE.parent / "shared/fixtures")
NOTHING = (0, "", "~", False, [], {})
# Values that depend on the run, release or machine, and the list of metrics, which 'ctprof metric-list'
# shows.
DROPPED = ("captured_at_unix_ns", "capture", "metrics")
DROPPED_OF_PLUGIN = ("version", "cpu_ns")


def roots():
    """Returns name -> folder of every recorded kernel, ours and the shared ones."""
    own = [path.parent for path in HERE.glob("*/proc")]
    shared = [path.parent for path in FIXTURES.glob("*/proc")]
    return {path.name: path for path in sorted(own + shared)}


def options(root):
    trees = [name for name in ("proc", "sys", "cgroup") if (root / name).is_dir()]
    return [f"--{name}-root={root / name}" for name in trees]


def capture(root, *arguments, **more):
    return harness.capture("--jobs=1", *options(root), *arguments, **more)


def present(snapshot, row):
    """Returns a row without absent values, which must have their placeholders."""
    absent = snapshot.absences(row)
    for name in absent:
        # A field that is not the format's own is in "extra", if anywhere.
        assert row.get(name, 0) in NOTHING, f"{name} is absent and {row[name]}"
        assert name not in row.get("extra", {}), f"{name} is absent and in extra"
    return {key: value for key, value in row.items() if key not in absent}


def line(value):
    return json.dumps(value, ensure_ascii=False)


def block(rows):
    return "[\n" + ",\n".join("  " + line(row) for row in rows) + "\n]"


def normalise(snapshot):
    """Returns JSON with one top member per line, and one thread, presence set and plugin per line."""
    data = snapshot.data
    parts = []
    for key, value in data.items():
        if key in DROPPED:
            continue
        if key == "threads":
            value = block(present(snapshot, row) for row in value)
        elif key == "presence_sets":
            value = block(value)
        elif key == "plugins":
            value = block(
                {k: v for k, v in one.items() if k not in DROPPED_OF_PLUGIN} for one in value
            )
        else:
            value = line(value)
        parts.append(f"{line(key)}: {value}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
