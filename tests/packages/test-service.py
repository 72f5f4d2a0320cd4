#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ctprof-record.service: systemd accepts it, its rights are few, and its command records."""

import contextlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

UNIT = harness.BUILD / "data/systemd/ctprof-record.service"
# The score is of 100. The rest is the purpose of a profiler of the whole host: it sees all processes,
# networks and users, and has capabilities to read.
MOST_EXPOSED = 40


def unit_text():
    return UNIT.read_text(encoding="utf-8").replace("\\\n", "")


def command():
    """The words of ExecStart=, the program first."""
    return re.search(r"^ExecStart=(.+)$", unit_text(), re.MULTILINE)[1].split()


@contextlib.contextmanager
def unit_of_build():
    """The unit, of the program that was built."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / UNIT.name
        file.write_text(unit_text().replace(command()[0], str(harness.CTPROF)), encoding="utf-8")
        yield file


def analyze(*arguments):
    harness.need_command("systemd-analyze")
    return subprocess.run(["systemd-analyze", *map(str, arguments)], capture_output=True,
                          text=True, check=False)  # fmt: skip


def test_systemd_takes_it():
    with unit_of_build() as file:
        done = analyze("verify", "--man=no", file)
    said = [line for line in done.stderr.splitlines() if UNIT.name in line]
    assert done.returncode == 0 and not said, said


def test_its_rights_are_few():
    with unit_of_build() as file:
        done = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}", file)
    if "unrecognized option" in done.stderr:
        raise tap.Skip("this systemd-analyze cannot look at files")
    assert done.returncode == 0, done.stdout[-400:] + done.stderr


def record_in(folder, *how):
    """Returns the files that the unit's command leaves in the folder, run twice by `how`."""
    program, *words = command()
    assert Path(program).name == "ctprof"
    output = next(word for word in words if word.startswith("--output="))
    assert output == "--output=/var/log/ctprof/host.ctprof"
    words[words.index(output)] = f"--output={folder}/host.ctprof"
    words[words.index("--interval=10s")] = "--interval=20ms"
    for _ in range(2):
        done = subprocess.run([*how, harness.CTPROF, "--plugins=procfs,jemalloc", *words, "-n", "2", "-p", "1"],
                              capture_output=True, text=True, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr
    return sorted(each.name for each in Path(folder).iterdir())


def forbidden_calls():
    groups = re.search(r"^SystemCallFilter=~(.+)$", unit_text(), re.MULTILINE)[1].split()
    listed = analyze("syscall-filter", *groups)
    assert listed.returncode == 0, listed.stderr
    return set(re.findall(r"^    ([a-z]\w+)$", listed.stdout, re.MULTILINE))


def test_its_command_makes_no_call_that_it_forbids():
    """The filter answers EPERM, which would look like a host that denies something."""
    harness.need_command("strace")
    forbidden = forbidden_calls()
    assert {"mount", "settimeofday", "reboot"} <= forbidden, forbidden
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("r") as trace:
        record_in(folder, "strace", "-f", "-qq", "-o", trace.name)
        made = set(re.findall(r"^\d+ +(\w+)\(", trace.read(), re.MULTILINE))
    assert {"openat", "execve"} <= made, made
    assert not made & forbidden, made & forbidden


def test_it_is_not_enabled():
    rules = (harness.SOURCE / "debian/rules").read_text(encoding="utf-8")
    assert "dh_installsystemd --no-enable --no-start" in rules


def test_its_command_records():
    assert "LogsDirectory=ctprof\n" in unit_text()
    with tempfile.TemporaryDirectory() as folder:
        names = record_in(folder)
    assert names == ["host.ctprof", "host.ctprof.1"], "what another left is kept"


if __name__ == "__main__":
    tap.main(globals())
