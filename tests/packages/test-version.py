#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""meson.build has the version; everything that names one agrees with it."""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

NUMBER = r"(\d+\.\d+\.\d+)"

# Where a version stands in the source tree.
FILES = {
    "meson.build": rf"^  version: '{NUMBER}',$",
    "NEWS.md": rf"\A# {NUMBER}(?: \(not released yet\))?$",
    "debian/changelog": rf"\Actprof \({NUMBER}\) ",
    "packaging/ctprof.spec": rf"^Version: +{NUMBER}$",
}


def find_only(pattern, text):
    found = re.findall(pattern, text, re.MULTILINE)
    assert len(found) == 1, f"{len(found)} versions, not one"
    return found[0]


def version_in(name):
    return find_only(FILES[name], (harness.SOURCE / name).read_text(encoding="utf-8"))


def check_file(name):
    assert version_in(name) == version_in("meson.build"), version_in(name)


def add_tests():
    for name in FILES:
        globals()["test_" + re.sub(r"\W", "_", name)] = lambda name=name: check_file(name)


def test_program():
    said = subprocess.run([harness.CTPROF, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"ctprof {version_in('meson.build')}\n", said.stdout


def test_pkg_config():
    text = (harness.BUILD / "meson-private/ctprof.pc").read_text(encoding="utf-8")
    assert find_only(rf"^Version: {NUMBER}$", text) == version_in("meson.build")


def test_news_and_changelog_are_released_together():
    unreleased = "(not released yet)" in (harness.SOURCE / "NEWS.md").read_text().partition("\n")[0]
    head = (harness.SOURCE / "debian/changelog").read_text().partition("\n")[0]
    assert unreleased == (" UNRELEASED;" in head), head


add_tests()

if __name__ == "__main__":
    tap.main(globals())
