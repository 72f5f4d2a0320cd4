#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ctprof compare of two captures of a pool of threads whose work is known.

Two processes of named threads work between the captures and are idle during
them, so both captures must have the values that procfs shows for each thread.
With --pool as its first argument this script is such a process.
"""

import ctypes
import functools
import json
import mmap
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import harness
import tap
import truth

PR_SET_NAME = 15
BLOCK = 4096
# pcomm -> the names of its threads; WORK has what one thread of each kind does.
POOLS = {
    "alpha-pool": ["reader-0", "reader-1", "writer-0", "writer-1", "burner"],
    "beta-pool": ["reader-0", "writer-7", "faulter"],
}
WORK = {
    "reader": {"reads": 40, "sleeps": 3},
    "writer": {"writes": 25},
    "burner": {"burn_ms": 60},
    "faulter": {"pages": 500, "burn_ms": 10},
}
# The patterns of names that match several threads of both processes.
PATTERNS = {
    "reader-0": "reader-{N}",
    "reader-1": "reader-{N}",
    "writer-0": "writer-{N}",
    "writer-1": "writer-{N}",
    "writer-7": "writer-{N}",
}
# alpha: leader, reader, writer, burner; beta: leader, reader, writer, faulter.
SORTS = 8
CGROUP = "the one all are in"
# How each axis names the group of (pcomm, comm, tid).
AXES = {
    "pcomm": lambda pcomm, comm, tid: pcomm,
    "comm": lambda pcomm, comm, tid: PATTERNS.get(comm, comm),
    "comm-exact": lambda pcomm, comm, tid: comm,
    "cgroup": lambda pcomm, comm, tid: CGROUP,
    "all": lambda pcomm, comm, tid: (CGROUP, pcomm, PATTERNS.get(comm, comm)),
    "thread": lambda pcomm, comm, tid: f"{comm}[{tid}]",
}
# Sections of groups of threads, and the one of processes.
SECTIONS = ("primary", "taskstats-delay", "derived", "smaps-rollup")


# ---- what runs in the pool


def set_name(name):
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode(), 0, 0, 0)


def do_work(reads=0, writes=0, sleeps=0, burn_ms=0, pages=0):
    """Does this much work, and prints its cost by the thread's own clocks."""
    source, sink = os.open("/dev/zero", os.O_RDONLY), os.open("/dev/null", os.O_WRONLY)
    block = bytes(BLOCK)
    before, cpu = resource.getrusage(resource.RUSAGE_THREAD), time.thread_time_ns()
    for _ in range(reads):
        os.read(source, BLOCK)
    for _ in range(writes):
        os.write(sink, block)
    for _ in range(sleeps):
        time.sleep(0.002)
    while time.thread_time_ns() - cpu < burn_ms * 1000000:
        pass
    if pages:
        with mmap.mmap(-1, pages * mmap.PAGESIZE) as memory:
            memory.madvise(mmap.MADV_NOHUGEPAGE)
            for page in range(pages):
                memory[page * mmap.PAGESIZE] = 1
    cpu, after = time.thread_time_ns() - cpu, resource.getrusage(resource.RUSAGE_THREAD)
    return {"cpu_ns": cpu, "minflt": after.ru_minflt - before.ru_minflt}


def be_pool(name):
    """Threads that work when a line comes and then wait for the end of input."""
    names = POOLS[name]
    begin, done = threading.Event(), threading.Barrier(len(names) + 1)
    born, told = threading.Barrier(len(names) + 1), {}

    def body(thread_name):
        set_name(thread_name)
        born.wait()
        begin.wait()
        told[threading.get_native_id()] = do_work(**WORK[thread_name.partition("-")[0]])
        done.wait()
        threading.Event().wait()

    for thread_name in names:
        threading.Thread(target=body, args=(thread_name,), daemon=True).start()
    set_name(name)
    born.wait()
    print(json.dumps({}), flush=True)
    sys.stdin.readline()
    begin.set()
    done.wait()
    print(json.dumps(told), flush=True)
    sys.stdin.read()
    os._exit(0)


# ---- the pool as the tests see it


