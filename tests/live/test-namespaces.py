#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""In a container's namespaces a capture works, and tells what it could not see."""

import json
import os
import subprocess
import sys

import harness
import tap

ZEROES = (0, "", "~", False, [], {})


def capture_inside(*unshare, plugins="all"):
    """The snapshot ctprof takes behind unshare(1) with these options."""
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
    """With the /proc of the one outside."""
    if not harness.is_root():
        raise tap.Skip("needs root")
    harness.need_command("unshare")
    done = subprocess.run(["unshare", "-p", "-f", harness.CTPROF, *command],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr.decode()
    return done


def test_the_proc_of_another_pid_namespace_gives_no_other_threads_values():
    """System calls take the numbers of ours: pid 1 there is ctprof itself."""
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
    """ctprof as an ordinary user with a /proc mounted so."""
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


def test_hidden_processes_are_told():
    done = as_nobody_under(2, "--plugins=procfs", "capture", "-o", "-")
    assert b"processes of other users are hidden" in done.stderr, done.stderr
    assert (1, 1) not in harness.Snapshot(done.stdout).rows
    line = identity_under(2)
    assert line["here"] == "partly" and "hidden" in line["why"], line


def test_refused_processes_are_told():
    done = as_nobody_under(1, "--plugins=procfs", "capture", "-o", "-")
    assert b"denied in " in done.stderr and b"hidepid" in done.stderr, done.stderr
    line = identity_under(1)
    assert line["here"] == "partly" and "refused" in line["why"], line


def test_nothing_is_told_where_nothing_is_hidden():
    done = as_nobody_under(0, "--plugins=procfs", "capture", "-o", "-")
    assert b"hidepid" not in done.stderr, done.stderr
    assert "hidepid" not in (identity_under(0)["why"] or "")


def test_a_pid_namespace_shows_its_own_threads():
    options = ["-p", "-f", "--mount-proc"]
    snapshot = capture_inside(*(options if harness.is_root() else ["-Ur", *options]))
    check_absences_are_no_numbers(snapshot)
    # The one that supervises, and the one that captures.
    assert {row["tgid"] for row in snapshot.rows.values()} == {1, 2}
    assert {row["pcomm"] for row in snapshot.rows.values()} == {"ctprof"}


if __name__ == "__main__":
    tap.main(globals())
