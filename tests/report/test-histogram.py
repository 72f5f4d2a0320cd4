# SPDX-License-Identifier: LGPL-2.1-or-later
"""Distributions in reports and exports: planted histograms, with known percentiles and means.

A waits 1 ms in 6 of 100 cases; B 2 ms in 3 of 100: p99 is doubled, the mean and p50 are the same."""

import json
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[0] / name) for name in ("live", "export", "foreign")]

import harness  # noqa: E402
import made  # noqa: E402
import openmetrics  # noqa: E402
import tap  # noqa: E402

MADE = tempfile.TemporaryDirectory(prefix="ctprof-histogram-")
FOLDER = Path(MADE.name)
RUNS = 8
MS = 1_000_000
SHORT = 100_000
# {length of the waits: how many of 10 000}
A = {SHORT: 9400, 1 * MS: 600}
B = {SHORT - 3093: 9700, 2 * MS: 300}
# Without values in between: the bounds of an empty gap, and of the largest numbers.
EDGES = {0: 3, 1: 1, 2**64 - 1: 2}


def bucket_of(value):
    """The least i for which value <= 2^((i - 1) / 4), in whole numbers; 0 for 0."""
    return 1 + (value**4 - 1).bit_length() if value else 0


def most_of(bucket):
    """The largest whole number in a bucket."""
    if not bucket:
        return 0
    power, most = 2 ** (bucket - 1), int(2 ** ((bucket - 1) / 4))
    while (most + 1) ** 4 <= power:
        most += 1
    while most**4 > power:
        most -= 1
    return min(most, 2**64 - 1)


def ctprof(*arguments, status=0):
    done = subprocess.run([str(harness.CTPROF), *map(str, arguments)], capture_output=True, check=False,
                          cwd=FOLDER, timeout=harness.PATIENCE_S)  # fmt: skip
    assert done.returncode == status, (done.returncode, done.stderr.decode())
    return done.stdout.decode()


def definitions():
    known = made.metrics()
    plain = next(metric for metric in known if metric["name"] == "run_time_ns")
    own = {**plain, "group": "latency", "plugin": "latency", "rank": 0}
    others = [metric for metric in known if metric["group"] != "latency"]
    return [*others, {**own, "name": "run_delay", "kind": "histogram"}, {**own, "name": "run_delay_ns"}]


def write(path, waits, at_ns=made.AT_NS):
    """A snapshot of a pool of one thread with these waits, and of an idle pool."""
    counts = {}
    for wait, n in waits.items():
        counts[str(bucket_of(wait))] = counts.get(str(bucket_of(wait)), 0) + n
    extra = {"run_delay": counts, "run_delay_ns": sum(wait * n for wait, n in waits.items()) % 2**63}
    made.write(FOLDER / path, [{**made.thread(1, comm="db", run_time_ns=5), "extra": extra}, made.thread(2, comm="idle")],
               at_ns, metrics=definitions())
    return path


def single(name, waits):
    return name if (FOLDER / name).exists() else write(name, waits)


def side(name, waits):
    """A directory of runs whose counts vary by some percent."""
    folder = FOLDER / name
    if not folder.exists():
        folder.mkdir()
        noise = random.Random(name)
        for number in range(RUNS):
            scale = noise.uniform(0.97, 1.03)
            write(f"{name}/{number}.ctprof.zst", {wait: int(n * scale * noise.uniform(0.99, 1.01)) for wait, n in waits.items()})
    return name


def rows_of(text, group="db"):
    return {row["metric"]: row for section in json.loads(text)["sections"] for row in section["rows"]
            if row["group"] == group}  # fmt: skip


def verdicts(*sides):
    rows = rows_of(ctprof("compare", "-f", "json", "-n", "0", *sides))
    return {name: row["runs"]["verdict"] for name, row in rows.items()}


