#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The first screens on terminals of several sizes, provided by tmux."""

import os
import re
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402
from terminal import terminal  # noqa: E402

SIZES = ((80, 24), (120, 40), (200, 50))
END = "== the end =="
BAR_WIDTH = 12  # and the gap before it


def lines_on(width, height, *arguments):
    """ctprof's output as shown on the screen; nothing may be wrapped."""
    command = f"{harness.CTPROF} {arguments[0]} --no-pager {' '.join(arguments[1:])}"
    # Not as it will be printed: the list of processes shows this very shell.
    printed = "' '".join(END.split())
    script = f"clear; {command} 2>/dev/null; echo '{printed}'; exec cat"
    with terminal(width, height, script) as screen:
        screen.wait(lambda text: END in text, "ctprof's end")
        shown = screen.text("-S", "-")
        joined = screen.text("-J", "-S", "-")
    lines = [line.rstrip() for line in shown.splitlines()]
    whole = [line.rstrip() for line in joined.splitlines()]
    assert all(len(line) <= width for line in whole), "a line is wrapped:\n" + shown
    return lines[: lines.index(END)]


def check_screen(lines, width, height):
    assert 8 < len(lines) < height, (width, height, lines)
    assert max(map(len, lines)) <= width, (width, lines)
    (head,) = [line.split() for line in lines if line.startswith(" POOL ")]
    assert head[:3] == ["POOL", "THREADS", "CPU"] and "WAITING" in head, head
    assert any(line.startswith(" total ") for line in lines), lines
    # Truncated text is marked as such, and numbers are never truncated.
    body = lines[[line.startswith(" POOL ") for line in lines].index(True):]
    # Bars only where there is room: the numbers of a busy host may take all of 200 columns.
    has_bars = any("█" in line for line in body)
    assert not (has_bars and width == 80), lines
    assert has_bars or width < 200 or max(map(len, body)) + BAR_WIDTH > width, lines
    for line in body[1:]:
        said = line.startswith((" not measured", " more:"))
        assert said or not any("…" in word and word.lstrip("~")[0].isdigit() for word in line.split()[1:]), line


def test_first_screens_of_captures_fit():
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{name}.ctprof.zst" for name in ("before", "after")]
        for file in files:
            harness.run("capture", "-o", file)
        for width, height in SIZES:
            for arguments in (["show", files[1]], ["compare", *files],
                              ["compare", "--totals", *files],
                              ["compare", "--group-by=cgroup", *files],
                              ["stat", "--", "sleep", "0.1"]):
                check = lines_on(width, height, *arguments)
                check_screen(check, width, height)


def need_memory():
    if "memory-ledger" not in harness.run("plugins", "--format", "json").stdout.decode():
        raise tap.Skip("no plugin of this build has the group memory-ledger")


def test_the_first_screen_fits():
    need_memory()
    for width, height in SIZES:
        lines = lines_on(width, height, "memory")
        # The last line is the prompt's.
        assert 8 < len(lines) < height, (width, height, len(lines))
        assert re.match(r" [\d.]+ [GM]iB · [\d.]+ free", lines[0]), lines[0]
        heads = [line.split() for line in lines if line.startswith(" POOL ")]
        assert [head[:3] for head in heads] == [["POOL", "PROCS", "PSS"]], lines
        assert any(line.startswith(" total ") for line in lines), lines
        # No column is empty.
        pools = [line.split() for line in lines[lines.index("") + 2:] if line.startswith(" ")]
        assert not all("0B" in words for words in pools), lines


def test_no_view_is_wider_than_the_terminal():
    need_memory()
    for width, height in SIZES:
        for view in (["processes", "-n", "9"], ["processes", "--flat", "-n9"], ["ledger"],
                     ["areas", "-n", "9"], ["shared", "-n", "9"], ["tmpfs"], ["sysv"],
                     ["process", str(os.getpid())], ["object", "libc", "-n", "2"]):
            lines = lines_on(width, height, "memory", *view)
            assert max(map(len, lines)) <= width, (view, width)


def test_processes_have_all_their_columns_at_80():
    """Only the command is cut."""
    need_memory()
    head = lines_on(80, 24, "memory", "processes", "-n", "3")[1].split()
    for column in ("PID", "USER", "PSS", "PSS+", "USS", "RSS", "COMMAND"):
        assert column in head, head


def has_ended(pid):
    try:
        return harness.state_of(pid, pid) in "ZX"
    except OSError:
        return True


def test_a_killed_test_leaves_no_terminal():
    """As after meson's timeout: neither the server nor what ran in the terminal remains."""
    harness.need_command("tmux")
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told"
        child = os.fork()
        if child == 0:
            with terminal(80, 24, f"echo $$ $PPID >{told}.new; mv {told}.new {told}; exec sleep 1000"):
                signal.pause()
            os._exit(1)
        harness.wait_for(told.exists, "the terminal")
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for pid in map(int, told.read_text().split()):
            harness.wait_for(lambda pid=pid: has_ended(pid), "the end of the terminal")


if __name__ == "__main__":
    tap.main(globals(), world="of more processes than fit on a screen")
