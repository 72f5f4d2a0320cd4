#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests findings by the names of their rules: explained, as a gate, and over the time of a recording.

The captures are derived from one of this host, with threads that only switch, so that the
expected findings do not depend on how busy the host is."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402
from pages import BEGAN_NS, FOLDER, WINDOW_NS, seed  # noqa: E402

SECONDS = WINDOW_NS // 10**9
# Switches per second in each window; 10000 make a finding.
RATES = {
    "steady": (12000, 40000, 90000, 20000, 0),
    "late": (0, 0, 0, 0, 15000),
    "twice": (30000, 0, 0, 0, 30000),
    "calm": (9000, 9000, 9000, 9000, 9000),
}
WINDOWS = len(RATES["calm"])


def ctprof(*arguments, status=0):
    done = harness.run(*arguments, check=False, cwd=FOLDER)
    assert done.returncode == status, (done.returncode, done.stderr.decode())
    return done


def sample(number):
    """Returns the path of the capture after that number of windows."""
    path = FOLDER / f"found-{number}.ctprof.zst"
    if path.exists():
        return path
    data = seed()
    like = data["threads"][0]
    data["threads"] = [
        dict(like, tid=1000 + i, tgid=1000 + i, pcomm=name, comm=name, start_time_clock_ticks=1,
             run_time_ns=10**7 * number, voluntary_csw=0, nonvoluntary_csw=SECONDS * sum(rates[:number]))
        for i, (name, rates) in enumerate(RATES.items())
    ]  # fmt: skip
    data["captured_at_unix_ns"] = BEGAN_NS + number * WINDOW_NS
    for name in ("begin_unix_ns", "end_unix_ns", "begin_boottime_ns", "end_boottime_ns"):
        base = BEGAN_NS if "unix" in name else 10**13
        data["capture"][name] = base + number * WINDOW_NS
    # The beginning of a recording's frame has no blanks.
    text = json.dumps(data, separators=(",", ":"))
    subprocess.run(["zstd", "-q", "-o", path], input=text.encode(), check=True)
    return path


def recording():
    """Returns a recording with all samples as whole frames but without a table, as a killed recorder leaves
    it."""
    path = FOLDER / "found.ctprof"
    if not path.exists():
        path.write_bytes(b"".join(sample(number).read_bytes() for number in range(WINDOWS + 1)))
    return path


def sections(*arguments, status=0):
    report = json.loads(ctprof(*arguments, "-f", "json", status=status).stdout)
    return report, {section["name"]: section.get("lines") for section in report["sections"]}


def number(cell):
    return cell["candidate"] if isinstance(cell, dict) else cell


def test_explanation_has_the_numbers_of_the_sentence():
    _, found = sections("compare", "--explain=switches", sample(2), sample(3))
    assert list(found) == ["findings"], list(found)
    (line,) = found["findings"]
    assert (line["finding"], line["subject"], number(line["value"])) == ("switches", "steady", 90000), line
    text = ctprof("compare", "--no-pager", "--explain=switches", sample(2), sample(3)).stdout.decode()
    assert text.partition(" WHAT STANDS OUT\n")[2].splitlines() == [
        " ! steady switches 90.0k times/s, for 11.1ns of work each",
        "   rule         switches of steady",
        "   measured     90000 1/s",
        "   rule limit   10000 1/s",
        "   cost         0.90",
        "   switches     90000 1/s",
        "   work         11.1ns",
    ], text
    assert set(line["numbers"]) == {"switches", "work"}, line


def test_explanation_of_what_is_not_found():
    text = ctprof("show", "--no-pager", "--explain=throttled", sample(3)).stdout.decode()
    assert "throttled: no finding" in text and "measured" not in text, text
    # The finding is in another window; the closest pool is shown.  Other things may stand out all the same.
    text = ctprof("compare", "-f", "html", "--explain=throttled", sample(2), sample(3)).stdout.decode()
    assert "<p>throttled: no finding</p>" in text and "othing stands out" not in text
    # The pool closest to the limit is shown.
    text = ctprof("compare", "--no-pager", "--filter=calm|late", "--explain=switches", sample(0), sample(1)).stdout.decode()
    assert text.partition(" WHAT STANDS OUT\n")[2].splitlines() == [
        " switches: no finding",
        "   rule         switches of calm",
        "   measured     9000 1/s",
        "   rule limit   10000 1/s",
        "   cost         0.09",
    ], text


def test_gate_on_a_finding():
    whole = (sample(0), sample(1))
    report, found = sections("compare", "--fail-on=finding:switches", *whole, status=3)
    hits = {(hit["group"], hit["metric"], hit["unit"], hit["limit"]) for hit in report["fail_on"]}
    assert hits == {(name, "finding:switches", "1/s", 10000) for name in ("steady", "twice")}, hits
    # One sentence names both pools.
    assert [line["finding"] for line in found["findings"]].count("switches") == 1, found["findings"]
    for condition in ("finding:*", "finding:sw*", "majflt:delta>1e9,finding:switches"):
        ctprof("compare", "-q", f"--fail-on={condition}", *whole, status=3)
    ctprof("compare", "--fail-on=finding:throttled", *whole)
    ctprof("compare", "--fail-on=finding:switches", "--filter=^calm$", *whole)


def test_what_is_shown_does_not_change_the_gate():
    for options in (["-n1"], ["-mminflt"], ["--sections=primary"], ["--all"], ["--explain=forks"], ["-fcsv"]):
        done = ctprof("compare", "--no-pager", "--fail-on=finding:switches", *options, sample(0), sample(1), status=3)
        assert "met by twice: 30000 1/s" in done.stderr.decode(), (options, done.stderr)


def test_junit_has_the_name_of_the_rule():
    text = ctprof("compare", "-f", "junit", "--fail-on=finding:*", sample(2), sample(3), status=3).stdout.decode()
    assert '<testcase classname="steady" name="finding:switches"><failure message=' in text, text


def clock(window):
    return f"2026-11-22T12:{window * SECONDS // 60:02}:{window * SECONDS % 60:02}Z"


def test_findings_over_the_time_of_a_recording():
    _, found = sections("compare", "--sections=history", recording())
    periods = {
        line["subject"]: (line["began"], line["ended"], line["worst_at"], number(line["windows"]))
        for line in found["findings-history"] if line["finding"] == "switches"
    }  # fmt: skip
    assert periods == {
        "steady": (clock(0), clock(4), clock(3), 4),
        "late": (clock(4), clock(5), clock(5), 1),
        "twice": (clock(0), clock(5), clock(1), 2),
    }, periods
    text = ctprof("compare", "--no-pager", "--sections=history", recording()).stdout.decode()
    row = next(line.split() for line in text.splitlines() if line.split()[:2] == ["switches", "steady"])
    assert row == ["switches", "steady", clock(0), clock(4), clock(3), "4"], text
    # The first screen has no room for these.
    assert "FINDING " not in ctprof("compare", "--no-pager", recording()).stdout.decode()


if __name__ == "__main__":
    harness.need_command("zstd")
    tap.main(globals(), world="own")
