#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""As many threads as a host can have: the time of a capture grows no faster than their number, its
memory hardly at all. CTPROF_THREADS are live (100 000; kernel.pid_max is raised meanwhile), four
times as many are recorded."""

import contextlib
import os
import tempfile
from pathlib import Path

import harness
import tap

THREADS = int(os.environ.get("CTPROF_THREADS", "100000"))
IN_EACH = 999
MIB = 1 << 20
# The cost of a thread may vary with the load and the contents of the caches.
SLOWER, LARGER = 2.5, 32 * MIB
RECORDED = Path(__file__).resolve().parents[1] / "roots/6.12-schedstats"


@contextlib.contextmanager
def limits(wanted):
    """Raises the limits of the host to the wanted number of threads, or skips the test."""
    paths = [Path("/proc/sys/kernel") / name for name in ("pid_max", "threads-max")]
    before = [path.read_text(encoding="ascii") for path in paths]
    try:
        for path, text in zip(paths, before):
            if int(text) < wanted + 20000:
                path.write_text(str(wanted + 20000), encoding="ascii")
        yield
    except PermissionError:
        raise tap.Skip("needs root, to raise the limits of threads") from None
    finally:
        if harness.is_root():
            for path, text in zip(paths, before):
                path.write_text(text, encoding="ascii")


def capture(*options):
    """(threads, CPU ns, peak RSS in bytes) of a capture by procfs."""
    with tempfile.TemporaryDirectory(prefix="ctprof-many-") as folder:
        path = Path(folder) / "many.ctprof.zst"
        harness.run("-q", "--plugins=procfs", "capture", "--smaps=never", *options, "-o", path)
        told = harness.Snapshot(path.read_bytes()).data["capture"]
    return told["threads"], told["cpu_ns"], told["peak_rss_bytes"]


def check_growth(few, many):
    print(f"# threads, CPU ns, peak: {few}, {many}: {few[1] / few[0] / 1e3:.1f} and {many[1] / many[0] / 1e3:.1f} us each")
    assert many[0] > 3 * few[0], (few, many)
    assert many[1] / many[0] <= SLOWER * few[1] / few[0], (few, many)
    assert many[2] <= few[2] + LARGER, (few, many)


def test_living_threads():
    found = []
    with limits(THREADS):
        for number in (THREADS // 4, THREADS):
            with harness.Worker("--processes", number // (IN_EACH + 1), "--threads", IN_EACH):
                found.append(capture())
                assert found[-1][0] >= number * 0.99, found
    check_growth(*found)


def record(root, number):
    """Makes a tree of that many threads, in processes of a thousand, all linked to the same files."""
    proc, thread = root / "proc", RECORDED / "proc/172/task/172"
    files = {name: (thread / name).read_bytes() for name in ("stat", "comm", "status", "schedstat")}
    proc.mkdir()
    for name, data in files.items():
        (root / name).write_bytes(data)
    for at in range(number):
        tgid = at - at % 1000 + 1000
        task = proc / str(tgid) / "task" / str(tgid + at % 1000)
        os.makedirs(task)
        for name in files:
            with contextlib.suppress(FileExistsError):
                os.link(root / name, task / name)
    return proc


def test_recorded_threads():
    found = []
    for number in (THREADS, 4 * THREADS):
        with tempfile.TemporaryDirectory(prefix="ctprof-many-", dir="/dev/shm") as folder:
            found.append(capture("--proc-root", record(Path(folder), number)))
            assert found[-1][0] == number, found
    check_growth(*found)


if __name__ == "__main__":
    tap.main(globals(), world="of threads that need the limits of the host")
