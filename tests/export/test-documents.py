#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The queries of docs/fleet.md find what was planted; the code of docs/notebook.md draws."""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import engines  # noqa: E402
import made  # noqa: E402
from made import harness  # noqa: E402

import tap  # noqa: E402

N_HOSTS, N_THREADS = 100, 200
NOTEBOOK_LINES = 10
RUNNERS = {
    "duckdb": """
import duckdb, json
print(json.dumps(duckdb.sql(QUERY).fetchall()))
""",
    "clickhouse": """
import chdb, json, os
print(json.dumps(list(json.loads(line) for line in str(chdb.query(QUERY, "JSONCompactEachRow")).splitlines())), flush=True)
os._exit(0)  # its threads sometimes end with a signal after the answer
""",
    "spark": """
import json
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.read.option("mergeSchema", True).parquet("fleet").createOrReplaceTempView("fleet")
print(json.dumps([[float(x) if hasattr(x, "as_integer_ratio") else x for x in row] for row in spark.sql(QUERY).collect()]))
""",
}
PACKAGES = {"duckdb": ["duckdb"], "clickhouse": ["chdb"], "spark": ["pyspark"]}


def blocks(page, language):
    text = (harness.SOURCE / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def make_fleet(folder):
    made.fleet(folder / "incoming", N_HOSTS, N_THREADS)
    files = sorted((folder / "incoming").iterdir())
    harness.run("export", "-q", "--partition", "-o", folder / "fleet", *files)
    assert len(list((folder / "fleet").glob("host=*/date=2026-11-22/*.parquet"))) == N_HOSTS


def ask(engine, query, folder):
    script = f"QUERY = {query!r}\n" + RUNNERS[engine]
    return json.loads(engines.run(script, *PACKAGES[engine], cwd=folder).splitlines()[-1])


def check_engine(engine):
    engines.python(*PACKAGES[engine])
    with tempfile.TemporaryDirectory() as made_in:
        folder = Path(made_in)
        make_fleet(folder)
        first, *more = blocks("fleet.md", f"sql {engine}")
        found = ask(engine, first, folder)
        assert [row[0] for row in found] == ["worker-{N}", "io-{N}"], found
        assert 1.99 < found[0][3] < 2.01 and 0.99 < found[1][3] < 1.01 and found[0][4] == N_HOSTS, found
        for query in more:
            rows = ask(engine, query, folder)
            assert rows and None not in rows[0], (query, rows)


def test_the_planted_change_is_found_in_duckdb():
    check_engine("duckdb")


def test_the_planted_change_is_found_in_clickhouse():
    check_engine("clickhouse")


def test_the_planted_change_is_found_in_spark():
    harness.need_command("java")
    if not os.environ.get("CTPROF_SPARK"):
        raise tap.Skip("takes a minute and 300 MB: set CTPROF_SPARK=1")
    check_engine("spark")


def test_the_notebook_draws():
    codes = blocks("notebook.md", "python")
    assert len(codes) == 2
    engines.python("pandas", "pyarrow", "matplotlib")
    with tempfile.TemporaryDirectory() as made_in:
        folder = Path(made_in)
        harness.run("capture", "-q", "-o", folder / "host.ctprof.zst")
        harness.run("record", "-q", "-n", "4", "-i", "200ms", "-o", folder / "host.ctprof")
        environment = {**os.environ, "PATH": f"{harness.BUILD}:{os.environ['PATH']}", "MPLBACKEND": "Agg",
                       "MPLCONFIGDIR": str(folder)}
        for code, picture in zip(codes, ("pools.png", "windows.png"), strict=True):
            lines = [line for line in code.splitlines() if line and not line.startswith("import")]
            assert len(lines) <= NOTEBOOK_LINES, code
            engines.run(code, "pandas", "pyarrow", "matplotlib", cwd=folder, env=environment)
            assert (folder / picture).read_bytes().startswith(b"\x89PNG"), picture


tap.main(globals(), world="own")
