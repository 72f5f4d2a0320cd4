# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts/test: the table of the tests is whole, the totals are the sums of the single tests,
and a failure is forgiven only where a second run can clear it."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tap

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/loop"))

import guards  # noqa: E402
import lanes  # noqa: E402
import suite  # noqa: E402
import table  # noqa: E402
import tally  # noqa: E402

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


# result, status, output, whether it is final
ENDS = (
    ("FAIL", 1, "not ok 1 /a\n# AssertionError: 3 is not 4\n", False),
    ("ERROR", -6, "Bail out! ERROR:test-x.c:7:f: assertion failed (a == b)\n", False),
    ("ERROR", -6, "malloc(): corrupted\n", True),
    ("ERROR", -11, "", True),
    ("TIMEOUT", -15, "", True),
    ("FAIL", 1, "==9==ERROR: AddressSanitizer: heap-use-after-free\n", True),
    ("FAIL", 1, "==9==ERROR: LeakSanitizer: detected memory leaks\n", True),
    ("FAIL", 1, "==9==LeakSanitizer has encountered a fatal error.\n", False),
    ("FAIL", 1, "x.c:3:5: runtime error: signed integer overflow\n", True),
    ("FAIL", 1, "# AssertionError: ctprof ('show',) exits with -11: \n", True),
    ("FAIL", 1, "# subprocess.TimeoutExpired: Command 'ctprof' timed out\n", True),
    ("FAIL", 1, "# AssertionError: waited in vain for the end\n", True),
)


def test_what_a_second_run_cannot_clear():
    for result, status, stdout, final in ENDS:
        entry = {"name": "x", "result": result, "returncode": status, "stdout": stdout}
        assert tally.is_final(entry) == final, entry


def test_what_failed_is_shown():
    shown = tally.list_failures({"stdout": "1..3\nok 1 a\n# fine\nnot ok 2 b\n# why\n#  more\nok 3 c\n# no\n"})
    assert shown == ["not ok 2 b", "# why", "#  more"], shown


BESIDE = f"""
import os, sys
sys.path.insert(0, {str(ROOT / "tests/lib")!r})
import tap
def test_good(): print("# good", flush=True)
def test_bad(): assert 1 == 2, "of numbers"
def test_skipped(): raise tap.Skip("no such thing")
def test_dead(): os._exit(3)
tap.main(globals(), beside=2)
"""


def test_tests_beside_each_other_are_told_like_others():
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "test-x.py")
        script.write_text(BESIDE, encoding="utf-8")
        done = subprocess.run([sys.executable, script], stdout=subprocess.PIPE, check=False, text=True)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("# ") or "AssertionError" in line or "ended" in line]
    assert lines == ["1..4", "ok 1 test_good", "not ok 2 test_bad", "# AssertionError: of numbers",
                     "ok 3 test_skipped # SKIP no such thing", "not ok 4 test_dead", "# ended with 3"], lines
    assert done.returncode == 1


class FakeMeson:
    """Plays run_meson(): the first run fails, those that follow end as given."""

    def __init__(self, first, again):
        self.first, self.again, self.calls = first, again, []

    def __call__(self, _, names, logbase, *__):
        self.calls.append(names)
        entry = self.again if logbase.endswith("again") else self.first
        return (0 if entry["result"] == "OK" else 1), {names[0]: {"name": f"s / {names[0]}", **entry}}


GOOD = {"result": "OK", "returncode": 0, "stdout": "1..2\nok 1 /a\nok 2 /b\n"}
BAD = {"result": "FAIL", "returncode": 1, "stdout": "1..2\nok 1 /a\nnot ok 2 /b\n"}


def play(first, again, lane="gcc"):
    """-> (the sums, how often the test ran, the outputs kept)"""
    with tempfile.TemporaryDirectory() as folder:
        meson, real = FakeMeson(first, again), suite.run_meson
        suite.run_meson, sums = meson, suite.Sums()
        try:
            with contextlib.redirect_stdout(None):  # the text of the report is not ours
                suite.run(lanes.Lane(lane, "", Path(folder)), ["one"], sums)
        finally:
            suite.run_meson = real
        return sums, len(meson.calls), {path.name for path in Path(folder).rglob("one.*")}


def test_passes_at_the_second_run():
    sums, n, kept = play(BAD, GOOD)
    assert n == 2 and sums.count == {"passed": 2, "failed": 0, "skipped": 0}, sums.count
    assert len(sums.unstable) == 1 and kept == {"one.failed", "one.passed"}, (sums.unstable, kept)


