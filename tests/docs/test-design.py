# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/design.md names every room, and no folder that does not exist."""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tap

SOURCE = Path(os.environ["CTPROF_SOURCE"])
PAGE = (SOURCE / "docs/design.md").read_text(encoding="utf-8")
# A folder in which each subfolder is a plugin, a test or a tool of its own.
OF_EQUALS = ("plugins/NAME", "sinks/NAME")
NO_ROOMS = {"completions", "data", "debian", "docs", "packaging", "scripts"}


def named():
    """The folders in the first column of the table."""
    return re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)


def rooms():
    """The folders that hold C files of ours, and all of core's."""
    files = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "*.[ch]"], cwd=SOURCE, text=True,
                           capture_output=True, check=True).stdout.split()
    found = set()
    for path in files:
        folder = os.path.dirname(path)
        top = folder.split("/")[0]
        if re.match(r"(plugins|sinks)/(?!common)", folder):
            folder = f"{top}/NAME"
        elif top in ("plugins", "sinks"):
            folder = "/".join(folder.split("/")[:2])
        elif top in ("tests", "templates"):
            folder = top
        found.add(folder)
    return found - {"core"}


def test_every_folder_it_names_exists():
    missing = [name for name in named() if name not in OF_EQUALS and not (SOURCE / name).exists()]
    assert missing == [], missing


def test_every_room_is_named():
    missing = sorted(rooms() - set(named()))
    assert missing == [], missing


def test_other_folders_are_no_rooms():
    tops = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name[0] != "."
            and not path.name.startswith("build")}
    known = {name.split("/")[0] for name in named()} | NO_ROOMS
    assert tops <= known, tops - known


tap.main(globals())
