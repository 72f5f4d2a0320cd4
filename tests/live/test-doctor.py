#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""doctor reports the real state of this host."""

import json
import re
import subprocess
from pathlib import Path

import harness
import tap

PROC = Path("/proc")
KERNEL = PROC / "sys/kernel"


def read(path):
    try:
        return path.read_text().strip()
    except OSError:
        return None


def diagnose(*arguments, user=None):
    shown = harness.run(*arguments, "doctor", "--format=json", user=user, cwd="/").stdout
    lines = {}
    for line in json.loads(shown)["groups"]:
        lines.setdefault(line["group"], []).append(line)
    return lines


def the_one(lines, group):
    (line,) = lines[group]
    return line


def expect(line, state, *words):
    assert line["here"] == state, line
    said = f"{line['why']} {line['remedy']}"
    for word in words:
        assert word in said, f"'{word}' is not told: {line}"


def test_every_well_known_group_has_its_line():
    want = {"identity", "sched", "io", "smaps", "cgroup", "psi", "scx", "host", "system"}
    assert want <= set(diagnose())


def test_a_proc_of_processes_only_is_told():
    harness.need_command("unshare")
    shell = 'mount -t proc -o subset=pid proc /proc && exec "$0" doctor --format=json'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", shell, harness.CTPROF], capture_output=True, check=False
    )
    if done.returncode != 0:
        raise tap.Skip("mounting a proc with subset=pid is not allowed here")
    groups = json.loads(done.stdout)["groups"]
    for group in ("psi", "memory-ledger", "memory-sysv", "system", "system-disks"):
        for line in groups:
            if line["group"] == group:
                expect(line, "no", "subset=pid")


def test_schedstats_are_told_as_they_stand():
    line = the_one(diagnose(), "sched")
    state = read(KERNEL / "sched_schedstats")
    if state is None and "wait_max" not in read(PROC / "self/sched"):
        expect(line, "partly", "CONFIG_SCHEDSTATS")
    elif state == "0":
        expect(line, "partly", "sysctl kernel.sched_schedstats=1")
    elif "sum_block_runtime" not in read(PROC / "self/sched"):
        expect(line, "partly", "block_sum", "5.16")
    else:
        expect(line, "works")


def test_sched_ext_is_told_as_built():
    line = the_one(diagnose(), "scx")
    if Path("/sys/kernel/sched_ext/root").is_dir():
        expect(line, "works")
    elif Path("/sys/kernel/sched_ext").is_dir():
        expect(line, "partly", "no BPF scheduler is loaded")
    else:
        expect(line, "no", "CONFIG_SCHED_CLASS_EXT")


def test_pressure_is_told_as_measured():
    line = the_one(diagnose(), "psi")
    if read(PROC / "pressure/cpu") is None:
        expect(line, "no", "psi=1")
    elif "full" not in read(PROC / "pressure/cpu"):
        expect(line, "partly", "psi.cpu.full", "5.13")
    elif read(PROC / "pressure/irq") is None:
        expect(line, "partly", "CONFIG_IRQ_TIME_ACCOUNTING")
    else:
        expect(line, "works")


def test_delay_accounting_is_told_as_the_sysctl_stands():
    lines = diagnose()
    if "delay" not in lines:
        raise tap.Skip("built without the taskstats plugin")
    if not harness.is_root():
        raise tap.Skip("needs root: taskstats answers nobody else")
    state = read(KERNEL / "task_delayacct")
    line = the_one(lines, "delay")
    if state is None and harness.kernel() < (5, 14):
        # Without a switch it is always counted, unless a boot option turned it off.
        if "nodelayacct" in read(PROC / "cmdline").split():
            expect(line, "partly", "nodelayacct")
        else:
            expect(line, "works")
    elif state is None:
        expect(line, "partly", "CONFIG_TASK_DELAY_ACCT")
    elif state == "0":
        expect(line, "partly", "sysctl kernel.task_delayacct=1")
    else:
        expect(line, "works")


def test_an_ordinary_user_is_told_the_capabilities():
    lines = diagnose(user=harness.need_other_user())
    expect(the_one(lines, "io"), "partly", "CAP_SYS_PTRACE", "CAP_DAC_READ_SEARCH")
    for group in ("smaps", "memory", "memory-shared", "memory-swap", "memory-mappings"):
        expect(the_one(lines, group), "partly", "CAP_SYS_PTRACE")
    if "delay" in lines:
        expect(the_one(lines, "delay"), "no", "CAP_NET_ADMIN")


def objects_in(node):
    """Every object of metrics in a part of a snapshot."""
    if isinstance(node, dict):
        yield node
        for child in node.values():
            yield from objects_in(child)
    elif isinstance(node, list):
        for child in node:
            yield from objects_in(child)


def absences_in(shot, pid):
    """(metric, reason) of the values absent from the rows of a process, its cgroups and the host."""
    for row in shot.of(pid).values():
        yield from ((name, shot.reason(row, name)) for name in shot.absences(row))
    # The root cgroup has no limits, and no files for them.
    cgroups = [stats for path, stats in shot.data["cgroup_stats"].items() if path != "/"]
    for part in (cgroups, *map(shot.data.get, ("host", "psi", "sched_ext", "extra"))):
        for node in objects_in(part):
            absent = node.get("absent")
            for reason, names in absent.items() if isinstance(absent, dict) else ():
                yield from ((name, reason) for name in names)


def test_of_what_works_nothing_is_lacking():
    """On any kernel, with any boot options (tests/kernels)."""
    works = {(line["group"], line["plugin"]) for lines in diagnose().values() for line in lines
             if line["here"] == "works"}
    with harness.Worker("--threads", 2) as worker:
        shot = harness.capture("--plugins=all", "--pid", worker.pid)
        absences = set(absences_in(shot, worker.pid))
    places = {metric["name"]: (metric["group"], metric["plugin"]) for metric in shot.data["metrics"]}
    # A source that leaves this host to others (bpf on a small host) is not live.
    live = {plugin["name"] for plugin in shot.data["plugins"] if plugin["state"] == "live"}
    # The root of cgroup v2 counts no CPU time of its own: without v1 the host has another source of it.
    absences = {(name, reason) for name, reason in absences if name != "cpu.host_usage_ns"}
    lacking = sorted((*places[name], name, reason) for name, reason in absences
                     if reason in ("unsupported", "denied") and places[name] in works
                     and places[name][1] in live)
    assert not lacking, lacking


def test_a_plugin_that_is_not_there_is_told():
    line, = (line for line in diagnose("--plugins=procfs")["-"] if line["plugin"] == "psi")
    expect(line, "no", "not installed or not selected", "--plugins")


def test_text_and_json_say_the_same():
    """Groups of which the same is said share a paragraph, which is wrapped."""
    text = harness.run("doctor").stdout.decode()
    assert max(map(len, text.splitlines())) <= 100, text
    parts = [" ".join(part.split()) for part in re.split(r"^(?=works |partly |no )", text, flags=re.MULTILINE) if part]
    states = [part.split()[0] for part in parts]
    assert states == sorted(states, key=("works", "partly", "no").index), states
    for group, lines in diagnose().items():
        for line in lines:
            name = group if group != "-" else f"(plugin {line['plugin']})"
            said = "".join(f" {label}: {line[label]}" for label in ("why", "remedy") if line[label])
            assert any(part.startswith(f"{line['here']} ") and f" {name} " in f"{part} " and part.endswith(said)
                       for part in parts), (line, parts)


if __name__ == "__main__":
    tap.main(globals(), world="own")