def test_fails_twice():
    sums, n, _ = play(BAD, BAD)
    assert n == 2 and sums.count == {"passed": 1, "failed": 1, "skipped": 0}, sums.count
    assert not sums.unstable


def test_not_run_again():
    for first, lane in (({**BAD, "returncode": -11}, "gcc"), (BAD, "tsan")):
        sums, n, _ = play(first, GOOD, lane)
        assert n == 1 and sums.count["failed"] == 1 and not sums.unstable, (lane, sums.count)


def test_table_has_each_test_once():
    names = [row.name for row in table.load_rows()]
    assert len(names) == len(set(names)), "twice: " + " ".join({n for n in names if names.count(n) > 1})
    build = Path(os.environ["CTPROF_BUILD"])
    have = {test["name"] for test in json.loads((build / "meson-info/intro-tests.json").read_text())}
    assert not have - set(names), f"not in tests/table: {have - set(names)}"


def test_table_rows_say_why():
    rows = table.load_rows()
    kinds = table.read_kinds(table.TABLE.read_text(encoding="utf-8"))
    assert kinds
    for row in rows:
        assert row.kind in kinds, f"{row.name}: the table does not explain '{row.kind}'"
        assert row.cells, f"{row.name} runs in no lane"
        assert any(tier != "release" for tier, _ in row.cells.values()) or row.name in guards.load_guards(), \
            f"{row.name} is left to --release, and tests/guards does not have it"


def test_rows_that_are_wrong():
    good = "a unit quick:1 - - beside logic"
    assert table.read_row(good).cells == {"gcc": ["quick", 1]}
    for line in ("a unit quick:1 - -", good.replace("quick", "daily"), good.replace("beside", "apart"),
                 good.replace("beside", "alone"), good.replace("quick:1", "quick")):
        try:
            table.read_row(line)
        except ValueError:
            continue
        raise AssertionError(f"taken: {line}")


def test_times_are_written():
    text = "# note\na unit quick:1 - tsan:9 beside logic\n".replace("tsan:9", "release:9")
    again = table.rewrite(text, {("gcc", "a"): 12.4, ("asan", "a"): 3})
    row = table.read_rows(again)[0]
    assert again.startswith("# note\n") and row.cells == {"gcc": ["quick", 12], "tsan": ["release", 9]}


def test_guards_name_what_exists():
    rows = {row.name: row for row in table.load_rows()}
    for name, paths in guards.load_guards().items():
        assert rows[name].cells["gcc"][0] == "release", f"{name} is no release test"
        for path in paths:
            assert (ROOT / path).exists(), f"{name} guards {path}, which does not exist"
            assert path.strip("./") not in ("", "core", "plugins", "sinks", "tests", "include"), \
                f"{name} guards everything: {path}"
            assert path not in ("meson.build", "meson_options.txt") or rows[name].suite == "packages", \
                f"{name} guards {path}, which is left to the packages"


def test_guards_see_a_change():
    with tempfile.TemporaryDirectory() as folder:
        root, real = Path(folder), guards.ROOT
        git = ["git", "-C", folder, "-c", "user.name=x", "-c", "user.email=x@localhost"]
        try:
            subprocess.run([*git, "init", "-q"], check=True)
        except FileNotFoundError:
            raise tap.Skip("there is no git") from None
        (root / "sinks").mkdir()
        for file, text in (("sinks/a", "1"), ("b", "1")):
            (root / file).write_text(text)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "x"], check=True)
        guards.ROOT, lane = root, lanes.Lane("gcc", "", root / "build")
        lane.folder.mkdir()
        try:
            base = guards.find_base()
            assert not guards.has_changed(lane, "t", ["sinks"], base)
            (root / "sinks/a").write_text("2")
            assert guards.has_changed(lane, "t", ["sinks"], base)
            assert not guards.has_changed(lane, "t", ["b"], base)
            # It passed in this state; then it changes again.
            guards.put_stamp(lane, "t", ["sinks"])
            assert not guards.has_changed(lane, "t", ["sinks"], base)
            (root / "sinks/c").write_text("new")
            assert guards.has_changed(lane, "t", ["sinks"], base)
            assert not guards.has_changed(lane, "u", ["sinks"], None)
        finally:
            guards.ROOT = real


def test_budget_takes_the_short_ones():
    seconds = {"a": 200, "b": 20, "c": 90, "d": 100}
    assert guards.choose(list(seconds), seconds, 300) == (["b", "c", "d"], ["a"])


tap.main({**{f"test_{title}": case_test(*case) for title, *case in CASES}, **globals()})
