#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Only requested files are opened, as seen by strace."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import harness
import tap
from harness import CTPROF, Worker

OPENING = re.compile(r'\bopen(?:at2?)?\((?:(AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"')
LISTING = re.compile(r"\bgetdents(?:64)?\(\d+<([^>]*)>")
CALLS = "open,openat,openat2,getdents,getdents64,sched_getaffinity,socket,ptrace,process_vm_readv"


def trace(*arguments, plugins="procfs"):
    """The lines strace writes for a capture with these arguments."""
    return trace_run("capture", f"--plugins={plugins}", "-o", "-", *arguments)


def trace_run(*arguments):
    """The lines strace writes for ctprof with these arguments."""
    harness.need_command("strace")
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        raise tap.Skip("strace may not trace here: " + tried.stderr.decode().strip())
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        subprocess.run(
            ["strace", "-f", "-y", "-qq", "-e", "trace=" + CALLS, "-e", "signal=none", "-o", log]
            + [str(a) for a in (CTPROF, *arguments)],
            check=True,
            capture_output=True,
            env={**os.environ, **harness.NO_LEAK_CHECK},
        )
        return log.read_text(errors="replace").splitlines()


def opened(lines):
    """Full paths of all files that ctprof tried to open."""
    paths = []
    for line in lines:
        match = OPENING.search(line)
        if match:
            folder = match[2] or ("" if match[3].startswith("/") else os.getcwd())
            paths.append(os.path.normpath(os.path.join(folder, match[3])))
    return paths


def listed(lines):
    """Full paths of the directories whose entries ctprof read."""
    return {match[1] for line in lines if (match := LISTING.search(line))}


def failed(lines):
    """Full paths of the files that could not be opened."""
    return opened(line for line in lines if re.search(r" = -1 E(NOENT|SRCH)\b", line))


def thread_files(lines, pid):
    """Names of the files of the process's threads that ctprof tried to open. It also looks at
    its own threads if a read takes long."""
    pattern = re.compile(rf"^/proc/{pid}/task/\d+/([a-z_]+)$")
    return {match[1] for path in opened(lines) if (match := pattern.match(path))}


def test_all_files_are_opened_when_all_is_wanted():
    """Proves that the other tests would notice an open()."""
    with Worker("--threads", 3) as worker:
        lines = trace("--pid", worker.pid)
    files = thread_files(lines, worker.pid)
    assert f"/proc/{worker.pid}/task" in listed(lines)
    needed = {"stat", "comm", "cgroup", "schedstat", "status", "sched", "io", "smaps_rollup"}
    assert needed <= files, needed - files


def test_a_group_opens_only_its_files():
    with Worker("--threads", 3) as worker:
        lines = trace("--pid", worker.pid, "--groups=io")
    files = thread_files(lines, worker.pid)
    assert "io" in files
    unasked = files & {"sched", "schedstat", "smaps_rollup", "smaps"}
    assert not unasked, unasked
    # The user of the process is in its leader's.
    own = [path for path in opened(lines) if path.startswith(f"/proc/{worker.pid}/task/") and path.endswith("/status")]
    assert own == [f"/proc/{worker.pid}/task/{worker.pid}/status"], own


def test_a_metric_opens_only_its_file():
    with Worker("--threads", 3) as worker:
        files = thread_files(trace("--pid", worker.pid, "--metrics=timeslices"), worker.pid)
    assert "schedstat" in files
    unasked = files & {"sched", "io", "smaps_rollup", "smaps"}
    assert not unasked, unasked


def has_v1_cgroups():
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    return any(not line.startswith("0::") for line in lines)


