#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Resources used by a process count once in every view, whatever threads and cgroups it has and
however short its life is."""

import contextlib
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import harness
import tap

MIB = 1 << 20
HELD = 64 * MIB
THREADS = 200
AXES = ("pcomm", "cgroup", "comm", "comm-exact", "all", "thread", "unit", "process", "user")
# A process with memory, threads with two names, and a thread that computes on request.
MANY = """
import os, sys, threading, time
held, stop, go = bytearray(b"x" * int(sys.argv[1])), threading.Event(), threading.Event()
def burn():
    go.wait()
    end = time.thread_time() + 0.2
    while time.thread_time() < end:
        pass
    go.clear()
    stop.wait()
threads = [threading.Thread(target=burn if i == 0 else stop.wait, daemon=True) for i in range(int(sys.argv[2]) - 1)]
for i, thread in enumerate(threads):
    thread.start()
    with open(f"/proc/self/task/{thread.native_id}/comm", "w") as name:
        name.write(f"once-{'even' if i % 2 == 0 else 'odd'}")
print(threads[0].native_id, flush=True)
sys.stdin.readline()
go.set()
while go.is_set():
    time.sleep(0.01)
print("done", flush=True)
sys.stdin.readline()
"""
# Runs processes that burn CPU one by one, each in a cgroup of its own that is removed with it.
CONTAINERS = """
import json, os, resource, sys, time
for i in range(int(sys.argv[2])):
    group = f"{sys.argv[1]}/c{i}"
    os.mkdir(group)
    pid = os.fork()
    if pid == 0:
        with open("/proc/self/comm", "w") as comm:
            comm.write("container")
        with open(group + "/cgroup.procs", "w") as procs:
            procs.write("0")
        while time.process_time() < 0.02:
            pass
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    os.rmdir(group)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps(used.ru_utime + used.ru_stime))
"""
N_CONTAINERS = int(os.environ.get("CTPROF_CONTAINERS", "50"))


@contextlib.contextmanager
def many(held, threads):
    """Yields the process and the TID of its computing thread."""
    with subprocess.Popen([sys.executable, "-c", MANY, str(held), str(threads)], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # fmt: skip
        try:
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


@contextlib.contextmanager
def captured(*options):
    with tempfile.TemporaryDirectory(prefix="ctprof-once-") as folder:
        path = Path(folder) / "one.ctprof.zst"
        harness.run("-q", "capture", *options, "-o", path)
        yield path, harness.Snapshot(path.read_bytes())


@contextlib.contextmanager
def cgroup2():
    """Makes a cgroup for the test; removes it and the cgroups made in it at the end."""
    for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if (Path(place) / "cgroup.procs").exists() and os.access(place, os.W_OK):
            break
    else:
        raise tap.Skip("no cgroup2 to write to")
    top = Path(place) / f"ctprof-once-{os.getpid()}"
    try:
        top.mkdir()
    except OSError as error:
        raise tap.Skip(f"no cgroup can be made: {error}") from None
    try:
        yield top
    finally:
        harness.wait_for(lambda: "populated 0" in (top / "cgroup.events").read_text(), "the cgroup's end")
        for group in [*top.iterdir(), top]:
            with contextlib.suppress(NotADirectoryError):
                group.rmdir()


def sums_of(report, metrics):
    """The sum of each metric over all groups."""
    sums = dict.fromkeys(metrics, 0)
    for row in next(one["rows"] for one in report["sections"] if one["name"] == "primary"):
        if row["metric"] in sums:
            sums[row["metric"]] += row["value"] or 0
    return sums


def test_memory_of_a_process_of_many_threads():
    with many(HELD, THREADS) as (process, _):
        os.kill(process.pid, signal.SIGSTOP)
        with captured("--smaps=always", "--memory=processes", "-p", process.pid) as (path, snapshot):
            assert len(snapshot.rows) == THREADS, len(snapshot.rows)
            leader = snapshot.rows[process.pid, process.pid]
            want = {name: snapshot.value(leader, name)[1] for name in ("pss_bytes", "rss_bytes", "anonymous_bytes")}
            assert HELD <= want["pss_bytes"] <= want["rss_bytes"] < 3 * HELD, want
            names = ",".join(want)
            for axis in AXES:
                shown = json.loads(harness.run("show", "--limit=0", f"--group-by={axis}", f"--metrics={names}",
                                               "--sections=primary,pools,smaps-rollup", "--format=json", path).stdout)
                assert sums_of(shown, want) == want, (axis, sums_of(shown, want))
                for section in shown["sections"]:
                    if section["name"] == "pools":
                        pss = [line["pss"] or 0 for line in section["lines"]]
                        assert sum(pss) == want["pss_bytes"], (axis, pss)
                    elif section["name"] == "smaps-rollup":
                        pss = [row["value"] for row in section["rows"] if row["metric"] == "Pss"]
                        assert sum(pss) == want["pss_bytes"], (axis, pss)
            for rows in ("threads", "groups"):
                table = harness.run("-q", "export", "--format=csv", f"--rows={rows}", "-o", "-", path).stdout.decode()
                table = list(csv.DictReader(io.StringIO(table)))
                sums = {name: sum(int(row[name] or 0) for row in table) for name in want}
                assert sums == want, (rows, sums)
            text = harness.run("-q", "export", "--format=openmetrics", "-o", "-", path).stdout.decode()
            told = [float(value) for value in re.findall(r"^ctprof_pss_bytes\{[^}]*\} (\S+)", text, re.M)]
            assert sum(told) == want["pss_bytes"], (told, want)
            for order in ("pss", "rss"):
                view = json.loads(harness.run("memory", "processes", f"--sort={order}", "--format=json", path).stdout)
                lines = [line for one in view["sections"] for line in one.get("lines", ()) if line.get("pid") == process.pid]
                assert [line[order] for line in lines] == [want[f"{order}_bytes"]], lines


def check_threads_apart(*options):
    with cgroup2() as top, many(MIB, 9) as (process, busy):
        (top / "apart").mkdir()
        (top / "cgroup.procs").write_text(str(process.pid))
        try:
            (top / "apart/cgroup.type").write_text("threaded")
            (top / "apart/cgroup.threads").write_text(str(busy))
        except OSError as error:
            raise tap.Skip(f"no cgroup of threads can be made: {error}") from None
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "done\n"
        os.kill(process.pid, signal.SIGSTOP)
        with captured(*options, "-p", process.pid) as (path, snapshot):
            paths = {tid: snapshot.value(row, "cgroup")[1] for (_, tid), row in snapshot.rows.items()}
            assert paths.pop(busy).endswith(f"/{top.name}/apart"), paths
            assert set(paths) and all(one.endswith(f"/{top.name}") for one in paths.values()), paths
            shown = json.loads(harness.run("show", "--limit=0", "--group-by=cgroup", "--sections=primary", "--format=json",
                                           "--metrics=run_time_ns,pss_bytes,nr_threads", path).stdout)
            got = {(row["group"].endswith("/apart"), row["metric"]): row["value"] for row in shown["sections"][0]["rows"]}
            row = snapshot.rows[process.pid, busy]
            assert got[True, "run_time_ns"] == row["run_time_ns"] >= 190_000_000, got
            # Memory belongs to the process, and so to the cgroup of its leader.
            assert got[False, "pss_bytes"] >= MIB and not got.get((True, "pss_bytes")), got
            assert got[False, "nr_threads"] == 9, got
        process.kill()


def test_threads_in_another_cgroup_than_their_leader():
    check_threads_apart("--plugins=procfs,memory", "--smaps=always")


def test_threads_in_another_cgroup_by_bpf():
    harness.need_bpf()
    check_threads_apart("--plugins=bpf,procfs,memory", "--smaps=always", *harness.BPF_ALWAYS)


def test_containers_that_are_gone():
    """CPU time of cgroups removed with their processes is not counted in another cgroup: processes
    whose cgroup is unknown are a group of their own."""
    harness.need_bpf()
    with cgroup2() as top, tempfile.TemporaryDirectory(prefix="ctprof-once-") as folder:
        report = Path(folder) / "report"
        done = harness.run("-q", *harness.ROOMY, "stat", "--smaps=never", "--group-by=all", "--no-cg-normalize", "--limit=0",
                           "--format=json", "-o", report, "--", sys.executable, "-c", CONTAINERS, top, N_CONTAINERS)
        used, shown = float(done.stdout), json.loads(report.read_text(encoding="utf-8"))
    (account,), (rows,) = ([one["rows"] for one in shown["sections"] if one["name"] == name]
                           for name in ("cpu-account", "primary"))
    if shown["window"].get("exits_lost"):
        raise tap.Skip("records of exits were lost")
    assert shown["window"]["exited_unseen"] >= N_CONTAINERS, shown["window"]
    cpu = {row["group"][0]: row["delta"] / 1e9 for row in rows
           if row["metric"] == "run_time_ns" and row["delta"] and row["group"][1:] == ["container"] * 2}  # fmt: skip
    own = sum(value for name, value in cpu.items() if name == "-" or f"/{top.name}/" in name)
    print(f"# {own:.2f} s in {top.name} or in no cgroup, of which {cpu.get('-', 0):.2f} in none; they used {used:.2f}")
    assert 0.95 * used <= own <= 1.05 * used + 0.1, (own, used, cpu)
    parts = {row["group"]: row["delta"] for row in account}
    known = parts["threads"] + parts["exited"] + parts["ctprof"] + parts["unaccounted"]
    assert abs(known - parts["host"]) < 1, parts


def test_a_capture_that_takes_long():
    """As on a host with a thousand runnable threads: a thread read seconds after the start of the
    capture has not run and waited for longer than the time that passed."""
    toy = harness.BUILD / "tests/border/ctprof-toy.so"
    if not toy.exists():
        raise tap.Skip("the test plugins are not built")
    with tempfile.TemporaryDirectory(prefix="ctprof-once-") as folder, harness.Worker("--processes", 2, "--threads", 500), \
            contextlib.ExitStack() as stack:  # fmt: skip
        shutil.copy(toy, folder)
        for _ in range(2):
            spinner = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(spinner.kill)
        files = [f"{folder}/{name}.ctprof.zst" for name in "ab"]
        for file, fault in zip(files, ({}, {"TOY_FAULT": "collect-crawls"})):
            harness.run("-q", "--plugin-path", folder, "--plugins=toy,procfs", "capture", "--smaps=never", "--jobs=1",
                        "-o", file, env=os.environ | fault)  # fmt: skip
        lasted = [harness.Snapshot(Path(file).read_bytes()).data["capture"]["skew_ns"] / 1e9 for file in files]
        for axis in ("thread", "pcomm"):
            shown = json.loads(harness.run("compare", f"--group-by={axis}", "--limit=0", "--sections=pools",
                                           "--format=json", *files).stdout)  # fmt: skip
            seconds = shown["window"]["seconds"]
            for line in shown["sections"][0]["lines"]:
                most = line["threads"]["candidate"] + (line["gone"]["candidate"] or 0)
                for name in ("cpu", "waiting"):
                    assert (line[name]["candidate"] or 0) <= most + 1e-9, (axis, line, seconds, lasted)
        print(f"# captures of {lasted[0]:.1f} and {lasted[1]:.1f} s, {seconds:.1f} s apart")
        assert lasted[1] >= lasted[0] + 1, lasted


if __name__ == "__main__":
    tap.main(globals(), world="of cgroups, and of exit records")
