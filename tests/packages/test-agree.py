#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Data that packages repeat agrees with its source: the version with meson.build,
the libraries with the table of scripts/setup."""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

NUMBER = r"(\d+\.\d+\.\d+)"

# The places of a version in the source tree.
FILES = {
    "meson.build": rf"^  version: '{NUMBER}',$",
    "NEWS.md": rf"\A# {NUMBER}(?: \(not released yet\))?$",
    "debian/changelog": rf"\Actprof \({NUMBER}-1\) ",
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


def setup_rows(sets):
    """scripts/setup's table: (check, Debian's package) of the rows in these sets."""
    text = (harness.SOURCE / "scripts/setup").read_text(encoding="utf-8")
    rows = re.findall(r"^\t(\w+) +(\S+) +(\S+) +\S+ +\S+$", text, re.MULTILINE)
    return [(check, debian) for kind, check, debian in rows if kind in sets]


def test_debian_builds_with_every_library():
    text = (harness.SOURCE / "debian/control").read_text(encoding="utf-8")
    field = re.search(r"^Build-Depends:\n((?: .*\n)+)", text, re.MULTILINE)[1]
    named = set(re.findall(r"^ ([^ ,]+)", field, re.MULTILINE))
    # Dependencies of debhelper and meson.
    brought = {"gcc", "libc6-dev", "ninja-build", "debhelper"}
    asked = {debian for _, debian in setup_rows({"build", "optional"})} - brought
    assert named - {"debhelper-compat"} == asked, named ^ asked


def test_spec_builds_with_every_library():
    text = (harness.SOURCE / "packaging/ctprof.spec").read_text(encoding="utf-8")
    named = set(re.findall(r"^BuildRequires: +pkgconfig\((\S+?)\)", text, re.MULTILINE))
    asked = {check[3:] for check, _ in setup_rows({"build", "optional"}) if check[:3] == "pc:"}
    assert named == asked, named ^ asked


add_tests()

if __name__ == "__main__":
    tap.main(globals())
