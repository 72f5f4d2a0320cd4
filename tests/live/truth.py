# SPDX-License-Identifier: LGPL-2.1-or-later
"""The values of a thread in procfs, read and parsed without ctprof. A value is
("value", VALUE) or ("absent", reason), as in harness.Snapshot.
"""

import errno
import os
import re

LIVE = "/proc"

POLICIES = {
    0: "SCHED_OTHER",
    1: "SCHED_FIFO",
    2: "SCHED_RR",
    3: "SCHED_BATCH",
    5: "SCHED_IDLE",
    6: "SCHED_DEADLINE",
    7: "SCHED_EXT",
}

# Fields of proc(5), counted from 1 as it does.
STAT = {
    "ppid": 4,
    "minflt": 10,
    "majflt": 12,
    "utime_clock_ticks": 14,
    "stime_clock_ticks": 15,
    "cutime_clock_ticks": 16,
    "cstime_clock_ticks": 17,
    "priority": 18,
    "nice": 19,
    "start_time_clock_ticks": 22,
    "processor": 39,
    "rt_priority": 40,
    "policy": 41,
}
OF_PROCESS = ("ppid", "uid", "cutime_clock_ticks", "cstime_clock_ticks", "nr_threads")
SCHEDSTAT = ["run_time_ns", "wait_time_ns", "timeslices"]
STATUS = {
    "uid": "Uid",
    "state": "State",
    "nr_threads": "Threads",
    "voluntary_csw": "voluntary_ctxt_switches",
    "nonvoluntary_csw": "nonvoluntary_ctxt_switches",
}
SCHED = {
    "nr_wakeups": "nr_wakeups",
    "nr_wakeups_local": "nr_wakeups_local",
    "nr_wakeups_remote": "nr_wakeups_remote",
    "nr_wakeups_sync": "nr_wakeups_sync",
    "nr_wakeups_migrate": "nr_wakeups_migrate",
    "nr_wakeups_affine": "nr_wakeups_affine",
    "nr_wakeups_affine_attempts": "nr_wakeups_affine_attempts",
    "nr_migrations": "nr_migrations",
    "nr_forced_migrations": "nr_forced_migrations",
    "nr_failed_migrations_affine": "nr_failed_migrations_affine",
    "nr_failed_migrations_running": "nr_failed_migrations_running",
    "nr_failed_migrations_hot": "nr_failed_migrations_hot",
    "wait_sum": "wait_sum",
    "wait_count": "wait_count",
    "wait_max": "wait_max",
    "sleep_max": "sleep_max",
    "block_sum": "sum_block_runtime",
    "block_max": "block_max",
    "iowait_sum": "iowait_sum",
    "iowait_count": "iowait_count",
    "exec_max": "exec_max",
    "slice_max": "slice_max",
    "core_forceidle_sum": "core_forceidle_sum",
    "fair_slice_ns": "slice",
    "ext_enabled": "ext.enabled",
    "voluntary_sleep_ns": "sum_sleep_runtime",
}
IO = ["rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes"]

# The fields of each file of a thread.
FIELDS = {
    "stat": list(STAT),
    "schedstat": SCHEDSTAT,
    "status": list(STATUS),
    "sched": list(SCHED),
    "io": IO,
    "comm": ["comm"],
    "cgroup": ["cgroup", "cgroup_v1"],
}

# Kinds of memory that change only by what the process itself does.  The others
# depend on who else maps the same files.
OWN_MEMORY = {
    "Rss", "Anonymous", "LazyFree", "AnonHugePages", "ShmemPmdMapped", "FilePmdMapped",
    "Shared_Hugetlb", "Private_Hugetlb", "Swap", "SwapPss", "Locked",
}  # fmt: skip

# Kinds that are not amounts.
NO_SUMS = {"KernelPageSize", "MMUPageSize"}

PF_KTHREAD = 0x00200000


def reason_of(error):
    if error.errno in (errno.EACCES, errno.EPERM):
        return "denied"
    return "unsupported"