class Pool:
    """One process of POOLS."""

    def __init__(self, name):
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--pool", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.pid = self.process.pid
        self._hear()
        self.told = {}

    def _hear(self):
        line = self.process.stdout.readline()
        assert line, f"{self.name} died"
        return json.loads(line)

    def threads(self):
        return [(self.pid, tid) for tid in harness.tids_of(self.pid)]

    def freeze(self):
        os.kill(self.pid, signal.SIGSTOP)
        harness.wait_for(
            lambda: all(harness.state_of(*thread) in "TZX" for thread in self.threads()),
            "the pool to stop",
        )

    def work(self):
        """Lets the threads do their work once."""
        os.kill(self.pid, signal.SIGCONT)
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        self.told = {int(tid): cost for tid, cost in self._hear().items()}

    def close(self):
        self.process.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Scene:
    """Two captures with the pools' work between them, and the values of procfs."""

    def __init__(self, between=lambda pids: None, before=lambda pids: None):
        self.folder = tempfile.TemporaryDirectory()
        self.files = [str(Path(self.folder.name) / f"{side}.ctprof.zst") for side in "ab"]
        pools = []
        try:
            pools += map(Pool, POOLS)
            self.pids = [pool.pid for pool in pools]
            before(self.pids)
            self.sides = [self._look(pools, self.files[0])]
            for pool in pools:
                pool.work()
            between(self.pids)
            self.sides.append(self._look(pools, self.files[1]))
            self.told = {tid: cost for pool in pools for tid, cost in pool.told.items()}
        finally:
            for pool in pools:
                pool.close()
        snapshot = harness.Snapshot(Path(self.files[0]).read_bytes())
        self.counters = [
            m["name"]
            for m in snapshot.data["metrics"]
            if m["kind"] == "counter" and m["scope"] in ("thread", "process")
            and "quiet" not in m.get("flags", ())
        ]

    @staticmethod
    def _look(pools, path):
        for pool in pools:
            pool.freeze()
        pids = [f"--pid={pool.pid}" for pool in pools]
        harness.run("--plugins=procfs", "-q", "capture", *pids, "-o", path)
        return truth.read_threads([thread for pool in pools for thread in pool.threads()])

    def name(self, thread):
        fields = self.sides[0][thread]
        return fields["pcomm"][1].decode(), fields["comm"][1].decode(), thread[1]

    def number(self, side, thread, metric):
        """The value in procfs; None if it has none."""
        found = self.sides[side][thread].get(metric, ("absent", "not procfs"))
        return found[1] if found[0] == "value" else None

    def report(self, *arguments, files=None, command="compare", totals=True):
        """Sums since the start of the threads, unless a window is
        requested."""
        kind = ["--totals"] if command == "compare" and totals else []
        done = harness.run(
            command, *kind, *arguments, "--limit=0", "--format=json", *(files or self.files)
        )
        return json.loads(done.stdout)


@functools.cache
def scene():
    return Scene()


def group_of(row):
    group = row["group"]
    return tuple(group) if isinstance(group, list) else group


def rows_of(report):
    """Rows of threads by (section, group, metric); none may be repeated."""
    rows = [
        ((section["name"], group_of(row), row["metric"]), row)
        for section in report["sections"]
        if section["name"] in SECTIONS
        for row in section["rows"]
    ]
    assert rows and len(dict(rows)) == len(rows), "no rows, or one twice"
    return dict(rows)


def counter_rows(report, counters):
    """Rows of the counters by (group, metric)."""
    found = rows_of(report).items()
    return {(g, metric): row for (_, g, metric), row in found if metric in counters}


def one_cgroup(axis, group):
    """The group's name with the cgroup's replaced, which depends on the
    host."""
    if axis == "cgroup":
        return CGROUP
    return (CGROUP, *group[1:]) if axis == "all" else group


def add(numbers):
    """The sum of present values; None if there are none."""
    present = [n for n in numbers if n is not None]
    return sum(present) if present else None


def expected_sums(scene, axis, metrics):
    """(group, metric) -> [baseline, candidate] as procfs has them."""
    members = {}
    for thread in scene.sides[0]:
        members.setdefault(AXES[axis](*scene.name(thread)), []).append(thread)
    return {
        (group, metric): [add(scene.number(s, t, metric) for t in threads) for s in (0, 1)]
        for group, threads in members.items()
        for metric in metrics
    }