def record(name, *samples):
    """A recording of one thread: its histogram in each sample, as it is to stand there."""
    row = {**made.thread(1, comm="db"), "extra": {"run_delay": samples[0]}}
    times = {"begin_boottime_ns": 10**9, "version": "0"}
    frames = [{"threads": [row], "metrics": definitions(), "presence_sets": [{}], "capture": times}]
    frames += [{"changed": [{"tid": 1, "tgid": 1, "extra": {"run_delay": each}}], "capture": times} for each in samples[1:]]
    with open(FOLDER / name, "wb") as out:
        for i, frame in enumerate(frames):
            form = {"name": "ctprof", "version": 1, **({"frame": "delta"} if i else {})}
            text = json.dumps({"format": form, "captured_at_unix_ns": made.AT_NS + i * 10**9, **frame}, separators=(",", ":"))
            out.write(subprocess.run(["zstd", "-q"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout)
    return name


# ---- recordings ------------------------------------------------------------------


def recorded(name, samples):
    """The histogram in each of these samples, by bucket."""
    rows = [rows_of(ctprof("show", "-f", "json", "-n", "0", "-m", "run_delay", "--at", f"+{i}s", name)) for i in samples]
    return [{bucket_of(most): n for _, most, n in row["run_delay"]["histogram"][1]} for row in rows]


def test_a_recording_has_whole_histograms_or_their_growth():
    """The former are what earlier versions wrote."""
    name = record("whole.ctprof", {"5": 1}, {"5": 2, "101": 1}, {"46": 1})
    assert recorded(name, (1, 2)) == [{5: 2, 101: 1}, {46: 1}]
    name = record("growth.ctprof", {"5": 1}, [5, 1, 101, 2**53 + 1], [], [46, 1, 101, 1], {"46": 4}, [46, 1])
    assert recorded(name, (1, 3, 4, 5)) == [{5: 2, 101: 2**53 + 1}, {5: 2, 46: 1, 101: 2**53 + 2}, {46: 4}, {46: 5}]


def test_growth_that_no_writer_has_is_refused():
    for sample in ([5], [258, 1], [-1, 1], [5, -1], ["5", 1], [5, 2**64 - 1]):
        name = record("bad.ctprof", {"5": 1}, sample)
        done = subprocess.run([harness.CTPROF, "show", "--at", "+1s", name], capture_output=True, check=False, cwd=FOLDER)
        assert done.returncode == 1 and b"sample 1" in done.stderr, (sample, done)
    name = record("first.ctprof", [5, 1])
    assert subprocess.run([harness.CTPROF, "show", name], capture_output=True, check=False, cwd=FOLDER).returncode == 1


# ---- statistics ------------------------------------------------------------------


def test_a_doubled_p99_of_equal_mean_is_a_change():
    found = verdicts(side("a", A), "--", side("b", B))
    assert found["run_delay:p99"] == "changed", found
    # The mean, from sum and count, hides it: neither of them changed.
    assert found["run_delay_ns"] == "same" and found["run_delay"] == "same" and found["run_delay:p50"] == "same", found
    rows = rows_of(ctprof("compare", "-f", "json", "-n", "0", side("a", A), "--", side("b", B)))
    runs = rows["run_delay:p99"]["runs"]
    assert set(runs["baseline"]) == {most_of(bucket_of(1 * MS))}, runs
    assert set(runs["candidate"]) == {most_of(bucket_of(2 * MS))}, runs


def test_two_sides_of_one_distribution_do_not_differ():
    found = verdicts(side("a", A), "--", side("a-again", A))
    assert "run_delay:p99" in found and "changed" not in found.values(), found


def test_fail_on_takes_percentiles():
    slow = single("slow", {SHORT: 9000, 8 * MS: 1000})
    fast = single("fast", A)
    ctprof("compare", "--fail-on=run_delay:p99>5ms", fast, slow, status=3)
    ctprof("compare", "--fail-on=run_delay:p99>5ms", slow, fast)
    ctprof("compare", "--fail-on=run_delay:p50>5ms", fast, slow)
    ctprof("compare", "--fail-on=run_delay:p99:pct>50 && q<0.05", side("a", A), "--", side("b", B), status=3)
    ctprof("compare", "--fail-on=run_delay:p99:pct>50 && q<0.05", side("a", A), "--", side("a-again", A))


def test_junit_names_the_percentile():
    text = ctprof("compare", "-f", "junit", "--fail-on=run_delay:p99>5ms", single("fast", A),
                  single("slow", {SHORT: 9000, 8 * MS: 1000}), status=3)  # fmt: skip
    suite = ElementTree.fromstring(text)
    failed = [case for case in suite.iter("testcase") if case.find("failure") is not None]
    assert failed and all("run_delay:p99" in ElementTree.tostring(case).decode() for case in failed), text


# ---- drawing ---------------------------------------------------------------------


def test_json_has_bounds_and_counts():
    rows = rows_of(ctprof("show", "-f", "json", "-n", "0", "-m", "run_delay", single("edges", EDGES)))
    assert rows["run_delay"]["histogram"] == [[0, 0, 3], [1, 1, 1], [most_of(256) + 1, 2**64 - 1, 2]], rows
    assert rows["run_delay"]["value"] == 6, rows


def test_tables_have_a_sparkline():
    text = ctprof("show", "-m", "run_delay", "--sections=primary", single("fast", A))
    # The lower of two bars is still visible.
    assert re.search(r"run_delay +\S+ █ +▁", text), text


def test_html_draws_both_sides():
    text = ctprof("compare", "-f", "html", "-m", "run_delay", single("fast", A), single("other", B))
    shape, = re.findall(r'<svg class="shape".*?</svg>', text)
    assert re.findall(r'<path class="(\w+)" d="((?:M\d+ 32v-\d+h\d+V32z)+)"', shape), shape
    assert re.findall(r'class="(c\d)"', shape) == ["c0", "c3"], shape
    # 94, 6, 97 and 3 of 100, on one scale, whose end is the largest.
    assert re.findall(r"v-(\d+)", shape) == ["31", "2", "32", "1"], shape
    alone, = re.findall(r'<svg class="shape".*?</svg>', ctprof("show", "-f", "html", "-m", "run_delay", single("fast", A)))
    assert re.findall(r'class="(c\d)"', alone) == ["c0"], alone


# ---- exports ---------------------------------------------------------------------


def groups(path):
    return {row["pcomm"]: row for row in map(json.loads, ctprof("export", "-q", "-f", "ndjson", "--rows=groups", path).splitlines())}


def test_groups_have_buckets_and_percentiles():
    found = groups(single("fast", A))
    assert found["db"]["run_delay"] == {str(bucket_of(SHORT)): 9400, str(bucket_of(MS)): 600}, found
    assert found["db"]["run_delay_p50"] == most_of(bucket_of(SHORT)), found
    assert found["db"]["run_delay_p99"] == found["db"]["run_delay_max"] == most_of(bucket_of(MS)), found
    assert found["idle"]["run_delay"] is None and found["idle"]["run_delay_p99"] is None, found


def series(path, *options):
    text = ctprof("export", "-q", "-f", "openmetrics", *options, path)
    name = "ctprof_run_delay_seconds_bucket"
    found = re.findall(rf'^{name}\{{host="\w+",pcomm="db",le="([^"]+)"\}} (\d+)', text, re.MULTILINE)
    return text, [(bound, int(n)) for bound, n in found]


def test_openmetrics_has_a_histogram():
    text, found = series(single("fast", A))
    families = openmetrics.parse(re.sub(r" \d+\.\d{9}$", "", text, flags=re.MULTILINE).encode())
    assert families["ctprof_run_delay_seconds"].meta["TYPE"] == "histogram", text
    short, long = bucket_of(SHORT), bucket_of(MS)
    want = [(most_of(short - 1), 0), (most_of(short), 9400), (most_of(long - 1), 9400), (most_of(long), 10000)]
    assert [(round(float(bound) * 1e9), n) for bound, n in found[:-1]] == want, found
    assert found[-1] == ("+Inf", 10000), found
    assert "ctprof_run_delay_seconds_sum" not in text, text
    old, same = series(single("fast", A), "-O", "openmetrics.timestamps=off")
    assert same == found and re.search(r'^ctprof_run_delay_seconds_count\{.*pcomm="db"\} 10000$', old, re.MULTILINE), old


def test_openmetrics_has_the_smallest_and_the_largest():
    _, found = series(single("edges", EDGES))
    assert found[0] == ("0", 3) and found[-1] == ("+Inf", 6), found
    assert all(before[1] <= after[1] for before, after in zip(found, found[1:])), found
    assert abs(float(found[-2][0]) - 2**64 / 1e9) < 1e-3, found


if __name__ == "__main__":
    tap.main(globals())
