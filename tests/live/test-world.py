#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A world of a test's own (tests/lib/world.py) has no other processes, and leaves nothing behind."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import harness
import tap

NAMESPACES = ("pid", "mnt", "cgroup")
SCRIPT = f"""
import json, os, subprocess, sys, time
sys.path.insert(0, {str(harness.SOURCE / "tests/lib")!r})
import world
if why := world.enter():
    sys.exit(f"no world: {{why}}")
print(json.dumps({{
    "pids": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()), "own": os.getpid(),
    "cgroups": open("/proc/self/cgroup").read().split(),
    "namespaces": [os.readlink(f"/proc/self/ns/{{kind}}") for kind in {NAMESPACES}]}}), flush=True)
exec(sys.argv[1])
"""


@contextlib.contextmanager
def world(code):
    """Runs code in a world; yields the process and what it reports about itself."""
    if not harness.is_root():
        raise tap.Skip("a world of its own needs root")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(SCRIPT)
        script.flush()
        with subprocess.Popen([sys.executable, script.name, code], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                line = process.stdout.readline()
                if not line:
                    raise tap.Skip(process.stderr.read().strip())
                yield process, json.loads(line)
            finally:
                process.kill()


def groups_of(process):
    return list(Path("/sys/fs/cgroup").glob(f"**/ctprof-world-{process.pid}"))


def test_nobody_else_is_in_it():
    with world("sys.stdin.read()") as (process, told):
        assert told["pids"] == [1, process.pid] and told["own"] == process.pid, told
        ours = {os.readlink(f"/proc/self/ns/{kind}") for kind in NAMESPACES}
        assert not ours & set(told["namespaces"]), (ours, told)
        # Its cgroups are the roots of the hierarchies that it sees.
        assert all(line.endswith(":/") for line in told["cgroups"]), told
        process.stdin.close()
        process.wait(harness.PATIENCE_S)


def test_it_ends_as_the_test_does():
    for code, status in (("sys.exit(0)", 0), ("sys.exit(3)", 3), ("os.abort()", -signal.SIGABRT),
                         ("os.kill(os.getpid(), 9)", -signal.SIGKILL)):
        with world(code) as (process, _):
            process.stdin.close()
            assert process.wait(harness.PATIENCE_S) == status, (code, process.returncode)
            assert not groups_of(process), groups_of(process)


def test_orphans_are_reaped_and_end_with_it():
    """A grandchild that exits does not stay a zombie; one that runs on does not outlive the test."""
    code = """
subprocess.run(["sh", "-c", "true & sleep 100000 &"], check=True)
# This test, and the one that sleeps.
while len(open("/proc/1/task/1/children").read().split()) != 2:
    time.sleep(0.01)
"""
    with world(code) as (process, _):
        process.stdin.close()
        assert process.wait(harness.PATIENCE_S) == 0, process.stderr.read()


def check_end(number):
    with world("subprocess.run(['sleep', '100000'])") as (process, _):
        (first,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.send_signal(number)
        assert process.wait(harness.PATIENCE_S) == -number, process.returncode
        harness.wait_for(lambda: not Path(f"/proc/{first}").exists(), "the end of all in it")
        return groups_of(process)


def test_signals_are_passed_on():
    assert not check_end(signal.SIGTERM)
    assert not check_end(signal.SIGHUP)


def test_it_does_not_outlive_who_is_killed():
    """The next world removes what a killed one left."""
    left = check_end(signal.SIGKILL)
    check_end(signal.SIGTERM)
    assert not [group for group in left if group.exists()], left


if __name__ == "__main__":
    tap.main(globals(), world="of worlds themselves")
