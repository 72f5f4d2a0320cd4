#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The output of `ctprof export`, as the engines read it: pyarrow, DuckDB, Prometheus."""

import socket
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import engines  # noqa: E402
import made  # noqa: E402
from made import harness  # noqa: E402

import tap  # noqa: E402

# Rows of a Parquet file in the form of NDJSON: times as text, maps as objects.
ROWS = """
import json
def as_lines(rows, columns):
    for row in rows:
        row = dict(zip(columns, row)) if not isinstance(row, dict) else row
        for key, value in row.items():
            if hasattr(value, "isoformat"):
                row[key] = value.astimezone(__import__("datetime").timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        yield row
def compare(rows, columns, path):
    want = [json.loads(line) for line in open(path, encoding="utf-8")]
    got = list(as_lines(rows, columns))
    assert len(got) == len(want), (len(got), len(want))
    for a, b in zip(got, want):
        assert list(a) == list(b), set(a) ^ set(b)
        differs = {key: (a[key], b[key]) for key in a
                   if (json.loads(a[key]) if isinstance(b[key], dict) else a[key]) != b[key]}
        assert not differs, differs
    print(len(got))
"""
PYARROW = ROWS + """
import pyarrow.parquet as parquet
table = parquet.read_table(FILE)
compare(table.to_pylist(), None, LINES)
"""
DUCKDB = ROWS + """
import duckdb
found = duckdb.sql(f"select * from read_parquet('{FILE}')")
compare(found.fetchall(), found.columns, LINES)
"""


def in_folder(test):
    def wrapped():
        with tempfile.TemporaryDirectory() as folder:
            test(Path(folder))
    return wrapped


def export(*arguments):
    return harness.run("export", "-q", *arguments).stdout


def check_same(folder, *arguments):
    """Both engines read the same values as NDJSON; returns the number of rows."""
    parquet, lines = folder / "out.parquet", folder / "out.ndjson"
    export("-o", parquet, *arguments)
    export("-f", "ndjson", "-o", lines, *arguments)
    names = f"FILE = {str(parquet)!r}\nLINES = {str(lines)!r}\n"
    n = engines.run(names + PYARROW, "pyarrow")
    assert n == engines.run(names + DUCKDB, "duckdb", "pytz"), n
    return int(n)


@in_folder
def test_every_value_of_a_host(folder):
    path = folder / "host-20261122T030203Z.ctprof.zst"
    harness.run("capture", "-q", "--groups", "all", "-o", path)
    for kind in ("threads", "cgroups", "objects", "groups", "captures"):
        n = check_same(folder, "--rows", kind, path)
        assert n > 0 or kind in ("cgroups", "objects"), kind


@in_folder
def test_hostile_texts_and_bounds(folder):
    path = folder / "h.ctprof.zst"
    names = ["", "a", "é" * 7, "\U0001f980", "\u202e\x1b[31m", '"\\,\n', "\U0001f980" * 1000, "\uffff", "\ufffd"]
    numbers = [0, 1, 2**63 - 1, 2**63, made.MAX - 1, made.MAX]
    threads = [made.thread(i + 1, comm=name or "-", run_time_ns=numbers[i % len(numbers)], nice=(-20, 19, 0)[i % 3])
               for i, name in enumerate(names)]
    made.write(path, threads)
    assert check_same(folder, path) == len(names)
    script = f"""
import pyarrow.parquet as parquet
group = parquet.ParquetFile({str(folder / 'out.parquet')!r}).metadata.row_group(0)
of = {{group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}}
assert (of["run_time_ns"].statistics.min, of["run_time_ns"].statistics.max) == (0, 2**64 - 1), of["run_time_ns"].statistics
assert (of["nice"].statistics.min, of["nice"].statistics.max) == (-20, 19)
assert of["wait_time_ns"].statistics.null_count == {len(names)} and not of["wait_time_ns"].statistics.has_min_max
assert of["host"].statistics.min == "h" == of["host"].statistics.max and of["host"].has_dictionary_page
assert not of["comm"].statistics.has_min_max  # one of them is too long
import duckdb
print(duckdb.sql("select count(*) from '{folder / 'out.parquet'}' where run_time_ns = 18446744073709551615").fetchall()[0][0])
"""
    assert int(engines.run(script, "pyarrow", "duckdb")) == sum(1 for i in range(len(names)) if numbers[i % len(numbers)] == made.MAX)


@in_folder
def test_many_row_groups(folder):
    n = 150_000
    path = folder / "many.ctprof.zst"
    made.write(path, (made.thread(i, comm=f"w-{i % 70_000}", pcomm="p", run_time_ns=i, **({"nice": i % 40 - 20} if i % 3 else {}))
                      for i in range(1, n + 1)))
    export("-o", folder / "out.parquet", path)
    script = f"""
import duckdb, pyarrow.compute as compute, pyarrow.parquet as parquet
path = {str(folder / 'out.parquet')!r}
table = parquet.read_table(path)
assert table.num_rows == {n} and parquet.ParquetFile(path).metadata.num_row_groups > 2
assert compute.sum(table["run_time_ns"]).as_py() == {n * (n + 1) // 2}
assert table["nice"].null_count == {n // 3}, table["nice"].null_count
assert table["comm"][{n} - 1].as_py() == "w-{n % 70_000}" and len(compute.unique(table["comm"])) == 70_000
found = duckdb.sql(f"select count(*), sum(run_time_ns), count(nice), count(distinct comm) from '{{path}}'").fetchall()[0]
assert found == ({n}, {n * (n + 1) // 2}, {n - n // 3}, 70_000), found
"""
    engines.run(script, "pyarrow", "duckdb")


