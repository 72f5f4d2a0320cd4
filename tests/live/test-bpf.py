#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the BPF programs read is what procfs and taskstats read."""

import contextlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import harness
import tap
from harness import CTPROF, Worker

ALWAYS = ("-O", "bpf.when=always")
# procfs reads these of a kernel thread's own files; nothing else may be left to it.
OTHERS = {"comm", "pcomm"}
# Counted from the thread's start on, or never: taskstats shows 0 for both.
BLOCK_DELAY = re.compile(r"(blkio|swapin|freepages|thrashing|compact|wpcopy|irq)_delay_")
CAP_BPF, CAP_PERFMON = 39, 38
PF_KTHREAD = 0x200000


def report_of(snapshot, plugin="bpf"):
    (report,) = [p for p in snapshot.data["plugins"] if p["name"] == plugin]
    return report


def need_bpf():
    """A snapshot of BPF alone; skips where it cannot run."""
    if not (harness.BUILD / "ctprof-bpf.so").exists():
        raise tap.Skip("bpf is not built")
    snapshot = harness.capture("--plugins=bpf,procfs", *ALWAYS)
    report = report_of(snapshot)
    if report["state"] != "live":
        raise tap.Skip(f"bpf cannot run here: {report['why']}")
    return snapshot


def by_files():
    """All but smaps, which moves with what other processes map."""
    return harness.capture("--plugins=procfs,taskstats", "--groups=identity,sched,io,delay")


def summary(snapshot):
    return snapshot.data["extra"]["bpf_summary"]


def thread_metrics(snapshot):
    return [m["name"] for m in snapshot.data["metrics"] if m["scope"] in ("thread", "process")]


def values(snapshot, key):
    row = snapshot.rows[key]
    return {name: snapshot.value(row, name) for name in thread_metrics(snapshot)}


def is_kernel_thread(key):
    try:
        stat = Path(f"/proc/{key[0]}/task/{key[1]}/stat").read_bytes()
    except OSError:
        return False
    return int(stat.rpartition(b")")[2].split()[6]) & PF_KTHREAD != 0


def is_equal(name, bpf, other, key):
    if bpf == other:
        return True
    if bpf[0] == "absent" and name in OTHERS and is_kernel_thread(key):
        return True
    if bpf == ("absent", "unsupported") and BLOCK_DELAY.match(name):
        return other == ("value", 0)
    if name == "delay_block_active":
        return bpf == ("value", False) and other == ("value", True)
    if name.startswith("smaps_"):
        return bpf[0] == "absent"
    # BPF needs no rights over the thread.
    return other == ("absent", "denied") and bpf[0] == "value"


def compare(before, bpf, after):
    """The threads that are the same in both captures of procfs, and how BPF differs."""
    compared, wrong = set(), []
    for key in before.rows.keys() & bpf.rows.keys() & after.rows.keys():
        rows = [values(snapshot, key) for snapshot in (before, bpf, after)]
        if rows[0] != rows[2] or rows[1]["run_time_ns"][0] == "absent":
            continue
        compared.add(key)
        wrong += [
            (key, name, rows[1][name], rows[0][name])
            for name in rows[0].keys() & rows[1].keys()
            if not is_equal(name, rows[1][name], rows[0][name], key)
        ]
    return compared, wrong


def test_every_thread_that_did_not_move_has_equal_values():
    need_bpf()
    with Worker("--processes", 20, "--threads", 149) as worker:
        threads = set(worker.threads())
        before = by_files()
        bpf = harness.capture("--plugins=bpf", *ALWAYS, "--groups=identity,sched,io,delay")
        after = by_files()
    compared, wrong = compare(before, bpf, after)
    assert not wrong, f"{len(wrong)} differ: {wrong[:10]}"
    assert len(threads) >= 3000 and threads <= compared, threads - compared
    print(f"# {len(compared)} threads compared, of {len(before.rows)}")
    assert summary(bpf)["thread_count"] >= len(threads)


