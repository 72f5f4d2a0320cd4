#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shell completion: `ctprof complete`, and the three scripts that use it."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

SCRIPTS = harness.SOURCE / "completions"

# words typed, the last one half -> must be offered, must not be offered
CASES = [
    (["c"], {"capture", "compare"}, {"show", "complete"}),
    (["help", "cap"], {"capture"}, set()),
    (["-"], {"--plugins", "--help"}, {"--groups"}),
    (["capture", "--gr"], {"--groups"}, {"--group-by", "--metrics"}),
    (["show", "--group"], {"--group-by"}, {"--groups"}),
    (["--plugins", "procfs", "capture", "--groups", "sc"], {"sched", "scx"}, {"smaps"}),
    (["--plugins=procfs,t"], {":more", "--plugins=procfs,taskstats"}, {"taskstats"}),
    (["capture", "-g", "sched,-i"], {":more", "sched,-io", "sched,-identity"}, {"io"}),
    (["show", "--metrics=run_time"], {"--metrics=run_time_ns"}, {"run_time_ns"}),
    (["compare", "--sections", "primary,smaps"], {"primary,smaps-rollup"}, {"smaps-rollup"}),
    (["show", "--format", ""], {"table", "json", "csv"}, {"snapshot", "text"}),
    (["doctor", "--format", ""], {"text", "json"}, {"table"}),
    (["compare", "a.ctprof.zst", ""], {":snapshots"}, set()),
    (["--plugin-path", ""], {":directories"}, set()),
    (["capture", "-o", ""], {":files"}, set()),
    (["stat", "--", ""], {":command"}, set()),
    (["memory", "pro"], {":snapshots", "process", "processes"}, {"ledger"}),
    (["memory", "--sort", "s"], {"swap", "shmem", "size"}, {"pss"}),
    (["memory", "sysv", "--sort", ""], {"rss", "attaches"}, {"pss", "shmem"}),
    (["memory", "--flat", "processes", "--sort="], {"--sort=pss", "--sort=pid"}, {"--sort=size"}),
    (["plugins", "tab"], {"table"}, {"procfs"}),
    (["show", "--explain", "waits-for-"], {"waits-for-disk", "waits-for-swap"}, {"starved"}),
    (["replay", "--explain="], {"--explain=starved", "--explain=throttled"}, set()),
    (["t"], {"top"}, {"replay"}),
    (["top", "--gr"], {"--group-by", "--groups"}, {"--sections"}),
    (["top", "--group-by="], {"--group-by=unit", "--group-by=thread"}, set()),
    (["top", "--sort", "wai"], {"waiting"}, {"cpu"}),
    (["top", "-O", ""], set(), {":files"}),
    (["replay", ""], {":snapshots"}, {"top"}),
    (["replay", "--"], {"--interval", "--filter"}, {"--groups"}),
    (["replay", "-s", "run_ti"], {"run_time_ns"}, set()),
    (["capture", "--jobs", ""], set(), {"--groups", "capture"}),
    (["no-such-command", ""], set(), {"stat"}),
    ([], set(), {"stat"}),
]


def printed(*arguments):
    done = harness.run(*arguments)
    assert not done.stderr, done.stderr
    return done.stdout if isinstance(done.stdout, str) else done.stdout.decode()


def offered(words):
    return {line.partition("\t")[0] for line in printed("complete", "--", *words).splitlines()}


def test_offers():
    for words, wanted, unwanted in CASES:
        got = offered(words)
        assert wanted <= got, (words, sorted(wanted - got))
        assert not unwanted & got, (words, sorted(unwanted & got))


def test_every_option_of_every_command_is_offered():
    listed = printed("--help").partition("Commands:\n")[2].partition("\n\n")[0]
    commands = [line.split()[0] for line in listed.splitlines()]
    assert len(commands) >= 7, commands
    for command in commands:
        shown = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", printed(command, "--help"), re.MULTILINE))
        assert "--plugins" in shown
        got = offered([command, "--"])
        assert shown <= got, (command, sorted(shown - got))


def shell(name, *arguments):
    program = shutil.which(name)
    if not program:
        raise tap.Skip(f"there is no {name}")
    path = f"{harness.CTPROF.resolve().parent}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "one.ctprof.zst").touch()
        (Path(scratch) / "other").touch()
        environment = dict(os.environ, PATH=path, HOME=scratch, TERM="dumb")
        done = subprocess.run([program, *arguments], cwd=scratch, env=environment, text=True,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL,
                              timeout=harness.PATIENCE_S)
    return done.stdout


LINES = [
    ("ctprof cap", {"capture"}),
    ("ctprof capture --groups sche", {"sched"}),
    ("ctprof show ", {"one.ctprof.zst"}),
]


def test_bash():
    for line, wanted in LINES + [("ctprof --plugins=procfs,ta", {"procfs,table"})]:
        script = (f"source {SCRIPTS}/ctprof.bash; COMP_LINE={line!r}; COMP_POINT=${{#COMP_LINE}}; "
                  '_ctprof 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"')
        got = set(shell("bash", "-c", script).splitlines())
        assert wanted <= got and "other" not in got, (line, got)


def test_fish():
    for line, wanted in LINES:
        got = shell("fish", "-c", f"source {SCRIPTS}/ctprof.fish; complete -C {line!r}")
        assert wanted <= {word.partition("\t")[0] for word in got.splitlines()}, (line, got)


def test_zsh():
    script = f"""zmodload zsh/zpty || exit
        zpty z zsh -f -i
        zpty -w z "fpath=({SCRIPTS} \\$fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy"
        zpty -r z answer '*ready*'
        zpty -n -w z $'ctprof capt\\t--grou\\tsche\\t'
        zpty -r -m z answer '*--groups*sched*' && print -r -- found"""
    assert "found" in shell("zsh", "-f", "-c", script)


if __name__ == "__main__":
    tap.main(globals(), world="own")
