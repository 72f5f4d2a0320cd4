#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""In a container's namespaces a capture works, and tells what it could not see."""

import json
import os
import subprocess

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


def test_a_pid_namespace_shows_its_own_threads():
    options = ["-p", "-f", "--mount-proc"]
    snapshot = capture_inside(*(options if harness.is_root() else ["-Ur", *options]))
    check_absences_are_no_numbers(snapshot)
    # The one that supervises, and the one that captures.
    assert {row["tgid"] for row in snapshot.rows.values()} == {1, 2}
    assert {row["pcomm"] for row in snapshot.rows.values()} == {"ctprof"}


if __name__ == "__main__":
    tap.main(globals())
