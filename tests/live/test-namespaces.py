#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A capture works in a container's namespaces, and reports what it could not
see."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import harness
import tap

ZEROES = (0, "", "~", False, [], {})


def capture_inside(*unshare, plugins="all"):
    """The snapshot that ctprof takes in unshare(1) with these options."""
    harness.need_command("unshare")
    command = ["unshare", *unshare]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip(f"unshare {' '.join(unshare)} is not allowed here")
    done = subprocess.run(
        [*command, harness.CTPROF, f"--plugins={plugins}", "capture", "-o", "-"],
        stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return harness.Snapshot(done.stdout, done.stderr.decode())


def check_absences_are_no_numbers(snapshot):
    for row in snapshot.rows.values():
        for name in snapshot.absences(row):
            assert row.get(name, 0) in ZEROES, f"{name} is absent and {row[name]}"


def own_thread(snapshot):
    return snapshot.rows[(os.getpid(), os.getpid())]


def has_plugin(name):
    shown = json.loads(harness.run("plugins", "--format", "json").stdout)
    return name in [plugin["name"] for plugin in shown["plugins"]]


def test_a_user_namespace_denies_what_needs_the_first_one():
    snapshot = capture_inside("-U", "-r")
    check_absences_are_no_numbers(snapshot)
    row = own_thread(snapshot)
    assert row["pcomm"] and row["run_time_ns"] > 0
    if has_plugin("taskstats"):
        assert snapshot.reason(row, "cpu_delay_count") == "denied"
    if harness.is_root():
        # Root outside is nobody to the root inside.
        assert snapshot.reason(row, "rchar") == "denied"


def test_a_network_namespace_costs_at_most_the_delays():
    before = harness.capture("--plugins=all")
    snapshot = capture_inside("-n" if harness.is_root() else "-Urn")
    check_absences_are_no_numbers(snapshot)
    lost = set(snapshot.absences(own_thread(snapshot)))
    lost -= set(before.absences(own_thread(before)))
    if harness.is_root():
        delays = ("_delay_", "hiwater_", "taskstats_", "_active")
        assert all(any(part in name for part in delays) for name in lost), lost


def test_a_mount_namespace_costs_nothing():
    before = harness.capture("--plugins=all")
    snapshot = capture_inside("-m" if harness.is_root() else "-Urm")
    if harness.is_root():
        want = before.absences(own_thread(before))
        assert snapshot.absences(own_thread(snapshot)) == want


def in_pid_namespace(*command):
    """Runs the command with the /proc of the outer namespace."""
    if not harness.is_root():
        raise tap.Skip("needs root")
    harness.need_command("unshare")
    done = subprocess.run(["unshare", "-p", "-f", harness.CTPROF, *command],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/",
                          env={**os.environ, **harness.NO_LEAK_CHECK})
    assert done.returncode == 0, done.stderr.decode()
    return done


def test_the_proc_of_another_pid_namespace_gives_no_other_threads_values():
    """System calls take PIDs of the inner namespace: PID 1 there is ctprof
    itself."""
    done = in_pid_namespace("capture", "-o", "-")
    snapshot = harness.Snapshot(done.stdout, done.stderr.decode())
    allowed = os.sched_getaffinity(0)
    with harness.Worker("--thread", f"cpu={min(allowed)}") as worker:
        worker.stop()
        done = in_pid_namespace("capture", "--pid", str(worker.pid), "-o", "-")
        inside = harness.Snapshot(done.stdout, done.stderr.decode())
        tid = worker.truth["actors"][0]["tid"]
        row = inside.rows[worker.pid, tid]
        assert row["cpu_affinity"] == [min(allowed)], row["cpu_affinity"]
    for row in snapshot.rows.values():
        for name in ("cpu_delay_count", "hiwater_rss_bytes", "allocated_bytes"):
            assert name not in row or snapshot.reason(row, name), f"{name} is {row[name]}"
    lines = json.loads(in_pid_namespace("doctor", "--format=json").stdout)["groups"]
    for line in lines:
        if line["group"] in ("delay", "jemalloc"):
            assert line["here"] == "no" and "another PID namespace" in line["why"], line


def as_nobody_under(hidepid, *command):
    """Runs ctprof as an ordinary user with /proc mounted with this hidepid."""
    user = harness.need_other_user()
    harness.need_command("unshare")
    if harness.kernel() < (5, 8):
        raise tap.Skip("before Linux 5.8 a mount with hidepid is everyone's")
    drop = (f"import os, sys; os.setgroups([]); os.setgid({user}); os.setuid({user});"
            " os.execv(sys.argv[1], sys.argv[1:])")
    script = f'mount -t proc -o hidepid={hidepid} proc /proc && exec "$@"'
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", sys.executable, "-c", drop,
                           harness.CTPROF, *command], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, cwd="/")
    if b"mount:" in done.stderr:
        raise tap.Skip("proc cannot be mounted here")
    assert done.returncode == 0, done.stderr.decode()
    return done


