#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The user interface on the terminal: help, messages, names, exit codes."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402
from harness import run  # noqa: E402

SUMMARY = re.compile(
    r"ctprof: (?P<threads>\d+) threads? in (?P<processes>\d+) process(?:es)?"
    r"(?:, \d+ gone meanwhile)?, \d+\.\d\d s \(skew \d+\.\d\d s\)(?:; absent: (?P<absent>.*?))?; "
    r"(?P<path>.*): (?P<size>[0-9.]+)\s(?P<unit>\S+)"
)
# The summary's words for a reason of absence -> those of the file.
REASONS = {"not provided here": "unsupported", "not permitted": "denied",
           "ended meanwhile": "vanished", "no answer in time": "timeout",
           "not understood": "invalid"}
HELP_OPTION = re.compile(r"^  (?:-(\w), )?--([a-z-]+)(\[?=\S+)?", re.MULTILINE)


def out(*arguments, **more):
    return run(*arguments, **more).stdout.decode()


def commands():
    section = re.search(r"^Commands:\n((?:  .*\n)+)", out("--help"), re.MULTILINE)[1]
    return [line.split()[0] for line in section.splitlines()]


def shown_options(*command):
    """[(letter or "", name, "=VALUE" or "")] of --help, except --help itself."""
    return [found for found in HELP_OPTION.findall(out(*command, "--help")) if found[1] != "help"]


def test_options_that_help_shows_are_known():
    everywhere = set(shown_options()) - {("", "version", "")}
    assert len(everywhere) > 8, everywhere
    for command in commands():
        options = shown_options(command)
        assert everywhere <= set(options) and len(options) == len(set(options)), command
        # Options of every command: testing them once is enough.
        for letter, name, value in set(options) - (everywhere if command != "capture" else set()):
            # A folder that does not exist is another kind of error.
            given = "." if name == "plugin-path" else "@"
            for word in [f"--{name}={given}" if value else f"--{name}"] + [f"-{letter}@"] * (
                    bool(letter) and bool(value)):
                done = run(command, word, "--no-such-option", check=False)
                assert done.returncode == 2 and b"\n" not in done.stderr.rstrip(), done
                assert done.stderr.startswith((b"ctprof: unknown option '--no-such-option'",
                                               f"ctprof: --{name} '@'".encode(),
                                               f"ctprof: -{letter} '@'".encode())), done


