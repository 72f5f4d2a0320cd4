#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A recording beside a thousand exits per second, for CTPROF_SOAK_S seconds (60): its memory does not
grow, each exit is recorded or counted as lost, and it continues after a loss."""

import os
import re
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import harness
import tap

SECONDS = float(os.environ.get("CTPROF_SOAK_S", "60"))
EXITS_A_SECOND = 1000
# The share of the time for warming up; the growth allowed after it on a host with other load.
WARM_SHARE, GROWTH = 0.25, 1.1
MIB = 1 << 20


def family(pid):
    """A process and its descendants."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [pid, *(one for child in text.split() for one in family(int(child)))]


def rss(pid):
    """RssAnon of the family in bytes. It leaves out memory mapped by the kernel (a BPF ring, whose pages
    appear as they are first used). 0: the family has exited."""
    total = 0
    for one in family(pid):
        try:
            status = Path(f"/proc/{one}/status").read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        found = re.search(r"^RssAnon:\s+(\d+)", status, re.M)
        total += int(found[1]) << 10 if found else 0
    return total


class Churn:
    """Runs EXITS_A_SECOND processes per second; ended is their number so far."""

    def __init__(self):
        self.ended, self.stop = 0, threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        next_at = time.monotonic()
        while not self.stop.is_set():
            subprocess.run([harness.CHURNER, "exit", str(EXITS_A_SECOND - 1), "2"], check=True, stdout=subprocess.DEVNULL)
            self.ended += EXITS_A_SECOND
            next_at = max(next_at + 1, time.monotonic() - 1)
            self.stop.wait(max(next_at - time.monotonic(), 0))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


SAMPLE = re.compile(rb'\{"format":\{"name"|"exits_(received|lost)":(\d+)')
PIECE, TOKEN = 1 << 22, 64


def exits_of(path):
    """{b"received": N, b"lost": N} of each sample, with changed values only. Searched by a pattern,
    because a long recording is too large to parse."""
    rest, sample = b"", None
    with subprocess.Popen(["zstdcat", path], stdout=subprocess.PIPE) as unpacked:
        while piece := unpacked.stdout.read(PIECE):
            rest += piece
            done = max(len(rest) - TOKEN, 0)
            for found in SAMPLE.finditer(rest):
                if found.start() >= done and len(piece) == PIECE:
                    break
                if found[1]:
                    sample[found[1]] = int(found[2])
                    continue
                if sample is not None:
                    yield sample
                sample = {}
            rest = rest[done:] if len(piece) == PIECE else b""
    if sample is not None:
        yield sample


def size_of(folder):
    return sum(path.stat().st_size for path in folder.glob("soak*"))


def soak(folder, seconds, *options):
    """[(number of exits, lost)] of the samples, [RSS], and the number of processes known to have ended."""
    recorder = subprocess.Popen(
        [harness.CTPROF, "-q", *options, "record", "-i", "1s", "--smaps=never", "--max-size=64MiB", "--keep=4",
         "-o", folder / "soak.ctprof"], stdin=subprocess.DEVNULL, cwd=folder)  # fmt: skip
    harness.wait_for(lambda: list(folder.glob("soak*")), "the first sample")
    time.sleep(2)
    sizes, end = [], time.monotonic() + seconds
    with Churn() as churn:
        while time.monotonic() < end:
            time.sleep(1)
            sizes.append(rss(recorder.pid))
            assert recorder.poll() is None, "it has ended"
    # The first sample from now on may have begun before the last of them ended.
    for _ in range(2):
        written = size_of(folder)
        harness.wait_for(lambda before=written: size_of(folder) != before, "another sample")
    recorder.send_signal(signal.SIGTERM)
    assert recorder.wait(harness.PATIENCE_S) == 0
    steps = [sizes[i] / MIB for i in range(0, len(sizes), max(len(sizes) // 10, 1))]
    print("# memory in MiB over time:", " ".join(f"{step:.1f}" for step in steps), flush=True)
    samples, told = [], {b"received": 0, b"lost": 0}
    for path in sorted(folder.glob("soak*"), key=lambda one: one.stat().st_mtime):
        for changed in exits_of(path):
            told |= changed
            samples.append((told[b"received"], told[b"lost"]))
    return samples, sizes, churn.ended


def check_memory(samples, sizes):
    # Late samples hold more exits each, so that memory still grows to what the largest one takes.
    if len(samples) < len(sizes) / 2:
        print(f"# {len(samples)} samples in {len(sizes)} s: too few to judge the memory", flush=True)
        return
    warm = sizes[int(len(sizes) * WARM_SHARE):]
    third = max(len(warm) // 3, 1)
    first, last = statistics.median(warm[:third]), statistics.median(warm[-third:])
    assert last <= first * GROWTH + MIB, f"from {first / MIB:.1f} to {last / MIB:.1f} MiB"


def test_a_recording_beside_exits():
    with tempfile.TemporaryDirectory(prefix="ctprof-soak-") as folder:
        samples, sizes, ended = soak(Path(folder), SECONDS)
        received, lost = sum(n for n, _ in samples), sum(lost for _, lost in samples)
        if not any(n for n, _ in samples):
            raise tap.Skip("exit records cannot be had here")
        print(f"# {len(samples)} samples in {len(sizes)} s: {received} records are there, {lost} were lost; "
              f"the test ended {ended} of the host's processes")
        assert received + lost >= ended, (received, lost, ended)
        check_memory(samples, sizes)


def test_a_recording_that_loses_records():
    """With a small buffer, losses are reported, and the next sample has records again."""
    with tempfile.TemporaryDirectory(prefix="ctprof-soak-") as folder:
        small = [*harness.BPF_NEVER, "-O", "taskstats.buffer=4096"]
        samples, sizes, ended = soak(Path(folder), SECONDS / 4, *small)
        if not any(n for n, _ in samples):
            raise tap.Skip("exit records cannot be had here")
        received, lost = sum(n for n, _ in samples), sum(lost for _, lost in samples)
        print(f"# {received} records are there, {lost} were lost; the test ended {ended} of the host's processes")
        if not lost:
            raise tap.Skip("on a host this slow even a small buffer has room")
        first = next(i for i, (_, lost) in enumerate(samples) if lost)
        assert any(n for n, _ in samples[first + 1:]), samples
        check_memory(samples, sizes)


if __name__ == "__main__":
    tap.main(globals(), world="of exit records")