def known_counters(scene):
    """The counters of a thread; totals of a process's children are only shown
    on request."""
    known = next(iter(scene.sides[0].values()))
    return [m for m in scene.counters if m in known and m not in truth.OF_PROCESS]


# ---- tests


def test_the_work_is_what_procfs_saw():
    """Without this, the other tests might compare nothing."""
    assert len(scene().told) == sum(map(len, POOLS.values()))
    for thread in scene().sides[0]:
        _, comm, tid = scene().name(thread)
        cost, work = scene().told.get(tid), WORK.get(comm.partition("-")[0])
        if cost is None:
            continue

        def moved(metric):
            a, b = (scene().number(side, thread, metric) for side in (0, 1))
            return None if a is None else b - a

        exact = {"syscr": work.get("reads", 0), "syscw": work.get("writes", 0)}
        exact |= {"rchar": exact["syscr"] * BLOCK, "wchar": exact["syscw"] * BLOCK}
        for metric, want in exact.items():
            assert moved(metric) in (want, None), (comm, metric, moved(metric), want)
        assert cost["minflt"] >= work.get("pages", 0), (comm, cost)
        assert moved("minflt") >= cost["minflt"], (comm, moved("minflt"), cost)
        assert cost["cpu_ns"] >= work.get("burn_ms", 0) * 1000000, (comm, cost)
        ran = moved("run_time_ns")  # absent without CONFIG_SCHED_INFO
        assert ran is None or ran >= cost["cpu_ns"], (comm, ran, cost)
        assert moved("voluntary_csw") >= work.get("sleeps", 0), comm


def test_every_axis_shows_what_procfs_counted():
    """Baseline, candidate, delta and percentage of every counter of procfs."""
    metrics = known_counters(scene())
    assert {"minflt", "utime_clock_ticks", "voluntary_csw"} <= set(metrics), metrics
    for axis in AXES:
        rows = counter_rows(scene().report("--group-by", axis), metrics)
        rows = {(one_cgroup(axis, group), metric): row for (group, metric), row in rows.items()}
        expected = expected_sums(scene(), axis, metrics)
        assert rows.keys() == expected.keys(), (axis, rows.keys() ^ expected.keys())
        for key, (a, b) in expected.items():
            row, delta = rows[key], None if a is None else b - a
            found = (row["baseline"], row["candidate"], row["delta"])
            assert found == (a, b, delta), (axis, key, found, (a, b, delta))
            if a:
                assert abs(row["pct"] - 100 * delta / a) < 1e-6 * max(1, abs(row["pct"])), row


def test_groups_have_their_threads():
    for axis, name in AXES.items():
        counts = {}
        for thread in scene().sides[0]:
            group = name(*scene().name(thread))
            counts[group] = counts.get(group, 0) + 1
        report = scene().report("--group-by", axis)
        assert report["only_baseline"] == report["only_candidate"] == [], axis
        for (section, group, metric), row in rows_of(report).items():
            if section == "smaps-rollup":
                continue
            n = counts[one_cgroup(axis, group)]
            assert row["threads"] == [n, n], (axis, row)
            assert metric != "thread_count" or row["baseline"] == row["candidate"] == n, row


def test_groups_add_up_to_the_threads():
    """For every counter, whether from procfs or not."""

    def totals(axis):
        rows = counter_rows(scene().report("--group-by", axis), scene().counters)
        sums = {}
        for (_, metric), row in rows.items():
            sums.setdefault(metric, []).append((row["baseline"], row["candidate"], row["delta"]))
        return {metric: [add(column) for column in zip(*of)] for metric, of in sums.items()}

    threads = totals("thread")
    for axis in AXES:
        assert totals(axis) == threads, axis


def test_the_other_way_round_negates():
    for axis in AXES:
        there = rows_of(scene().report("--group-by", axis))
        back = rows_of(scene().report("--group-by", axis, files=scene().files[::-1]))
        assert there.keys() == back.keys(), axis
        for key, row in there.items():
            other = back[key]
            assert (row["baseline"], row["candidate"]) == (other["candidate"], other["baseline"])
            if row["delta"] is not None:
                assert row["delta"] == -other["delta"], (axis, row, other)


