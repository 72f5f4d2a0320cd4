#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The BPF programs read the same values as procfs and taskstats."""

import contextlib
import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

import harness
import tap
from harness import BPF_ALWAYS, CTPROF, Worker, capture

# procfs reads these from a kernel thread's own files; nothing else may be left to it.
OTHERS = {"comm", "pcomm"}
# Counted from the start of the thread or not at all: taskstats shows 0 in both cases.
BLOCK_DELAY = re.compile(r"(blkio|swapin|freepages|thrashing|compact|wpcopy|irq)_delay_")
CAP_BPF, CAP_PERFMON = 39, 38
PF_KTHREAD = 0x200000
# CPU time that a process may still use after its parent has waited for it.
LAST_NS = 5_000_000
# The clock of a run queue is that late; a scheduler's clock differs from that of the host as well.
WAIT_LAG_NS = 50_000_000
AVERAGES = {"util_avg", "runnable_avg", "load_avg", "util_est"}
CHILDREN = 1000
PROCESSES = 67


def by_files():
    """A capture without smaps, which changes with the mappings of other processes."""
    return capture("--plugins=procfs,taskstats", "--groups=identity,sched,io,delay")


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


def is_equal(name, bpf, other, key, state):
    if bpf == other:
        return True
    if bpf[0] == "absent" and name in OTHERS:
        return is_kernel_thread(key) or other[1].startswith("kworker/")  # it may be gone
    if bpf == ("absent", "unsupported") and BLOCK_DELAY.match(name):
        return other in (("value", 0), ("absent", "inapplicable"))
    if name == "cgroup_v1" and bpf == ("absent", "unsupported"):
        # A thread that has begun to exit is left to procfs, where the kernel then shows "/"; on a
        # busy host it may still be waiting for a CPU to exit on.
        return state[1] in "ZX" or other[0] == "value" and set(other[1].values()) == {"/"}
    if name == "delay_block_active":
        return bpf == ("value", False) and other == ("value", True)
    if name.startswith("smaps_"):
        return bpf[0] == "absent"
    # BPF needs no rights over the thread.
    return other == ("absent", "denied") and bpf[0] == "value"


def compare(before, bpf, after):
    """Returns the threads that are the same in both procfs captures, and how BPF differs."""
    compared, wrong = set(), []
    for key in before.rows.keys() & bpf.rows.keys() & after.rows.keys():
        rows = [values(snapshot, key) for snapshot in (before, bpf, after)]
        if rows[0] != rows[2] or rows[1]["run_time_ns"][0] == "absent":
            continue
        # The priority of another test's ctprof is changed from outside, without its running.
        if before.rows[key]["pcomm"].startswith("ctprof"):
            continue
        compared.add(key)
        wrong += [
            (key, name, rows[1][name], rows[0][name])
            for name in rows[0].keys() & rows[1].keys()
            if not is_equal(name, rows[1][name], rows[0][name], key, rows[1]["state"])
        ]
    return compared, wrong


def test_every_thread_that_did_not_move_has_equal_values():
    """Ten thousand idle threads, three busy ones in each process, and the host's own threads."""
    harness.need_bpf()
    busy = ["burn=1,faults=8", "read=4096,write=4096", "name=0a200a3a41,policy=batch,nice=5"]
    kinds = [argument for kind in busy for argument in ("--thread", kind)]
    with Worker("--processes", PROCESSES, "--threads", 149, *kinds) as worker:
        threads = set(worker.threads())
        before = by_files()
        bpf = capture("--plugins=bpf", *BPF_ALWAYS, "--groups=identity,sched,io,delay")
        after = by_files()
    compared, wrong = compare(before, bpf, after)
    assert not wrong, f"{len(wrong)} differ: {wrong[:10]}"
    assert len(threads) >= 149 * PROCESSES and threads <= compared, threads - compared
    print(f"# {len(compared)} threads compared, of {len(before.rows)}")
    assert summary(bpf)["thread_count"] >= len(threads)


def test_threads_in_odd_states_have_equal_values():
    """Threads of every policy, pinned, busy before, stopped; zombies, and an exited leader."""
    harness.need_bpf()
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
        bpf = capture("--plugins=bpf", *BPF_ALWAYS, "--groups=identity,sched,io,delay")
        after = by_files()
    compared, wrong = compare(before, bpf, after)
    assert not wrong, wrong[:10]
    assert threads <= compared, threads - compared


