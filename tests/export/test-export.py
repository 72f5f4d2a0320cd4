#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The output of `ctprof export` for snapshots and recordings, read with ordinary tools."""

import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import made  # noqa: E402
from made import harness  # noqa: E402

import tap  # noqa: E402

HOSTILE = 'evil\u202e"\\,\n\x1b[31m\x7f é🦀'
COMMON = ["host", "boot", "kernel", "captured_at"]
TIME = "2026-11-22T03:02:03.123456Z"


# Prints the peak memory of a command, in KiB. It is a separate Python, whose own memory is the minimum.
PEAK = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
assert status == 0
print(usage.ru_maxrss)
"""


def export(*arguments, **more):
    return harness.run("export", "-q", *arguments, **more).stdout


def rows(*arguments):
    """Returns the rows of NDJSON, with which every other format is compared."""
    return [json.loads(line) for line in export("-f", "ndjson", *arguments).decode().splitlines()]


def sample(folder, name="web-1-20261122T030203Z.ctprof.zst"):
    """A thread with a value of every type, and one with none."""
    path = Path(folder) / name
    full = made.thread(7, comm=HOSTILE, pcomm="=1+1", run_time_ns=made.MAX, nice=-20, cpu_affinity=[0, 1, 2, 8], state="S",
                       ext_enabled=True, smaps_rollup_kib={'we"ird': 1, "Pss": made.MAX}, wait_time_ns=2**53 + 1,
                       cgroup="/system.slice/ssh@1.service")
    bare = {"tid": 8, "tgid": 7, "presence": 0}
    made.write(path, [full, bare, made.thread(9, comm="worker-12", comm_hex="776f726b6572ff2d3132", nice=0)],
               host={"kernel_release": "6.12.0", "boot_id": "b-1"})
    return path


def in_folder(test):
    def wrapped():
        with tempfile.TemporaryDirectory() as folder:
            test(Path(folder))
    return wrapped


@in_folder
def test_every_type_and_null(folder):
    path = sample(folder)
    full, bare, other = rows(path)
    assert list(full)[:12] == [*COMMON, "tgid", "tid", "pcomm", "comm", "pattern", "cgroup", "unit", "user"], list(full)[:12]
    assert [full[key] for key in COMMON] == ["web-1", "b-1", "6.12.0", TIME], full
    want = {"tgid": 7, "tid": 7, "comm": HOSTILE, "run_time_ns": made.MAX, "nice": -20, "cpu_affinity": "0-2,8", "state": "S",
            "ext_enabled": True, "wait_time_ns": 2**53 + 1, "smaps_rollup_kib": {"Pss": made.MAX, 'we"ird': 1},
            "unit": "ssh@1", "user": None}
    assert {key: full[key] for key in want} == want, full
    # Values that are not in the file are null, never 0.
    named = set(COMMON) | {"tgid", "tid"}
    assert {key for key, value in bare.items() if value is not None} <= named, bare
    assert other["comm"] == "worker\\xff-12" and other["pattern"] == "worker\\xff-{N}", other


@in_folder
def test_csv_is_the_same(folder):
    path = sample(folder)
    text = export("-f", "csv", path).decode()
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    for want, got in zip(rows(path), table, strict=True):
        assert list(want) == list(got)
        for key, value in want.items():
            if value is None:
                assert got[key] == "", (key, got[key])
            elif isinstance(value, int) and not isinstance(value, bool):
                assert got[key] == str(value), (key, got[key])
    # A spreadsheet computes nothing; a control character moves no cursor.
    assert table[0]["pcomm"] == "'=1+1" and "\x1b" not in text and "\u202e" not in text, table[0]


@in_folder
def test_jq_reads_lines(folder):
    harness.need_command("jq")
    text = export("-f", "ndjson", sample(folder))
    done = subprocess.run(["jq", "-r", "[.tid, .comm] | @json"], input=text, capture_output=True, check=True)
    assert json.loads(done.stdout.decode().splitlines()[0]) == [7, HOSTILE], done.stdout


@in_folder
def test_sqlite(folder):
    path, target = sample(folder), folder / "out.sqlite"
    plugins = json.loads(harness.run("plugins", "--format", "json").stdout)["plugins"]
    if "sqlite" not in {plugin["name"] for plugin in plugins}:
        raise tap.Skip("this build has no sink sqlite")
    export("-f", "sqlite", "-o", target, path)
    harness.need_command("sqlite3")
    shell = subprocess.run(["sqlite3", target, "pragma integrity_check", ".tables"], capture_output=True, text=True, check=True)
    assert shell.stdout.split() == ["ok", "capture", "cgroup", "metric", "thread"], shell
    with sqlite3.connect(target) as db:
        found = db.execute("select run_time_ns, typeof(run_time_ns), wait_time_ns, nice, comm, captured_at from thread").fetchall()
        assert found[0] == (str(made.MAX), "text", 2**53 + 1, -20, HOSTILE, TIME), found[0]
        assert found[1][:4] == (None, "null", None, None), found[1]
        unit = db.execute("select unit, kind from metric where \"table\" = 'thread' and name = 'run_time_ns'").fetchall()
        assert unit == [("ns", "counter")], unit
        assert db.execute("select host_kernel_release from capture").fetchall() == [("6.12.0",)]


@in_folder
def test_rows_of_every_kind(folder):
    path = folder / "host.ctprof.zst"
    harness.run("capture", "-q", "-o", path)
    data = harness.Snapshot(path.read_bytes()).data
    want = {"threads": len(data["threads"]), "cgroups": len(data["cgroup_stats"]), "objects": len(data.get("objects", [])),
            "captures": 1}
    for kind, n in want.items():
        found = rows("--rows", kind, path)
        assert len(found) == n, (kind, len(found), n)
        assert all(list(row)[:4] == COMMON and row["host"] == "host" for row in found), kind
    first = next(iter(data["cgroup_stats"]), None)
    assert first is None or rows("--rows", "cgroups", path)[0]["cgroup"] == first


@in_folder
def test_groups_are_those_of_show(folder):
    path = folder / "host.ctprof.zst"
    harness.run("capture", "-q", "-o", path)
    shown = json.loads(harness.run("show", "--format", "json", "--sections", "primary", "--metrics", "run_time_ns", "-n", "0",
                                   path).stdout)
    want = {row["group"]: (row["value"], row["threads"][0]) for row in shown["sections"][0]["rows"]}
    got = {row["pcomm"]: (row["run_time_ns"], row["threads"]) for row in rows("--rows", "groups", path)}
    assert got == want, {key: (got.get(key), want.get(key)) for key in set(got) | set(want) if got.get(key) != want.get(key)}


@in_folder
def test_partial_sums_are_named(folder):
    path = folder / "h.ctprof.zst"
    made.write(path, [made.thread(1, comm="a", wait_time_ns=5), made.thread(2, comm="a", pcomm="a")])
    row, = rows("--rows", "groups", path)
    assert row["threads"] == 2 and row["wait_time_ns"] == 5 and row["partial"] == "wait_time_ns cpu_efficiency", row


@in_folder
def test_windows_of_a_recording(folder):
    path = folder / "rec.ctprof"
    with subprocess.Popen([sys.executable, "-c", "open('/proc/self/comm', 'w').write('ctexportburn')\nwhile True: pass"]) as burner:
        try:
            harness.wait_for(lambda: Path(f"/proc/{burner.pid}/comm").read_text().strip() == "ctexportburn", "its name")
            harness.run("record", "-q", "-n", "4", "-i", "200ms", "-p", burner.pid, "-o", path)
        finally:
            burner.kill()
    samples = [row["run_time_ns"] for row in rows(path) if row["tid"] == burner.pid]
    windows = [row for row in rows("--rows", "windows", path) if row["pcomm"] == "ctexportburn"]
    assert len(samples) == 4 and len(windows) == 3, (samples, windows)
    grown = [after - before for before, after in zip(samples, samples[1:])]
    assert [row["run_time_ns"] for row in windows] == grown and sum(grown) > 0, (windows, grown)
    assert all(row["seconds"] > 0 and row["threads"] == 1 for row in windows), windows
    times = [row["captured_at"] for row in rows("--rows", "captures", path)]
    assert [row["captured_at"] for row in windows] == times[1:], (times, windows)


@in_folder
def test_openmetrics_without_times(folder):
    """The text for node_exporter: the newest value of each series, without times, units and an end."""
    old, new = folder / "h-20261122T030203Z.ctprof.zst", folder / "h-20261122T030204Z.ctprof.zst"
    made.write(old, [made.thread(1, comm="a", run_time_ns=5 * 10**9), made.thread(2, comm="gone", run_time_ns=1)])
    made.write(new, [made.thread(1, comm="a", run_time_ns=7 * 10**9, nice=-3)], made.AT_NS + 10**9)
    text = export("-f", "openmetrics", "-O", "openmetrics.timestamps=off", new, old).decode()
    lines = text.splitlines()
    assert "# TYPE ctprof_run_time_seconds_total counter" in lines and "# TYPE ctprof_nice_min gauge" in lines, text
    assert [line for line in lines if line.startswith("ctprof_run_time_seconds_total")] == [
        'ctprof_run_time_seconds_total{host="h",pcomm="a"} 7', 'ctprof_run_time_seconds_total{host="h",pcomm="gone"} 0.000000001']
    assert "UNIT" not in text and "EOF" not in text, text
    with_times = export("-f", "openmetrics", new, old).decode()
    assert with_times.endswith("# EOF\n") and 'pcomm="a"} 7 ' in with_times, with_times


@in_folder
def test_several_files_have_one_set_of_columns(folder):
    a, b = folder / "a.ctprof.zst", folder / "b.ctprof.zst"
    own = {**next(metric for metric in made.metrics() if metric["name"] == "run_time_ns"), "name": "own_count", "unit": "none"}
    made.write(a, [made.thread(1, run_time_ns=1)])
    made.write(b, [{**made.thread(2, run_time_ns=2), "extra": {"own_count": 5}}], metrics=[*made.metrics(), own])
    first, second = rows(a, b)
    assert list(first) == list(second)
    assert (first["host"], first["own_count"], second["host"], second["own_count"]) == ("a", None, "b", 5), (first, second)


@in_folder
def test_folders(folder):
    harness.need_command("zstd")
    day = 86400 * 10**9
    files = []
    for i, name in enumerate(("web/1", "db")):
        path = folder / f"{name.replace('/', '%')}-20261122T030203Z.ctprof.zst"
        made.write(path, [made.thread(1)], made.AT_NS + i * day)
        files.append(path)
    (folder / "out").mkdir()
    export("--partition", "-f", "ndjson", "-o", folder / "fleet", *files)
    export("-f", "csv", "-o", folder / "out", *files)
    found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix in (".ndjson", ".csv"))
    assert found == ["fleet/host=db/date=2026-11-23/db-20261122T030203Z.ndjson",
                     "fleet/host=web%251/date=2026-11-22/web%1-20261122T030203Z.ndjson",
                     "out/db-20261122T030203Z.csv", "out/web%1-20261122T030203Z.csv"], found
    assert (folder / found[0]).stat().st_mode & 0o777 == 0o600


@in_folder
def test_what_fails_leaves_nothing(folder):
    path, target = folder / "cut.ctprof.zst", folder / "out.parquet"
    made.write(path, (made.thread(i) for i in range(1, 20000)))
    path.write_bytes(path.read_bytes()[:-100])
    done = harness.run("export", "-o", target, path, check=False)
    assert done.returncode == 1 and b"cut.ctprof.zst" in done.stderr, done
    assert sorted(folder.iterdir()) == [path], list(folder.iterdir())


@in_folder
def test_labels_of_openmetrics_show_what_cannot_be_seen(folder):
    """Each text is shown as one line in one direction, also on a page made from it."""
    text = export("-f", "openmetrics", "--host", 'a"\\\x1b\x9b\u202e\u3164b', sample(folder)).decode()
    assert 'host="a\\"\\\\\\\\x1b\\\\xc2\\\\x9b\\\\xe2\\\\x80\\\\xae\\\\xe3\\\\x85\\\\xa4b"' in text, text[:500]


@in_folder
def test_standard_input(folder):
    path = sample(folder)
    with open(path, "rb") as file:
        done = subprocess.run([harness.CTPROF, "export", "-q", "-f", "ndjson", "-"], stdin=file, capture_output=True, check=True)
    assert json.loads(done.stdout.splitlines()[0])["host"] is None
    with open(path, "rb") as file:
        named = subprocess.run([harness.CTPROF, "export", "-q", "-f", "ndjson", "--host", "h", "-"], stdin=file, capture_output=True,
                               check=True)
    assert json.loads(named.stdout.splitlines()[0])["host"] == "h"


@in_folder
def test_mistakes(folder):
    path = sample(folder)
    cases = [
        ([], 2, "expected a snapshot or recording"),
        (["--format", "parqet", path], 2, "parquet"),
        (["--format", "table", path], 2, "expected parquet, ndjson, csv"),
        (["--rows", "thread", path], 2, "threads"),
        (["--format", "openmetrics", "--rows", "threads", path], 2, "openmetrics takes only: groups"),
        (["-f", "csv", "--rows", "windows", path], 2, "expected a recording of several samples"),
        (["--partition", path], 2, "expected -o FOLDER"),
        (["-", "-"], 2, "only once"),
        (["-f", "csv", folder / "none.zst"], 1, "none.zst"),
        (["-f", "csv", "-o", f"{folder}/", path, f"{folder}/./{path.name}"], 2, "would become"),
    ]
    for arguments, status, text in cases:
        done = harness.run("export", *arguments, check=False)
        assert done.returncode == status and text in done.stderr.decode(), (arguments, done)
        assert done.stderr.decode().count("\n") == 1, done.stderr


def test_capture_writes_tables():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "live.ndjson"
        harness.run("capture", "-q", "--sink", "ndjson", "--pid", os.getpid(), "-o", path)
        row, = [row for row in map(json.loads, path.read_text().splitlines()) if row["tid"] == os.getpid()]
        assert row["host"] == "live" and row["minflt"] > 0 and row["kernel"] == os.uname().release, row


@in_folder
def test_memory_does_not_grow_with_threads(folder):
    if os.environ.get("ASAN_OPTIONS"):
        raise tap.Skip("a sanitizer keeps what is freed")
    peaks = []
    for n in (20_000, 200_000):
        path = folder / f"{n}.ctprof.zst"
        made.write(path, (made.thread(i, comm=f"w-{i}", pcomm="server", run_time_ns=i * 7919) for i in range(1, n + 1)))
        command = ["--no-supervise", "export", "-q", "-f", "parquet", "-o", folder / "out.parquet", path]
        peaks.append(int(subprocess.run([sys.executable, "-S", "-c", PEAK, harness.CTPROF, *command], capture_output=True,
                                        check=True).stdout))
    # One row group is held in memory; ten times the threads are many row groups.
    assert peaks[1] < peaks[0] + 64 * 1024, peaks
    print(f"# peak: {peaks[0]} and {peaks[1]} KiB")


tap.main(globals(), world="own")
