# SPDX-License-Identifier: LGPL-2.1-or-later
"""Captures and pages for the tests of --format html."""

import contextlib
import functools
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path

import harness

MADE = tempfile.TemporaryDirectory(prefix="ctprof-html-")
FOLDER = Path(MADE.name)
# A zone that no host has, so that displayed times show their zone.
os.environ["TZ"] = "XYZ-3"
HOSTILE = "<b>&</script><script>alert(1)</script>"
BEGAN_NS = 1795348800 * 10**9  # 2026-11-22 12:00 UTC
WINDOW_NS = 10 * 10**9
POOLS = 110
# The values of a thread that are filled, so that no row is left out.
COUNTED = ("_ns", "_clock_ticks", "_csw", "_bytes", "timeslices", "minflt", "char", "syscr", "syscw")


def seed():
    """Returns a capture of this host, as JSON."""
    path = FOLDER / "seed"
    if not path.exists():
        harness.run("-q", "--plugins=procfs", "capture", "--smaps=never", "-o", path)
    text = subprocess.run(["zstdcat", str(path)], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(text)


def name_of(number):
    letters = "abcdefghijklmnopqrstuvwxyz"
    return f"worker-{letters[number // 26 % 26]}{letters[number % 26]}-pool"


def thread(like, number, pool, later, dice):
    """Returns a thread, which uses more if the number of its pool is lower."""
    row = dict(like, tid=1000 + number, tgid=1000 + number, pcomm=name_of(pool), comm=name_of(pool))
    row["start_time_clock_ticks"] = 1
    for name, value in like.items():
        if isinstance(value, int) and name.endswith(COUNTED) and "start" not in name:
            row[name] = (1 + later) * dice.randrange(10**6, 10**8) // (1 + pool)
    return row


def grow(n, later=0, hostile=False):
    """Returns the path of a capture with n threads; later: 1 for the second one of a window."""
    path = FOLDER / f"{n}-{later}-{int(hostile)}.ctprof.zst"
    if path.exists():
        return path
    data = seed()
    dice = random.Random(n)
    like = max(data["threads"], key=lambda row: row["run_time_ns"])
    # A large host runs more kinds of programs.
    pools = max(POOLS, n // 43)
    data["threads"] = [thread(like, i, i % pools, later, dice) for i in range(n)]
    if hostile:
        data["threads"][0]["pcomm"] = HOSTILE
    data["captured_at_unix_ns"] = BEGAN_NS + later * WINDOW_NS
    for name in ("begin_unix_ns", "end_unix_ns", "begin_boottime_ns", "end_boottime_ns"):
        if name in data["capture"]:
            base = BEGAN_NS if "unix" in name else 10**13
            data["capture"][name] = base + later * WINDOW_NS
    subprocess.run(["zstd", "-q", "-o", str(path)], input=json.dumps(data).encode(), check=True)
    return path


def page(*arguments):
    return harness.run(*arguments, "--format", "html").stdout.decode()


def runs():
    """Returns two sets of runs of one command."""
    paths = []
    for side, loops in (("A", 1000), ("B", 3000000)):
        path = FOLDER / side
        if not path.exists():
            harness.run("-q", "--plugins=procfs", "stat", "--smaps=never", "--no-pager", "--repeat", "3",
                        "--set", path, "--", "python3", "-c", f"sum(range({loops}))")  # fmt: skip
        paths.append(path)
    return paths


@contextlib.contextmanager
def busy(name):
    """Runs a pool of that name, which uses a CPU."""
    program = FOLDER / name
    program.symlink_to("/bin/sh")
    with subprocess.Popen([program, "-c", "while :; do :; done"]) as process:
        try:
            yield
        finally:
            process.kill()


@functools.cache
def recording():
    """Makes a recording of this host with five windows, including a pool with the name that the host has in
    it."""
    path = FOLDER / "history.ctprof"
    with busy("host"):
        harness.run("-q", "--plugins=procfs,system", "record", "-n", "6", "-i", "50ms", "--smaps=never", "-o", path)
    return path


@functools.cache
def kinds():
    """Returns a page of each kind, by name."""
    before, after = grow(300), grow(300, later=1)
    made = {
        "show": page("show", after),
        "window": page("compare", before, after),
        "totals": page("compare", "--totals", before, after),
        "cgroup": page("show", "--group-by", "all", after),
        "runs": page("compare", *runs()),
        "recording": page("compare", recording()),
    }
    if "memory-ledger" in harness.run("plugins", "--format", "json").stdout.decode():
        made |= {"memory": page("memory"), "processes": page("memory", "processes")}
    return made