def test_threads_in_odd_states_have_equal_values():
    """Of every policy, pinned, busy before, stopped; zombies, and a leader that has exited."""
    need_bpf()
    kinds = [
        "name=0a200a3a41,policy=batch,nice=5", "policy=idle", "policy=fifo:7",
        "policy=rr:3", "cpu=0", "burn=30", "read=65536,write=8192",
        "faults=500",
    ]  # fmt: skip
    threads = [argument for kind in kinds for argument in ("--thread", kind)]
    with Worker(*threads, "--zombies", 2, "--leader-exits") as worker:
        worker.stop()
        threads = set(worker.threads())
        before = by_files()
        bpf = harness.capture("--plugins=bpf", *ALWAYS, "--groups=identity,sched,io,delay")
        after = by_files()
    compared, wrong = compare(before, bpf, after)
    assert not wrong, wrong[:10]
    assert threads <= compared, threads - compared


def test_taskstats_is_asked_only_for_threads_that_are_left():
    need_bpf()
    snapshot = harness.capture("--plugins=bpf,procfs,taskstats", *ALWAYS)
    if report_of(snapshot, "taskstats")["state"] != "live":
        raise tap.Skip("taskstats cannot run here")
    asked = sum(snapshot.data["taskstats_summary"].values())
    assert asked <= summary(snapshot)["left_count"], (asked, summary(snapshot))