def test_the_averages_of_the_load_are_equal():
    """A thousand idle threads, some of which were busy before."""
    harness.need_bpf()
    groups = "--groups=identity,sched,pelt"
    busy = [argument for _ in range(3) for argument in ("--thread", "burn=5")]
    with Worker("--processes", 7, "--threads", 149, *busy) as worker:
        threads = set(worker.threads())
        before = capture("--plugins=procfs", groups)
        bpf = capture("--plugins=bpf", *BPF_ALWAYS, groups)
        after = capture("--plugins=procfs", groups)
    compared, wrong = compare(before, bpf, after)
    assert not wrong, f"{len(wrong)} differ: {wrong[:10]}"
    assert len(threads) >= 1000 and threads <= compared, threads - compared
    assert {m["name"] for m in bpf.data["metrics"] if m["group"] == "pelt"} == AVERAGES
    # Every kernel since 5.8 has these metrics, and util_est is not 0 for a thread that ran.
    seen = [bpf.value(bpf.rows[key], "util_est") for key in threads]
    assert any(found[0] == "value" and found[1] > 0 for found in seen), seen[:10]
    assert all(bpf.value(bpf.rows[key], "util_avg")[0] == "value" for key in threads)


def spinner(policy, cpu):
    """A process that never sleeps, on that CPU."""
    def settle():
        os.sched_setaffinity(0, {cpu})
        os.sched_setscheduler(0, policy, os.sched_param(0))
    return subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=settle)


def test_the_wait_that_goes_on_completes_the_time_of_a_thread():
    """One that never sleeps runs, has waited, or waits; beside another of more weight it mostly waits."""
    harness.need_bpf()
    names = ("run_time_ns", "wait_time_ns", "open_wait_ns")
    cpu = max(os.sched_getaffinity(0))
    with spinner(os.SCHED_OTHER, cpu) as heavy, spinner(os.SCHED_IDLE, cpu) as idle:
        time.sleep(0.5)
        samples = []
        for _ in range(3):
            samples.append(capture("--plugins=bpf", *BPF_ALWAYS, "--groups=identity,sched"))
            time.sleep(1)
        heavy.kill()
        idle.kill()
    rows = [[sample.value(sample.rows[idle.pid, idle.pid], name)[1] for name in names] for sample in samples]
    assert any(row[2] > 0 for row in rows), rows
    spans = [sample.data["capture"] for sample in samples]
    for before, after, first, last in zip(rows, rows[1:], spans, spans[1:]):
        took = sum(after) - sum(before)
        least = last["begin_boottime_ns"] - first["end_boottime_ns"]
        most = last["end_boottime_ns"] - first["begin_boottime_ns"]
        assert least - WAIT_LAG_NS <= took <= most + WAIT_LAG_NS, (least, took, most, rows)
    # A thread that sleeps waits for no CPU; a few are woken while they are read, or are taken for waiting
    # by the kernel, which moved them to another CPU while they fell asleep.
    asleep = [row for row in samples[0].rows.values() if samples[0].value(row, "state") == ("value", "S")]
    waiting = [row["comm"] for row in asleep if samples[0].value(row, "open_wait_ns") != ("value", 0)]
    assert len(waiting) <= 3 + len(asleep) // 100, waiting


def test_taskstats_is_asked_only_for_threads_that_are_left():
    harness.need_bpf()
    snapshot = capture("--plugins=bpf,procfs,taskstats", *BPF_ALWAYS, "-v")
    if harness.report_of(snapshot, "taskstats")["state"] != "live":
        raise tap.Skip("taskstats cannot run here")
    asked = sum(map(int, re.findall(r"taskstats: (\d+) threads requested", snapshot.stderr)))
    assert asked <= summary(snapshot)["left_count"], (asked, summary(snapshot))
    tally = snapshot.data["taskstats_summary"]
    # Threads read by bpf count as read: no other count says that they were refused or failed.
    read = tally.pop("ok_count")
    assert read + sum(tally.values()) >= len(snapshot.rows), (read, tally, len(snapshot.rows))


