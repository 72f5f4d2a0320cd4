# SPDX-License-Identifier: LGPL-2.1-or-later
"""The lint finds what cases/ say on the very lines they say, and nothing else.

A case names with "lint-as: PATH" what file it stands for, and with
"expect: RULE..." on a line the breaches of that line.
"""

import re
import subprocess
import sys
from pathlib import Path

import script
import tap

CASES = Path(__file__).resolve().parent / "cases"
lint = script.load("lint")


def expectations(text):
    return sorted((number, rule)
                  for number, line in enumerate(text.split("\n"), 1)
                  for match in re.findall(r"expect: ([a-z -]+?)[ \t]*(?:\*/|$)", line)
                  for rule in match.split())


def case_test(path):
    def test():
        text = path.read_text(encoding="utf-8")
        stands_for = re.search(r"lint-as: (\S+)", text).group(1)
        got = sorted((finding.line, finding.rule) for finding in lint.check_c(stands_for, text))
        assert got == expectations(text), f"found {got}, expected {expectations(text)}"
    return test


def test_no_source_breaks_it():
    """Cut anywhere, a source ends in findings or none, never in an exception."""
    text = (CASES / "nesting.c").read_text(encoding="utf-8") + '"\\\n\'\\' + "/*"
    for end in range(0, len(text), 7):
        lint.check_c("core/cut.c", text[:end])
        lint.check_c("core/cut.c", text[end:])


def test_other_files():
    def rules(findings):
        return [(finding.line, finding.rule) for finding in findings]

    assert rules(lint.check_shell("x", "if true; then\n:\nfi\n")) == []
    assert rules(lint.check_shell("x", "if true; then\n:\n"))[0][1] == "shell"
    assert rules(lint.check_python("x", "a = 1\n")) == []
    assert rules(lint.check_python("x", "a = 1\nb = (\n")) == [(2, "python")]
    assert rules(lint.check_meson("x", "a\n\tb\n")) == [(2, "tab")]
    assert rules(lint.check_text("x", "a\nb \nc\r\n")) == [(2, "trailing-blank"),
                                                          (3, "trailing-blank")]


def run_lint(case):
    return subprocess.run([sys.executable, script.SCRIPTS / "lint", CASES / case],
                          capture_output=True, text=True, check=False)


def test_clean_file_is_silent():
    # As what it is, a file below tests/: it may know the paths.
    run = run_lint("root.c")
    assert (run.returncode, run.stdout) == (0, ""), run


def test_breach_names_place_and_rule():
    run = run_lint("style.c")
    assert run.returncode == 1, run
    assert run.stdout.startswith("tests/lint/cases/style.c:1: spdx: the first line must"), run


def all_tests():
    cases = {f"test_case_{path.name}": case_test(path) for path in sorted(CASES.iterdir())}
    return {**cases, **globals()}


tap.main(all_tests())