# Command line -> status, and the beginning of its one line.
WORDS = [
    (["capture", "--smaps=Never"], 2,
     "--smaps 'Never': expected auto, always or never: did you mean never? (see 'ctprof capture"),
    (["capture", "--smpas=auto"], 2, "unknown option '--smpas': did you mean --smaps? (see "),
    (["--plugin=procfs", "capture"], 2, "unknown option '--plugin': did you mean --plugins?"),
    (["captrue"], 2, "unknown command 'captrue': did you mean capture? (see 'ctprof --help')"),
    (["show", "--smaps=auto", "x"], 2, "unknown option '--smaps' (see 'ctprof show --help')"),
    (["-O", "procfs.nosuch=1", "capture"], 2,
     "-O procfs.nosuch: the plugin procfs has no option 'nosuch' (it has smaps, "),
    (["-O", "procfs.smap=auto", "capture"], 2,
     "-O procfs.smap: the plugin procfs has no option 'smap' (it has smaps, smaps-timeout, "
     "smaps-budget): did you mean smaps?"),
    (["-O", "nosuch.x=1", "capture"], 2, "-O nosuch.x: there is no plugin 'nosuch'"),
    (["-O", "procsf.smaps=auto", "capture"], 2,
     "-O procsf.smaps: there is no plugin 'procsf': did you mean procfs?"),
    (["-O", "psi.x=1", "capture"], 2, "-O psi.x: the plugin psi has no option 'x' (it has none)"),
    (["-O", "procfs.smaps-timeout=soon", "capture"], 2,
     "-O procfs.smaps-timeout 'soon': expected a time such as 500ms or 2s, from 0.001s to 3600s"),
    (["capture", "--smaps-timeout=2h"], 2, "--smaps-timeout '2h': expected a time "),
    (["capture", "--memory=ledger,tmpsf"], 2,
     "--memory 'ledger,tmpsf': expected a list of ledger, processes, shared, tmpfs, files, sysv "
     "or all: did you mean tmpfs?"),
    (["capture", "--delayacct", "--smaps=Never"], 2, "--smaps 'Never': "),
    (["capture", "--delayacct", "-O", "procfs.smaps=Never"], 2, "-O procfs.smaps 'Never': "),
    (["memory", "--smaps-source=maps"], 2, "--smaps-source 'maps': expected auto, rollup or smaps"),
    (["memory", "--smaps=auto"], 2, "unknown option '--smaps'"),
    (["--plugins=psi", "capture", "--memory"], 2,
     "unknown option '--memory': --plugins may exclude the plugin that has it (see "),
    (["memory", "--sort=nonsense"], 2, "--sort 'nonsense': "),
    (["show", "--group-by=pcom", "x"], 2,
     "--group-by 'pcom': expected pcomm, cgroup, comm, comm-exact, all, thread, unit, process, "
     "user, cmdline, scheduler or layer: did you mean pcomm?"),
    (["show", "-n-1", "x"], 2, "-n '-1': expected a number from 0 to "),
    (["show", "--wrap=yes", "x"], 2, "--wrap: takes no value"),
    (["show", "-n"], 2, "-n: expected N after it"),
    (["show", "-qx", "x"], 2, "unknown option '-x'"),
    (["--plugin-timeout=never", "capture"], 2, "--plugin-timeout 'never': expected a time such as"),
]


def test_words_that_no_option_knows_are_told_with_those_it_does():
    for arguments, status, begin in WORDS:
        done = run(*arguments, check=False)
        text = done.stderr.decode()
        assert (done.returncode, done.stdout) == (status, b""), (arguments, done)
        assert text.startswith("ctprof: " + begin) and text.count("\n") == 1, (arguments, text)


def test_values_may_be_attached_and_letters_bundled():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.ctprof.zst"
        run("-q", "--plugins=procfs", "capture", f"-p{os.getpid()}", f"-o{path}", "-gsched")
        for arguments in (["-fjson", "-n1"], ["-f", "json", "-n", "1"], ["-qfjson", "--limit=1"],
                          ["--format", "json", "--limit", "1", "--"]):
            sections = json.loads(out("show", "--group-by=thread", *arguments, path))["sections"]
            tables = [x["rows"] for x in sections if x["name"] not in ("host", "findings", "pools")]
            groups = [{tuple(row["group"]) for row in rows} for rows in tables]
            assert groups and all(len(group) == 1 for group in groups), (arguments, sections)
        assert out("show", path, "-fcsv") == out("-q", "show", "-f=csv"[:2], "csv", "--", path)


def test_options_of_plugins_need_their_plugin():
    for plugins, status in (("procfs", 0), ("psi", 2), ("-procfs,-memory", 2)):
        with tempfile.TemporaryDirectory() as folder:
            done = run(f"--plugins={plugins}", "capture", "--smaps=never", "-o", f"{folder}/x",
                       check=False)
            assert done.returncode == status, done
            # The position is also reported: before or after.
            again = run("capture", "--smaps=never", f"--plugins={plugins}", "-o", f"{folder}/y",
                        check=False)
            assert again.returncode == status, again


def test_help_has_three_doors():
    for command in commands():
        assert out("help", command) == out(command, "--help"), command
    assert out("help") == out("--help") == out("-h")


def test_no_line_of_a_help_is_longer_than_100_columns():
    for command in [], *([command] for command in commands()):
        lines = out(*command, "--help").splitlines()
        assert max(map(len, lines)) <= 100, max(lines, key=len)


