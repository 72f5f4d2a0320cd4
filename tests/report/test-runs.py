# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests several runs per side: compare of windows, totals and sets, stat --repeat and --versus."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

MADE = tempfile.TemporaryDirectory(prefix="ctprof-runs-")
FOLDER = Path(MADE.name)
# Only the source that the tests need, without reading memory.
STAT = ["--plugins=procfs", "stat", "--smaps=never", "--no-pager"]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def ctprof(*arguments, status=0, folder=FOLDER, **more):
    done = subprocess.run(
        [str(harness.CTPROF), *map(str, arguments)], capture_output=True, check=False, cwd=folder,
        timeout=harness.PATIENCE_S, **more,
    )  # fmt: skip
    assert done.returncode == status, (done.returncode, done.stderr.decode())
    return done


def report(*arguments, **more):
    command, *rest = arguments
    return json.loads(ctprof(command, "-f", "json", "-n", "0", *rest, **more).stdout)


def rows_of(found, section=None):
    return {
        (str(row["group"]), row["metric"]): row
        for each in found["sections"]
        if section in (None, each["name"])
        for row in each["rows"]
    }


def captures():
    """Returns two captures of this host, one after the other."""
    for name in ("base", "later"):
        if not (FOLDER / name).exists():
            ctprof("--plugins=procfs", "-q", "capture", "--smaps=never", "-o", name)
    return "base", "later"


def made_set():
    """Returns a kept set with both sides of a stat --versus."""
    path = FOLDER / "kept"
    if not path.exists():
        ctprof(*STAT, "-q", "--repeat", "2", "--versus", "sh -c 'sleep 0.01'", "--set", path, "--", "true")
    return path


def test_what_is_shown_never_changes_the_status_of_fail_on():
    for condition, status in (("p<=1 && run_time_ns:delta>-1000s", 3), ("q<=1 && wall_ns:delta>1000s", 0),
                              ("p<=1 && context_switches:delta<1G", 3), ("p<=1 && minflt:delta>-1G", 3)):
        for options in ([], ["-n1"], ["--min-pct=1000"], ["--sections=primary"], ["--sections=derived"],
                        ["--sections=taskstats-delay"]):
            ctprof("compare", "--fail-on-partial", f"--fail-on={condition}", *options,
                   made_set() / "a", made_set() / "b", status=status)


def test_value_of_a_run_is_that_of_its_window():
    pair = ",".join(captures())
    window = rows_of(report("compare", "--group-by=pcomm", *captures()), "primary")
    runs = rows_of(report("compare", pair, pair, pair, "--", pair, pair), "runs")
    counted = 0
    kinds = ("run_time_ns", "wait_time_ns", "utime_clock_ticks", "rchar")
    for key, row in runs.items():
        known = window.get(key)
        if key[1] not in kinds or not known or known["delta"] is None:
            continue
        counted += 1
        assert row["runs"]["baseline"] == [known["delta"]] * 3, (key, row, known)
        assert row["runs"]["candidate"] == [known["delta"]] * 2, (key, row, known)
    assert counted > 0
    assert all(row["runs"]["verdict"] != "changed" for row in runs.values())


def test_snapshots_are_totals():
    base, later = captures()
    found = rows_of(report("compare", base, base, "--", later, later), "runs")
    shown = rows_of(report("show", "--group-by=pcomm", base), "primary")
    known = [key for key in found if key[1] == "run_time_ns" and key in shown]
    assert known, shown
    for key in known:
        assert found[key]["runs"]["baseline"] == [shown[key]["value"]] * 2, found[key]


def test_directory_of_snapshots_is_a_set():
    folder = FOLDER / "directory"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.ctprof.zst").symlink_to(FOLDER / captures()[0])
    found = report("compare", folder, "--", captures()[1])
    assert all(len(row["runs"]["baseline"]) == 3 for row in rows_of(found).values())


def test_set_is_compared_as_it_was_reported():
    folder = made_set()
    files = sorted(path.name for path in (folder / "a").iterdir())
    assert files == ["0001-after.ctprof.zst", "0001-before.ctprof.zst",
                     "0002-after.ctprof.zst", "0002-before.ctprof.zst", "runs.ini"], files  # fmt: skip
    found = rows_of(report("compare", folder / "a", folder / "b"))
    wall = found[("command", "wall_ns")]
    assert all(value > 0 for value in wall["runs"]["baseline"]), wall
    assert all(value >= 1e7 for value in wall["runs"]["candidate"]), wall
    assert wall["runs"]["verdict"] == "few" and wall["runs"]["q"] is None, wall
    # Two runs per side are too few, which the report says.
    text = ctprof("compare", folder / "a", folder / "b").stdout.decode()
    assert "2+2 runs: too few (the smallest possible p is 0.33)" in text, text


