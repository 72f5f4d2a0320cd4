#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands in the documents work as written.

In README.md, the plugins' READMEs and docs/*.md these are the lines "    $ COMMAND" and
`ctprof ...` in a line of text; where an indented block has no "$", its lines that name
ctprof. In the manual pages' sources, blocks between ```. Those of --help are
tested by tests/cli/test-cli.py, those of the plugin author's guide by test-guide.py.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "docs/*.md", "plugins/*/README.md", "sinks/*/README.md"]
PAGES = ["docs/man/*.scd"]
# The beginning of a command, and why it is not run here.
NOT_RUN = {
    "sudo setcap": "gives an installed file capabilities; tests/border does so with a copy",
    "scripts/": "builds this very tree",
    "meson setup": "tests/packages/test-install.py installs",
    "ctprof --plugins=taskstats capture": "needs a ctprof without that plugin: test-install.py",
    "ctprof record -i 10s": "records until it is stopped",
    "ctprof record -g jemalloc": "records until it is stopped",
    "systemctl": "changes the services of this host",
    "gdb --args": "needs gdb, and the plugin of the guide",
}
# Names that this host does not have, and their replacements.
STANDS_FOR = {r"\b1234\b": str(os.getpid()), r"\b5678\b": str(os.getppid())}
INDENTED = re.compile(r"(?:^(?: {4}.*)?\n)+", re.MULTILINE)
FENCED = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A single word after it is a command's name, not a command.
INLINE = re.compile(r"(?<!`)`(ctprof [^`\n]+ [^`\n]+)`(?!`)")
NAMES_PROGRAM = re.compile(r"(^|[\s/;|&])(ctprof(?!:)|scripts/|meson)\b")
PLACEHOLDER = re.compile(r"…|\b[A-Z]{3,}\b|\.\.\.")


def join_lines(lines):
    """Commands from lines that may continue on the next one."""
    commands = []
    open_line = ""
    for line in lines:
        open_line += line
        if open_line.endswith("\\"):
            open_line = open_line[:-1]
        elif open_line.count("'") % 2:
            open_line += "\n"
        else:
            commands.append(open_line.strip())
            open_line = ""
    assert not open_line, f"no end: {open_line}"
    return commands


def commands_of_block(block):
    """Those after "$ ", with their continuation lines; otherwise lines that name
    ctprof."""
    lines = block.splitlines()
    if not any(line.startswith("$ ") for line in lines):
        return join_lines(line for line in lines if NAMES_PROGRAM.search(line))
    commands = []
    going_on = False
    for line in lines:
        if line.startswith("$ "):
            commands.append([])
            line = line[2:]
        elif not going_on:
            continue
        commands[-1].append(line)
        text = "\n".join(commands[-1])
        going_on = text.endswith("\\") or text.count("'") % 2
    return [join_lines(lines)[0] for lines in commands]


def commands_of_document(text):
    # Pictures, of which a line may begin with a pool called ctprof.
    text = re.sub(r"<!-- (first screen|top) -->.*?<!-- end -->", "", text, flags=re.DOTALL)
    blocks = [re.sub("^    ", "", block, flags=re.MULTILINE)
              for block in INDENTED.findall(FENCED.sub("-\n", text)) if block.strip()]
    inline = [command for command in INLINE.findall(text) if not PLACEHOLDER.search(command)]
    return [command for block in blocks for command in commands_of_block(block)] + inline


def commands_of_page(text):
    return [command for block in FENCED.findall(text) for command in commands_of_block(block)]


def reason_not_to(command):
    return next((why for begin, why in NOT_RUN.items() if command.startswith(begin)), None)


def found():
    """{file: its commands}, of files that have some."""
    result = {}
    for patterns, commands_of in ((DOCUMENTS, commands_of_document), (PAGES, commands_of_page)):
        for pattern in patterns:
            for file in sorted(harness.SOURCE.glob(pattern)):
                commands = commands_of(file.read_text(encoding="utf-8"))
                if commands:
                    result[str(file.relative_to(harness.SOURCE))] = commands
    return result


def prepare(folder, text):
    """The files that a document creates, or reads first."""
    for name in ("before", "after", "now"):
        harness.run("--plugins=all", "capture", "--memory", "--pid", os.getpid(),
                    "-o", folder / f"{name}.ctprof.zst")
    # Words for the shell, which the documents rely on.
    shell = ["bash", "-c", f"'{harness.CTPROF}' capture -o host.ctprof.zst || exit"]
    subprocess.run(shell, cwd=folder, check=True, capture_output=True)
    for name, content in re.findall(r"^    \$ cat (\S+)\n((?:    (?!\$).*\n)+)", text, re.MULTILINE):
        (folder / name).write_text(re.sub("^    ", "", content, flags=re.MULTILINE))


def type_commands(commands, text):
    with tempfile.TemporaryDirectory() as tmp:
        folder = Path(tmp)
        prepare(folder, text)
        for command in commands:
            if reason_not_to(command):
                print(f"# not run: {command}: {reason_not_to(command)}")
                continue
            for tool in ("jq", "zstdcat"):
                if tool in command:
                    harness.need_command(tool)
            for name, own in STANDS_FOR.items():
                command = re.sub(name, own, command)
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", command], cwd=folder, check=False,
                capture_output=True, text=True,
                env={**os.environ, "PATH": f"{harness.BUILD}:{os.environ['PATH']}"})
            assert done.returncode == 0, f"'{command}' ends with {done.returncode}: {done.stderr}"


def test_what_is_not_run_stands_somewhere():
    commands = [command for commands in found().values() for command in commands]
    for begin in NOT_RUN:
        assert any(command.startswith(begin) for command in commands), begin


def test_commands_are_found_as_people_write_them():
    text = ("Text `ctprof show a` and `ctprof show FILE`.\n\n    $ ctprof a \\\n        --b\n    output of ctprof\n"
            "    $ jq '.a,\n      .b'\n\n```c\n    ctprof no\n```\n\n    ctprof c  # why\n    words\n")
    assert commands_of_document(text) == [
        "ctprof a     --b", "jq '.a,\n  .b'", "ctprof c  # why", "ctprof show a"], \
        commands_of_document(text)


def test_pages_refer_to_pages_that_there_are():
    sources = sorted(harness.SOURCE.glob("docs/man/*.scd"))
    # The page of the plugin interface is made from the headers; show is a link to compare.
    there = {re.sub(r"[.](\d)[.]scd$", r"(\1)", page.name) for page in sources} | {
        "ctprof-plugin(3)", "ctprof-show(1)"}
    for page in sources:
        told = re.findall(r"\*(ctprof[a-z-]*)\*(\(\d\))", page.read_text(encoding="utf-8"))
        assert told and {name + section for name, section in told} <= there, (page.name, told)


def add_tests():
    for name, commands in found().items():
        text = (harness.SOURCE / name).read_text(encoding="utf-8")
        globals()["test_commands_of_" + re.sub(r"\W+", "_", name)] = \
            lambda commands=commands, text=text: type_commands(commands, text)


add_tests()

if __name__ == "__main__":
    tap.main(globals(), world="own")