def examples(text):
    """The example lines of a help text, without their explanations."""
    lines = text.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
    return [re.split(r"\s{3,}", line.strip())[0] for line in lines if line.startswith("  ctprof")]


def files_in(folder):
    """Each file in the folder; a file that replaced another is a new one."""
    return {(path, path.lstat().st_ino) for path in Path(folder).rglob("*")}


def run_examples(*command):
    found = examples(out(*command, "--help"))
    assert found, f"{command}: no example"
    for example in found:
        for tool in ("jq", "zstdcat"):
            if tool in example:
                harness.need_command(tool)
        with tempfile.TemporaryDirectory() as folder:
            # A process that certainly exists replaces that of the example.
            pidof = Path(folder) / "pidof"
            pidof.write_text(f"#!/bin/sh\necho {os.getpid()}\n")
            pidof.chmod(0o755)
            # A plugin of our own replaces that of the example.
            (Path(folder) / "ctprof-example.so").symlink_to(harness.BUILD.resolve() / "ctprof-example.so")
            captures = [Path(folder) / name for name in ("before.ctprof.zst", "after.ctprof.zst")]
            for path in captures if any(path.name in example for path in captures) else ():
                run("capture", "--pid", os.getpid(), "-o", path)
            for name in ("old.set", "new.set"):
                if name in example:
                    (Path(folder) / name).mkdir()
                    run("capture", "--pid", os.getpid(), "-o", Path(folder) / name / "1.ctprof.zst")
            before = files_in(folder)
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", example],
                cwd=folder,
                env={**os.environ, "PATH": f"{folder}:{harness.BUILD}:{os.environ['PATH']}"},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"'{example}' fails: {done.stderr}"
            assert done.stdout or files_in(folder) - before, f"'{example}' gives nothing"


def test_examples_of_the_general_help_run():
    run_examples()


def add_example_tests():
    for command in commands():
        if command in ("top", "replay"):  # they need a terminal: test-top.py
            continue
        name = "test_examples_of_" + command.replace("-", "_") + "_run"
        globals()[name] = lambda command=command: run_examples(command)


def test_misuse_is_exit_code_2_and_one_line():
    cases = [
        ["nonsense"],
        ["--nonsense"],
        ["capture", "--nonsense"],
        ["capture", "surplus"],
        ["capture", "--pid", "0"],
        ["capture", "--pid", "x"],
        ["capture", "--jobs", "-1"],
        ["capture", "--smaps-timeout", "soon"],
        ["capture", "--smaps-source", "maps"],
        ["capture", "--smaps-max-rss", "4GB"],
        ["capture", "--smaps-max-rss", "0"],
        ["capture", "--smaps-max-rss", "99999999TiB"],
        ["capture", "--memory=nonsense"],
        ["capture", "--memory="],
        ["--plugins=procfs", "capture", "--memory"],
        ["--plugins=procfs", "memory"],
        ["memory", "--format", "xml"],
        ["stat", "--format", "xml", "--", "touch", "/dev/null/x"],
        ["capture", "--memory=tmpfs,,sysv"],
        ["capture", "--groups", "nonsense"],
        ["capture", "--metrics", "nonsense"],
        ["--plugins", "nonsense", "capture"],
        ["metric-list", "--format", "xml"],
        ["plugins", "--format", "xml"],
        ["show", "--categories", "nonsense", "none.ctprof.zst"],
        ["show", "--swap-share", "nonsense", "none.ctprof.zst"],
    ]
    for arguments in cases:
        done = run(*arguments, check=False)
        assert done.returncode == 2, f"{arguments}: exit {done.returncode}"
        text = done.stderr.decode()
        assert done.stdout == b"", arguments
        assert text.startswith("ctprof: ") and text.count("\n") == 1, f"{arguments}: {text}"


def test_a_plugin_that_memory_lacks_is_named_not_its_groups():
    done = run("--plugins=-memory", "memory", check=False)
    expected = b"ctprof: --plugins does not select the plugin memory\n"
    assert (done.returncode, done.stderr) == (2, expected), done


