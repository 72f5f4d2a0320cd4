#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The BPF programs are the same bytes wherever they are built, and can be left out."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

OBJECT = "plugins/bpf/task.linked.o"
SKELETON = "plugins/bpf/task.skel.h"
PARTS = ("core", "data", "docs", "include", "plugins", "scripts", "sinks", "templates",
         "completions", "LICENSE", "NEWS.md", "README.md", "meson.build", "meson_options.txt")


def configure(folder, *options):
    """A build folder of a copy of the source tree, far from it."""
    source = Path(folder) / "far/away/source"
    source.mkdir(parents=True)
    for part in PARTS:
        path = harness.SOURCE / part
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, source / part)
    build = Path(folder) / "out"
    done = subprocess.run(["meson", "setup", build, source, "-Dtests=false", *options],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return build, done.stdout


def test_two_trees_give_the_same_object():
    if not (harness.BUILD / OBJECT).exists():
        raise tap.Skip("bpf is not built")
    with tempfile.TemporaryDirectory() as folder:
        build, _ = configure(folder, "-Dbpf=enabled")
        subprocess.run(["ninja", "-C", build, SKELETON], check=True, capture_output=True)
        for name in (OBJECT, SKELETON):
            assert (build / name).read_bytes() == (harness.BUILD / name).read_bytes(), name


def test_a_build_says_what_it_left_out():
    with tempfile.TemporaryDirectory() as folder:
        build, said = configure(folder, "-Dbpf=disabled")
        assert "bpf" in said.partition("Plugins left out")[2], said
        targets = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"],
                                 capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert "ctprof-procfs.so" in targets and "bpf" not in targets, targets


if __name__ == "__main__":
    tap.main(globals())