def slurp(path):
    """The bytes of a file, or the reason it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        return reason_of(error)


def value(it):
    return ("value", it)


def absent(reason):
    return ("absent", reason)


def read_stat(data):
    # From field 3 on; the name before may hold anything.
    tail = data[data.rindex(b")") + 1 :].split()
    fields = {name: value(int(tail[field - 3])) for name, field in STAT.items()}
    policy = fields["policy"][1]
    fields["policy"] = value(POLICIES.get(policy, f"SCHED_UNKNOWN({policy})"))
    return fields


def read_schedstat(data):
    return {name: value(int(n)) for name, n in zip(SCHEDSTAT, data.split())}


def read_status(data):
    lines = dict(re.findall(rb"^([^:\n]+):[ \t]*(.*)$", data, re.MULTILINE))
    fields = {}
    for name, key in STATUS.items():
        text = lines.get(key.encode())
        if text is None:
            fields[name] = absent("unsupported")
        else:
            fields[name] = value(chr(text[0]) if name == "state" else int(text.split()[0]))
    return fields


def sched_number(text):
    """Plain, or milliseconds with six decimals as nanoseconds."""
    whole, dot, part = text.partition(".")
    return int(whole + part) if dot else int(whole)


def read_sched(data):
    body = re.split(rb"\n-{40,}\n", data, maxsplit=1)[1].decode("ascii")
    lines = dict(re.findall(r"^(\S+) *: *(-?[0-9.]+)$", body, re.MULTILINE))
    short = {key.rpartition(".")[2]: text for key, text in lines.items()}
    fields = {}
    for name, key in SCHED.items():
        text = lines.get(key) if "." in key else short.get(key)
        fields[name] = absent("unsupported") if text is None else value(sched_number(text))
    sleep, block = fields["voluntary_sleep_ns"], fields["block_sum"]
    if sleep[0] == "value":
        fields["voluntary_sleep_ns"] = (
            value(max(0, sleep[1] - block[1])) if block[0] == "value" else block
        )
    if fields["ext_enabled"][0] == "value":
        fields["ext_enabled"] = value(fields["ext_enabled"][1] != 0)
    return fields


def read_io(data):
    lines = dict(re.findall(r"^(\w+): (\d+)$", data.decode("ascii"), re.MULTILINE))
    return {name: value(int(lines[name])) for name in IO}


def read_comm(data):
    return {"comm": value(data[:-1])}


def read_cgroup(data):
    lines = [line.split(b":", 2) for line in data.splitlines()]
    v1 = {one.decode(): path for _, names, path in lines for one in names.split(b",")}
    kept = [name for name in ("", "cpu", "cpuacct", "memory", "pids") if name in v1]
    if not kept:
        return {"cgroup": absent("unsupported"), "cgroup_v1": absent("inapplicable")}
    divided = [v1[name] for name in (*kept, "name=systemd") if v1.get(name, b"/") != b"/"]
    own = v1[""] if "" in v1 else (divided or [b"/"])[0]
    others = {name: v1[name].decode() for name in kept if v1[name] != own}
    return {
        "cgroup": value(own),
        "cgroup_v1": value(others) if others else absent("inapplicable"),
    }


READERS = {
    "stat": read_stat,
    "schedstat": read_schedstat,
    "status": read_status,
    "sched": read_sched,
    "io": read_io,
    "comm": read_comm,
    "cgroup": read_cgroup,
}


def read_affinity(tid, proc, tgid):
    if proc == LIVE:
        return {"cpu_affinity": value(sorted(os.sched_getaffinity(tid)))}
    data = slurp(f"{proc}/{tgid}/task/{tid}/status")
    if isinstance(data, str):
        return {"cpu_affinity": absent(data)}
    cpus = []
    for part in re.search(rb"^Cpus_allowed_list:\t(.*)$", data, re.M)[1].decode().split(","):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return {"cpu_affinity": value(cpus)}


def read_smaps(folder):
    """The values of smaps_rollup or, before Linux 4.14, the sums of smaps."""
    data = slurp(f"{folder}/smaps_rollup")
    if data == "unsupported":
        data = slurp(f"{folder}/smaps")
    if isinstance(data, str):
        return absent(data)
    sums = {}
    for key, kib in re.findall(rb"^(\w+): +(\d+) kB$", data, re.MULTILINE):
        sums[key.decode()] = sums.get(key.decode(), 0) + int(kib)
    return value({key: kib for key, kib in sums.items() if key not in NO_SUMS})


def living_sibling(tgid, proc):
    for name in os.listdir(f"{proc}/{tgid}/task"):
        data = slurp(f"{proc}/{tgid}/task/{name}/stat")
        if isinstance(data, bytes) and data[data.rindex(b")") + 2 :][:1] not in b"ZX":
            return name
    return None


def read_thread(tgid, tid, proc=LIVE):
    """Every field of procfs except memory; proc may be a recorded tree."""
    fields = {}
    for file, reader in READERS.items():
        data = slurp(f"{proc}/{tgid}/task/{tid}/{file}")
        if isinstance(data, str):
            fields.update({name: absent(data) for name in FIELDS[file]})
        else:
            fields.update(reader(data))
    fields.update(read_affinity(tid, proc, tgid))
    data = slurp(f"{proc}/{tgid}/comm")
    fields["pcomm"] = absent(data) if isinstance(data, str) else value(data[:-1])
    if tgid != tid:
        fields.update({name: absent("inapplicable") for name in OF_PROCESS})
    fair = fields["policy"] in (value("SCHED_OTHER"), value("SCHED_BATCH"))
    if fields["policy"][0] == "value" and not fair:
        if fields["fair_slice_ns"] == absent("unsupported"):
            fields["fair_slice_ns"] = absent("inapplicable")
    return fields


def read_memory(tgid, proc=LIVE):
    """smaps_rollup of a process: its leader's, or a living thread's."""
    # That of a thread without memory cannot be read, or is empty (on 4.15).
    found = read_smaps(f"{proc}/{tgid}/task/{tgid}")
    if found in (absent("unsupported"), value({})):
        found = read_smaps(f"{proc}/{tgid}/task/{living_sibling(tgid, proc) or tgid}")
    if found in (absent("unsupported"), value({})) and not has_memory(tgid, proc):
        return absent("inapplicable")
    return found


def has_memory(tgid, proc):
    """Neither a kernel thread nor a process of which all threads have ended."""
    stat = slurp(f"{proc}/{tgid}/task/{tgid}/stat")
    flags = int(stat[stat.rindex(b")") :].split()[7]) if isinstance(stat, bytes) else 0
    return flags & PF_KTHREAD == 0 and living_sibling(tgid, proc) is not None


def read_threads(threads):
    return {thread: read_thread(*thread) for thread in threads}


def read_memories(tgids):
    return {tgid: read_memory(tgid) for tgid in tgids}


def shown(row, name, found):
    """found, its text as the bytes it stands for."""
    if found[0] != "value" or name not in ("comm", "pcomm", "cgroup"):
        return found
    if name + "_hex" in row:
        return value(bytes.fromhex(row[name + "_hex"]))
    return value(row[name].encode())


def compare_thread(snapshot, row, expected):
    """Differences between a row and read_thread(), one line each."""
    lines = []
    for name, want in expected.items():
        got = shown(row, name, snapshot.value(row, name))
        if got != want:
            lines.append(f"{row['tgid']}/{row['tid']} {name}: ctprof {got}, procfs {want}")
    return lines


def compare_memory(snapshot, row, expected):
    """The same for smaps_rollup_kib of a leader and read_memory()."""
    got = snapshot.value(row, "smaps_rollup_kib")
    where = f"{row['tgid']} smaps_rollup_kib"
    if got[0] != "value" or expected[0] != "value":
        return [] if got == expected else [f"{where}: ctprof {got}, procfs {expected}"]
    got, want = got[1], expected[1]
    if got.keys() != want.keys():
        return [f"{where}: ctprof has {sorted(got)}, procfs {sorted(want)}"]
    lines = [
        f"{where} {key}: ctprof {got[key]}, procfs {want[key]}"
        for key in OWN_MEMORY & got.keys()
        if got[key] != want[key]
    ]
    # Who else maps a page decides whether it is shared, not whether it is there.
    parts = ("Shared_Clean", "Private_Clean", "Shared_Dirty", "Private_Dirty")
    if sum(got[key] for key in parts) != got["Rss"]:
        lines.append(f"{where}: {parts} do not add up to Rss: {got}")
    if not got["Private_Clean"] + got["Private_Dirty"] <= got["Pss"] <= got["Rss"]:
        lines.append(f"{where}: Pss is not between the private part and Rss: {got}")
    return lines


def check(snapshot, threads, memories=()):
    """Fails with all differences, after checking every thread."""
    lines = []
    for key, expected in threads.items():
        row = snapshot.rows.get(key)
        if row is None:
            lines.append(f"{key[0]}/{key[1]} is not in the snapshot")
        else:
            lines += compare_thread(snapshot, row, expected)
    for tgid, expected in dict(memories).items():
        lines += compare_memory(snapshot, snapshot.rows[tgid, tgid], expected)
    assert not lines, f"{len(lines)} differences:\n" + "\n".join(lines[:40])