def test_a_pid_namespace_has_its_own_numbers():
    need_bpf()
    command = ["unshare", "-p", "-f", "--mount-proc"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip("unshare is not allowed here")
    done = subprocess.run(
        [*command, CTPROF, "--plugins=bpf", *ALWAYS, "capture", "-o", "-"],
        stdin=subprocess.DEVNULL, capture_output=True, check=True, cwd="/",
    )  # fmt: skip
    snapshot = harness.Snapshot(done.stdout)
    assert summary(snapshot)["left_count"] == 0, summary(snapshot)
    parents = {row["tgid"]: snapshot.value(row, "ppid") for row in snapshot.rows.values()
               if row["tid"] == row["tgid"]}  # fmt: skip
    # That of the first one is outside.
    assert parents == {1: ("value", 0), 2: ("value", 1)}, parents
    assert {row["pcomm"] for row in snapshot.rows.values()} == {"ctprof"}


def test_the_proc_of_another_pid_namespace_is_left_to_the_others():
    need_bpf()
    command = ["unshare", "-p", "-f"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip("unshare is not allowed here")
    done = subprocess.run(
        [*command, CTPROF, "--plugins=bpf,procfs", *ALWAYS, "capture", "-o", "-"],
        stdin=subprocess.DEVNULL, capture_output=True, check=True, cwd="/",
    )  # fmt: skip
    report = report_of(harness.Snapshot(done.stdout))
    assert "another PID namespace" in report["why"], report


def cgroup2():
    """Where it is mounted below the usual root; skips where a group cannot be made."""
    for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if (Path(place) / "cgroup.procs").exists() and os.access(place, os.W_OK):
            return Path(place)
    raise tap.Skip("no cgroup2 to write to")


@contextlib.contextmanager
def nested_group():
    outer = cgroup2() / f"ctprof test.{os.getpid()}"
    inner = outer / "b.service"
    try:
        inner.mkdir(parents=True)
    except OSError as error:
        raise tap.Skip(f"no cgroup can be made: {error}") from None
    try:
        yield inner
    finally:
        for group in (inner, outer):
            harness.wait_for(lambda group=group: not (group / "cgroup.procs").read_text(),
                             "the group to be empty")  # fmt: skip
            group.rmdir()


def test_cgroups_have_the_paths_of_proc():
    need_bpf()
    with nested_group() as group:
        with Worker("--threads", 2) as worker:
            (group / "cgroup.procs").write_text(str(worker.pid))
            snapshot = harness.capture("--plugins=bpf", *ALWAYS)
            told = Path(f"/proc/{worker.pid}/cgroup").read_text()
        paths = {row["cgroup"] for row in snapshot.of(worker.pid).values()}
    assert paths == set(re.findall(r"^0::(.*)$", told, re.MULTILINE)), (paths, told)
    assert paths.pop().endswith("/b.service"), told


def test_a_cgroup_namespace_does_not_make_paths_up():
    """Its paths begin elsewhere, and the mount shows those of outside: procfs reads them."""
    need_bpf()
    harness.need_command("unshare")
    inside = 'echo $$ >"$0/cgroup.procs" && exec unshare -C "$@"'
    with nested_group() as group:
        shots = []
        for plugins in ("bpf", "procfs"):
            done = subprocess.run(
                ["sh", "-c", inside, group, CTPROF, f"--plugins={plugins}"]
                + [*(ALWAYS if plugins == "bpf" else ()), "capture", "-o", "-"],
                stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/",
            )  # fmt: skip
            if done.returncode != 0:
                raise tap.Skip("unshare -C is not allowed here")
            shots.append(harness.Snapshot(done.stdout))
    for key in shots[0].rows.keys() & shots[1].rows.keys():
        bpf, files = (shot.value(shot.rows[key], "cgroup") for shot in shots)
        assert bpf[0] == "absent" or bpf == files, (key, bpf, files)


def test_auto_goes_by_the_number_of_threads():
    need_bpf()
    few = Worker("--threads", 3)
    with few, Worker("--processes", 10, "--threads", 149) as many:
        small = harness.capture("--plugins=all", "--pid", few.pid)
        large = harness.capture("--plugins=bpf,procfs", *[f"--pid={pid}" for pid in many.pids])
    assert "bpf.when=auto" in report_of(small)["why"], report_of(small)
    assert "bpf" not in small.stderr, small.stderr
    assert summary(large)["when"] == "auto", summary(large)


def test_never_is_never():
    need_bpf()
    snapshot = harness.capture("--plugins=bpf,procfs", "-O", "bpf.when=never")
    assert report_of(snapshot)["why"] == "bpf.when=never"


def test_doctor_says_what_it_would_do():
    need_bpf()
    shown = harness.run("doctor", "--format=json").stdout
    (line,) = [line for line in json.loads(shown)["groups"] if line["group"] == "bpf"]
    assert line["here"] == "works" and "bpf.when=auto" in line["why"], line


def test_rights_are_given_up_once_the_programs_are_loaded():
    need_bpf()
    harness.need_command("strace")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        traced = subprocess.run(
            ["strace", "-f", "-X", "raw", "-e", "trace=bpf,capset", "-o", log, CTPROF]
            + ["--plugins=bpf", *ALWAYS, "capture", "-o", "/dev/null"],
            env={**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"},
            capture_output=True, check=False,
        )  # fmt: skip
        if traced.returncode != 0:
            raise tap.Skip("strace may not trace here")
        lines = log.read_text().splitlines()
    last = max(i for i, line in enumerate(lines) if " bpf(" in line)
    dropped = [line for line in lines[last:] if " capset(" in line]
    assert dropped, "no capability is dropped after the last bpf()"
    for mask in re.findall(r"(?:effective|permitted)=(0x[0-9a-f]+|0)", dropped[-1]):
        assert not int(mask, 0) >> CAP_BPF & 1, dropped[-1]
        assert not int(mask, 0) >> CAP_PERFMON & 1, dropped[-1]


def test_without_rights_the_others_do_it():
    user = harness.need_other_user()
    need_bpf()
    snapshot = harness.capture("--plugins=bpf,procfs", "-O", "bpf.when=always", user=user)
    report = report_of(snapshot)
    assert report["state"] != "live" and "CAP_BPF" in report["why"], report
    row = next(iter(snapshot.rows.values()))
    assert snapshot.value(row, "run_time_ns")[0] == "value"


if __name__ == "__main__":
    tap.main(globals())