def test_a_capture_does_not_differ_from_itself():
    for file in scene().files:
        for axis in AXES:
            report = scene().report("--group-by", axis, "--changed", files=[file, file])
            # Except for the first screen, which is about the newer side.
            rows = [x for x in report["sections"] if x["name"] not in ("host", "findings", "pools")]
            assert all(section["rows"] == [] for section in rows), (axis, report)
            assert report["only_baseline"] == report["only_candidate"] == [], axis
            assert report["warnings"] == [], report["warnings"]


def test_changed_leaves_out_what_did_not_move():
    moved = {k for k, row in rows_of(scene().report()).items() if row["delta"]}
    shown = rows_of(scene().report("--changed"))
    assert moved <= shown.keys(), moved - shown.keys()
    still = [row for row in shown.values() if row["baseline"] == row["candidate"]]
    assert not still, still


def test_show_agrees_with_compare():
    """compare has everything that show has, except unchanged memory."""
    for axis in AXES:
        both = rows_of(scene().report("--group-by", axis))
        sides = [
            {key: row["value"] for key, row in rows_of(report).items()}
            for report in (
                scene().report("--group-by", axis, files=[file], command="show")
                for file in scene().files
            )
        ]
        for key in both.keys() | sides[0].keys() | sides[1].keys():
            shown = [side.get(key) for side in sides]
            if key in both:
                # And show leaves out memory kinds whose size is 0.
                compared = [both[key]["baseline"], both[key]["candidate"]]
                memory = key[0] == "smaps-rollup"
                compared = [it or None for it in compared] if memory else compared
                shown = [it or None for it in shown] if memory else shown
                assert shown == compared, (axis, key, shown, compared)
            else:
                assert key[0] == "smaps-rollup" and shown[0] == shown[1], (axis, key, shown)


def test_fail_on_decides_the_exit_status():
    sums = expected_sums(scene(), "pcomm", ["minflt"]).values()
    most = max(b - a for a, b in sums)
    for condition, status in (
        (f"minflt:delta>={most}", 3),
        (f"minflt:delta>{most}", 0),
        (f"minflt:delta>{most},voluntary_csw:delta>0", 3),
        ("minflt:pct>0", 3),
        ("minflt:delta<0", 0),
        ("no_such_metric:delta>0", 2),
        ("minflt:delta>", 2),
    ):
        arguments = ("compare", "--totals", "-q", "--group-by=pcomm", "--fail-on", condition)
        done = harness.run(*arguments, *scene().files, check=False)
        assert done.returncode == status, (condition, done.returncode, done.stderr)
        assert (done.stdout == b"") == (status == 2), condition


def cgroup2_mount():
    """A cgroup v2 hierarchy mounted as a whole that lets us make cgroups."""
    if not harness.is_root():
        raise tap.Skip("needs root, to make cgroups")
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    for line in mounts.splitlines():
        fields, _, filesystem = line.partition(" - ")
        root, mounted = fields.split()[3:5]
        if filesystem.startswith("cgroup2 ") and root == "/" and os.access(mounted, os.W_OK):
            return Path(re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), mounted))
    raise tap.Skip("no writable cgroup v2 hierarchy is mounted here")


def remove_cgroup(path):
    def gone():
        try:
            path.rmdir()
        except FileNotFoundError:
            pass
        except OSError:  # its processes are still exiting
            return False
        return True

    harness.wait_for(gone, f"{path} to be empty")


def moved_scene(old, new):
    """A scene whose pools move from one cgroup to another between the captures.
    cgroup v2 has no rename; between two captures, moving all looks the same.
    """

    def enter(cgroup, pids):
        for pid in pids:
            (cgroup / "cgroup.procs").write_text(str(pid))

    try:
        for path in (old, new):
            path.mkdir()
    except OSError as error:
        raise tap.Skip(f"a cgroup cannot be made: {error}") from None
    return Scene(before=lambda pids: enter(old, pids), between=lambda pids: enter(new, pids))