def test_a_pid_namespace_has_its_own_numbers():
    harness.need_bpf()
    command = ["unshare", "-p", "-f", "--mount-proc"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip("unshare is not allowed here")
    done = subprocess.run(
        [*command, CTPROF, "--plugins=bpf", *BPF_ALWAYS, "capture", "-o", "-"],
        stdin=subprocess.DEVNULL, capture_output=True, check=True, cwd="/",
    )  # fmt: skip
    snapshot = harness.Snapshot(done.stdout)
    # Threads of ctprof itself may start after the sweep.  They are left to other sources, of which
    # there are none here, and so have no name.  Their leaders are in the sweep, see below.
    names = [row["pcomm"] for row in snapshot.rows.values()]
    assert names.count("") == summary(snapshot)["left_count"], (names, summary(snapshot))
    parents = {row["tgid"]: snapshot.value(row, "ppid") for row in snapshot.rows.values()
               if row["tid"] == row["tgid"]}  # fmt: skip
    # The parent of the first process is outside.
    assert parents == {1: ("value", 0), 2: ("value", 1)}, parents
    assert set(names) - {""} == {"ctprof"}, names


def cgroup2():
    """The cgroup2 mount point below the usual root; skips if no cgroup can be made there."""
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
    harness.need_bpf()
    with nested_group() as group:
        with Worker("--threads", 2) as worker:
            (group / "cgroup.procs").write_text(str(worker.pid))
            snapshot = capture("--plugins=bpf", *BPF_ALWAYS)
            told = Path(f"/proc/{worker.pid}/cgroup").read_text()
        paths = {row["cgroup"] for row in snapshot.of(worker.pid).values()}
    assert paths == set(re.findall(r"^0::(.*)$", told, re.MULTILINE)), (paths, told)
    assert paths.pop().endswith("/b.service"), told


def test_a_cgroup_namespace_does_not_make_paths_up():
    """Its paths begin elsewhere, and the mount shows the outer ones: procfs reads them."""
    harness.need_bpf()
    harness.need_command("unshare")
    inside = 'echo $$ >"$0/cgroup.procs" && exec unshare -C "$@"'
    with nested_group() as group:
        shots = []
        for plugins in ("bpf", "procfs"):
            done = subprocess.run(
                ["sh", "-c", inside, group, CTPROF, f"--plugins={plugins}"]
                + [*(BPF_ALWAYS if plugins == "bpf" else ()), "capture", "-o", "-"],
                stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/",
            )  # fmt: skip
            if done.returncode != 0:
                raise tap.Skip("unshare -C is not allowed here")
            shots.append(harness.Snapshot(done.stdout))
    for key in shots[0].rows.keys() & shots[1].rows.keys():
        bpf, files = (shot.value(shot.rows[key], "cgroup") for shot in shots)
        assert bpf[0] == "absent" or bpf == files, (key, bpf, files)


def test_auto_goes_by_the_number_of_threads():
    harness.need_bpf()
    few = Worker("--threads", 3)
    with few, Worker("--processes", 10, "--threads", 149) as many:
        small = capture("--plugins=all", "--pid", few.pid)
        large = capture("--plugins=bpf,procfs", *[f"--pid={pid}" for pid in many.pids])
    assert "bpf.when=auto" in harness.report_of(small)["why"], harness.report_of(small)
    assert "bpf" not in small.stderr, small.stderr
    assert summary(large)["when"] == "auto", summary(large)


def test_never_is_never():
    harness.need_bpf()
    snapshot = capture("--plugins=bpf,procfs", "-O", "bpf.when=never")
    assert harness.report_of(snapshot)["why"] == "bpf.when=never"


def test_doctor_says_what_it_would_do():
    harness.need_bpf()
    shown = harness.run("doctor", "--format=json").stdout
    (line,) = [line for line in json.loads(shown)["groups"] if line["group"] == "bpf"]
    assert line["here"] == "works" and "bpf.when=auto" in line["why"], line


def check_rights_are_given_up(*prefix):
    """Runs a capture under strace: both capabilities are gone after the last bpf()."""
    harness.need_bpf()
    harness.need_command("strace")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        traced = subprocess.run(
            ["strace", "-f", "-X", "raw", "-e", "trace=bpf,capset", "-o", log, *prefix, CTPROF]
            + ["--plugins=bpf", *BPF_ALWAYS, "capture", "-o", "-"],
            env={**os.environ, **harness.NO_LEAK_CHECK},
            capture_output=True, check=False, cwd="/",
        )  # fmt: skip
        if traced.returncode != 0 and not prefix:
            raise tap.Skip("strace may not trace here")
        assert traced.returncode == 0, traced.stderr.decode()
        lines = log.read_text().splitlines()
    last = max(i for i, line in enumerate(lines) if " bpf(" in line)
    dropped = [line for line in lines[last:] if " capset(" in line]
    assert dropped, "no capability is dropped after the last bpf()"
    for mask in re.findall(r"(?:effective|permitted)=(0x[0-9a-f]+|0)", dropped[-1]):
        assert not int(mask, 0) >> CAP_BPF & 1, dropped[-1]
        assert not int(mask, 0) >> CAP_PERFMON & 1, dropped[-1]
    snapshot = harness.Snapshot(traced.stdout)
    assert harness.report_of(snapshot)["state"] == "live", harness.report_of(snapshot)
    assert summary(snapshot)["thread_count"] > 0, summary(snapshot)


def test_rights_are_given_up_once_the_programs_are_loaded():
    check_rights_are_given_up()


def test_two_capabilities_suffice_and_are_given_up():
    """An ordinary user with only these two, and a bounding set without any others."""
    user = harness.need_other_user()
    harness.need_command("setpriv")
    only = f"-all,+cap_{CAP_BPF},+cap_{CAP_PERFMON}"
    check_rights_are_given_up(
        "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", f"--inh-caps={only}",
        f"--ambient-caps={only}", f"--bounding-set={only}")  # fmt: skip


def check_left_to_others(prefix, why):
    harness.need_bpf()
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip(f"{prefix[0]} is not allowed here")
    done = subprocess.run(
        [*prefix, CTPROF, "--plugins=bpf,procfs", *BPF_ALWAYS, "capture", "-o", "-"],
        stdin=subprocess.DEVNULL, capture_output=True, check=True, cwd="/",
    )  # fmt: skip
    snapshot = harness.Snapshot(done.stdout)
    assert why in harness.report_of(snapshot)["why"], harness.report_of(snapshot)
    assert snapshot.value(next(iter(snapshot.rows.values())), "run_time_ns")[0] == "value"


def test_without_types_of_the_kernel_the_others_do_it():
    hide = 'mount -t tmpfs tmpfs /sys/kernel/btf && exec "$@"'
    check_left_to_others(["unshare", "-m", "sh", "-c", hide, "-"], "/sys/kernel/btf/vmlinux")


# Names that the programs look for: fields, a struct and two tracepoints.
NAMES = ["sum_exec_runtime", "run_delay", "pcount", "nvcsw", "min_flt", "start_boottime", "delays", "cpus_mask", "static_prio",
         "group_leader", "signal_struct", "btf_trace_sched_process_exit", "btf_trace_sched_process_free"]


def by_renamed(folder, name, *arguments):
    """A capture by bpf as on a kernel whose BTF has another name for this."""
    types = Path("/sys/kernel/btf/vmlinux").read_bytes()
    word = b"\0" + name.encode() + b"\0"
    if word not in types:
        return None
    path = folder / "vmlinux"
    path.write_bytes(types.replace(word, word[:-2] + b"~\0"))
    hide = f"mount --bind '{path}' /sys/kernel/btf/vmlinux && exec \"$@\""
    done = subprocess.run(["unshare", "-m", "sh", "-c", hide, "-", CTPROF, *BPF_ALWAYS, *map(str, arguments), "-o", "-"],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/")  # fmt: skip
    assert done.returncode == 0, (name, done.stderr.decode())
    return harness.Snapshot(done.stdout)


def test_what_a_kernel_calls_otherwise_is_absent():
    """A missing field, struct or tracepoint: its value is absent, never 0 or another field's."""
    harness.need_bpf()
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip("unshare is not allowed here")
    with Worker("--threads", 2) as worker, tempfile.TemporaryDirectory(prefix="ctprof-bpf-") as folder:
        worker.stop()
        truth, told = capture("--plugins=procfs,taskstats", "--smaps=never", "-p", worker.pid), 0
        for name in NAMES:
            snapshot = by_renamed(Path(folder), name, "--plugins=bpf,procfs", "capture", "--smaps=never", "-p", worker.pid)
            if not snapshot:
                continue
            told += 1
            report = harness.report_of(snapshot)
            assert report["state"] == "live" or report["why"], report
            assert not name.startswith("sum_") or report["state"] == "left_out", report
            for key, row in snapshot.rows.items():
                for field in set(row) | set(row.get("extra", {})):
                    kind, value = snapshot.value(row, field)
                    other = truth.value(truth.rows[key], field) if key in truth.rows else ("absent", "")
                    if kind == other[0] == "value" and field not in {"extra", "presence", "open_wait_ns", *AVERAGES} and "_active" not in field:
                        assert value == other[1], (name, key, field, value, other)
        assert told > len(NAMES) / 2, told


def test_an_old_kernel_is_left_to_the_others():
    check_left_to_others(["setarch", "--uname-2.6"], "needs Linux 5.8")


def test_the_proc_of_another_pid_namespace_is_left_to_the_others():
    check_left_to_others(["unshare", "-p", "-f"], "another PID namespace")


def test_without_rights_the_others_do_it():
    user = harness.need_other_user()
    harness.need_bpf()
    snapshot = capture("--plugins=bpf,procfs", "-O", "bpf.when=always", user=user)
    report = harness.report_of(snapshot)
    assert report["state"] != "live" and "CAP_BPF" in report["why"], report
    row = next(iter(snapshot.rows.values()))
    assert snapshot.value(row, "run_time_ns")[0] == "value"


def stat(*command, options=()):
    """The rows of run_time_ns by group, the section of the command, and its output."""
    with tempfile.TemporaryDirectory(prefix="ctprof-bpf-") as folder:
        report = Path(folder) / "report"
        done = subprocess.run(
            [CTPROF, "-q", "stat", "--smaps=never", "--limit=0", "--format=json",
             "--metrics=run_time_ns", "--sections=primary,command", *harness.ROOMY, *options,
             "-o", report, "--", *map(str, command)],
            capture_output=True, check=False, timeout=harness.PATIENCE_S,
            env={**os.environ, "TMPDIR": folder},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        told = json.loads(report.read_text())
    sections = {s["name"]: s for s in told["sections"]}
    (line,) = sections["command"]["lines"]
    rows = {row["group"]: row for row in sections["primary"]["rows"]}
    assert told["window"]["exits_lost"] is False, sections["command"]["notes"]
    return rows, line, done.stdout


def test_exits_have_the_cpu_of_rusage():
    """A thousand that exit, touch 4 MiB or execute another program: by name, within 1 %."""
    harness.need_bpf()
    with harness.own_name(harness.CHURNER) as churner, harness.own_name("/bin/true") as true:
        for how, name in (("exit", churner.name), ("touch", churner.name), ("exec", true.name)):
            rows, line, printed = stat(churner, how, CHILDREN, 8, true,
                                       options=["--group-by=comm-exact"])  # fmt: skip
            truth = json.loads(printed)
            children = 1000 * (truth["children_user_us"] + truth["children_system_us"])
            whole = line["user_ns"]["candidate"] + line["system_ns"]["candidate"]
            names = {churner.name, name} & rows.keys()
            assert not [rows[it] for it in names if "missing" in rows[it]], names
            shown = sum(rows[it]["delta"] for it in names)
            print(f"# {how}: {shown / 1e6:.3f} ms, wait4() {whole / 1e6:.3f} ms; {name}: "
                  f"{rows[name]['delta'] / 1e6:.3f} ms, children {children / 1e6:.3f} ms")
            assert shown >= 0.99 * whole, (how, line)
            assert rows[name]["delta"] >= 0.99 * children, (how, truth)
            assert shown <= 1.01 * whole + LAST_NS, (how, line)


def test_exits_have_process_and_cgroup():
    """No capture has seen the processes or their parent alive."""
    harness.need_bpf()
    with nested_group() as group, harness.own_name(harness.CHURNER) as churner:
        enter = f"echo $$ >'{group}/cgroup.procs'; exec '{churner}' thread 100 4"
        for axis, named in (("cgroup", lambda row: row.endswith("/b.service")),
                            ("pcomm", churner.name.__eq__)):  # fmt: skip
            rows, line, _ = stat("sh", "-c", enter, options=[f"--group-by={axis}"])
            whole = line["user_ns"]["candidate"] + line["system_ns"]["candidate"]
            (row,) = [row for name, row in rows.items() if named(name)]
            # Allow for the shell's CPU time, and for the exit, which takes long under emulation.
            assert 0.8 * whole <= row["delta"] <= 1.1 * whole + LAST_NS, (axis, row, line)


def test_chosen_processes_are_in_every_sample():
    """Includes PID 1, which BPF programs do not see in some virtual machines."""
    harness.need_bpf()
    with Worker() as worker, tempfile.TemporaryDirectory(prefix="ctprof-bpf-") as folder:
        path = f"{folder}/two.ctprof"
        harness.run("-q", *BPF_ALWAYS, "record", "-n", 3, "-i", "100ms", "-p", 1, "-p", worker.pid,
                    "-o", path)
        for sample in (0, 1, 2):
            report = json.loads(harness.run("show", "--sample", sample, "--group-by=process",
                                            "--format=json", path).stdout)
            (pools,) = [section for section in report["sections"] if section["name"] == "pools"]
            pids = {int(line["pool"].rpartition("[")[2].rstrip("]")) for line in pools["lines"]}
            assert pids == {1, worker.pid}, (sample, pools["lines"])


if __name__ == "__main__":
    tap.main(globals(), world="of exit records, and of kernel threads")