def identity_under(hidepid):
    lines = json.loads(as_nobody_under(hidepid, "doctor", "--format=json").stdout)["groups"]
    line, = (line for line in lines if line["group"] == "identity")
    return line


def check_unseen(packed, check, words):
    """Checks what a file and its first screen say about processes without a row."""
    assert check(harness.Snapshot(packed).data["capture"].get("unseen")), packed
    shown = subprocess.run([harness.CTPROF, "show", "-"], input=packed, capture_output=True, check=True)
    assert words in shown.stdout, shown.stdout.decode()


def test_hidden_processes_are_told():
    done = as_nobody_under(2, "--plugins=procfs", "capture", "-o", "-")
    assert b"processes of other users are hidden" in done.stderr, done.stderr
    assert (1, 1) not in harness.Snapshot(done.stdout).rows
    check_unseen(done.stdout, lambda n: n == 2**64 - 1, b"processes of other users are hidden (hidepid)")
    line = identity_under(2)
    assert line["here"] == "partly" and "hidden" in line["why"], line


def test_refused_processes_are_told():
    done = as_nobody_under(1, "--plugins=procfs", "capture", "-o", "-")
    assert b"denied in " in done.stderr and b"hidepid" in done.stderr, done.stderr
    check_unseen(done.stdout, lambda n: n > 0, b"processes cannot be listed (hidepid)")
    line = identity_under(1)
    assert line["here"] == "partly" and "refused" in line["why"], line


def test_nothing_is_told_where_nothing_is_hidden():
    done = as_nobody_under(0, "--plugins=procfs", "capture", "-o", "-")
    assert b"hidepid" not in done.stderr, done.stderr
    assert "unseen" not in harness.Snapshot(done.stdout).data["capture"]
    assert "hidepid" not in (identity_under(0)["why"] or "")


def test_a_pid_namespace_shows_its_own_threads():
    options = ["-p", "-f", "--mount-proc"]
    snapshot = capture_inside(*(options if harness.is_root() else ["-Ur", *options]))
    check_absences_are_no_numbers(snapshot)
    # The supervising and the capturing process.
    assert {row["tgid"] for row in snapshot.rows.values()} == {1, 2}
    assert {row["pcomm"] for row in snapshot.rows.values()} == {"ctprof"}


# Runs in a PID namespace with a nested one: saves what /proc shows of each process, then runs ctprof.
NESTED = """
import json, os, re, subprocess, sys, time
subprocess.Popen(["unshare", "-p", "-f", "--mount-proc", "sh", "-c", "sleep 1000; true"], stdout=subprocess.DEVNULL)
def found():
    told = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        status = open(f"/proc/{pid}/status").read()
        word = lambda key: re.search(rf"^{key}:\\s+(.*)$", status, re.M)[1].split()
        ran = int(open(f"/proc/{pid}/schedstat").read().split()[0])
        told[int(pid)] = {"comm": word("Name")[0], "ppid": int(word("PPid")[0]), "ns": word("NSpid"), "ran": ran}
    return told
while not any(one["comm"] == "sleep" and len(one["ns"]) == 2 for one in found().values()):
    time.sleep(0.01)
time.sleep(0.1)
done = subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "wb"))
print(json.dumps(found()), flush=True)
sys.exit(done.returncode)
"""


