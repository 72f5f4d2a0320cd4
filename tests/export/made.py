# SPDX-License-Identifier: LGPL-2.1-or-later
"""Snapshots of hosts that do not exist, in the format of docs/file-format.md."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402

AT_NS = 1795316523_123456789  # 2026-11-22T03:02:03.123456789Z
MAX = 2**64 - 1


def thread(tid, tgid=None, comm="main", pcomm=None, **fields):
    """Fields that are not given are absent."""
    own = {"tid": tid, "tgid": tgid or tid, "pcomm": pcomm or comm, "comm": comm, "cgroup": "/", "start_time_clock_ticks": 1,
           "run_time_ns": 0, **fields}
    return {**own, "presence": 0}


@functools.cache
def metrics():
    """The definitions of a real snapshot: only they define the metrics of the host."""
    done = harness.run("capture", "-q", "--pid", os.getpid(), "-o", "-")
    return harness.Snapshot(done.stdout).data["metrics"]


def write(path, threads, at_ns=AT_NS, host=None, **more):
    """Streams the file, as there may be any number of threads."""
    more.setdefault("metrics", metrics())
    begin = {"format": {"name": "ctprof", "version": 1}, "captured_at_unix_ns": at_ns, "host": host or {}}
    end = {**more, "presence_sets": [{}], "capture": {"begin_boottime_ns": at_ns % 10**15, "version": "0"}}
    with open(path, "wb") as out, subprocess.Popen(["zstd", "-q", "-1"], stdin=subprocess.PIPE, stdout=out) as zstd:
        def put(text):
            zstd.stdin.write(text.encode())
        put(json.dumps(begin)[:-1] + ', "threads": [')
        for i, each in enumerate(threads):
            put(("," if i else "") + json.dumps(each))
        put("], " + json.dumps(end)[1:])
        zstd.stdin.close()
    assert zstd.returncode == 0


def fleet(folder, n_hosts, n_threads, slow=2.0):
    """Hosts with two kernels; on the newer one threads of the pool worker-{N} wait slow times as long."""
    folder.mkdir(parents=True)
    for i in range(n_hosts):
        is_new = i % 2
        threads = []
        for tid in range(1, n_threads + 1):
            is_worker = tid % 4 == 0
            noise = 1 + ((i * 7919 + tid * 104729) % 1000) / 10000
            wait = 1_000_000 * noise * (slow if is_new and is_worker else 1)
            threads.append(thread(tid, comm=f"worker-{tid}" if is_worker else f"io-{tid}", pcomm="server",
                                  wait_time_ns=int(wait), run_time_ns=5_000_000 + tid, cgroup="/system.slice/server.service"))
        write(folder / f"host-{i:03}-20261122T030203Z.ctprof.zst", threads, AT_NS + i * 10**9,
              {"kernel_release": "6.12.0" if is_new else "6.6.0", "boot_id": f"boot-{i}"})
