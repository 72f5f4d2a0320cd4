# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests as functions, reported as TAP: tap.main(globals()) runs every test_*.

A test fails by raising, and is skipped with its reason by raising tap.Skip.
With names as arguments, only those tests run. main(globals(), world="own") runs them in namespaces
without other processes (world.py); any other value of world is the reason to use the shared host.
main(globals(), world="own", beside=N) is for tests that wait more than they compute: each runs in a
process and a world of its own, N at a time.
"""

import contextlib
import fcntl
import os
import re
import signal
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

from world import enter

# The parent may ignore these signals (nohup, a shell's `&`), and programs
# under test would inherit that.
for _name in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(_name, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


class Skip(Exception):
    """Raised if this machine lacks something that the test needs; the text names it."""


@contextlib.contextmanager
def another_user(program):
    """Skips the test if the user that the program runs as cannot reach it, as in a tree
    below a home folder that only its owner may enter."""
    try:
        yield
    except PermissionError:
        raise Skip(f"another user may not run {program}") from None


def _run(number, name, test):
    try:
        test()
    except Skip as why:
        print(f"ok {number} {name} # SKIP {' '.join(str(why).split())}", flush=True)
        return True
    except BaseException:  # a test that exits is a failed test
        print(f"not ok {number} {name}", flush=True)
        for line in traceback.format_exc().splitlines():
            print(f"# {line}", flush=True)
        return False
    print(f"ok {number} {name}", flush=True)
    return True


def _run_apart(number, name):
    """Runs a process with this test alone. Returns whether it has passed, and its lines with the number."""
    done = subprocess.run([sys.executable, sys.argv[0], name], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          check=False, text=True, errors="replace")  # fmt: skip
    text, has_point = re.subn(r"^((?:not )?ok) 1 ", rf"\1 {number} ", done.stdout.replace("1..1\n", "", 1),
                              count=1, flags=re.MULTILINE)  # fmt: skip
    if not has_point:
        text += f"not ok {number} {name}\n# ended with {done.returncode}\n"
    return has_point and done.returncode == 0, text


def _run_beside(names, n):
    print(f"1..{len(names)}", flush=True)
    results = []
    with ThreadPoolExecutor(n) as pool:
        for is_good, text in pool.map(_run_apart, range(1, len(names) + 1), names):
            print(text, end="", flush=True)
            results.append(is_good)
    return results


def main(namespace, world=None, beside=1):
    asked = sys.argv[1:]
    tests = [(n, t) for n, t in namespace.items() if n.startswith("test_") and callable(t)]
    tests = [(n, t) for n, t in tests if not asked or n in asked]
    if beside > 1 and len(tests) > 1:
        sys.exit(0 if all(_run_beside([name for name, _ in tests], beside)) else 1)
    why = None
    if world:
        why = enter() if world == "own" else world
        print(f"# world: shared host: {why}" if why else "# world: own", flush=True)
    if beside > 1 and why:
        # On a shared host one at a time: the lock is held until the process ends.
        fcntl.flock(os.open(sys.argv[0], os.O_RDONLY), fcntl.LOCK_EX)
    print(f"1..{len(tests)}", flush=True)
    results = [_run(i, name, test) for i, (name, test) in enumerate(tests, 1)]
    sys.exit(0 if all(results) else 1)
