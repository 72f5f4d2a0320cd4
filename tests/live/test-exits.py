# SPDX-License-Identifier: LGPL-2.1-or-later
"""stat of commands whose processes all start and end within it."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import harness
import tap

CHILDREN = 200


def stat(*arguments, options=(), user=None):
    """The section "command", its notes, and the output of the command."""
    with tempfile.TemporaryDirectory(prefix="ctprof-exits-") as folder:
        os.chmod(folder, 0o777)
        report = Path(folder) / "report"
        done = subprocess.run(
            [harness.CTPROF, "-q", *options, "stat", "--smaps=never", "--sections=command",
             "--format=json", "-o", report, "--", *map(str, arguments)],
            capture_output=True, check=False, timeout=harness.PATIENCE_S,
            env={**os.environ, "TMPDIR": folder}, cwd=folder, **harness.other_user(user),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        (section,) = json.loads(report.read_text())["sections"]
    (line,) = section["lines"]
    values = {k: v["candidate"] if isinstance(v, dict) else v for k, v in line.items()}
    return values, section["notes"], done.stdout


def records(notes):
    """Returns the numbers of exits that the report has and lacks, or skips the test."""
    for note in notes:
        found = re.match(r"exit records: (\d+), none lost", note)
        if found:
            return int(found[1]), 0
        found = re.match(r"exits incomplete: (\d+) records received, (\d+) lost", note)
        if found:
            return int(found[1]), int(found[2])
    (why,) = [note for note in notes if note.startswith("no exit records: ")]
    raise tap.Skip(why)


def check_against(values, printed):
    """All CPU time charged to the command's own parents is shown."""
    truth = json.loads(printed)
    names = ("children_user_us", "children_system_us", "own_user_us", "own_system_us")
    cpu_us = (values["user_ns"] + values["system_ns"]) / 1000
    assert cpu_us >= 0.95 * sum(truth[name] for name in names), (values, truth)
    assert values["wall_ns"] / 1000 >= truth["wall_us"], (values, truth)
    assert values["minflt"] >= truth["children_minflt"], (values, truth)
    assert values["status"] == "exit 0" and "churner" in values["command"], values


def test_command_is_shown_whole():
    for how in ("exit", "touch", "exec", "burn"):
        values, notes, printed = stat(harness.CHURNER, how, CHILDREN, 16)
        check_against(values, printed)
        assert notes[0].startswith("from wait4()"), notes


def check_records(options):
    for how, ends in (("exit", CHILDREN), ("thread", 2 * CHILDREN)):
        _, notes, _ = stat(harness.CHURNER, how, CHILDREN, 16, options=[*harness.ROOMY, *options])
        received, lost = records(notes)
        # Exits of the churner itself and of the rest of the host are added.
        assert received >= ends + 1 and lost == 0, (how, notes)


def test_each_end_leaves_a_record():
    check_records([])


def test_each_end_leaves_a_record_of_taskstats():
    check_records(harness.BPF_NEVER)


def test_small_buffer_says_what_it_lost():
    small = [*harness.BPF_NEVER, "-O", "taskstats.buffer=4096"]
    _, notes, _ = stat(harness.CHURNER, "exit", 3000, 8, options=small)
    received, lost = records(notes)
    assert received + lost >= 3000, notes
    if lost == 0:
        raise tap.Skip("on a host this slow even a small buffer has room")


BURN = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; times"


def test_users_have_the_time_of_processes_that_ended():
    """They began and ended between the captures, as a user that no other process has."""
    if not harness.is_root():
        raise tap.Skip("needs root, to become another user")
    script = f"for k in 1 2 3; do setpriv --reuid=54321 --clear-groups sh -c '{BURN}'; done"
    with tempfile.TemporaryDirectory(prefix="ctprof-exits-") as folder:
        path = Path(folder) / "report"
        done = subprocess.run(
            [harness.CTPROF, "-q", *harness.ROOMY, "stat", "--smaps=never", "--group-by=user", "--sections=pools,command",
             "--format=json", "-o", path, "--", "sh", "-c", script],
            stdout=subprocess.PIPE, text=True, check=True)  # fmt: skip
        report = json.loads(path.read_text())
    sections = {section["name"]: section for section in report["sections"]}
    records(sections["command"]["notes"])
    # Of each shell: the times of its own, and those of its children.
    own = done.stdout.splitlines()[::2]
    truth = sum(int(m) * 60 + float(s) for line in own for m, s in re.findall(r"(\d+)m([\d.]+)s", line))
    (line,) = [line for line in sections["pools"]["lines"] if line["pool"] == "54321"]
    used = line["cpu"]["candidate"] * report["window"]["seconds"]
    assert 0.9 * truth - 0.1 <= used <= 1.1 * truth + 0.3, (used, truth, line)


def test_nobody_sees_the_command_too():
    nobody = harness.need_other_user()
    values, notes, printed = stat(harness.CHURNER, "touch", CHILDREN, 4, user=nobody)
    check_against(values, printed)
    (why,) = [note for note in notes if note.startswith("no exit records: ")]
    assert "CAP_NET_ADMIN" in why, notes


if __name__ == "__main__":
    tap.main(globals(), world="of exit records")
