# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests stat --versus-scheduler: whatever ends ctprof, the scheduler of the host is as before.

A fake scheduler writes into a tmpfs over /sys/kernel.  A thread plays the kernel: as with the
link of a BPF scheduler, the scheduler is gone when no process holds the file `link` any more.
"""

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402
import world  # noqa: E402

# Read this now: once the namespace is entered, the variable is gone.
IS_INSIDE = world.INSIDE in os.environ
MADE = tempfile.TemporaryDirectory(prefix="ctprof-versus-scheduler-")
FOLDER = Path(MADE.name)
EXT = Path("/sys/kernel/sched_ext")
LINK, MARK = FOLDER / "link", FOLDER / "mark"
# The number changes last and at once, as in the kernel: a file that is written anew is empty first.
ENABLE = (f"echo enabling >{EXT}/state; echo $name >{EXT}/root/ops; echo SCX_EV_A 7 >{EXT}/root/events; "
          f"echo enabled >{EXT}/state; "
          f"echo $(($(cat {EXT}/enable_seq) + 1)) >{EXT}/next_seq; mv {EXT}/next_seq {EXT}/enable_seq")
STAND_IN = f"""#!/bin/sh
name=scx_stand_in
exec 9>>{LINK} && flock 9
[ $1 = fails ] && {{ echo no such map >&2; exit 3; }}
[ $1 = starts ] && {{ touch {MARK}; exec sleep 1000; }}
{ENABLE}
echo chatter
case $1 in
daemon) (setsid sleep 1000 & ) ; exit 0 ;;
forks) setsid sleep 1000 & sleep 1000 ;;
stubborn) trap 'touch {MARK}' TERM; while :; do sleep .1; done ;;
ends) while [ ! -e {MARK} ]; do sleep .01; done; exit 5 ;;
*) exec sleep 1000 ;;
esac
"""
# The host's own scheduler, which this one replaces for a while.
TAKES = f"""#!/bin/sh
name=scx_taker
trap 'name=scx_host; {ENABLE}; exit 0' TERM
{ENABLE}
sleep 1000 & wait
"""
SETS = f"#!/bin/sh\nname=scx_sticky\n{ENABLE}\nexec sleep 1000\n"
UNDER = f"[ $(cat {EXT}/state) = enabled ]"


class Kernel(threading.Thread):
    """Removes a scheduler when no process holds its link."""

    def __init__(self):
        super().__init__(daemon=True)
        self.start()

    def run(self):
        while True:
            time.sleep(0.005)
            if LINK.exists() and state() == "enabled" and not is_held():
                write_state("disabled")


def state():
    return (EXT / "state").read_text().strip()


def is_held():
    with LINK.open("a") as link:
        try:
            fcntl.flock(link, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def write_state(word, ops=None):
    (EXT / "state").write_text(word + "\n")
    for name in ("ops", "events"):
        (EXT / "root" / name).unlink(missing_ok=True)
    if ops:
        (EXT / "root/ops").write_text(ops + "\n")


def reset():
    """Resets to a kernel with sched_ext, but without a scheduler."""
    if not (EXT / "state").exists():
        if not harness.is_root():
            raise tap.Skip("mounting needs root")
        if not IS_INSIDE:
            raise tap.Skip("needs a mount namespace of its own")
        subprocess.run(["mount", "-t", "tmpfs", "none", "/sys/kernel"], check=True)
        (EXT / "root").mkdir(parents=True)
        write_state("disabled")
        for name, text in (("stand-in", STAND_IN), ("takes", TAKES), ("sets", SETS)):
            (FOLDER / name).write_text(text)
            (FOLDER / name).chmod(0o755)
        Kernel()
    for path in (LINK, MARK):
        path.unlink(missing_ok=True)
    (EXT / "enable_seq").write_text("0\n")
    write_state("disabled")


def words(scheduler, command, *options, n=2, plugins="procfs"):
    return [harness.CTPROF, f"--plugins={plugins}", "stat", "--smaps=never", "--no-pager", "-q", f"--repeat={n}",
            f"--versus-scheduler={FOLDER}/{scheduler}", *options, "--", "sh", "-c", command]  # fmt: skip


def stat(scheduler, command, *options, status=0, **more):
    done = subprocess.run(words(scheduler, command, *options, **more), capture_output=True, text=True,
                          check=False, timeout=harness.PATIENCE_S)  # fmt: skip
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def assert_as_before():
    harness.wait_for(lambda: not LINK.exists() or not is_held(), "the scheduler's processes")
    harness.wait_for(lambda: state() == "disabled", "the host's own scheduler")


def test_side_b_runs_under_the_scheduler_and_side_a_does_not():
    reset()
    log = FOLDER / "log"
    command = f"cat {EXT}/state {EXT}/root/ops 2>/dev/null | tr '\\n' ' ' >>{log}; echo >>{log}"
    found = json.loads(stat("stand-in runs", command, "-f", "json", "--warmup=1").stdout)
    seen = [line.split() for line in log.read_text().splitlines()]
    a, b = ["disabled"], ["enabled", "scx_stand_in"]
    assert seen == [a, b, a, b, b, a], seen
    assert (EXT / "enable_seq").read_text() == "3\n"
    assert_as_before()
    assert {row["group"] for row in found["sections"][0]["rows"]} == {"command"}, found["sections"][0]
    groups = {row["group"] for section in found["sections"] for row in section["rows"]}
    assert "ctprof" not in groups, groups


def test_report_begins_with_the_command_and_has_the_events():
    reset()
    kept = FOLDER / "chapters"
    grow = f"! {UNDER} || echo 'SCX_EV_A 1007' >{EXT}/root/events"
    text = stat("stand-in runs", grow, f"--set={kept}", plugins="procfs,scx", n=4).stdout
    few = stat("stand-in runs", "true").stdout
    assert "too few runs to know whether the command gained or lost: wall_ns " in few, few
    assert "who paid: too few runs to know" in few, few
    # Other pools of the host may have paid for it, too.
    heads = [head for head in re.findall("^## (.*)$", text, re.MULTILINE) if not head.startswith("Who paid: ")]
    assert heads[:2] == ["Gained or lost: the command", "Events of the scheduler"], text
    assert re.search(r"^ (the command|too few runs).*: wall_ns ", text, re.MULTILINE), text
    assert re.search("^ who paid: ", text, re.MULTILINE), text
    # The sets that were kept give the same report.
    done = subprocess.run([harness.CTPROF, "compare", "-f", "json", "-n", "0", kept / "a", kept / "b"],
                          capture_output=True, check=True)  # fmt: skip
    found = {section["name"]: section["rows"] for section in json.loads(done.stdout)["sections"]}
    assert [name for name in found if name != "runs-paid"][:2] == ["runs-command", "runs-events"], list(found)
    grown, = (row for row in found["runs-events"] if row["metric"] == "sched_ext.events.SCX_EV_A")
    assert grown["baseline"] is None and grown["runs"]["n"] == [0, 4], grown
    # Per second of a run, in which it grew by 1000.
    assert all(value > 1000 / harness.PATIENCE_S for value in grown["runs"]["candidate"]), grown


def test_report_names_the_sides_and_junit_has_the_rows():
    reset()
    text = stat("stand-in runs", "true").stdout
    assert re.search(r"^ A +2 runs: sh -c true$", text, re.MULTILINE), text
    assert re.search(rf"^ B +2 runs: sh -c true \[{FOLDER}/stand-in runs\]$", text, re.MULTILINE), text
    assert "chatter" not in text, text
    suite = ElementTree.fromstring(stat("stand-in runs", "true", "-f", "junit").stdout)
    assert suite.findall(".//testcase[@classname='command']"), suite
    assert "<html" in stat("stand-in runs", "true", "-f", "html").stdout.lower()


def test_all_that_the_scheduler_started_ends_with_it():
    for mode in ("daemon", "forks"):
        reset()
        stat(f"stand-in {mode}", "true")
        assert not is_held(), mode
        assert_as_before()


def test_what_does_not_start_is_a_failure():
    reset()
    done = stat("stand-in fails", "true", status=1)
    assert "no such map" in done.stderr and "ended with status 3 before the kernel enabled it" in done.stderr, done.stderr
    done = stat("no-such-program", "true", status=1)
    assert "cannot run" in done.stderr and "status 127" in done.stderr, done.stderr
    done = stat("stand-in starts", "true", status=1)
    assert "within 10 s" in done.stderr and "the state is 'disabled'" in done.stderr, done.stderr
    assert_as_before()


def test_run_whose_scheduler_ends_or_changes_does_not_count():
    reset()
    kept = FOLDER / "kept"
    done = stat("stand-in ends", f"! {UNDER} || {{ touch {MARK}; sleep .5; }}", f"--set={kept}", status=1)
    assert "ended during the run, with status 5; the run does not count" in done.stderr, done.stderr
    assert not list((kept / "b").glob("*.zst")) and list((kept / "a").glob("*.zst")), list(kept.rglob("*"))
    assert_as_before()
    reset()
    done = stat("stand-in runs", f"! {UNDER} || echo scx_other >{EXT}/root/ops", status=1)
    assert "changed during the run, from 'scx_stand_in' (enabled) to 'scx_other' (enabled)" in done.stderr, done.stderr
    assert_as_before()
    # A user ended the scheduler and started it again, under the same name.
    reset()
    done = stat("stand-in runs", f"! {UNDER} || echo 7 >{EXT}/enable_seq", status=1)
    assert "does not count" in done.stderr, done.stderr
    # Side A uses the host's own scheduler.
    reset()
    done = stat("stand-in runs", f"mkdir -p {EXT}/root; echo scx_x >{EXT}/root/ops; echo enabled >{EXT}/state", status=1)
    assert "from '' (disabled) to 'scx_x' (enabled)" in done.stderr, done.stderr


def test_beside_another_one_only_with_replace():
    reset()
    write_state("enabled", "scx_host")
    done = stat("takes", "true", status=1)
    assert "'scx_host', enabled" in done.stderr and "--replace" in done.stderr, done.stderr
    assert (EXT / "enable_seq").read_text() == "0\n"
    stat("takes", "true", "--replace")
    assert (state(), (EXT / "root/ops").read_text()) == ("enabled", "scx_host\n")
    # There are two runs, each with a start and a return.
    assert (EXT / "enable_seq").read_text() == "4\n"


def test_scheduler_that_stays_is_a_failure():
    reset()
    done = stat("sets", "true", status=1)
    assert "ended, and the host's own scheduler is not as before: it was '' (disabled), and is 'scx_sticky' (enabled)" in done.stderr, done.stderr


def test_host_is_as_before_whatever_ends_ctprof_in_whatever_phase():
    for mode, command in (("starts", "true"), ("runs", f"! {UNDER} || {{ touch {MARK}; sleep 1000; }}"), ("stubborn", "true")):
        for number, to_all in ((signal.SIGKILL, False), (signal.SIGKILL, True), (signal.SIGINT, True), (signal.SIGTERM, False)):
            reset()
            with subprocess.Popen(words(f"stand-in {mode}", command), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True) as run:  # fmt: skip
                harness.wait_for(MARK.exists, f"phase {mode}")
                (os.killpg if to_all else os.kill)(run.pid, number)
            assert run.returncode == -number, (mode, number, run.returncode)
            assert_as_before()


def test_options_that_do_not_go_together():
    reset()
    for message, arguments in (
        ("--versus-scheduler: only with --repeat", ["--versus-scheduler=x"]),
        ("--versus-scheduler: not with --versus", ["--repeat=2", "--versus-scheduler=x", "--versus=true"]),
        ("--replace: only with --versus-scheduler", ["--repeat=2", "--replace"]),
        ("--versus-scheduler: not with a recorded tree", ["--repeat=2", "--versus-scheduler=x", "--proc-root=/proc"]),
        ("--versus-scheduler ''': ", ["--repeat=2", "--versus-scheduler='"]),
    ):
        done = subprocess.run([harness.CTPROF, "stat", *arguments, "--", "true"], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and message in done.stderr, (arguments, done.returncode, done.stderr)
    (EXT / "state").rename(EXT / "gone")
    try:
        assert "this kernel has no sched_ext" in stat("takes", "true", status=1).stderr
    finally:
        (EXT / "gone").rename(EXT / "state")


if __name__ == "__main__":
    tap.main(globals(), world="own", beside=3)
