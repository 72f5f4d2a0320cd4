# SPDX-License-Identifier: LGPL-2.1-or-later
"""SECURITY.md names a test for each claim, and every test that it names exists."""

import fnmatch
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tap

SOURCE = Path(os.environ["CTPROF_SOURCE"])
PAGE = (SOURCE / "SECURITY.md").read_text(encoding="utf-8")
TESTS = [line.split()[0] for line in (SOURCE / "tests/table").read_text(encoding="utf-8").splitlines()
         if line.strip() and not line.startswith("#")]
# Programs that are not tests of meson.
TOOLS = ("scripts/", "tests/bench/")


def section(name):
    return re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]


def bullets(text):
    return [" ".join(bullet.split()) for bullet in re.split(r"^- ", text, flags=re.MULTILINE)[1:]]


def rows(text):
    """The last cells of a table's rows."""
    return [line.rstrip(" |").rpartition("|")[2] for line in text.splitlines()[2:] if line.startswith("|")][2:]


def spans(text):
    return re.findall(r"`([^`]+)`", text)


def is_test(name):
    return any(fnmatch.fnmatch(test, name) for test in TESTS) or \
        (name.startswith(TOOLS) and (SOURCE / name).exists())


def test_each_sentence_names_its_tests():
    blocks = [*bullets(section("What is done about it")), *bullets(section("Known limits")),
              " ".join(section("What a file says").split())]
    bare = [sentence for block in blocks
            for sentence in re.split(r"(?<=\.) (?=[A-Z])", re.sub(r"`[^`]+`", lambda m: m[0].replace(". ", ""), block))
            if not re.search(r"\[(`[^`]+`(, )?)+\]\.$", sentence)]
    assert bare == [], bare


def test_each_row_names_its_tests():
    cells = rows(section("What runs with which rights")) + rows(section("Tests"))
    assert len(cells) > 20 and [cell for cell in cells if not spans(cell)] == [], cells


def test_each_test_that_is_named_exists():
    named = [name for reference in re.findall(r"\[((?:`[^`]+`(?:, )?)+)\]", PAGE) for name in spans(reference)]
    named += [name for part in ("What runs with which rights", "Tests") for cell in rows(section(part))
              for name in spans(cell)]
    unknown = sorted({name for name in named if not is_test(name)})
    assert len(named) > 60 and unknown == [], unknown


tap.main(globals())
