# SPDX-License-Identifier: LGPL-2.1-or-later
"""A real terminal for tests: a tmux server of our own, with one window."""

import contextlib
import ctypes
import itertools
import os
import signal
import subprocess

import harness

NUMBERS = itertools.count()
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


class Terminal:
    """A terminal's contents and keyboard."""

    def __init__(self, server):
        self.server = server

    def ask(self, *arguments):
        return subprocess.run(["tmux", "-L", self.server, "-f", "/dev/null", *map(str, arguments)],
                              capture_output=True, check=False, stdin=subprocess.DEVNULL)

    def tmux(self, *arguments):
        done = self.ask(*arguments)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def text(self, *how):
        return self.tmux("capture-pane", "-p", *how)

    def lines(self):
        return [line.rstrip() for line in self.text().splitlines()]

    def state(self, name):
        """Returns a tmux variable, such as alternate_on or cursor_flag."""
        return self.tmux("display-message", "-p", f"#{{{name}}}").strip()

    def press(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)

    def type(self, text):
        self.tmux("send-keys", "-l", "--", text)

    def resize(self, width, height):
        self.tmux("resize-window", "-x", width, "-y", height)

    def wait(self, condition, what):
        """Waits until condition is true of the text twice in a row, since the screen may be half
        drawn the first time. Returns the text."""
        seen = []

        def holds():
            seen[:] = [self.text()]
            return condition(seen[0])

        try:
            harness.wait_for(lambda: holds() and holds(), what)
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{seen[0]}") from None
        return seen[0]


@contextlib.contextmanager
def serving(screen):
    """Runs the server.  The kernel ends it with this process, even after SIGKILL: what runs in the
    terminal then gets SIGHUP."""
    with subprocess.Popen(["tmux", "-D", "-L", screen.server, "-f", "/dev/null"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)) as process:
        try:
            harness.wait_for(lambda: screen.ask("show-options", "-s").returncode == 0, "the server")
            yield
        finally:
            process.terminate()


@contextlib.contextmanager
def terminal(width, height, script):
    """Opens a terminal that runs a shell script."""
    harness.need_command("tmux")
    screen = Terminal(f"ctprof-test-{os.getpid()}-{next(NUMBERS)}")
    with serving(screen):
        screen.tmux("new-session", "-d", "-x", width, "-y", height, "sh", "-c", script)
        yield screen
