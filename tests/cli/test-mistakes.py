#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Typing mistakes of newcomers: each gets one line that helps."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402
from harness import run  # noqa: E402

FOLDER = tempfile.TemporaryDirectory(prefix="ctprof-mistakes-")
A, B = (f"{FOLDER.name}/{name}.ctprof.zst" for name in "ab")
NOTES = f"{FOLDER.name}/notes.txt"

# Command line -> status, and words of the line.
MISTAKES = {
    "command": (["comapre", A, B], 2, "did you mean compare?"),
    "command_of_git": (["diff", A, B], 2, "unknown command 'diff': did you mean compare?"),
    "command_of_others": (["procs"], 2, "did you mean top?"),
    "version": (["version"], 2, "did you mean --version?"),
    "group_by_pid": (["show", "--group-by=pid", A], 2, "did you mean process?"),
    "view_by_another_name": (["memory", "procs"], 2, "did you mean processes?"),
    "option": (["show", "--srot=cpu", A], 2, "did you mean --sort?"),
    "word": (["show", "--group-by=proces", A], 2, "--group-by 'proces': expected pcomm, "),
    "metric": (["show", "-mrun_tim_ns", A], 2, "'run_tim_ns': did you mean run_time_ns?"),
    "metric_to_sort_by": (["compare", "--sort=read_byte", A, B], 2, "did you mean read_bytes?"),
    "metric_of_another_scope": (["show", "--sort=memory.current", A], 2,
                                "'memory.current' is a gauge of scope cgroup"),
    "metric_of_a_capture": (["capture", "-mrun_tim_ns", "-o-"], 2, "did you mean run_time_ns?"),
    "group_of_a_capture": (["capture", "-gshced", "-o-"], 2, "'shced': did you mean sched?"),
    "unit": (["compare", "--fail-on=cpu:delta>5sec", A, B], 2, "ns us ms s min"),
    "section": (["show", "--sections=primry", A], 2, "did you mean primary?"),
    "finding": (["show", "--explain=want-cpu", A], 2, "no finding 'want-cpu'", "thrashes, grew",
                "did you mean wants-cpu?"),
    "finding_to_fail_on": (["compare", "--fail-on=finding:throtled", A, B], 2, "did you mean throttled?"),
    "findings_with_others": (["compare", "--fail-on=finding:forks && cpu:delta>1", A, B], 2, "has one metric"),
    "view": (["memory", "procesess"], 2, "did you mean processes"),
    "sort_key": (["memory", "processes", "--sort=pps"], 2, "did you mean pss or eps?"),
    "format": (["show", "-fjsno", A], 2, "did you mean json?"),
    "option_of_another_view": (["memory", "sysv", "--all"], 2, "--all: only with the view processes"),
    "limit_of_a_view_without": (["memory", "ledger", "-n1"], 2, "--limit: only with the views pools, "),
    "change_of_one_snapshot": (["memory", "--changed", A], 2, "--changed: only with two snapshots"),
    "plugin_of_a_capture": (["capture", "--plugins=procsf", "-o-"], 2, "did you mean procfs?"),
    "plugin_of_a_report": (["show", "--plugins=procsf", A], 2, "did you mean procfs?"),
    "plugin_of_memory": (["memory", "--plugins=memroy", A], 2, "did you mean memory?"),
    "plugin_of_a_list": (["--plugins=procsf", "metric-list"], 2, "did you mean procfs?"),
    "plugin_to_explain": (["plugins", "procsf"], 1, "did you mean procfs?"),
    "setting": (["show", "-Oprocfs.nosuch=1", A], 2, "procfs has no option 'nosuch' (it has "),
    "setting_of_no_plugin": (["compare", "-Oprocsf.smaps=never", A, B], 2, "did you mean procfs?"),
    "option_before_its_command": (["-n2", "show", A], 2, "-n: must come after its command"),
    "file_before_its_command": ([A, "show"], 2, "is a file: expected a command before it, as in "),
    "no_file": (["show"], 2, "expected a snapshot: FILE", "'ctprof capture' writes one"),
    "two_files_to_show": (["show", A, B], 2, f"'ctprof compare {A} {B}' compares two"),
    "one_file_to_compare": (["compare", A], 2, "two snapshots", "'ctprof show FILE' shows one"),
    "missing_file": (["show", f"{FOLDER.name}/c"], 1, f"{FOLDER.name}/c: No such file"),
    "folder": (["show", FOLDER.name], 1, "expected a directory with one recording (*.ctprof), found 0"),
    "file_of_another_kind": (["show", NOTES], 1,
                             f"{NOTES}: not a ctprof snapshot ('ctprof capture' writes one)"),
    "file_of_another_kind_to_memory": (["memory", NOTES], 1, "not a ctprof snapshot"),
    "word_of_top": (["top", "--group-by=proces"], 2, "--group-by 'proces': expected pcomm, "),
    "option_of_top": (["top", "--intervall=1s"], 2, "did you mean --interval?"),
    "time_of_top": (["top", "-i", "1x"], 2, "-i '1x': "),
    "too_often": (["top", "-i", "1ms"], 2, "-i '1ms': "),
    "name_for_a_process": (["top", "nginx"], 2, "expected a process ID, not 'nginx'"),
    "no_process": (["top", "0"], 2, "expected a process ID, not '0'"),
    "top_without_a_terminal": (["top"], 2, "must be a terminal", "'ctprof stat --every 2s'"),
    "replay_without_a_terminal": (["replay", A], 2, "must be a terminal", "'ctprof compare RECORDING'"),
    "nothing_to_replay": (["replay"], 2, "expected a recording: FILE", "'ctprof record' writes one"),
    "replay_of_standard_input": (["replay", "-"], 2, "expected a file: standard input is for keys"),
    "two_files_to_replay": (["replay", A, B], 2, f"unexpected argument '{B}'"),
    "option_of_top_to_replay": (["replay", "--groups=all", A], 2, "--groups"),
    "nothing_found": (["metric-list", "run_tmie_ns"], 1, "did you mean run_time_ns?"),
}


def check(arguments, status, *says):
    if not os.path.exists(A):
        run("-q", "--plugins=procfs,cgroup,snapshot", "capture", f"-p{os.getpid()}", "-o", A)
        Path(B).write_bytes(Path(A).read_bytes())
        Path(NOTES).write_text("buy milk\n", encoding="utf-8")
    done = run(*arguments, check=False)
    text = done.stderr.decode()
    assert (done.returncode, done.stdout) == (status, b""), done
    assert text.startswith("ctprof: ") and text.count("\n") == 1 and len(text) < 600, text
    assert all(part in text for part in says), text


def add_tests():
    for name, mistake in MISTAKES.items():
        globals()[f"test_{name}"] = lambda mistake=mistake: check(*mistake)


def test_help_of_a_command_is_found_by_any_road():
    expected = run("compare", "--help").stdout
    for words in (["-h", "compare"], ["--help", "compare"], ["help", "compare"],
                  ["compare", "-h"], ["-h", "compare", A]):
        assert run(*words).stdout == expected, words


def test_help_that_does_not_arrive_is_a_failure():
    for words in (["--help"], ["-h", "compare"], ["help", "show"], ["--version"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([harness.CTPROF, *words], stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 1 and b"No space left on device" in done.stderr, (words, done)


if __name__ == "__main__":
    add_tests()
    tap.main(globals(), world="own")
