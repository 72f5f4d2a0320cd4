# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files that each release test guards (tests/guards): where one has changed since the
test last passed, the test belongs into the default run, too."""

import hashlib
import os
import subprocess

from table import ROOT

GUARDS = ROOT / "tests/guards"
COMMITS_BACK = 50


def read_guards(text):
    """Test -> the files and folders that it guards."""
    guards = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, *paths = line.split()
            guards.setdefault(name, []).extend(paths)
    return guards


def load_guards():
    return read_guards(GUARDS.read_text(encoding="utf-8"))


def git(*arguments):
    """The output of git; None if it cannot run: no git, no history."""
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", ROOT, *arguments]
    try:
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return None
    return done.stdout.decode(errors="surrogateescape").strip() if done.returncode == 0 else None


def find_base():
    """The commit from which on a change counts where no test has left its stamp."""
    since = os.environ.get("CTPROF_TEST_SINCE")
    if since:
        return git("merge-base", "HEAD", since)
    commits = git("rev-list", "--first-parent", f"--max-count={COMMITS_BACK + 1}", "HEAD")
    return commits.split()[-1] if commits else None


def digest(paths):
    """What the guarded files contain now."""
    total = hashlib.sha256()
    for path in sorted(paths):
        top = ROOT / path
        for file in sorted(p for p in top.rglob("*") if p.is_file()) if top.is_dir() else [top]:
            total.update(f"{file.relative_to(ROOT)}\0".encode(errors="surrogateescape"))
            total.update(hashlib.sha256(file.read_bytes()).digest() if file.exists() else b"-")
    return total.hexdigest()


def stamp_of(lane, name):
    return lane.folder / "green" / name


def put_stamp(lane, name, paths):
    stamp = stamp_of(lane, name)
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(digest(paths) + "\n")


def has_changed(lane, name, paths, base):
    """Whether a guarded file differs from the newest pass, or else from the base."""
    stamp = stamp_of(lane, name)
    if stamp.exists():
        return stamp.read_text().strip() != digest(paths)
    if base is None:
        return False
    return git("diff", "--quiet", base, "--", *paths) is None


def choose(changed, seconds, budget):
    """Of the changed tests, shortest first, those that fit: (chosen, left out)."""
    chosen, left, total = [], [], 0
    for name in sorted(changed, key=lambda name: (seconds[name], name)):
        total += seconds[name]
        (chosen if total <= budget else left).append(name)
    return chosen, left