def test_stat_runs_no_command_whose_report_cannot_be_drawn():
    with tempfile.TemporaryDirectory() as folder:
        for wrong in (["--format", "xml"], ["--group-by", "nonsense"], ["--fail-on", "nonsense"],
                      ["--filter", "("], ["--pid", "x"], ["--limit", "-1"],
                      ["--categories", f"{folder}/none"]):
            done = run("stat", *wrong, "--", "touch", f"{folder}/ran", check=False)
            assert done.returncode == 2, f"{wrong}: {done}"
            assert not os.listdir(folder), wrong


def test_failure_is_exit_code_1_and_leaves_no_file():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.ctprof.zst"
        for arguments in (
            ["--proc-root", f"{folder}/none", "capture", "-o", path],
            ["--proc-root", folder, "capture", "-o", path],
            ["capture", "-o", f"{folder}/none/out.ctprof.zst"],
            ["capture", "-o", folder],
            ["capture", "--pid", 2**31 - 1, "-o", path],
            ["plugins", "nonsense"],
        ):
            done = run(*arguments, check=False)
            assert done.returncode == 1, f"{arguments}: exit {done.returncode}"
            text = done.stderr.decode()
            assert text.startswith("ctprof: ") and text.count("\n") == 1, f"{arguments}: {text}"
            assert not os.listdir(folder), os.listdir(folder)


def test_categories_are_a_file_or_a_table_of_ctprofs_own():
    with tempfile.TemporaryDirectory() as folder:
        path, own = Path(folder) / "a.ctprof.zst", Path(folder) / "own.json"
        run("-q", "--plugins=procfs,snapshot", "capture", "--pid", os.getpid(), "-o", path)
        own.write_text('[{"match": "^python", "name": "snakes"}]')
        for table, category in ((own, "snakes"), ("chromeos", "other")):
            arguments = ["--format=json", "--sections=memory-categories", f"--categories={table}"]
            section = json.loads(out("show", *arguments, path))["sections"][0]
            assert {line["category"] for line in section["lines"]} == {category}, section
        # Its errors name the file, the rule and the position in it.
        own.write_text('[{"match": "a", "name": "b"}, {"match": "ab(c", "name": "d"}]')
        done = run("show", f"--categories={own}", path, check=False)
        assert done.returncode == 2, done
        assert f"'{own}': rule 2: " in done.stderr.decode() and "char 4" in done.stderr.decode()


def test_version():
    version = re.search(r"version: '(.*)'", (harness.SOURCE / "meson.build").read_text())[1]
    assert out("--version") == f"ctprof {version}\n"


def write_snapshot(folder, *arguments):
    """stderr lines and the path of a capture of ourselves."""
    path = Path(folder) / "one.ctprof.zst"
    done = run("--plugins=procfs", "capture", "--pid", os.getpid(), "-o", path, *arguments)
    assert done.stdout == b""
    return done.stderr.decode().splitlines(), path


def test_quiet_says_nothing_and_verbose_says_more():
    with tempfile.TemporaryDirectory() as folder:
        quiet, normal, verbose = (
            write_snapshot(folder, *arguments)[0] for arguments in (["-q"], [], ["-v", "-v"])
        )
    assert quiet == [], quiet
    assert SUMMARY.fullmatch(normal[-1]), normal
    assert len(verbose) > len(normal), verbose


def unit_bytes(unit):
    return {"bytes": 1, "byte": 1, "KiB": 1 << 10, "MiB": 1 << 20}[unit]