@in_folder
def test_no_rows(folder):
    path = folder / "empty.ctprof.zst"
    made.write(path, [])
    assert check_same(folder, path) == 0


@in_folder
def test_unit_and_help_are_in_the_file(folder):
    path = folder / "h.ctprof.zst"
    made.write(path, [made.thread(1)])
    export("-o", folder / "out.parquet", path)
    script = f"""
import json, pyarrow.parquet as parquet
schema = parquet.read_schema({str(folder / 'out.parquet')!r})
metrics = json.loads(schema.metadata[b"ctprof.metrics"])
assert set(metrics) == set(schema.names), set(metrics) ^ set(schema.names)
assert metrics["run_time_ns"]["unit"] == "ns" and metrics["run_time_ns"]["kind"] == "counter" and metrics["run_time_ns"]["help"]
print(schema.field("run_time_ns").type, schema.field("comm").type, schema.field("captured_at").type)
"""
    assert engines.run(script, "pyarrow").split("\n")[0] == "uint64 string timestamp[us, tz=UTC]"


def openmetrics(folder):
    files = []
    for i in range(3):
        files.append(folder / f'we"b\\{i % 2}-20261122T030203Z.ctprof.zst')
        files[-1] = folder / f"{i}" / files[-1].name
        files[-1].parent.mkdir()
        made.write(files[-1], [made.thread(1, comm='a"b\\\nc', run_time_ns=made.MAX), made.thread(2, comm="x-1", run_time_ns=7, nice=-3),
                               made.thread(3, comm="x-2", wait_time_ns=1)], made.AT_NS + i * 10**9)
    harness.run("capture", "-q", "-o", folder / "live.ctprof.zst")
    target = folder / "out.om"
    export("-f", "openmetrics", "-o", target, *files, folder / "live.ctprof.zst")
    return target


@in_folder
def test_promtool_takes_openmetrics(folder):
    harness.need_command("promtool")
    target = openmetrics(folder)
    done = subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", target, folder / "blocks"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # For each block: ULID, times, duration, samples ...
    samples = [int(line.split()[4]) for line in done.stdout.splitlines()[1:]]
    assert len(samples) == 2 and samples[0] == 27, done.stdout


@in_folder
def test_the_strict_parser_takes_openmetrics(folder):
    target = openmetrics(folder)
    script = f"""
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = {{family.name: family for family in text_string_to_metric_families(open({str(target)!r}, encoding="utf-8").read())}}
cpu = families["ctprof_run_time_seconds"]
assert cpu.type == "counter" and cpu.unit == "seconds" and cpu.documentation, cpu
found = [(sample.labels, sample.value, float(sample.timestamp)) for sample in cpu.samples if sample.labels["host"] == 'we"b\\\\1']
assert ({{"host": 'we"b\\\\1', "pcomm": 'a"b\\\\\\nc'}}, {made.MAX} / 1e9, {(made.AT_NS + 10**9) / 1e9!r}) in found, found
assert len([s for s in families["ctprof_threads"].samples if s.labels == {{"host": 'we"b\\\\0', "pcomm": "x-{{N}}"}}]) == 2
assert families["ctprof_nice_min"].type == "gauge" and families["ctprof_partial"].samples
"""
    engines.run(script, "prometheus_client")


def classic(folder, name):
    """The format before OpenMetrics, for one host twice and for this one."""
    openmetrics(folder)
    target = folder / name
    files = [*sorted(folder.glob("*/*.ctprof.zst")), folder / "live.ctprof.zst"]
    export("-O", "openmetrics.timestamps=off", "-f", "openmetrics", "-o", target, *files)
    return target


@in_folder
def test_promtool_takes_the_text_without_times(folder):
    harness.need_command("promtool")
    with open(classic(folder, "classic.prom"), encoding="utf-8") as text:
        done = subprocess.run(["promtool", "check", "metrics"], stdin=text, capture_output=True, text=True, check=False)
    # Its advice about names is not about the format: status 3 means only advice.
    assert done.returncode in (0, 3) and "error while linting" not in done.stderr, done.stdout + done.stderr


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@in_folder
def test_the_textfile_collector_takes_the_text_without_times(folder):
    harness.need_command("prometheus-node-exporter")
    (folder / "texts").mkdir()
    classic(folder, "texts/ctprof.prom")
    address, pages = f"127.0.0.1:{free_port()}", []
    with subprocess.Popen(["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
                           f"--collector.textfile.directory={folder}/texts", f"--web.listen-address={address}"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as exporter:
        try:
            harness.wait_for(lambda: pages.append(scrape(address)) or pages[-1], "node_exporter's page")
        finally:
            exporter.kill()
    page = pages[-1]
    assert "\nnode_textfile_scrape_error 0\n" in page, page[:2000]
    assert 'ctprof_run_time_seconds_total{host="we\\"b\\\\0",pcomm="x-{N}"} 7e-09' in page, page[:2000]


def scrape(address):
    try:
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
            return answer.read().decode()
    except OSError:
        return None


tap.main(globals(), world="own")
