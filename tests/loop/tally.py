# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the log of a `meson test` run, which has one JSON object for each program.

A TAP program counts by its points, any other program as a single test; a program that
died, timed out or broke its plan is one more failure.
"""

import re
import signal

POINT = re.compile(r"(not )?ok\b(?:[ \t]+\d+)?(?:[ \t]*-)?[ \t]*(.*)")
DIRECTIVE = re.compile(r"(?:^|[ \t])#[ \t]*(SKIP|TODO)\b[ \t]*(.*)", re.IGNORECASE)
SKIP_ALL = re.compile(r"1\.\.0\b[ \t]*(?:#[ \t]*skip\w*[ \t]*(.*))?", re.IGNORECASE)
BAD = ("FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS")
LINES_MAX = 120
# A failure that a second run cannot clear: a sanitizer's report, a death by signal of
# the program under test, or a wait for it that did not end. LeakSanitizer without a colon
# reports nothing: it has itself met a thread that was just ending, and has crashed.
FINAL = re.compile(r"(Address|Leak|Thread)Sanitizer:|: runtime error: |exits with -\d|"
                   r"\bSIG(SEGV|BUS|ILL|FPE|SYS|TRAP)\b|TimeoutExpired|waited in vain")


def read_point(line):
    """A TAP line -> (outcome, name, reason), or None."""
    match = POINT.match(line)
    if not match:
        return None
    text = match.group(2)
    directive = DIRECTIVE.search(text)
    if not directive:
        return ("failed" if match.group(1) else "passed", text, "")
    name = text[:directive.start()].strip()
    if directive.group(1).upper() == "SKIP":
        return "skipped", name, directive.group(2)
    return ("skipped" if match.group(1) else "passed", name, "TODO " + directive.group(2))


def tally_program(entry):
    """One program of the log -> list of (outcome, name, reason)."""
    lines = (entry.get("stdout") or "").splitlines()
    result = entry["result"]
    points = [point for point in map(read_point, lines) if point]
    empty = next(filter(None, map(SKIP_ALL.match, lines)), None)
    if empty and not points and result not in BAD:
        return [("skipped", "", empty.group(1) or "no reason given")]
    if result in BAD and not any(outcome == "failed" for outcome, _, _ in points):
        points.append(("failed", "", result.lower()))
    if points:
        return points
    return [("skipped", "", "no reason given") if result == "SKIP" else ("passed", "", "")]


def list_failures(entry):
    """The lines of a TAP program's output about points that failed, which meson does not
    print; of any other program the last ones."""
    lines = (entry.get("stdout") or "").splitlines()
    chosen, failing = [], False
    for line in lines:
        point = read_point(line)
        failing = point[0] == "failed" if point else failing and line.startswith("#")
        if failing:
            chosen.append(line)
    return (chosen or lines[-20:])[:LINES_MAX]


def has_failed(entry):
    return entry["result"] in BAD


def is_final(entry):
    """Whether a program that failed is not to be run again."""
    text = (entry.get("stdout") or "") + (entry.get("stderr") or "")
    status = entry.get("returncode") or 0
    # A failed assertion of a C test aborts, and says so.
    aborted = status == -signal.SIGABRT and "Bail out!" in text
    return entry["result"] == "TIMEOUT" or (status < 0 and not aborted) or FINAL.search(text) is not None