def test_the_summary_line_is_true():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "all.ctprof.zst"
        lines = run("--plugins=procfs", "capture", "-o", path).stderr.decode().splitlines()
        match = SUMMARY.fullmatch(lines[-1])
        assert match, lines
        packed = path.read_bytes()
    snapshot = harness.Snapshot(packed)
    assert int(match["threads"]) == len(snapshot.keys)
    assert int(match["processes"]) == len({tgid for tgid, _ in snapshot.keys})
    assert match["path"] == str(path)
    size = float(match["size"]) * unit_bytes(match["unit"])
    assert abs(size - len(packed)) <= unit_bytes(match["unit"]) / 10, (match["size"], len(packed))
    told = {REASONS[words] for words in re.findall(r"\((.*?)\)", match["absent"] or "")}
    held = {r for key in snapshot.keys for r in snapshot.absences(snapshot.rows[key]).values()}
    assert told == held - {"skipped", "inapplicable"}, (told, held)


def test_the_file_is_named_after_host_and_time():
    with tempfile.TemporaryDirectory() as folder:
        run("--plugins=procfs", "capture", "--pid", os.getpid(), cwd=folder)
        (name,) = os.listdir(folder)
        mode = (Path(folder) / name).stat().st_mode & 0o777
    host = re.sub(r"[^A-Za-z0-9._-]", "_", os.uname().nodename)[:64]
    assert re.fullmatch(re.escape(host) + r"-\d{8}T\d{6}Z\.ctprof\.zst", name), name
    assert mode == 0o600, oct(mode)


def test_dash_is_standard_output():
    snapshot = harness.capture("--pid", os.getpid())
    assert snapshot.data["format"]["name"] == "ctprof"
    assert (os.getpid(), os.getpid()) in snapshot.rows
    assert SUMMARY.fullmatch(snapshot.stderr.splitlines()[-1])["path"] == "standard output"


def text_metrics(*arguments):
    """Names of the rows below the header line of the section of metrics."""
    body = out(*arguments, "metric-list").partition("## Metrics\n")[2].partition("\n\n")[0]
    return [line.split()[0] for line in body.splitlines()[1:]]


def test_metric_list_is_the_same_list_in_text_and_json():
    metrics = json.loads(out("metric-list", "--format", "json"))["metrics"]
    names = [metric["name"] for metric in metrics]
    assert text_metrics() == names
    # The host and each cgroup have a metric of the same name.
    assert len({(metric["name"], metric["scope"]) for metric in metrics}) == len(names) > 50
    # Without a plugin that shares some of them, these may come in another order.
    assert sorted(text_metrics("--plugins=procfs")) == sorted(
        m["name"] for m in metrics if set(m["plugins"]) & {"procfs", "ctprof"}
    )
    for metric in metrics:
        assert metric["description"] and metric["origin"], metric


def test_metric_list_explains_every_tag_it_shows():
    text = out("metric-list")
    body, _, legend = text.partition("## Tag legend\n")
    # Requested metrics come first.
    assert body.startswith("## Metrics\n"), body[:200]
    tags = set(re.findall(r"\[([a-z-]+)\]", body))
    assert tags <= set(re.findall(r"\[([a-z-]+)\]", legend)), tags


def test_plugins_is_the_same_list_in_text_and_json():
    text = out("plugins").partition("\n\n")[0].splitlines()
    plugins = json.loads(out("plugins", "--format", "json"))["plugins"]
    assert [line.split()[0] for line in text[1:]] == [plugin["name"] for plugin in plugins]
    assert {"procfs", "snapshot"} <= {plugin["name"] for plugin in plugins}
    for plugin in plugins:
        one = out("plugins", plugin["name"])
        (same,) = json.loads(out("plugins", plugin["name"], "--format", "json"))["plugins"]
        assert same == plugin, plugin["name"]
        for need in plugin["needs"]:
            assert need["name"] in one, f"{plugin['name']}: {need}"
        for option in plugin["options"]:
            assert f"-O {plugin['name']}.{option['name']}=" in one, (plugin["name"], option)
            assert all(word in one for word in option["words"]), (plugin["name"], option)
        for group, names in plugin["groups"].items():
            assert f"  {group}: {' '.join(names)}\n" in one, f"{plugin['name']}: {group}"


add_example_tests()

if __name__ == "__main__":
    tap.main(globals(), world="own")
