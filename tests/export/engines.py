# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs that read what `ctprof export` writes: a Python of its own, with engines from PyPI."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

VENV = harness.BUILD / "tests/export/engines"
PIP_S = 280


def _pip(package):
    """Returns None, or why it cannot be installed."""
    done = subprocess.run([VENV / "bin/pip", "install", "-q", "--disable-pip-version-check", "--retries", "1",
                           "--timeout", "20", package], capture_output=True, text=True, check=False, timeout=PIP_S)
    if done.returncode == 0:
        return None
    return (re.findall(r"ERROR: (.*)", done.stderr) or ["pip failed"])[-1]


def python(*packages):
    """Returns a Python with these modules; skips the test if PyPI cannot be reached."""
    if os.access(harness.BUILD, os.W_OK) is False:
        raise tap.Skip("the build tree is not ours: engines from PyPI are installed into it")
    VENV.parent.mkdir(parents=True, exist_ok=True)
    with open(VENV.parent / "engines.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (VENV / "bin/pip").exists():
            made = subprocess.run([sys.executable, "-m", "venv", VENV], capture_output=True, check=False)
            if made.returncode != 0:
                raise tap.Skip("needs the module venv of Python")
        for package in packages:
            mark = VENV / f"has-{package}"
            if mark.exists():
                continue
            try:
                why = _pip(package)
            except subprocess.TimeoutExpired:
                why = "it takes too long"
            if why:
                raise tap.Skip(f"{package} cannot be had from PyPI: {why}")
            mark.touch()
    return VENV / "bin/python"


def run(script, *packages, **more):
    """Returns the output of a script for that Python."""
    done = subprocess.run([python(*packages), "-c", script], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout
