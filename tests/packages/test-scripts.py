#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts/deb with fake tools that only print their arguments."""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

# The "packages" are the files that name a maintainer, as they were when it was built.
TOOLS = {
    "apt-get": 'echo "$@" >>"$LOG"; case " $* " in *" build-dep "*) touch "$LOG.there" ;; esac',
    "sudo": 'exec "$@"',
    "dpkg-checkbuilddeps": '[ -e "$LOG.there" ]',
    "dpkg-buildpackage": "cp debian/control ../a.deb; cp debian/changelog ../a.changes;"
                         " touch ../a.buildinfo",
}


@contextlib.contextmanager
def made(*there, **environment):
    """Runs scripts/deb: its folder of packages, and the arguments of apt-get."""
    with tempfile.TemporaryDirectory() as tmp:
        for name, script in TOOLS.items():
            tool = Path(tmp) / name
            tool.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            tool.chmod(0o755)
        log = Path(tmp) / "log"
        for name in ("log", *there):
            (Path(tmp) / name).touch()
        clean = {k: v for k, v in os.environ.items()
                 if k not in ("DEBFULLNAME", "DEBEMAIL", "HOMEPAGE")}
        done = subprocess.run(
            [harness.SOURCE / "scripts/deb", "--output", Path(tmp) / "out"], text=True,
            capture_output=True, check=False, stdin=subprocess.DEVNULL,
            env={**clean, "PATH": f"{tmp}:{os.environ['PATH']}", "LOG": str(log), **environment})
        assert done.returncode == 0, done.stdout + done.stderr
        yield Path(tmp) / "out", log.read_text(encoding="utf-8").splitlines()


def fields(output):
    text = (output / "a.deb").read_text(encoding="utf-8").partition("\n\n")[0]
    return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)


def signature(output):
    text = (output / "a.changes").read_text(encoding="utf-8")
    return text.rpartition("\n -- ")[2].partition("  ")[0]


def test_what_building_needs_is_installed_first():
    with made() as (_, asked):
        assert len(asked) == 2 and asked[0].endswith("update"), asked
        assert "build-dep" in asked[1] and asked[1].endswith(str(harness.SOURCE)), asked


def test_nothing_is_installed_when_all_is_there():
    with made("log.there") as (_, asked):
        assert not asked, asked


def test_no_maintainer_is_invented():
    with made("log.there") as (output, _):
        found = fields(output)
        assert found["Maintainer"] == "Unnamed builder <root@localhost>", found
        assert signature(output) == found["Maintainer"] and "Homepage" not in found
    for folder in ("debian", "packaging"):
        for file in (harness.SOURCE / folder).rglob("*"):
            assert not file.is_file() or ".invalid" not in file.read_text(), file


def test_the_builder_is_named():
    person = {"DEBFULLNAME": r"A. & B\\1 O'Neil", "DEBEMAIL": "ab@example.org"}
    with made("log.there", **person, HOMEPAGE="https://example.org/?a&b") as (output, _):
        found = fields(output)
        assert found["Maintainer"] == f"{person['DEBFULLNAME']} <ab@example.org>", found
        assert signature(output) == found["Maintainer"], signature(output)
        assert found["Homepage"] == "https://example.org/?a&b", found


if __name__ == "__main__":
    tap.main(globals())