def test_runs_do_not_show_ctprof_itself():
    groups = {group for group, _ in rows_of(report("compare", made_set() / "a", made_set() / "b"))}
    own = f"own-{os.getpid()}"
    link = FOLDER / own
    link.symlink_to(harness.CTPROF.resolve())
    done = subprocess.run(
        [link, *STAT, "-q", "--repeat", "1", "-f", "json", "-n", "0", "--group-by=comm-exact", "--", "true"],
        capture_output=True, check=True,
    )  # fmt: skip
    groups = {group for group, _ in rows_of(json.loads(done.stdout))}
    assert "command" in groups and own not in groups, groups


def test_what_runs_beside_the_command_is_a_rate_below_it():
    name = f"beside{os.getpid() % 10000}"
    code = f"open('/proc/self/comm', 'w').write('{name}')\nprint(flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as spinner:
        try:
            spinner.stdout.readline()
            done = ctprof(*STAT, "-q", "-f", "json", "-n", "0", "--repeat", "4", "--versus", "sleep 0.3",
                          "--", "sleep", "0.1")  # fmt: skip
        finally:
            spinner.kill()
    rows = [row for section in json.loads(done.stdout)["sections"] for row in section["rows"]]
    spun = next(row for row in rows if row["group"] == name and row["metric"] == "run_time_ns")
    assert spun["rate"], spun
    # The command is not a rate, and its lines are above all rates.
    of_command = [at for at, row in enumerate(rows) if row["group"] == "command"]
    rates = [at for at, row in enumerate(rows) if row.get("rate")]
    assert of_command and not set(of_command) & set(rates), rows
    changed = [at for at in of_command if rows[at]["runs"]["verdict"] == "changed"]
    assert max(changed, default=0) < min(rates), (changed, rates)


def test_what_is_wrong_is_said():
    base, later = captures()
    broken = FOLDER / "broken"
    broken.mkdir()
    (broken / "runs.ini").write_text("[run 1]\nbefore=../base\nafter=later\n")
    empty = FOLDER / "empty"
    empty.mkdir()
    for status, message, arguments in (
        (2, "expected BEFORE,AFTER", ["compare", f"{base},", "--", later]),
        (2, "expected BEFORE,AFTER", ["compare", "a,b,c", "--", later]),
        (2, "BEFORE,AFTER: the candidate was not captured after", ["compare", f"{later},{base}", "--", later]),
        (1, "[run 1]: expected files of this directory", ["compare", broken, "--", later]),
        (1, "contains no runs", ["compare", empty, "--", later]),
        (2, "--columns: not with several runs", ["compare", "--columns=group", base, "--", later]),
        (2, "no thread is in two of them", ["compare", "--group-by=thread", base, "--", later]),
        (2, "several runs per side: A1 A2", ["compare", base, later, base]),
        (2, "--alpha: expected", ["compare", "--alpha=0", base, "--", later]),
        (2, "p and q need several runs", ["compare", "--fail-on=q<0.05", base, later]),
        (2, "several runs have no findings", ["compare", "--fail-on=finding:*", base, "--", later]),
        (2, "several runs have no findings", ["compare", "--explain=forks", base, "--", later]),
        (2, "unknown metric", ["compare", "--fail-on=q<1 && nix:pct>1", base, "--", later]),
        (2, "--versus: only with --repeat", ["stat", "--versus=true", "--", "true"]),
        (2, "--repeat: not with --every", ["stat", "--repeat=2", "--every=1s", "--", "true"]),
        (2, "--versus ''': ", ["stat", "--repeat=2", "--versus='", "--", "true"]),
        (1, "--set", ["stat", "--repeat=2", f"--set={empty}", "--", "true"]),
    ):
        done = ctprof(*arguments, status=status)
        assert message in done.stderr.decode(), (arguments, done.stderr.decode())


def test_double_dash_alone_ends_the_options():
    base, later = captures()
    assert ctprof("compare", "--", base, later).stdout == ctprof("compare", base, later).stdout


