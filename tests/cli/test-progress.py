#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The progress line: on a terminal only, and removed at the end."""

import fcntl
import os
import pty
import re
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402
from harness import CTPROF, Worker  # noqa: E402

PIPE_BYTES = 4096
# Far more than the pipe holds: it is not read, so the capture cannot end.
THREADS = 600
PROGRESS = re.compile(rb"\rctprof: \d+ threads, \d+ of \d+ processes")
ERASED = b"\r\033[K"
SUMMARY = re.compile(rb"ctprof: \d+ threads in \d+ processes[^\r\n]*\r?\n")


class Stalled:
    """A capture that blocks until its snapshot is read."""

    def __init__(self, stderr, *arguments):
        self.out, sink = os.pipe()
        fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        command = [CTPROF, "--plugins=procfs", "capture", "-o", "-", *arguments]
        self.process = subprocess.Popen(command, stdout=sink, stderr=stderr)
        os.close(sink)

    def read_snapshot(self):
        def drain():
            with open(self.out, "rb") as file:
                while file.read(65536):
                    pass

        reader = threading.Thread(target=drain)
        reader.start()
        reader.join()
        assert self.process.wait() == 0


def read_terminal(master, until):
    """What is written to the terminal up to the pattern, or to its end."""
    text = b""
    end = time.monotonic() + harness.PATIENCE_S
    while not (until and until.search(text)):
        assert select.select([master], [], [], max(0, end - time.monotonic()))[0], text
        try:
            data = os.read(master, 65536)
        except OSError:  # EIO: no process has the terminal open any more
            break
        if not data:
            break
        text += data
    return text


def on_terminal(*arguments, until):
    master, terminal = pty.openpty()
    with Worker("--threads", THREADS), os.fdopen(master, "rb", buffering=0):
        capture = Stalled(terminal, *arguments)
        os.close(terminal)
        text = read_terminal(master, until) if until else b""
        capture.read_snapshot()
        return text + read_terminal(master, None)


def test_a_terminal_sees_progress_and_then_the_summary_alone():
    text = on_terminal(until=PROGRESS)
    assert PROGRESS.search(text), text
    last = list(PROGRESS.finditer(text))[-1]
    rest = text[last.end() :]
    assert rest.startswith(ERASED), rest
    shown = rest[len(ERASED) :]
    assert b"\033" not in shown, shown
    assert SUMMARY.search(shown), shown
    # Each of the lines before it was erased as well.
    assert text.count(ERASED) == len(PROGRESS.findall(text))


def test_quiet_shows_no_progress():
    assert on_terminal("-q", until=None) == b""


def test_no_terminal_no_progress():
    with Worker("--threads", THREADS):
        capture = Stalled(subprocess.PIPE)
        # Longer than it takes until a terminal would see the line.
        time.sleep(0.8)
        assert capture.process.poll() is None, "the capture was not held up"
        capture.read_snapshot()
        with capture.process.stderr as stderr:
            text = stderr.read()
    assert SUMMARY.search(text), text
    assert b"\r" not in text and b"\033" not in text, text


if __name__ == "__main__":
    tap.main(globals(), world="own")
