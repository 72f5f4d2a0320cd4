# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests show, compare and stat of the real program: their output and exit status."""

import concurrent.futures
import contextlib
import csv
import io
import itertools
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402
from built import is_sanitized  # noqa: E402

FOLDER = tempfile.TemporaryDirectory(prefix="ctprof-report-")
BEFORE = f"{FOLDER.name}/before.ctprof.zst"
AFTER = f"{FOLDER.name}/after.ctprof.zst"


def ctprof(*arguments, **more):
    return subprocess.run(
        [str(harness.CTPROF), *map(str, arguments)],
        capture_output=True,
        check=False,
        cwd=FOLDER.name,
        timeout=harness.PATIENCE_S,
        **more,
    )


def text(*arguments, **more):
    done = ctprof(*arguments, **more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def captures():
    """Returns the two snapshots that every test reads; time passes between them."""
    for path in (BEFORE, AFTER):
        if not os.path.exists(path):
            text("-q", "capture", "--smaps=never", "-o", path)
            sum(range(1000000))
    return BEFORE, AFTER


def on_terminal(arguments, environment=None, keys=b"", after=b""):
    """Returns the output and wait status of ctprof on a terminal; keys are typed once it shows `after`."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(FOLDER.name)
        environ = {**os.environ, "TERM": "xterm", **(environment or {})}
        environ = {k: v for k, v in environ.items() if v is not None}
        os.execve(harness.CTPROF, ["ctprof", *arguments], environ)
    output, begin = b"", time.monotonic()
    while time.monotonic() - begin < harness.PATIENCE_S:
        if keys and after in output:
            os.write(terminal, keys)
            keys = b""
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        output += data
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    return output, status


def test_misuse_is_exit_code_2_before_any_file_is_opened():
    for arguments, word in (
        (["show"], "expected a snapshot"),
        (["show", "a", "b"], "'b'"),
        (["compare"], "two snapshots"),
        (["compare", "a", "b", "c"], "'c'"),
        (["compare", "-", "-"], "standard input"),
        (["show", "--group-by", "x", "a"], "pcomm"),
        (["show", "--format", "xml", "a"], "xml"),
        (["show", "--format", "snapshot", "a"], "table, json, csv"),
        (["show", "--limit", "-1", "a"], "--limit"),
        (["show", "--pid", "x", "a"], "a number from 1"),
        (["show", "--columns", "delta", "a"], "delta"),
        (["show", "--sections", "x_y", "a"], "x_y"),
        (["compare", "--cgroup-flatten", "[x", "a", "b"], "[x"),
        (["compare", "--min-pct", "nan", "a", "b"], "--min-pct"),
        (["compare", "--fail-on", "x", "a", "b"], "--fail-on"),
        (["compare", "--rename-min-jaccard", "2", "a", "b"], "from 0 to 1"),
        (["stat"], "COMMAND"),
        (["stat", "--every", "soon", "--", "true"], "--every"),
        (["stat", "--count", "2", "--", "true"], "--every"),
    ):
        done = ctprof(*arguments)
        said = done.stderr.decode()
        assert done.returncode == 2, f"{arguments}: exit {done.returncode}: {said}"
        assert word in said and said.count("\n") == 1 and not done.stdout, f"{arguments}: {said}"


def test_section_of_no_file_is_exit_code_2():
    before, after = captures()
    for arguments in (["show", "--sections", "disks", before],
                      ["compare", "--sections", "primary,disks", before, after]):
        done = ctprof(*arguments)
        said = done.stderr.decode()
        assert done.returncode == 2 and not done.stdout, done
        assert "no section 'disks'" in said and said.count("\n") == 1, said


def test_aliases_are_names_of_metrics_everywhere():
    before, after = captures()
    known = json.loads(text("metric-list", "--format", "json"))
    names = {metric["name"] for part in ("metrics", "derived") for metric in known[part]}
    aliases = {alias["name"]: alias["metric"] for alias in known["aliases"]}
    assert aliases["cpu"] == "run_time_ns" and "waiting" in aliases, aliases
    # These may be missing if no plugin of this build declares them.
    assert set(aliases.values()) - names <= {"uss_bytes", "rss_bytes", "swap_bytes"}
    assert not names & set(aliases), "an alias hides a metric"
    for alias in ("cpu", "waiting", "switches", "turn", "read"):
        shown = [text("compare", "-m", name, "--sort", name, "--fail-on", f"{name}:delta<-1e12",
                      before, after) for name in (alias, aliases[alias])]
        assert shown[0] == shown[1] and aliases[alias] in shown[0], alias
    # A capture reads the metrics that a derived metric is computed from.
    packed = ctprof("-q", "capture", f"-p{os.getpid()}", "-mswitches", "-o-")
    assert packed.returncode == 0, packed
    row = harness.Snapshot(packed.stdout).rows[os.getpid(), os.getpid()]
    assert row["voluntary_csw"] + row["nonvoluntary_csw"] > 0 and row["run_time_ns"] == 0, row


def test_derived_metrics_that_are_only_shown_when_named():
    before, _ = captures()
    report = json.loads(text("show", "-fjson", "-n0", "--group-by=all", before))
    assert not {row["metric"] for _, row in json_rows(report)} & {"context_switches",
                                                                  "avg_turn_wait_ns"}
    report = json.loads(text("show", "-fjson", "-n0", "--group-by=thread",
                             "-mswitches,voluntary_csw,nonvoluntary_csw", before))
    rows = {}
    for _, row in json_rows(report):
        rows.setdefault(tuple(row["group"]), {})[row.get("metric")] = row.get("value")
    whole = [row for row in rows.values() if None not in
             (row.get("voluntary_csw"), row.get("nonvoluntary_csw"))]
    assert whole and all(row["context_switches"] == row["voluntary_csw"] + row["nonvoluntary_csw"]
                         for row in whole), whole


def printed_names(before, after):
    """Returns every name that metric-list, or JSON as a metric or a field of a pool, prints."""
    known = json.loads(text("metric-list", "--format", "json"))
    names = {entry["name"] for part in ("metrics", "derived", "aliases") for entry in known[part]}
    for arguments in (["show", before], ["show", "--all", "-n0", "--group-by=cgroup", before],
                      ["compare", before, after], ["compare", "--all", "-n0", before, after]):
        report = json.loads(text(*arguments, "--format", "json"))
        names |= {row["metric"] for _, row in json_rows(report) if "metric" in row}
        names |= {field["name"] for section in report["sections"] if section["name"] == "pools"
                  for field in section["fields"]}
    return sorted(names)


def test_every_printed_name_is_taken_or_refused_with_what_to_use_instead():
    sides = [f"{FOLDER.name}/{side}" for side in ("own-before", "own-after")]
    for path in sides:
        text("-q", "capture", "--smaps=never", "--pid", os.getpid(), "-o", path)
    names = printed_names(*sides)
    assert len(names) > 350 and {"runnable", "disk_wait", "busy", "born"} < set(names), names
    forms = itertools.cycle(("-m{}", "--sort={}", "--fail-on={}:delta>1e300"))
    # A sanitizer is slow, and runs the same code for each.
    options = [form.format(name) for form, name in zip(forms, names)][::7 if is_sanitized() else 1]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        ended = list(pool.map(lambda option: ctprof("compare", option, *sides), options))
    for option, done in zip(options, ended):
        said = done.stderr.decode()
        refusal = said.count("\n") == 1 and ("(use " in said or "(see 'ctprof metric-list" in said)
        assert done.returncode in (0, 1) or (done.returncode == 2 and refusal), (option, done)


def test_what_is_shown_never_changes_the_status_of_fail_on():
    hidden = (["-n1"], ["--min-pct=1000"], ["--min-delta=1TiB,1000s,1000G"],
              ["--sections=primary"], ["--sections=host-metrics"], ["--sections=smaps-rollup"],
              ["-n1", "--min-pct=1000", "--sections=derived"])
    for condition, status in (("cpu:delta>1us", 3), ("cpu:delta>1000s", 0), ("turn:delta<-1000s", 0),
                              ("runnable:delta>-1000", 3), ("state>1", 2), ("nix:delta>1", 2),
                              ("system.ctxt:delta>1", 3), ("system.ctxt:delta>1e300", 0)):
        for options in ([], *hidden):
            done = ctprof("compare", f"--fail-on={condition}", *options, *captures())
            assert done.returncode == status, (condition, options, done)
    of_cgroups = {ctprof("compare", "--group-by=cgroup", "--fail-on=cpu.usage_usec:delta>1us",
                         *options, *captures()).returncode for options in ([], *hidden)}
    assert len(of_cgroups) == 1, of_cgroups


def test_metric_list_finds_by_name_group_and_meaning():
    def found(pattern):
        return {metric["name"] for metric in
                json.loads(text("metric-list", "--format", "json", pattern))["metrics"]}

    assert "run_time_ns" in found("^RUN_TIME") & found("cpu") and "rchar" in found("^io$")
    assert found("^run_time_ns$") == {"run_time_ns"}
    assert "Tag legend" not in text("metric-list", "wait_sum")
    done = ctprof("metric-list", "wiat_sum")
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1, done
    assert b"nothing matches 'wiat_sum': did you mean wait_sum?" in done.stderr, done
    assert ctprof("metric-list", "(").returncode == 2


def test_file_that_cannot_be_read_is_exit_code_1():
    for arguments in (["show", "none"], ["compare", captures()[0], FOLDER.name + "/none"]):
        done = ctprof(*arguments)
        assert done.returncode == 1 and not done.stdout, done
        assert done.stderr.count(b"\n") == 1, done.stderr


def test_file_from_standard_input_is_the_same_file():
    before, after = captures()
    with open(before, "rb") as file:
        # The first screen shows the file's name.
        assert (text("show", "--sections=primary", "-", stdin=file)
                == text("show", "--sections=primary", before))
    with open(after, "rb") as file:
        piped = text("compare", "--sections=primary", "--no-orphans", before, "-", stdin=file)
    assert piped == text("compare", "--sections=primary", "--no-orphans", before, after)


def test_pipe_gets_no_colour_and_no_control_byte():
    for arguments in (
        ["show", captures()[0]],
        ["compare", *captures()],
        ["compare", "--group-by", "cgroup", *captures()],
    ):
        for name in ("table", "json", "csv"):
            out = ctprof(*arguments, "--format", name).stdout
            allowed = b"\n\r" if name == "csv" else b"\n"
            assert out and all(byte >= 0x20 or byte in allowed for byte in out), (arguments, name)


def json_rows(report):
    for section in report["sections"]:
        for row in section.get("rows", ()):
            yield section["name"], row


def test_json_and_csv_tell_the_same_numbers():
    arguments = ["compare", "--limit=0", "--no-orphans", "--sections=primary,derived,smaps-rollup",
                 *captures()]
    report = json.loads(text(*arguments, "--format", "json"))
    lines = list(csv.DictReader(io.StringIO(text(*arguments, "--format", "csv"), newline="")))
    rows = list(json_rows(report))
    assert len(rows) == len(lines) > 100
    for (section, row), line in zip(rows, lines):
        assert section == line["section"] and row["metric"] == line["metric"].lstrip("'")
        assert row["threads"] == [int(line["threads_baseline"]), int(line["threads_candidate"])]
        for name in ("baseline", "candidate", "delta", "pct"):
            if row[name] is None:
                assert line[name] == "", (row, line)
            elif isinstance(row[name], (int, float)):
                assert float(line[name]) == row[name], (row, line)


def test_table_has_a_line_for_each_row_of_the_json():
    arguments = ["show", "--limit", "0", "--sections", "primary", captures()[0]]
    table = text(*arguments, "--no-header").splitlines()
    rows = list(json_rows(json.loads(text(*arguments, "--format", "json"))))
    assert len(table) == len(rows)


def test_file_compared_with_itself_has_no_changed_row():
    before = captures()[0]
    report = json.loads(text("compare", "--changed", "--format", "json", before, before))
    assert not [row for section, row in json_rows(report) if section not in ("host", "pools")]
    assert report["only_baseline"] == report["only_candidate"] == []


def test_limit_cuts_and_says_so():
    show = ["show", "--sections", "primary", "-m", "run_time_ns", "--limit", "2", captures()[0]]
    lines = text(*show).splitlines()
    assert len(lines) == 5 and lines[-1].startswith("... "), lines
    report = json.loads(text(*show, "--format", "json"))
    assert report["sections"][0]["cut"] == int(lines[-1].split()[1])
    done = ctprof(*show, "--format", "csv")
    assert len(done.stdout.splitlines()) == 3 and b"left out" in done.stderr


def test_filter_that_matches_nothing_says_so():
    before, after = captures()
    warning = "--filter '^no such name$': no name matches"
    for report in (["show", before], ["compare", before, after], ["show", "--sections=primary", before]):
        done = ctprof(*report, "--filter=^no such name$")
        assert done.returncode == 0 and warning in done.stderr.decode(), done
        found = json.loads(text(*report, "--filter=python", "--format=json"))
        assert not [said for said in found["warnings"] if "--filter" in said], found["warnings"]


def test_output_goes_to_a_file_whole():
    path = f"{FOLDER.name}/report.json"
    assert text("show", "--format", "json", "-o", path, captures()[0]) == ""
    assert json.loads(Path(path).read_text())["command"] == "show"


def test_fail_on_is_exit_code_3():
    for expression, status in (("thread_count:delta>=-1e9", 3), ("thread_count:delta>1e9", 0)):
        done = ctprof("compare", "--fail-on", expression, *captures())
        assert done.returncode == status, (expression, done.returncode, done.stderr)
        assert done.stdout


def test_rate_needs_time_that_grows():
    before, after = captures()
    assert "/s" in text("compare", "--rate", before, after)
    done = ctprof("compare", "--rate", after, before)
    assert done.returncode == 1 and b"--rate" in done.stderr, done.stderr


def test_captures_that_differ_are_told_of():
    path = f"{FOLDER.name}/one.ctprof.zst"
    text("-q", "capture", "--smaps=never", "--pid", os.getpid(), "-o", path)
    done = ctprof("compare", "--format", "json", captures()[0], path)
    warnings = json.loads(done.stdout)["warnings"]
    assert any("capture option pid" in warning for warning in warnings), warnings
    for warning in warnings:
        assert warning.encode() in done.stderr, done.stderr


def test_terminal_gets_colours_unless_they_are_refused():
    compare = ["compare", *captures()]
    for environment, arguments, colour in (
        ({}, [], True),
        ({"NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": ""}, [], True),
        ({"TERM": "dumb"}, [], False),
        ({}, ["--no-color"], False),
        ({}, ["--format", "csv"], False),
    ):
        output, status = on_terminal([*compare, *arguments], {"CTPROF_PAGER": "", **environment})
        assert status == 0 and (b"\x1b[" in output) == colour, (environment, arguments)


def test_terminal_gets_a_pager():
    show = ["show", "--all", captures()[0]]
    for environment, arguments, lines in (
        ({"CTPROF_PAGER": "head -n1", "PAGER": "false"}, [], 1),
        ({"CTPROF_PAGER": None, "PAGER": "head -n2"}, [], 2),
        ({"PAGER": "head -n1"}, ["--no-pager"], None),
        ({"CTPROF_PAGER": "cat"}, [], None),
        ({"CTPROF_PAGER": "no-such-pager"}, [], None),
    ):
        output, status = on_terminal([*show, *arguments], environment)
        shown = len(output.splitlines())
        assert status == 0 and (shown == lines if lines else shown > 100), (environment, shown)


def test_a_report_that_fits_the_terminal_opens_no_pager():
    few = ["--sections=primary", "-m", "run_time_ns", "--limit=5"]
    for options, paged in ((few, False), (["--all"], True)):
        output, status = on_terminal(["show", *options, captures()[0]],
                                     {"CTPROF_PAGER": "head -n1"})
        assert status == 0 and (len(output.splitlines()) == 1) == paged, (options, output)


def test_pager_that_is_quit_early_changes_no_exit_code():
    compare = ["compare", "--all", "--fail-on", "thread_count:delta>=-1e9", *captures()]
    assert on_terminal(compare, {"CTPROF_PAGER": "head -c1"})[1] == 3


def test_stat_ends_as_its_command_did():
    stat = ["-q", "stat", "--smaps=never", "--sections", "primary", "--"]
    for command, status in (
        (["true"], 0),
        (["sh", "-c", "exit 7"], 7),
        (["sh", "-c", "kill -9 $$"], 128 + signal.SIGKILL),
        (["./no-such-command"], 127),
        (["."], 126),
    ):
        done = ctprof(*stat, *command)
        assert done.returncode == status, (command, done.returncode, done.stderr)
        assert done.stdout or status in (126, 127), done.stderr


def test_stat_shows_what_the_command_wrote_and_not_itself():
    with tempfile.TemporaryDirectory() as made:
        # Other tests may run a ctprof at the same time, so ours gets a name of its own.
        own = Path(made) / f"own-{os.getpid()}"
        own.symlink_to(harness.CTPROF.resolve())
        done = subprocess.run(
            [own, "-q", "stat", "--smaps=never", "--sections", "primary", "--format", "json",
             "--group-by", "comm-exact", "--", "sh", "-c", "echo hello"],
            capture_output=True, check=True,
        )  # fmt: skip
    first, _, rest = done.stdout.decode().partition("\n")
    report = json.loads(rest)
    assert first == "hello" and report["files"] == ["before", "after"], report["files"]
    groups = {row["group"] for _, row in json_rows(report)}
    orphans = {row["group"] for side in ("baseline", "candidate") for row in report[f"only_{side}"]}
    assert own.name not in " ".join(groups | orphans), "it shows itself"


def test_stat_leaves_the_interrupt_to_its_command():
    command = ["sh", "-c", "echo begun; exec sleep 60"]
    arguments = ["stat", "-q", "--smaps=never", "--no-pager", "--", *command]
    output, status = on_terminal(arguments, keys=b"\x03", after=b"begun")
    assert status == 128 + signal.SIGINT and b"POOL" in output, (status, output[:300])


def test_stat_every_compares_each_interval():
    done = ctprof(
        "-q", "stat", "--smaps=never", "--every", "100ms", "--count", "2",
        "--sections", "primary", "--format", "json",
    )  # fmt: skip
    decoder, rest, reports = json.JSONDecoder(), done.stdout.decode().strip(), []
    while rest:
        report, end = decoder.raw_decode(rest)
        reports.append(report)
        rest = rest[end:].strip()
    assert done.returncode == 0 and len(reports) == 2, done.stderr


def process_status(pid):
    return Path(f"/proc/{pid}/status").read_text(errors="replace")


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def names_of(pids):
    """Returns the names of those that still exist."""
    names = []
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            names.append(Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip())
    return names


@contextlib.contextmanager
def stat_that_waits(*options, **environment):
    """Runs a stat that has made its first capture and waits for a command that does not end."""
    with subprocess.Popen(
        [harness.CTPROF, "-q", "stat", "--smaps=never", *options, "--", "sleep", "60"],
        env={**os.environ, **environment}, start_new_session=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:  # fmt: skip
        try:
            harness.wait_for(lambda: "sleep" in names_of(children_of(running.pid)), "the command")
            yield running
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


def test_stat_leaves_no_file_behind():
    """This holds whatever ends stat."""
    folder = Path(FOLDER.name) / "tmp"
    folder.mkdir(exist_ok=True)
    ctprof("-q", "stat", "--smaps=never", "--", "true", env={**os.environ, "TMPDIR": str(folder)})
    for options in ([], ["--repeat", "2"]):
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT, signal.SIGUSR1, signal.SIGPIPE):
            with stat_that_waits(*options, TMPDIR=str(folder)) as running:
                running.send_signal(number)
                assert running.wait(harness.PATIENCE_S) == -number
            assert not list(folder.iterdir()), (number, list(folder.iterdir()))


def test_who_waits_for_a_command_has_few_rights():
    """The main process has only CAP_KILL in effect, and the one that listens has dropped what it needed to
    start."""
    if os.geteuid() != 0:
        raise tap.Skip("an ordinary user has none to lose")

    def has(pid, which, *numbers):
        mask = int(re.search(rf"^{which}:\t(\w+)", process_status(pid), re.MULTILINE).group(1), 16)
        return [number for number in numbers if mask >> number & 1]

    with stat_that_waits() as running:
        supervisor, = [pid for pid in children_of(running.pid) if names_of([pid]) == ["ctprof"]]
        listener, = children_of(supervisor)
        # It takes its rights back briefly from time to time.
        harness.wait_for(lambda: has(running.pid, "CapEff", *range(41)) in ([5], []), "the main process to wait")
        # Check each of its threads.
        for thread in Path(f"/proc/{listener}/task").iterdir():
            assert not has(thread.name, "CapPrm", 21, 39), "CAP_SYS_ADMIN or CAP_BPF"


if __name__ == "__main__":
    tap.main(globals(), world="own")
