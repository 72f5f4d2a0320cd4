#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The BPF programs are byte-identical wherever they are built, and can be left out."""

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

OBJECT = "plugins/common/task.linked.o"
SKELETON = "plugins/common/task.skel.h"
PARTS = ("core", "data", "docs", "include", "plugins", "scripts", "sinks", "templates",
         "completions", "LICENSE", "NEWS.md", "README.md", "SECURITY.md", "meson.build", "meson_options.txt")


def configure(folder, *options, without=(), may_fail=False):
    """A build folder of a copy of the source tree, far from it; a file in its place hides
    each of without."""
    source = Path(folder) / "far/away/source"
    source.mkdir(parents=True)
    for part in PARTS:
        path = harness.SOURCE / part
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, source / part)
    build = Path(folder) / "out"
    hide = "".join(f"mount --bind /dev/null '{path}' && " for path in without)
    done = subprocess.run([*(["unshare", "-m"] if without else []), "sh", "-c", hide + 'exec "$@"',
                           "-", "meson", "setup", build, source, "-Dtests=false", *options],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0 or may_fail, done.stdout + done.stderr
    return build, done.stdout


def tools():
    """{what bpf is built with: where it is}"""
    asked = ["pkg-config", "--variable=pcfiledir", "libbpf"]
    pc = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    found = {"libbpf": f"{pc}/libbpf.pc", "clang": shutil.which("clang"),
             "bpftool": shutil.which("bpftool", path=f"{os.environ['PATH']}:/usr/sbin")}  # fmt: skip
    if not (harness.BUILD / OBJECT).exists() or not all(found.values()):
        raise tap.Skip("bpf is not built")
    return {name: os.path.realpath(path) for name, path in found.items()}


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
    programs = [line for line in targets.splitlines() if re.search(r"\.bpf\.|ctprof-(bpf|latency)\.so|_bpf\b", line)]
    assert "ctprof-procfs.so" in targets and not programs, programs


def test_a_build_without_one_of_its_tools_leaves_it_out():
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip("no mount namespace can be made here")
    for name, path in tools().items():
        with tempfile.TemporaryDirectory() as folder:
            _, said = configure(folder, "-Dbpf=auto", without=[path])
            left_out = said.partition("Plugins left out")[2]
            assert "bpf" in left_out and "libbpf, clang and bpftool" in left_out, (name, said)
        with tempfile.TemporaryDirectory() as folder:
            _, said = configure(folder, "-Dbpf=enabled", without=[path], may_fail=True)
            assert "plugin bpf needs libbpf, clang and bpftool" in said, (name, said)


if __name__ == "__main__":
    tap.main(globals())
