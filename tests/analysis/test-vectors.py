#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each vector of memory-vectors.md is a test, or has a reason not to be."""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "lib"))

import tap  # noqa: E402

LIST = SOURCE / "tests" / "analysis" / "memory-vectors.md"

# Comments such as "vector 21", "vectors 2, 3" are what names a row.
NAMED = re.compile(r"\b[Vv]ectors? ((?:\d+, )*\d+)")
ROW = re.compile(r"^\| (\d+) \|", re.MULTILINE)

NO_TEST = {
    43: "sinks write sizes by a ladder of their own, as all amounts: sinks/table/tests/test-scale.c",
    67: "ctprof has no pager of its own",
}


def tests():
    for folder in ("plugins", "tests", "sinks"):
        for path in sorted((SOURCE / folder).rglob("test*")):
            if path.suffix in (".c", ".py") and path != Path(__file__).resolve():
                yield path


def vectors():
    numbers = [int(number) for number in ROW.findall(LIST.read_text(encoding="utf-8"))]
    assert numbers and numbers == sorted(set(numbers)), f"{LIST}: one row a vector, in order"
    return set(numbers)


def named():
    places = {}
    for path in tests():
        for match in NAMED.finditer(path.read_text(encoding="utf-8")):
            for number in match[1].split(", "):
                places.setdefault(int(number), set()).add(str(path.relative_to(SOURCE)))
    return places


def test_each_vector_is_named_by_a_test():
    missing = vectors() - set(named()) - set(NO_TEST)
    assert not missing, f"no test names the vectors {sorted(missing)}"


def test_no_test_names_a_vector_that_is_none():
    known = vectors()
    strange = {number: places for number, places in named().items() if number not in known}
    assert not strange, strange


def test_exceptions_are_still_needed():
    needless = set(NO_TEST) & set(named()) | set(NO_TEST) - vectors()
    assert not needless, f"vectors {sorted(needless)} need no reason"


if __name__ == "__main__":
    tap.main(globals())
