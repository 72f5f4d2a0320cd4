#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts/new-plugin: the project that it writes builds, passes its test and loads at once."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from stranger import SOURCE, call, tap, workshop  # noqa: E402

SCRIPT = SOURCE / "scripts/new-plugin"
FILES = ["Makefile", "README.md", "fakehost.h", "meson.build"]


def refuse(status, word, *arguments, cwd="/", script=SCRIPT):
    """Checks the status, and that the one line contains the word."""
    done = subprocess.run([script, *arguments], cwd=cwd, text=True,
                          capture_output=True, check=False)
    assert done.returncode == status and done.stdout == "", f"{arguments}: {done}"
    assert re.fullmatch(rf"[\w-]+: .*{re.escape(word)}.*\n", done.stderr), f"{arguments}: {done}"


def check_files(project, name):
    names = sorted(file.name for file in project.iterdir())
    assert names == sorted([*FILES, f"{name}.c", f"test-{name}.c"]), names
    for file in project.iterdir():
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"@[A-Z]+@", text), f"{file.name} has a placeholder left"
        assert file.suffix == ".md" or "SPDX-License-Identifier: 0BSD" in text.split("\n")[0]


def check_source(w, folder, name):
    """In a snapshot and in a report of it."""
    metric = name.replace("-", "_") + "_oom_score"
    w.run(f"--plugins={name},procfs,snapshot", "capture", "--pid", os.getpid(),
          "-o", w.tmp / "x.ctprof.zst", path=folder, cwd=w.tmp)
    shown = w.run("show", "--format=json", "--sections=primary", f"--metrics={metric}",
                  w.tmp / "x.ctprof.zst", path=folder)
    rows = [row for section in json.loads(shown.stdout)["sections"] for row in section["rows"]]
    score = Path("/proc/self/oom_score")
    assert [row["metric"] for row in rows] == [metric], rows
    assert (rows[0]["value"] is not None) == score.exists(), rows


def check_sink(w, folder, name):
    w.run("--plugins=procfs,snapshot", "capture", "--pid", os.getpid(),
          "-o", w.tmp / "x.ctprof.zst", path=folder)
    shown = w.run("show", f"--format={name}", w.tmp / "x.ctprof.zst", path=folder)
    assert re.search(r"^primary \S+ thread_count 1$", shown.stdout, re.MULTILINE), shown.stdout


CHECKS = {"source": check_source, "sink": check_sink}


def check_project(script, kind, name):
    with workshop() as w:
        program = w.program if script is None else script
        said = call(program, name, kind, "--dir", "mine", cwd=w.tmp, env=w.env)
        assert said.startswith(f"mine is a {kind}"), said
        project = w.tmp / "mine"
        check_files(project, name)
        assert "all tests passed" in w.make(project, "check")
        CHECKS[kind](w, project, name)
        w.check(project / f"ctprof-{name}.so")
        w.meson(project, w.tmp / "build")
        CHECKS[kind](w, w.tmp / "build", name)
        installed = w.tmp / "root"
        w.make(project, "install", f"DESTDIR={installed}")
        assert [file.name for file in installed.rglob("*.so")] == [f"ctprof-{name}.so"]
        w.make(project, "clean")
        check_files(project, name)


def test_a_source_written_in_the_tree():
    check_project(SCRIPT, "source", "my-source")


def test_a_sink_written_by_the_installed_script():
    check_project(None, "sink", "z9-")


def test_names_are_checked():
    for name in ("", "A", "9a", "-a", "a_b", "a.b", "a/b", "a" * 33, "a\n", "ä", "procfs", "table"):
        refuse(2, "", name, "--dir", "/nonexistent/x")


def test_the_installed_script_knows_the_own_names():
    with workshop() as w:
        refuse(2, "a plugin that comes with ctprof", "jemalloc", cwd=w.tmp, script=w.program)
        assert not (w.tmp / "ctprof-jemalloc").exists()


def test_nothing_is_overwritten():
    with workshop() as w:
        (w.tmp / "ctprof-mine").mkdir()
        (w.tmp / "dangling").symlink_to("nowhere")
        refuse(1, "already exists", "mine", cwd=w.tmp)
        refuse(1, "already exists", "mine", "--dir=dangling", cwd=w.tmp)
        assert not list((w.tmp / "ctprof-mine").iterdir())


def test_arguments_are_checked():
    for arguments in ((), ("a", "b"), ("a", "sink", "source"), ("a", "--dir"), ("a", "--what")):
        refuse(2, "", *arguments)


def test_help():
    said = call(SCRIPT, "--help")
    assert said.startswith("usage: new-plugin NAME [source|sink] [--dir DIR]\n"), said


if __name__ == "__main__":
    tap.main(globals(), world="own")
