# SPDX-License-Identifier: LGPL-2.1-or-later
"""The lint finds what cases/ expect, on exactly those lines, and nothing else.

A case names with "lint-as: PATH" the file that it represents, and with
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


# Room of core/ -> the rooms it may include; a header of each.
ROOMS = {
    "base": [],
    "row": ["base"],
    "guard": ["base"],
    "plugin": ["base", "row", "guard"],
    "redact": ["base", "row"],
    "capture": ["base", "row", "guard", "plugin", "redact"],
    "snapshot": ["base", "row", "guard", "plugin"],
    "frame": ["base", "row"],
    "report": ["base", "row", "frame"],
    "road": ["base", "row", "guard", "plugin", "redact", "capture", "snapshot", "frame", "report"],
    "export": ["base", "row", "guard", "plugin", "redact", "snapshot", "frame",
               "report", "road"],
    "screen": ["base", "row", "guard", "plugin", "frame", "report", "road"],
    "check": ["base", "row", "guard", "plugin", "capture"],
    "command": ["base", "row", "guard", "plugin", "redact", "capture", "snapshot", "frame",
                "report", "road", "screen", "export", "check"],
}
HEADERS = {"base": "error.h", "row": "registry.h", "guard": "crash.h", "plugin": "session.h",
           "redact": "redactor.h", "capture": "capture.h", "snapshot": "read.h",
           "frame": "moment.h", "report": "report.h", "screen": "page.h", "road": "filling.h",
           "export": "export.h", "check": "check.h", "command": "cmd.h"}


def test_each_room_sees_only_the_rooms_below():
    licence = "/* SPDX-License-Identifier: LGPL-2.1-or-later */\n"
    for room, below in ROOMS.items():
        for other, header in HEADERS.items():
            got = lint.check_c(f"core/{room}/x.c", f'{licence}#include "{other}/{header}"\n')
            expected = [] if other == room or other in below else ["layer"]
            assert [finding.rule for finding in got] == expected, (room, other, got)


# The same within core/report, and the headers of its rooms.
REPORT_ROOMS = {
    "stats": [],
    "name": [],
    "fold": ["name"],
    "join": ["stats", "fold", "name"],
    "plan": ["join", "fold", "name"],
    "match": ["plan", "join", "fold", "name"],
    "draft": ["match", "plan", "join", "fold", "name"],
    "section": ["stats", "draft", "match", "plan", "join", "fold", "name"],
    "section/digest": ["stats", "section", "draft", "match", "plan", "join", "fold", "name"],
    "section/memory": ["stats", "section", "draft", "match", "plan", "join", "fold", "name"],
}
REPORT_HEADERS = {"stats": "shift.h", "name": "axis.h", "fold": "fold.h", "join": "groups.h",
                  "plan": "plan.h", "match": "intake.h", "draft": "draft.h",
                  "section": "choices.h", "section/digest": "cost.h", "section/memory": "rows.h",
                  ".": "report.h"}
# A file of each group of core/command, with those of the groups it may include.
COMMAND_GROUPS = {
    "pager": [],
    "report-options": ["pager"],
    "cmd-show": ["pager", "report-options"],
}


def layers_of(path, header):
    licence = "/* SPDX-License-Identifier: LGPL-2.1-or-later */\n"
    return [finding.rule for finding in lint.check_c(path, f'{licence}#include "{header}"\n')]


def test_the_rooms_of_the_report_are_a_staircase():
    for room, below in REPORT_ROOMS.items():
        for other, header in REPORT_HEADERS.items():
            expected = [] if other == room or other in below else ["layer"]
            got = layers_of(f"core/report/{room}/x.c", f"report/{other}/{header}")
            assert got == expected, (room, other, got)
    for other, header in REPORT_HEADERS.items():
        assert layers_of("core/report/report.c", f"report/{other}/{header}") == [], other


def test_the_rooms_of_the_report_are_all_there_are():
    report = Path(lint.ROOT) / "core/report"
    assert sorted(REPORT_ROOMS) == sorted(str(path.relative_to(report))
                                          for path in report.rglob("*") if path.is_dir())


def test_the_groups_of_the_commands_are_a_staircase():
    for group, below in COMMAND_GROUPS.items():
        for other in COMMAND_GROUPS:
            if other == "cmd-show":  # which has no header
                continue
            expected = [] if other == group or other in below else ["layer"]
            got = layers_of(f"core/command/{group}.c", f"command/{other}.h")
            assert got == expected, (group, other, got)
    assert layers_of("core/command/cmd-show.c", "command/cmd-top.c") == ["layer"]
    assert layers_of("core/command/pager.c", "snapshot/read.h") == ["layer"]


def test_the_groups_of_the_commands_have_all_files():
    rows = [row[0] for row in lint.LAYERS if row[0].startswith("core/command/")]
    for path in Path(lint.ROOT).glob("core/command/*.[ch]"):
        fits = [row for row in rows if lint.match_layer(row, f"core/command/{path.name}")]
        assert len(fits) == 1, (path.name, fits)


def test_circles_of_includes():
    def rules(units):
        return [(finding.path, finding.line, finding.rule)
                for finding in lint.check_circles(units)]

    assert rules({"a": {"b": ("a.c", 1), "c": ("a.c", 2)}, "b": {"c": ("b.h", 1)}}) == []
    assert rules({"a": {"b": ("a.c", 1)}, "b": {"c": ("b.h", 7)}, "c": {"a": ("c.c", 3)}}) == [
        ("c.c", 3, "circle")]
    assert rules({"a": {"b": ("a.h", 1)}, "b": {"a": ("b.c", 2)}}) == [("b.c", 2, "circle")]


def test_a_header_of_its_folder_is_in_no_circle():
    units = lint.list_includes(["core/screen/screen.c", "core/screen/inside.h"])
    assert "core/screen/screen" in units["core/screen/inside"]
    assert "core/screen/inside" not in units["core/screen/screen"]


def test_the_rooms_are_all_there_are():
    core = Path(lint.ROOT) / "core"
    assert sorted(ROOMS) == sorted(path.name for path in core.iterdir() if path.is_dir())


def test_base_names_are_unique_in_core():
    def names(*paths):
        return [(finding.path, finding.rule) for finding in lint.check_names(paths)]

    assert names("core/a/x.c", "core/b/y.c", "plugins/p/x.c", "plugins/q/x.c") == []
    assert names("core/b/x.c", "core/a/x.c") == [("core/b/x.c", "unique-name")]


def test_no_source_breaks_it():
    """A source truncated anywhere gives findings or none, never an exception."""
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


def test_sizes():
    text = "/* a\n * b */\n#include <x.h>\n\nint a; /* c */\n"
    assert lint.measure("core/x.c", text) == (5, 2, 3)


# Text -> the words found in it, as a document.
DOCUMENTS = {
    "It takes it back, whoever\nasks.": ["takes it back", "whoever"],
    "As many\nas there are": ["As many as"],
    "as many times as it takes, so many of them": ["so many"],
    "> which is\n> no file": [],
    "this is\nno file, which are no files": ["is no", "are no"],
    "It is no longer, and is no more than that; there is no file.": [],
    "a value that is none, none that fits": ["that is none", "none that"],
    "What lies in it; it stands in\nfor another": ["lies in"],
    "a sort of thread, of one sort; what sort? sort of": ["sort of", "of one sort", "what sort",
                                                         "sort of"],
    "Sort the rows; a sort key; the sort order of rows": [],
    "dear reader, dearer, CTPROF_COST_DEAR, dearth": ["dear", "dearer", "DEAR"],
    "At the most 5, at most 5": ["At the most"],
    "of nobody, of `nobody`, of \"nobody\"": ["nobody"],
    "likewise, shall, misused, it shallows": ["likewise", "shall", "misused"],
    "--fail-on: it holds; when it holds": ["it holds", "when it holds"],
    "The lock it holds": [],
    "it tells, told, telling, tell; a teller": ["tells", "told", "telling", "tell"],
    "is\n\nno end of a paragraph": [],
    "`behind` in code": [],
    "<!-- lint: allow words: a quotation -->\nbehind": [],
    "behind <!-- lint: allow words: a quotation -->": [],
    "`lint: allow words: in code`\nbehind": ["behind"],
}


def test_words_of_documents():
    for text, expected in DOCUMENTS.items():
        got = [re.match("'[:;, ]*(.*)': ", finding.message)[1]
               for finding in lint.check_words("docs/x.md", text)]
        assert sorted(got) == sorted(expected), (text, got)


def test_comments():
    licence = "/* SPDX-License-Identifier: LGPL-2.1-or-later */\n"
    text = "/* {}. */\n"
    for comment, expected in (
        ("What is read", ["What"]), ("Read once.  Of these\n * the first", ["Of"]), ("Who\n * asks", ["Who"]),
        ("The pool of what is read; what else there is", []), ("Which is not in sight", ["Which", "in sight"]),
        ("Office hours, whatever", []),
    ):  # fmt: skip
        for path, is_checked in (("core/cut.c", True), ("core/test-cut.c", False), ("tests/cut.c", False)):
            findings = [finding for finding in lint.check_c(path, licence + text.format(comment))
                        if finding.rule == "comments"]  # fmt: skip
            got = [re.match("'(.*)': ", finding.message)[1] for finding in findings]
            assert got == (expected if is_checked else []), (path, comment, got)


def test_words_name_their_line():
    findings = lint.check_words("docs/x.md", "one\nas\nmany as\n\nshall\n")
    assert [(finding.line, finding.rule) for finding in findings] == [(5, "words"), (3, "words")]


def test_a_waiver_of_words_waives_something():
    findings = lint.check_words("docs/man/x.scd", "; lint: allow words: nothing\n\nfine\n")
    assert [(finding.line, finding.rule) for finding in findings] == [(1, "waiver")]


def test_words_are_for_what_users_read():
    for path, is_read in (("README.md", True), ("docs/a.md", True), ("docs/man/a.1.scd", True),
                          ("plugins/x/README.md", True), ("sinks/x/README.md", True),
                          ("include/ctprof/x.h", True), ("templates/source/test.c", True),
                          ("scripts/deb", True), ("scripts/lint", True), ("debian/control", True),
                          ("meson_options.txt", True), ("include/LICENSE", False),
                          ("debian/copyright", False), ("docs/compare.svg", False),
                          ("tests/lib/x.py", False), ("core/base/x.c", False)):
        assert lint.is_prose(path) == is_read, path


def run_lint(case):
    return subprocess.run([sys.executable, script.SCRIPTS / "lint", CASES / case],
                          capture_output=True, text=True, check=False)


def test_clean_file_is_silent():
    # As a file below tests/, which it is, it may contain the paths.
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
