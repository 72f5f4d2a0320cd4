#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs some situations of the zoo (zoo.py): no sentence about them may be false, and the cause must be
named if the host has room for it to show.  --all: runs all of them, on a quiet and on a busy host, as
root and as an ordinary user, and counts how often the cause was named.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import tap  # noqa: E402
import zoo  # noqa: E402

TRIES = 3
NAMED = 0.9
LEAST = 40


def has_room():
    return os.getloadavg()[0] < zoo.CPUS


def situation(name):
    return next(s for s in zoo.SITUATIONS if s.name == name)


def check(name):
    for _ in range(TRIES):
        result = zoo.judge(situation(name), is_brief=True)
        assert result["verdict"] != "FALSE", (result["wrong"], result["said"])
        if result["verdict"] == "NAMED":
            return
    if has_room():
        raise AssertionError((result["missed"], result["said"]))
    raise tap.Skip("the host is too busy for the cause to show")


def test_one_spins():
    check("one-spins")


def test_pinned():
    check("pinned")


def test_quota():
    check("quota")


def test_leak_of_one():
    check("leak-of-one")


def test_into_cache():
    check("into-cache")


def test_hot_thread():
    check("hot-thread")


def tour():
    """Results of an earlier run, in the build folder, are reused."""
    results = []
    for busy in (False, True):
        for as_user in (False, True):
            results += zoo.visit((), busy, as_user, again=False)
    wrong = [(r["situation"], r["wrong"]) for r in results if r["verdict"] == "FALSE"]
    assert not wrong, wrong
    assert len({r["situation"] for r in results}) >= LEAST
    named = [r["verdict"] == "NAMED" for r in results if situation(r["situation"]).wanted(r["user"])]
    assert sum(named) >= NAMED * len(named), f"{sum(named)} of {len(named)} named"


if sys.argv[1:] == ["--all"]:
    del sys.argv[1]
    tap.main({"test_tour": tour})
else:
    tap.main(globals())
