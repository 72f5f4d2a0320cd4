# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests as functions, reported as TAP: tap.main(globals()) runs every test_*.

A test fails by raising, and is skipped with its reason by raising tap.Skip.
With names as arguments, only those tests run. main(globals(), world="own") runs them in namespaces
without other processes (world.py); any other value of world is the reason to use the shared host.
"""

import contextlib
import signal
import sys
import traceback

from world import enter

# The parent may ignore these signals (nohup, a shell's `&`), and programs
# under test would inherit that.
for _name in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(_name, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


class Skip(Exception):
    """This machine lacks what the test needs; the text says what."""


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


def main(namespace, world=None):
    if world:
        why = enter() if world == "own" else world
        print(f"# world: shared host: {why}" if why else "# world: own", flush=True)
    asked = sys.argv[1:]
    tests = [(n, t) for n, t in namespace.items() if n.startswith("test_") and callable(t)]
    tests = [(n, t) for n, t in tests if not asked or n in asked]
    print(f"1..{len(tests)}", flush=True)
    results = [_run(i, name, test) for i, (name, test) in enumerate(tests, 1)]
    sys.exit(0 if all(results) else 1)
