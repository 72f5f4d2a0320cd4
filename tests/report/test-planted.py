# SPDX-License-Identifier: LGPL-2.1-or-later
"""A planted regression, found by stat --versus: side B pins half the workers to one CPU.

The workers live all the time, so that procfs alone has their counters; the command makes each use
the same amount of CPU time.  They are real-time threads, as others would wait for a CPU on a busy host,
pinned or not.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

PRIORITY = {"hurtpool": 1, "calmpool": 2}
WORK_S = {"hurtpool": 0.15, "calmpool": 0.005}
# Runs of the same command are called changed in one test of a thousand.
ALPHA = "0.001"
WORKER = """
import os, sys, time
os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(int(sys.argv[2])))
open('/proc/self/comm', 'w').write(sys.argv[1])
print(flush=True)
for line in sys.stdin:
    end = time.thread_time() + float(line)
    while time.thread_time() < end:
        pass
    print(flush=True)
"""
# Uses the pipes of the workers, which it inherits: arguments are the CPUs, then PID POOL IN OUT WORK for
# each.
DRIVER = """
import os, sys
cpus, *workers = sys.argv[1:]
# Else the first worker keeps it from waking the second.
os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(3))
workers = [worker.split() for worker in workers]
for pid, pool, _, _, _ in workers:
    if pool == 'hurtpool':
        os.sched_setaffinity(int(pid), {int(cpu) for cpu in cpus.split(',')})
for _, _, to, _, work in workers:
    os.write(int(to), work.encode() + b'\\n')
for _, _, _, back, _ in workers:
    os.read(int(back), 1)
"""


def ends_of(pool, workers):
    return [f"{w.pid} {pool} {os.dup(w.stdin.fileno())} {os.dup(w.stdout.fileno())} {WORK_S[pool]}" for w in workers]


def compare(cpus_a, cpus_b, workers):
    """Returns {(pool, metric): judgement} of B, whose workers are on other CPUs, against A."""
    sides = [[sys.executable, "-c", DRIVER, ",".join(map(str, cpus)), *workers] for cpus in (cpus_a, cpus_b)]
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in sides[1])
    for fd in {int(word) for worker in workers for word in worker.split()[2:4]}:
        os.set_inheritable(fd, True)
    done = subprocess.run(
        [harness.CTPROF, "--plugins=procfs", "stat", "-q", "--repeat=8", f"--alpha={ALPHA}", "--format=json", "-n", "0",
         "--smaps=never", "--filter=pool$", "-m", "wait_time_ns,run_time_ns", "--fail-on=worse", f"--versus={quoted}", "--", *sides[0]],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=False, check=False, timeout=3 * harness.PATIENCE_S,
    )  # fmt: skip
    assert done.returncode in (0, 3), (done.returncode, done.stderr.decode())
    rows = next(section["rows"] for section in json.loads(done.stdout)["sections"] if section["name"] == "runs")
    found = {(row["group"], row["metric"]): row["judgement"] for row in rows if "judgement" in row}
    assert (done.returncode == 3) == ("worse" in found.values()), (done.returncode, found)
    return found


def test_pinned_pool_is_worse_freed_one_better_and_the_same_neither():
    if not harness.is_root():
        raise tap.Skip("real-time threads need root")
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise tap.Skip("needs two CPUs")
    pools = {pool: [subprocess.Popen([sys.executable, "-c", WORKER, pool, str(PRIORITY[pool])], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                    for _ in range(2)] for pool in WORK_S}  # fmt: skip
    try:
        for worker in sum(pools.values(), []):
            worker.stdout.read(1)
        workers = [word for pool, members in pools.items() for word in ends_of(pool, members)]
        hurt = ("hurtpool", "wait_time_ns")
        assert compare(cpus, cpus[:1], workers) == {hurt: "worse"}
        assert compare(cpus[:1], cpus, workers) == {hurt: "better"}
        assert compare(cpus, cpus, workers) == {}
    finally:
        for worker in sum(pools.values(), []):
            worker.kill()
            worker.wait()


if __name__ == "__main__":
    tap.main(globals(), world="own")