def test_what_bpf_has_read_is_not_opened():
    harness.need_bpf()
    with Worker("--threads", 20) as worker:
        lines = trace("--jobs=1", *harness.BPF_ALWAYS, plugins="bpf,procfs,taskstats")
    paths = opened(lines)
    own = [path for path in paths if path.startswith(f"/proc/{worker.pid}/")]
    names = {path.rpartition("/")[2] for path in own}
    read = {"schedstat", "sched", "status", "io", "comm"}
    # For cgroup v1, one of the processes in the same cgroups is read.
    once = [path for path in own if path.endswith(("/cgroup", "/stat"))]
    assert len(once) <= (2 if has_v1_cgroups() else 0), once
    state = Path("/sys/kernel/sched_ext/state")
    if state.exists() and state.read_text().strip() != "disabled":
        read.discard("sched")  # read once for each scheduling class
    assert not names & read, own
    # Values that bpf does not provide are still present.
    assert "smaps_rollup" in names, names
    missing = [path for path in failed(lines) if path.startswith(f"/proc/{worker.pid}/")]
    assert not missing, missing


def test_a_thread_that_bpf_has_wholly_is_left_alone():
    """It is not looked for either, in the only sample as in later ones."""
    harness.need_bpf()
    with Worker("--threads", 20, "--processes", 2) as worker:
        lines = trace("--jobs=1", *harness.BPF_ALWAYS, plugins="bpf,procfs,taskstats")
        pids, tids = worker.pids, [tid for _, tid in worker.threads()]
    lists = listed(lines)
    assert "/proc" in lists and not lists & {f"/proc/{pid}/task" for pid in pids}, lists
    # Once for all threads of its cgroups, and of its scheduling class.
    shared = ("/cgroup", "/stat", "/sched")
    own = re.compile(rf"/proc/\d+/task/({'|'.join(map(str, set(tids) - set(pids)))})/")
    read = [path for path in opened(lines) if own.match(path) and not path.endswith(shared)]
    assert not read, read


def test_smaps_never_opens_no_memory_file():
    with Worker("--threads", 3) as worker:
        files = thread_files(trace("--pid", worker.pid, "--smaps=never"), worker.pid)
    assert not [name for name in files if name.startswith("smaps")], files


def test_nothing_of_a_process_that_was_not_asked_for_is_opened():
    with Worker("--threads", 3) as worker, Worker("--threads", 2) as other:
        paths = opened(trace("--pid", worker.pid))
    foreign = [path for path in paths if path.startswith(f"/proc/{other.pid}/")]
    assert not foreign, foreign


def record(worker, folder):
    script = harness.SOURCE / "tests/roots/record"
    subprocess.run([script, folder, str(worker.pid)], check=True, capture_output=True)


def test_a_recorded_root_is_all_that_is_looked_at():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        with Worker("--threads", 3) as worker:
            record(worker, folder)
            tids = harness.tids_of(worker.pid)
            roots = [f"--{name}-root={folder}/{name}" for name in ("proc", "sys", "cgroup")]
            lines = trace("--jobs=2", *roots)
    asked = [line for line in lines if re.search(r"\b(socket|ptrace|process_vm_readv)\(", line)]
    assert not asked, asked
    # From the first thread on; before it the program and its plugins load.
    start = next(i for i, line in enumerate(lines) if f"<{folder}/proc>" in line and "task" in line)
    # The supervisor checks whether it has adopted processes forked by a plugin.
    outside = [path for path in opened(lines[start:])
               if not path.startswith(folder) and path != "/proc/thread-self/children"]
    assert not outside, outside
    affinity = [line for line in lines for tid in tids if f"sched_getaffinity({tid}," in line]
    assert not affinity, affinity
    # Libraries read /proc/filesystems and similar files when they are loaded.
    host = [path for path in opened(lines) if re.match(r"/proc/(\d|sys/)|/sys/(kernel|fs)/", path)]
    assert not host, host


def process_files(*arguments):
    """The files of processes that are opened, and the snapshots."""
    found = opened(trace_run("memory", *arguments))
    return [path for path in found if re.match(r"/proc/\d+|.*\.zst$", path)]


def test_views_of_the_host_open_no_process():
    assert process_files("processes", "--flat"), "this would see an opening"
    for view in ("ledger", "tmpfs", "sysv"):
        found = process_files(view)
        assert not found, (view, found)


def test_no_view_of_this_host_writes_a_snapshot():
    assert not [path for path in process_files("pools") if path.endswith(".zst")]


if __name__ == "__main__":
    tap.main(globals(), world="own")
