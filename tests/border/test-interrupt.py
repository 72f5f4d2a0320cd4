# SPDX-License-Identifier: LGPL-2.1-or-later
"""Captures that are broken off: the signal's status, and nothing left."""

import signal
import subprocess

from rig import OWN_BATCH, add_tests, check_failure, children_of, rig

import tap

SLOW = {"TOY_FAULT": "collect-crawls"}


def start_capture(r, env):
    return r.start(r.command("--proc-root", r.proc, "capture", "--jobs", "1", "-o", r.file), env)


def check_broken_off(name, number):
    with rig(processes=10, threads=OWN_BATCH) as r:
        process = start_capture(r, SLOW)
        r.wait_for_output(process)
        process.send_signal(number)
        result = r.finish(process)
        check_failure(result, -number, "interrupted")
        assert r.left() == [], f"left: {r.left()}"


add_tests(globals(), "broken_off", check_broken_off, {
    "SIGINT": [signal.SIGINT],
    "SIGTERM": [signal.SIGTERM],
    "SIGHUP": [signal.SIGHUP],
    "SIGQUIT": [signal.SIGQUIT],
})


def test_second_signal_ends_what_hangs():
    with rig() as r:
        process = start_capture(r, {"TOY_FAULT": "hang-thread"})
        r.wait_for_output(process)
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=0.3)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        result = r.finish(process)
        assert result.status == -signal.SIGINT, str(result)
        assert r.left() == [], f"left: {r.left()}"


def check_one_signal(name, number):
    """What does not look for a signal ends by it all the same."""
    with rig() as r:
        (r.plugins / "ctprof-snapshot.so").unlink()
        r.install("toydraw")
        assert r.capture(plugins="toy").status == 0
        for arguments in (["show", "--format", "toydraw", r.file], ["plugins"]):
            process = r.start(r.command(*arguments, plugins=None),
                              {"TOYDRAW_FAULT": "hang-report" if len(arguments) > 1 else "hang-open"})
            while not list(children_of(process.pid)):
                assert process.poll() is None, str(r.finish(process))
            process.send_signal(number)
            result = r.finish(process)
            assert result.status == -number, str(result)
            assert not result.out, str(result)


add_tests(globals(), "one_signal", check_one_signal, {
    "SIGINT": [signal.SIGINT],
    "SIGTERM": [signal.SIGTERM],
})


def test_old_snapshot_survives():
    with rig(processes=10, threads=OWN_BATCH) as r:
        r.file.write_text("old")
        process = start_capture(r, SLOW)
        r.wait_for_output(process)
        process.send_signal(signal.SIGTERM)
        r.finish(process)
        assert r.left() == ["snap"] and r.file.read_text() == "old"


def test_nohup_stays_in_force():
    with rig(processes=2, threads=OWN_BATCH) as r:
        process = r.start(r.command("--proc-root", r.proc, "capture", "-o", r.file), SLOW,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        r.wait_for_output(process)
        process.send_signal(signal.SIGHUP)
        result = r.finish(process)
        assert result.status == 0, str(result)
        assert len(r.lines("thread")) == 2 * OWN_BATCH


if __name__ == "__main__":
    tap.main(globals())
