# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commits say what they do in a short subject, and why in a body."""

import re
import subprocess
from pathlib import Path

import tap

ROOT = Path(__file__).resolve().parents[2]
# The last commit before this was checked; older ones cannot be changed.
BEFORE = "22ba03cab6212281a95cc195cdc1d912d31e8f0c"
SUBJECT_MAX = 72
AREA = re.compile(r"[a-z][\w+./-]*(, [a-z][\w+./-]*)*: \S")


def git(*arguments):
    """The output of git; None if it cannot run: no git, no history, another user's
    tree."""
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", ROOT, *arguments]
    try:
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def faults(subject, body):
    """Returns the faults of a message, in words."""
    return [words for words, wrong in (
        (f"a subject of {len(subject)} characters, not {SUBJECT_MAX}", len(subject) > SUBJECT_MAX),
        ("not 'area: what it does now'", not AREA.match(subject)),
        ("a full stop", subject.endswith(".")),
        ("no body", not body.strip()),
    ) if wrong]


def test_faults_are_found():
    cases = [
        ("procfs: read a zombie leader's rollup", "Why.\n", 0),
        ("sinks, plugins/common: one open", "Why.", 0),
        ("x: " + "y" * 69, "Why.", 0),
        ("x: " + "y" * 70, "Why.", 1),
        ("x: does it.", "Why.", 1),
        ("x: does it", " \n", 1),
        ("Does it", "", 2),
    ]
    for subject, body, n in cases:
        assert len(faults(subject, body)) == n, (subject, faults(subject, body))


def test_commits_have_a_short_subject_and_a_body():
    log = git("log", "--no-merges", "--format=%h%x00%s%x00%b%x01", f"{BEFORE}..HEAD")
    if log is None or git("merge-base", "--is-ancestor", BEFORE, "HEAD") is None:
        raise tap.Skip(f"the history from {BEFORE} on is not here")
    lines = []
    for commit in filter(None, log.replace("\x01\n", "\x01").split("\x01")):
        name, subject, body = commit.split("\0")
        lines += [f"{name} {subject}: {words}" for words in faults(subject, body)]
    assert not lines, "\n".join(lines)


if __name__ == "__main__":
    tap.main(globals())