def check_renamed(scene, report, old, new):
    """Every group is joined under its old name, and its deltas are those of
    the work."""
    (pair,) = report["renames"]
    assert old in json.dumps(pair) and new in json.dumps(pair), pair
    assert report["only_baseline"] == report["only_candidate"] == [], report
    metrics = known_counters(scene)
    rows = counter_rows(report, metrics)
    for (group, metric), row in rows.items():
        assert group[0] == old and row["renamed"] == new, row
    found = {((CGROUP, *g[1:]), m): [r["baseline"], r["candidate"]] for (g, m), r in rows.items()}
    assert found == expected_sums(scene, "all", metrics)


def test_a_cgroup_with_another_name_is_paired():
    mount = cgroup2_mount()
    old, new = (f"/ctprof-test-{os.getpid()}-{word}" for word in ("before", "after"))
    paths = [mount / name[1:] for name in (old, new)]
    try:
        moved = moved_scene(*paths)
        enough = ("--group-by=all", "--rename-min-jaccard=1")
        report = moved.report(*enough, f"--rename-min-types={SORTS}")
        check_renamed(moved, report, old, new)
        for rules in (("--group-by=all",), (*enough, f"--rename-min-types={SORTS + 1}")):
            report = moved.report(*rules)
            assert not report.get("renames"), report["renames"]
            for side, name in (("only_baseline", old), ("only_candidate", new)):
                groups = [group["group"] for group in report[side]]
                assert len(groups) == SORTS and {g[0] for g in groups} == {name}, groups
    finally:
        for path in paths:
            remove_cgroup(path)


def two_sleeps(user):
    """Processes of root and of user that do nothing, with the same name."""
    return [subprocess.Popen(["sleep", "600"], cwd="/", **harness.other_user(who))
            for who in (None, user)]


def check_hidden(files, kind, n, missing):
    """The numbers of processes on each side that have the value (n) and that lack it (missing)."""
    done = harness.run("compare", kind, "--group-by=pcomm", "--filter=^sleep$", "--metrics=rchar",
                       "--sections=primary", "--fail-on=rchar:delta<0", "--format=json", *files)
    (section,) = [it for it in json.loads(done.stdout)["sections"] if it["name"] == "primary"]
    (row,) = section["rows"]
    assert row["n"] == n and row["missing"] == missing, row
    assert row["why"] == "denied" and row["pct"] is None, row
    assert row["delta"] < 0 if kind == "--totals" else row["delta"] >= 0, row


def test_what_a_user_may_not_see_is_no_change():
    """Nothing changed: a sum that lacks a process is marked, and meets no condition."""
    user = harness.need_other_user()
    sleeps = two_sleeps(user)
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            files = [f"{folder}/{name}.ctprof.zst" for name in ("root", "user")]
            pids = [f"--pid={sleep.pid}" for sleep in sleeps]
            harness.wait_for(lambda: all(truth_comm(sleep.pid) == "sleep" for sleep in sleeps),
                             "both to be sleep")
            for file, who in zip(files, (None, user)):
                harness.run("-q", "--plugins=procfs", "capture", *pids, "-o", file, user=who)
                os.chmod(file, 0o644)
            check_hidden(files, "--window", [1, 1], [1, 1])
            check_hidden(files, "--totals", [2, 1], [0, 1])
            options = ("compare", "--totals", "--group-by=pcomm", "--filter=^sleep$",
                       "--metrics=rchar", "--sections=primary", "--fail-on=rchar:pct<-20")
            drawn = harness.run(*options, *files).stdout.decode()
            (line,) = [x for x in drawn.splitlines() if " rchar " in x]
            assert "→ ~" in line and " ~-" in line and line.split()[-2] == "-", line
            asked = harness.run(*options, "--fail-on-partial", *files, check=False)
            assert asked.returncode == 3, asked
    finally:
        for sleep in sleeps:
            sleep.kill()
            sleep.wait()


def truth_comm(pid):
    return Path(f"/proc/{pid}/comm").read_text().strip()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pool"]:
        be_pool(sys.argv[2])
    tap.main(globals(), world="own")
