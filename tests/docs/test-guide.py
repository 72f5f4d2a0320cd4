#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/plugin-guide.md, followed to the letter with only an installed tree.

Every ```sh block runs, in order and in one shell; a ```text block after it is what
it prints ("..." stands for anything). A ```c block is an excerpt of the project that
ctprof-new-plugin writes.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["CTPROF_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/lib"))

import tap  # noqa: E402
from installed import find_tool, install  # noqa: E402

GUIDE = SOURCE / "docs/plugin-guide.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TOOLS = ("make", "cc", "patch", "pkg-config")
# Variables that would lead ctprof, make or a shell to places other than the reader's.
LEADING = re.compile(r"(CTPROF_|MAKE|MESON|ASAN_|UBSAN_|TSAN_)|(CFLAGS|CPPFLAGS|LDFLAGS|BASH_ENV|ENV)$")


def blocks():
    """[(language, text)], with at least one of each kind."""
    found = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert {language for language, _ in found} == {"sh", "text", "c"}, found
    return found


def steps():
    """[(commands, what they print or None)]"""
    found = [block for block in blocks() if block[0] != "c"]
    result = []
    for (language, text), (behind, output) in zip(found, [*found[1:], ("sh", "")]):
        if language == "sh":
            result.append((text, output if behind == "text" else None))
    return result


def pattern_of(text):
    """The regular expression of an output with "..." in it."""
    lines = [r"(.*\n)*?" if line == "..." else re.escape(line).replace(re.escape("..."), ".*") + r"\n"
             for line in text.splitlines()]
    return "".join(lines)


class Reader:
    """A shell in an empty directory; a context manager."""

    def __init__(self, tmp):
        tmp = Path(tmp)
        os.chmod(tmp, 0o755)
        for tool in TOOLS:
            find_tool(tool)
        kept = {name: value for name, value in install(tmp / "root").items()
                if name.startswith("PKG_CONFIG") or not LEADING.match(name)}
        bin_dir, = (tmp / "root").rglob("bin")
        plugin, = (tmp / "root").rglob("ctprof-procfs.so")
        # It was installed below a directory that it does not know.
        env = {**kept, "PATH": f"{bin_dir}:{kept['PATH']}", "LC_ALL": "C.UTF-8",
               "CTPROF_PLUGIN_PATH": str(plugin.parent)}
        self.home = tmp / "home"
        self.home.mkdir()
        self.shell = subprocess.Popen(
            ["bash", "-e", "-o", "pipefail"], cwd=self.home, env=env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        # A process left in the background would keep the output open.
        self.type("trap 'kill $(jobs -p) 2>/dev/null' EXIT\n")

    def type(self, commands):
        """What they print; a command that fails ends the shell."""
        mark = "the-guide's-next-step"
        self.shell.stdin.write(f'{commands}echo "{mark}"\n')
        self.shell.stdin.flush()
        said = ""
        for line in self.shell.stdout:
            if line == mark + "\n":
                return said
            said += line
        raise AssertionError(f"{commands}ends with {self.shell.wait()}:\n{said}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.shell.pid, signal.SIGKILL)
        self.shell.wait()
        self.shell.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self.shell.stdin.close()


@contextlib.contextmanager
def reader():
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="ctprof-guide-") as tmp, Reader(tmp) as found:
        yield found


def test_every_command_prints_what_the_guide_shows():
    with reader() as one:
        for commands, expected in steps():
            printed = one.type(commands)
            assert re.fullmatch(pattern_of(expected or ""), printed), \
                f"$ {commands}prints\n{printed}and the guide has\n{expected}"


def test_excerpts_are_of_what_was_written():
    with reader() as one:
        one.type(steps()[0][0])
        source, = one.home.glob("*/oomadj.c")
        for language, text in blocks():
            assert language != "c" or text in source.read_text(encoding="utf-8"), text


def test_three_dots_stand_for_anything_but_a_missing_line():
    for text, printed, fits in (("a\n...\nb\n", "a\nb\n", True), ("a\n...\nb\n", "a\nx\ny\nb\n", True),
                                ("a...c\n", "abc\n", True), ("a...c\n", "a\nc\n", False),
                                ("a\n", "a\nb\n", False), ("", "a\n", False), ("a.c\n", "abc\n", False)):
        assert bool(re.fullmatch(pattern_of(text), printed)) == fits, (text, printed)


if __name__ == "__main__":
    tap.main(globals(), world="own")
