# SPDX-License-Identifier: LGPL-2.1-or-later
"""The totals that scripts/test prints are the sums of the single tests."""

import script
import tap

tally = script.load("tally")

# name, result as meson logs it, stdout, outcomes
CASES = (
    ("a plain program", "OK", "hello\n", ["passed"]),
    ("a plain program that fails", "FAIL", "", ["failed"]),
    ("no stdout at all", "OK", None, ["passed"]),
    ("exit 77", "SKIP", "", ["skipped"]),
    ("TAP", "OK", "TAP version 13\n1..3\nok 1 /a\n# note\nok 2 /b\nok 3 - c\n", ["passed"] * 3),
    ("a point that fails", "FAIL", "ok 1 /a\nnot ok 2 /b\n1..2\n", ["passed", "failed"]),
    ("a point skipped", "OK", "1..2\nok 1 /a # SKIP no root\nok 2 /b\n", ["skipped", "passed"]),
    ("all points skipped", "SKIP", "1..1\nok 1 /a # skip why\n", ["skipped"]),
    ("a program skipped", "SKIP", "1..0 # SKIP no kernel\n", ["skipped"]),
    ("to do", "OK", "not ok 1 /a # TODO later\nok 2 b # TODO\n1..2\n", ["skipped", "passed"]),
    ("died after a point", "ERROR", "ok 1 /a\n", ["passed", "failed"]),
    ("timed out before any", "TIMEOUT", "", ["failed"]),
    ("died and failed: once", "ERROR", "not ok 1 /a\n", ["failed"]),
    ("words that look alike", "OK", "okay\nok 1 x\nnot okay\n", ["passed"]),
    ("a '#' in a name", "OK", "ok 1 /issue#12\n", ["passed"]),
    ("nothing planned, then dead", "ERROR", "1..0\n", ["failed"]),
)


def case_test(result, stdout, expected):
    def test():
        entry = {"name": "x", "result": result, "stdout": stdout}
        got = [outcome for outcome, _, _ in tally.tally_program(entry)]
        assert got == expected, f"counted {got}, expected {expected}"
    return test


def test_skip_keeps_its_reason():
    assert tally.read_point("ok 3 /live/io # SKIP needs root") == (
        "skipped", "/live/io", "needs root")


tap.main({**{f"test_{title}": case_test(*case) for title, *case in CASES}, **globals()})