def test_fail_on_names_the_group_the_value_and_the_limit():
    sides = [made_set() / "a", made_set() / "b"]
    holds = "--fail-on=p<=1 && wall_ns:delta>-1s"
    done = ctprof("compare", holds, *sides, status=3)
    assert re.search(r"met by command: wall_ns by [+-]?[0-9.]+(ns|µs|ms|s) \(limit -1.00s\), p ", done.stderr.decode()), done.stderr
    assert report("compare", holds, *sides, status=3)["fail_on"][0]["group"] == "command"
    ctprof("compare", "--fail-on=q<0.05 && wall_ns:delta>-1s", *sides)
    suite = ElementTree.fromstring(ctprof("compare", holds, "-f", "junit", "-m", "wall_ns", *sides, status=3).stdout)
    cases = suite.findall(".//testcase[@name='wall_ns']")
    assert [case.get("classname") for case in cases] == ["command"], suite
    assert "condition met by" in cases[0].find("failure").get("message")
    assert suite.get("failures") == "1"
    lines = ctprof("compare", holds, "-f", "github", *sides, status=3).stdout.decode().splitlines()
    assert sum(line.startswith("::error title=command wall_ns::") for line in lines) == 1, lines


def on_terminal(arguments, when=None, keys=b"", size=(24, 80)):
    """Returns the lines of ctprof on a terminal of that many lines and columns, and its wait status."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(FOLDER)
        os.execve(harness.CTPROF, ["ctprof", *map(str, arguments)], {**os.environ, "TERM": "xterm"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    if when:
        harness.wait_for(when, "the command")
        os.write(terminal, keys)
    output = b""
    try:
        while piece := os.read(terminal, 65536):
            output += piece
    except OSError:
        pass
    os.close(terminal)
    text = COLOUR.sub("", output.decode().replace("\r\n", "\n"))
    return text.splitlines(), os.waitpid(pid, 0)[1]


def test_report_fits_a_small_screen():
    sides = [made_set() / "a", made_set() / "b"]
    # The second terminal is a serial line, which has no size.
    for size in ((24, 80), (0, 0)):
        lines, status = on_terminal(["compare", "--no-pager", *sides], size=size)
        assert status == 0 and len(lines) <= 24, lines
        assert max(len(line) for line in lines) <= 80, lines
        assert "verdict" in "".join(lines) and "wall_ns" in "".join(lines), lines
    # A larger one has as many more rows, if there are.
    large, _ = on_terminal(["compare", "--no-pager", *sides], size=(40, 100))
    assert len(large) <= 40, large
    assert len(large) >= 40 - 6 or not re.search(r"^\.\.\. \d+ more rows", "\n".join(large), re.MULTILINE), large


def test_interrupt_reports_the_runs_before_it():
    mark = FOLDER / "runs"
    command = f"echo x >>{mark}; [ $(wc -l <{mark}) -lt 3 ] || exec sleep 600"
    lines, status = on_terminal(
        [*STAT, "-q", "--repeat", "8", "--", "sh", "-c", command],
        when=lambda: mark.exists() and len(mark.read_text()) == 6, keys=b"\x03",
    )  # fmt: skip
    assert any(line.removeprefix("^C").startswith(" A  2 runs: sh -c") for line in lines), lines
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, status


def test_order_is_interleaved():
    mark = FOLDER / "order"
    words = ["--repeat", "4", "--warmup", "1"]
    ctprof(*STAT, "-q", *words, "--versus", f"sh -c 'echo b >>{mark}'", "--", "sh", "-c", f"echo a >>{mark}")
    assert "".join(mark.read_text().split()) == "ab" + "abbabaab", mark.read_text()
    mark.unlink()
    ctprof(*STAT, "-q", *words, "--seed", "7", "--versus", f"sh -c 'echo b >>{mark}'", "--", "sh", "-c", f"echo a >>{mark}")
    order = "".join(mark.read_text().split())
    assert {order[i:i + 2] for i in range(0, 10, 2)} <= {"ab", "ba"}, order


def test_exit_status_is_that_of_the_commands():
    done = ctprof(*STAT, "-q", "--repeat", "2", "--versus", "sh -c 'exit 7'", "--", "true", status=7)
    assert b"Change or noise" in done.stdout
    ctprof(*STAT, "-q", "--repeat", "2", "--", "./no-such-command", status=127)


def test_nothing_is_left_behind():
    folder = FOLDER / "tmp"
    folder.mkdir()
    ctprof(*STAT, "-q", "--repeat", "2", "--versus", "true", "--", "true", env={**os.environ, "TMPDIR": str(folder)})
    assert not list(folder.iterdir()), list(folder.iterdir())


if __name__ == "__main__":
    tap.main(globals(), world="own")
