#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The manual pages: man gives no warnings, and the lists of pages are complete."""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

# ctprof-stat(1) -> 1; ctprof-plugin(3) is made from the headers.
SECTIONS = {path.name.split(".")[0]: path.name.split(".")[1] for path in (harness.SOURCE / "docs/man").glob("*.scd")}
SECTIONS["ctprof-plugin"] = "3"


def named_in(text):
    """The commands of `man ctprof-COMMAND (A, B)`, and the pages that are named one by one."""
    lists = re.findall(r"`man ctprof-COMMAND` \(([a-z, -]+)\)", text)
    return {f"ctprof-{word}" for words in lists for word in words.split(", ")} | \
        set(re.findall(r"`man (?:[1-9] )?(ctprof[a-z-]*)`", text))


def test_man_has_no_warnings():
    harness.need_command("man")
    pages = [harness.BUILD / "docs" / f"{name}.{section}" for name, section in SECTIONS.items()]
    if not all(page.exists() for page in pages):
        raise tap.Skip("the pages were not built (scdoc)")
    for page in pages:
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-Tutf8", "-Z", "-l", page], text=True, capture_output=True,
                              check=False, env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
        assert done.returncode == 0 and done.stderr == "" and done.stdout, f"{page}: {done.stderr}"


def test_readme_names_each_page():
    missing = set(SECTIONS) - named_in((harness.SOURCE / "README.md").read_text(encoding="utf-8"))
    assert not missing, missing


def test_main_page_names_each_other():
    text = (harness.SOURCE / "docs/man/ctprof.1.scd").read_text(encoding="utf-8")
    named = dict(re.findall(r"\*(ctprof-[a-z-]+)\*\(([1-9])\)", text[text.index("# SEE ALSO"):]))
    assert named == {name: section for name, section in SECTIONS.items() if name != "ctprof"}, named


if __name__ == "__main__":
    tap.main(globals())
