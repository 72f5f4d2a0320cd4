#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each finding of each window of a recording, checked against the exported numbers.

usage: windows.py FILE...
FILE is of 'ctprof record'.  What compare says of two samples that follow each other is
computed again here, from what export has of each thread, each cgroup and the host.  A
finding contradicts the numbers if it cannot be so, however those threads fared that are
in one sample only.
"""

import collections
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402

# The threads of a sample are read one after another.
SHARE, LEAST = 0.05, 0.03
TICK = 0.01
KEPT = ("pcomm", "run_time_ns", "wait_time_ns", "utime_clock_ticks", "stime_clock_ticks", "voluntary_csw", "nonvoluntary_csw",
        "read_bytes", "write_bytes", "state", "nice", "policy", "cpu_affinity", "tgid", "tid", "comm", "open_wait_ns",
        "hiwater_rss_bytes")
DELAYS = {"waits-for-disk": "blkio", "waits-for-swap": "swapin", "waits-for-reclaim": "freepages",
          "waits-for-compaction": "compact", "thrashes": "thrashing"}


def export(path, rows):
    done = subprocess.Popen([harness.CTPROF, "export", "-q", "-f", "ndjson", "--rows", rows, path], stdout=subprocess.PIPE)
    for line in done.stdout:
        yield json.loads(line)
    assert done.wait() == 0


def samples_of(path):
    """Returns time -> (host, {thread: row}, {cgroup: row})."""
    samples = {host["captured_at"]: (host, {}, {}) for host in export(path, "captures")}
    for row in export(path, "threads"):
        kept = {key: row.get(key) for key in KEPT}
        memory = row.get("smaps_rollup_kib") or {}
        # Pages of files are not growth.
        kept["pss"] = memory["Pss"] - memory.get("Pss_File", 0) if "Pss" in memory else None
        kept["rss"] = memory.get("Rss", 0)
        kept["own"] = kept["rss"] - min(memory.get("Pss_File", 0), kept["rss"])
        kept.update({word: row.get(f"{word}_delay_total_ns") for word in DELAYS.values()})
        samples[row["captured_at"]][1][row["tgid"], row["tid"], row["start_time_clock_ticks"]] = kept
    for row in export(path, "cgroups"):
        samples[row["captured_at"]][2][row["cgroup"]] = row
    return samples


class Window:
    """The changes between two samples, for threads that are in both or started in between."""

    def __init__(self, before, after, seconds, gone):
        (self.host_before, old, self.cgroups_before), (self.host, new, self.cgroups) = before, after
        self.seconds = seconds
        self.changes = collections.defaultdict(list)  # pool -> (row before or None, row)
        self.loose = collections.Counter(gone)        # pool -> threads that are not fully known
        for key, row in new.items():
            self.changes[row["pcomm"]].append((old.get(key), row))
        for key, row in old.items():
            self.loose[row["pcomm"]] += key not in new

    def change(self, pair, metric):
        before, after = pair
        if after[metric] is None or (before and before[metric] is None):
            return 0
        return after[metric] - (before[metric] if before else 0)

    def sum(self, pool, *metrics):
        return sum(self.change(pair, m) for pair in self.changes[pool] for m in metrics)

    def rate(self, pool, *metrics):
        return self.sum(pool, *metrics) / self.seconds

    def cpu(self, pool):
        return self.rate(pool, "run_time_ns") / 1e9

    def wait(self, pair):
        """Seconds that a thread waited; the wait in progress at an end of the window, where it is known, counts in part."""
        wait = self.change(pair, "wait_time_ns")
        if pair[0] and None not in (pair[0]["open_wait_ns"], pair[1]["open_wait_ns"]):
            wait += (pair[1]["open_wait_ns"] if pair[1]["state"] == "R" else 0) - pair[0]["open_wait_ns"]
        return max(wait, 0) / 1e9

    def waiting(self, pool):
        return sum(map(self.wait, self.changes[pool])) / self.seconds

    def of_host(self, *metrics):
        return sum((self.host[m] or 0) - (self.host_before[m] or 0) for m in metrics) / self.seconds

    def common(self, pool, key):
        return {row[key] for _, row in self.changes[pool]}


def near(said, true, least=LEAST):
    return abs(said - true) <= SHARE * max(abs(true), abs(said)) + least


def check_amount(window, pool, said, true, least=LEAST):
    """said may be more than the exported value if a thread has ended."""
    if not (near(said, true, least) or (said > true and window.loose[pool])):
        yield f"{pool}: {said:.4g} is said, {true:.4g} are exported"


def check_member(window, pool, text, *metrics):
    found = re.search(r"of it in (.+)\[(\d+)\]", text)
    if not found or window.loose[pool]:
        return
    number, most = int(found[2]), window.sum(pool, *metrics)
    for key in ("tid", "tgid"):
        part = sum(window.change(pair, m) for pair in window.changes[pool] if pair[1][key] == number for m in metrics)
        if part >= 0.75 * most:
            return
    yield f"{pool}: {found[0]}, but it has {part} of {most}"


def check_why(window, pool, text):
    rival = re.search(r"while (.+?) ran ([\d.]+) CPU", text)
    if rival:
        yield from check_amount(window, rival[1], float(rival[2]), window.cpu(rival[1]))
    own = text[:rival.start()] if rival else text
    for pattern, key in ((r"all on CPUs? ([\d,-]+\d)", "cpu_affinity"), (r"at nice (-?\d+)", "nice"), (r"under (SCHED_\w+)", "policy")):
        found = re.search(pattern, own)
        if found and {str(value) for value in window.common(pool, key)} != {found[1]}:
            yield f"{pool}: {found[0]}, but {key} is {window.common(pool, key)}"


def check_busiest(window, pool, numbers, text):
    yield from check_amount(window, pool, numbers["cpu"], window.cpu(pool))
    for other in window.changes:
        if window.cpu(other) > numbers["cpu"] * (1 + SHARE) + LEAST and not window.loose[other]:
            yield f"{other} used more CPU ({window.cpu(other):.3f}) than {pool}"
    yield from check_member(window, pool, text, "run_time_ns")
    yield from check_why(window, pool, text)
    user, system = window.sum(pool, "utime_clock_ticks"), window.sum(pool, "stime_clock_ticks")
    if "kernel_share" in numbers and not window.loose[pool] and user + system > 50 and system < 0.6 * (user + system):
        yield f"{pool}: in the kernel, but user {user} system {system}"


def check_runner_up(window, pool, numbers, text):
    yield from check_amount(window, pool, numbers["cpu"], window.cpu(pool))
    yield from check_member(window, pool, text, "run_time_ns")


def check_waits(window, pool, numbers, text):
    cpu, waiting = window.cpu(pool), window.waiting(pool)
    # The kernel counts a wait when it ends, however long before it began; a thread waits once at a time.
    least = sum(min(window.wait(pair) / window.seconds, 1) for pair in window.changes[pool])
    said = numbers["held_up"] / (100 if "% of the time" in text else 1)
    if not window.loose[pool] and not (near(said, least, 0.1) or near(said, waiting, 0.1) or least < said < waiting):
        yield f"{pool}: {said:.3f} threads wait, {least:.3f} to {waiting:.3f} exported"
    if not window.loose[pool] and waiting < 2.7 * cpu:
        yield f"{pool}: waits {waiting:.3f}, but has {cpu:.3f} CPU"
    yield from check_why(window, pool, text)


def check_reads(window, pool, numbers, text):
    disks = "system_disk_read_bytes" in window.host
    host = window.of_host("system_disk_read_bytes") if disks else window.of_host("system_vmstat_pgpgin") * 1024
    if not near(numbers["host_read"], host, 2e5):
        yield f"host reads {numbers['host_read']:.4g}, exported {host:.4g}"
    if numbers["read"] > host * (1 + SHARE) + 2e5:
        yield f"{pool} reads more than the host"
    if not window.loose[pool] and window.rate(pool, "read_bytes") < numbers["read"] * (1 - SHARE) - 2e5:
        yield f"{pool}: reads {numbers['read']:.4g}, exported {window.rate(pool, 'read_bytes'):.4g}"
    yield from check_member(window, pool, text, "read_bytes")


def check_writes(window, pool, numbers, text):
    yield from check_amount(window, pool, numbers["dirtied"], window.rate(pool, "write_bytes"), 2e5)
    yield from check_member(window, pool, text, "write_bytes")


def check_switches(window, pool, numbers, text):
    yield from check_amount(window, pool, numbers["switches"], window.rate(pool, "voluntary_csw", "nonvoluntary_csw"), 200)


def check_stuck(window, pool, numbers, text):
    for pair in window.changes[pool]:
        if pair[0] and pair[0]["state"] == "D" and window.change(pair, "voluntary_csw") > 0:
            yield f"{pool}: a thread in D was switched"
    stuck = sum(bool(a) and a["state"] == b["state"] == "D" for a, b in window.changes[pool])
    if stuck < numbers["stuck"]:
        yield f"{pool}: {stuck} threads are in D at both ends"


def risen(before, after):
    """Returns by how many bytes a process holds more than ever before the window, as far as that was read."""
    grown = after["pss"] - before["pss"]
    if before["own"] and after["own"]:
        own = after["own"] - before["own"]
        grown = sorted((0, own, grown))[1]
    if None not in (before["hiwater_rss_bytes"], after["hiwater_rss_bytes"]) and after["rss"]:
        grown = min(grown, max(after["rss"] - before["hiwater_rss_bytes"] / 1024, 0))
    return grown * 1024


def check_growth(window, pool, numbers, text):
    pairs = [(a, b) for a, b in window.changes[pool] if a and a["pss"] is not None and b["pss"] is not None]
    yield from check_amount(window, pool, numbers["growth"], sum(risen(a, b) for a, b in pairs), 1 << 20)


def check_shared(window, _, numbers, text):
    grown = window.of_host("system_memory_shared") * window.seconds * 1024
    if numbers["growth"] > grown * (1 + SHARE) + (1 << 20):
        yield f"shared memory grew by {numbers['growth']:.4g}, exported {grown:.4g}"


def check_forks(window, _, numbers, text):
    if not near(numbers["forks"], window.of_host("system_processes"), 2):
        yield f"{numbers['forks']} forks/s, exported {window.of_host('system_processes')}"


def check_exited(window, _, numbers, text):
    ticks = window.of_host(*(f"system_cpu_{word}" for word in ("user", "nice", "system", "irq", "softirq"))) * TICK
    known = sum(window.cpu(pool) for pool in window.changes)
    if numbers["exited"] > max(ticks, known) + 0.25 * window.host["host_online_cpus"]:
        yield f"{numbers['exited']:.2f} CPU went to what ended, of {ticks:.2f} in ticks"


def check_throttled(window, path, numbers, text):
    before, after = window.cgroups_before.get(path), window.cgroups.get(path)
    if not before or not after or "its periods" not in text:
        return
    periods, held = (after[k] - before[k] for k in ("cpu_nr_periods", "cpu_nr_throttled"))
    if periods <= 0 or not near(numbers["throttled"], 100 * held / periods, 2):
        yield f"{path}: throttled {numbers['throttled']:.1f} %, exported {held} of {periods}"


CHECKS = {"busiest": check_busiest, "uses-cpu": check_runner_up, "starved": check_waits, "wants-cpu": check_waits,
          "waits-beside-idle": check_waits, "disk-io": check_reads,
          "writes-files": check_writes, "switches": check_switches, "stuck": check_stuck, "grew": check_growth,
          "shared-grew": check_shared, "forks": check_forks, "came-and-went": check_exited, "throttled": check_throttled}


def check_delay(window, pool, numbers, word):
    yield from check_amount(window, pool, numbers["held_up"] / (100 if numbers.get("threads") is None else 1),
                            window.rate(pool, word) / 1e9)


def findings_of(path, begin, end):
    done = subprocess.run([harness.CTPROF, "compare", "-q", "--format", "json", "--no-thread-normalize", "--sections", "findings,pools",
                           "--from", begin, "--to", end, path], capture_output=True, check=True)
    report = json.loads(done.stdout)
    sections = {x["name"]: x["lines"] for x in report["sections"]}
    gone = {line["pool"]: line["gone"]["candidate"] for line in sections["pools"] if line["gone"]["candidate"]}
    return report["window"]["seconds"], sections.get("findings", []), gone


def check_window(path, samples, begin, end, tally):
    seconds, lines, gone = findings_of(path, begin, end)
    window = Window(samples[begin], samples[end], seconds, gone)
    for line in lines:
        name, numbers = line["finding"], {key: value["value"] for key, value in line["numbers"].items()}
        if name in CHECKS:
            wrong = list(CHECKS[name](window, line["subject"], numbers, line["sentence"]))
        elif name in DELAYS:
            wrong = list(check_delay(window, line["subject"], numbers, DELAYS[name]))
        else:
            tally[name, "not checked"] += 1
            continue
        tally[name, "contradicts" if wrong else "agrees"] += 1
        for text in wrong:
            print(f"{end} {name}: {text}\n    {line['sentence']}", flush=True)


def main(paths):
    tally, windows = collections.Counter(), 0
    for path in paths:
        samples = samples_of(path)
        for begin, end in zip(list(samples), list(samples)[1:]):
            check_window(path, samples, begin, end, tally)
            windows += 1
    print(f"{windows} windows")
    for (name, verdict), n in sorted(tally.items()):
        print(f"  {name:20} {verdict:12} {n}")
    return any(verdict == "contradicts" for _, verdict in tally)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
