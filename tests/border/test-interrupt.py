# SPDX-License-Identifier: LGPL-2.1-or-later
"""Interrupted captures end with the signal's status, and leave no files or processes."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

from rig import ALARM, OWN_BATCH, add_tests, check_failure, children_of, rig

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


# Phase: the command (@: a snapshot) that blocks when a signal comes, and the cause: a fault of the
# toy or its sink; a pipe that is not written or read; nothing.  No plugin timeout releases it.
PHASES = {
    **{f"capture_{op}": (["capture", "-o", "@"], {"TOY_FAULT": f"hang-{op}"})
       for op in ("constructor", "entry", "open", "start", "worker-open", "host", "thread", "capture",
                  "worker-close")},
    "plugins": (["plugins"], {"TOYDRAW_FAULT": "hang-open"}),
    "metric_list": (["metric-list"], {"TOY_FAULT": "hang-open"}),
    "doctor": (["doctor"], {"TOY_FAULT": "hang-probe"}),
    "stat_capture": (["stat", "--", "true"], {"TOY_FAULT": "hang-thread"}),
    "show_report": (["show", "--format", "toydraw", "@"], {"TOYDRAW_FAULT": "hang-report"}),
}
OWN_PHASES = {
    "capture_output": ["capture", "-o", "-"],
    "show_input": ["show", "-"],
    "show_output": ["show", "--format", "json", "@"],
    "compare_input": ["compare", "@", "-"],
    "memory_input": ["memory", "processes", "-"],
    "metric_list_output": ["metric-list"],
    "stat_command": ["stat", "--", "sleep", "100000"],
    "record_waits": ["record", "--interval", "1h", "-o", "@.recording"],
}


def states_of(pid):
    for stat in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            yield stat.read_text(errors="replace").rpartition(")")[2].split()[0]


def wait_until_blocked(process, recording=None):
    """Waits until all threads of its child are asleep or ended, a few times in a row. A recording
    has made its first sample before, because it may sleep while it reads, too."""
    quiet, end = 0, time.monotonic() + ALARM
    while quiet < 5:
        assert process.poll() is None, f"it has ended with {process.returncode}"
        children = {pid: set(states_of(pid)) for pid in children_of(process.pid)}
        assert time.monotonic() < end, f"it comes to no rest: {children}"
        asleep = children and all(states <= set("SDZ") for states in children.values())
        if recording:
            asleep = asleep and recording.exists() and recording.stat().st_size > 0
        quiet = quiet + 1 if asleep else 0
        time.sleep(0.01)


@contextlib.contextmanager
def full_pipe():
    """A full pipe to write to, which is not read."""
    out, into = os.pipe()
    try:
        os.set_blocking(into, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(into, b"x" * 4096)
        os.set_blocking(into, True)
        yield into
    finally:
        os.close(out)
        os.close(into)


def check_end(process, number, recording=None):
    wait_until_blocked(process, recording)
    process.send_signal(number)
    # The wait has the limit of everything that should not last.
    try:
        return process.wait(timeout=ALARM)
    finally:
        process.kill()


def check_one_signal(_, arguments, env, number=signal.SIGTERM):
    with rig() as r:
        r.install("toydraw")
        if "show" in arguments:
            (r.plugins / "ctprof-snapshot.so").unlink()
            assert r.capture(plugins="toy").status == 0
        words = [str(r.file) if word == "@" else word for word in arguments]
        command = r.command("--plugin-timeout", "0", "--proc-root", r.proc, *words, plugins=None)
        if "show" not in arguments and "plugins" not in arguments:
            command = r.command("--plugin-timeout", "0", "--proc-root", r.proc, *words)
        with r.start(command, env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            assert check_end(process, number) == -number
        assert r.left() == (["snap"] if "show" in arguments else []), r.left()


add_tests(globals(), "one_signal", check_one_signal, PHASES)
add_tests(globals(), "one_interrupt", check_one_signal,
          {name: [*PHASES[name], signal.SIGINT] for name in ("plugins", "show_report", "capture_thread")})


def check_own(_, *arguments):
    with rig() as r, full_pipe() as out:
        taken = r.run("capture", "-o", r.file, "--pid", os.getpid(), path=False, plugins="procfs,snapshot")
        assert taken.status == 0, str(taken)
        words = [word.replace("@", str(r.file)) for word in arguments]
        command = r.command("--plugin-timeout", "0", *words, path=False, plugins=None)
        recording = pathlib.Path(words[-1]) if "record" in arguments else None
        with r.start(command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL) as process:
            # A recording is complete at any time.
            assert check_end(process, signal.SIGTERM, recording) == (0 if recording else -signal.SIGTERM)


add_tests(globals(), "own_signal", check_own, OWN_PHASES)


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
    tap.main(globals(), world="own")