def check_nested(*plugins):
    harness.need_command("unshare")
    outer = ["unshare", *(["-p"] if harness.is_root() else ["-Urp"]), "-f", "--mount-proc"]
    if subprocess.run([*outer, *outer, "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip("no namespace can be made in a namespace here")
    with tempfile.TemporaryDirectory(prefix="ctprof-nested-") as folder:
        path = f"{folder}/nested"
        done = subprocess.run([*outer, sys.executable, "-c", NESTED, path, harness.CTPROF, *plugins, "capture", "-o", "-"],
                              stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/")  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        snapshot = harness.Snapshot(Path(path).read_bytes())
    truth = {int(pid): one for pid, one in json.loads(done.stdout).items()}
    inner = {pid for pid, one in truth.items() if len(one["ns"]) == 2}
    assert {truth[pid]["comm"] for pid in inner} == {"sh", "sleep"}, truth
    rows = {tgid: row for (tgid, tid), row in snapshot.rows.items() if tid == tgid}
    for pid in truth.keys() & rows.keys():
        row, one = rows[pid], truth[pid]
        assert (row["comm"], snapshot.value(row, "ppid")) == (one["comm"], ("value", one["ppid"])), (pid, row, one)
        assert pid not in inner or row["run_time_ns"] == one["ran"], (pid, row, one)
    # By their PIDs in this namespace, and each once.
    assert inner <= rows.keys(), (inner, rows.keys())
    assert sum(row["comm"] in ("sh", "sleep") for row in snapshot.rows.values()) == 2, list(snapshot.rows)


def test_namespaces_in_a_pid_namespace():
    check_nested("--plugins=all")


def test_namespaces_in_a_pid_namespace_by_bpf():
    harness.need_bpf()
    check_nested("--plugins=bpf,procfs", *harness.BPF_ALWAYS)


HOLD = (
    "import mmap, os, sys\n"
    "fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)\n"
    "os.ftruncate(fd, 1 << 16)\n"
    "area = mmap.mmap(fd, 1 << 16)\n"
    "area[:] = b'x' * (1 << 16)\n"
    "print('ready', flush=True)\n"
    "sys.stdin.read()\n"
)


def test_a_tmpfs_of_another_mount_namespace_is_one():
    """Its device is not in our own mountinfo, and its path is on a disk in our namespace."""
    harness.need_command("unshare")
    name = f"held-elsewhere-{os.getpid()}"
    script = 'mount -t tmpfs ctprof-test /mnt && exec "$@"'
    how = "-m" if harness.is_root() else "-Urm"
    with subprocess.Popen(
        ["unshare", how, "sh", "-c", script, "sh", sys.executable, "-c", HOLD, f"/mnt/{name}"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as holder:  # fmt: skip
        if holder.stdout.readline() != "ready\n":
            raise tap.Skip("no tmpfs can be mounted in a mount namespace here")
        assert "ctprof-test" not in open("/proc/self/mountinfo", encoding="utf-8").read()
        shown = harness.run("memory", "shared", "--filter", name, "--format", "json")
        process = harness.run("memory", "process", str(holder.pid), "--format", "json")
    (line,) = json.loads(shown.stdout)["sections"][0]["lines"]
    assert line["kind"] == "tmpfs" and line["rss"] == 1 << 16, line
    mappings = json.loads(process.stdout)["sections"][1]["lines"]
    assert [x["kind"] for x in mappings if x["object"] == line["object"]] == ["tmpfs"], mappings


if __name__ == "__main__":
    tap.main(globals(), world="own")
