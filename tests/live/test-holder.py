#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The plugin memory and its views against a process that holds known amounts."""

import contextlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import harness
import tap
import truth
from harness import Holder, run

KIB = 1024
HELD = {"anon": 100, "shmem": 200, "memfd": 300, "sysv": 400}
FILES = {"file": 64, "deleted": 32, "sparse": 1000}
OWN = sum(HELD.values()) + FILES["file"] + FILES["deleted"]
# ctprof's names for the holder's kinds of memory.
KINDS = {"shmem": "shmem", "memfd": "memfd", "sysv": "sysv", "file": "tmpfs", "deleted": "tmpfs"}
# Kinds on the kernel's internal mount of shared memory.
INTERNAL = {"shmem", "memfd", "sysv"}


def capture(*arguments, **more):
    return harness.capture("--plugins=memory,snapshot", *arguments, **more)


def objects(snapshot, group):
    return [row for row in snapshot.data["objects"] if row["group"] == group]


def view(*arguments, section, **more):
    """Returns a section of the output of 'ctprof memory' by its name."""
    done = run("memory", *arguments, "--format=json", cwd="/", **more)
    return next(one for one in json.loads(done.stdout)["sections"] if one["name"] == section)


@contextlib.contextmanager
def tmpfs():
    """A folder on a tmpfs: on a new one as root, otherwise on /dev/shm."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        own = harness.is_root() and mount(folder)
        try:
            yield folder, own
        finally:
            if own:
                subprocess.run(["umount", folder], check=True)


def mount(folder):
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "ctprof-test", folder]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def need_dev_shm():
    if not os.path.ismount("/dev/shm"):
        raise tap.Skip("/dev/shm is no mount here")


@contextlib.contextmanager
def holder_of_all():
    need_dev_shm()
    with tmpfs() as (folder, own), Holder(**HELD, dir=folder, **FILES) as holder:
        holder.folder, holder.own_mount = folder, own
        yield holder.stop()


def identity(piece):
    """(device, inode) as ctprof shows them; the kernel uses the shmid as a segment's inode."""
    if piece["kind"] == "sysv":
        return None, piece["shmid"]
    return piece.get("device"), piece.get("inode")


def smaps_of(pid):
    """[(start, inode, path, {key: bytes})] of a process."""
    entries = []
    for line in Path(f"/proc/{pid}/smaps").read_text(errors="replace").splitlines():
        head = re.match(r"([0-9a-f]+)-[0-9a-f]+ \S+ \S+ (\S+) (\d+) *(.*)$", line)
        if head:
            entries.append((int(head[1], 16), int(head[3]), head[4], {}))
        elif pair := re.match(r"(\w+): +(\d+) kB$", line):
            entries[-1][3][pair[1]] = int(pair[2]) * KIB
    return entries


def smaps_at(pid, address):
    return next(entry for entry in smaps_of(pid) if entry[0] == address)


def test_each_kind_a_process_maps_is_told_by_the_byte():
    with holder_of_all() as holder:
        snapshot = capture(f"--pid={holder.pid}", "--groups=memory-mappings",
                           "-O", f"memory.pid={holder.pid}")  # fmt: skip
        rows = objects(snapshot, "memory-mappings")
        for name, kind in KINDS.items():
            piece = holder.pieces[name]
            _, inode, path, sizes = smaps_at(holder.pid, piece["at"])
            assert sizes["Rss"] == piece["bytes"], f"the holder's {name} is not in memory"
            found = [row for row in rows if row.get("mapping_label") == path
                     and row.get("mapping_inode") == inode]  # fmt: skip
            assert len(found) == 1, (name, path, rows)
            check(found[0], name, {
                "mapping_kind": kind,
                "mapping_pid": holder.pid,
                "mapping_vmas": 1,
                **{f"mapping_{what}_bytes": piece["bytes"] for what in ("size", "rss", "pss", "uss")},
                "mapping_swap_bytes": 0,
            })  # fmt: skip
        anonymous = [row for row in rows if row.get("mapping_label") == "<anonymous>"]
        assert len(anonymous) == 1, anonymous
        sums = [sizes for _, _, path, sizes in smaps_of(holder.pid) if not path]
        check(anonymous[0], "anon", {
            "mapping_kind": "anon",
            "mapping_vmas": len(sums),
            "mapping_size_bytes": sum(one["Size"] for one in sums),
            "mapping_rss_bytes": sum(one["Rss"] for one in sums),
            "mapping_pss_bytes": sum(one["Pss"] for one in sums),
        })  # fmt: skip
        assert anonymous[0]["mapping_pss_bytes"] >= HELD["anon"] * KIB


def check(row, what, expected):
    got = {name: row.get(name) for name in expected}
    assert got == expected, f"{what}: {got}, expected {expected}"


def test_shared_objects_are_told_with_who_holds_them():
    with holder_of_all() as holder:
        rows = objects(capture("--memory=shared"), "memory-shared")
        for name, kind in KINDS.items():
            piece = holder.pieces[name]
            _, inode, path, _ = smaps_at(holder.pid, piece["at"])
            found = [row for row in rows if row["object_inode"] == inode
                     and row["name"].startswith(path)]  # fmt: skip
            assert len(found) == 1, (name, path, found)
            check(found[0], name, {
                "object_kind": kind,
                "object_vmas": 1,
                "object_processes": 1,
                "object_consumers": {f"{holder.pid} holder": piece["bytes"]},
                **{f"object_{what}_bytes": piece["bytes"] for what in ("size", "rss", "pss", "uss")},
            })  # fmt: skip
            if name == "sysv":
                check(found[0], name, {"object_shmid": piece["shmid"]})
            if name not in INTERNAL:
                check(found[0], name, {"object_device": piece["device"]})


def test_the_first_segment_has_number_0():
    """Its inode is 0 as well, which elsewhere means that there is no inode."""
    if not harness.is_root():
        raise tap.Skip("needs root, for an IPC namespace of its own")
    through = [harness.need_command("unshare"), "--ipc"]
    with Holder(through=through, sysv=400) as holder:
        assert holder.pieces["sysv"]["shmid"] == 0, holder.truth
        rows = objects(capture("--memory=shared"), "memory-shared")
        found = [row for row in rows if f"{holder.pid} holder" in row["object_consumers"]
                 and row["object_kind"] == "sysv"]  # fmt: skip
        assert len(found) == 1, [row for row in rows if row["object_kind"] == "sysv"]
        check(found[0], "sysv", {"object_shmid": 0, "object_pss_bytes": 400 * KIB})


def test_who_shares_a_memfd_has_half_of_it():
    with Holder(memfd=512) as one:
        piece = one.pieces["memfd"]
        with Holder(open=f"/proc/{one.pid}/fd/{piece['fd']}") as other:
            one.stop(), other.stop()
            snapshot = capture("--memory=shared", "--groups=memory-mappings",
                               "-O", f"memory.pid={one.pid},{other.pid}")  # fmt: skip
        rows = [row for row in objects(snapshot, "memory-mappings")
                if row.get("mapping_inode") == piece["inode"] and row["mapping_kind"] == "memfd"]
        assert {row["mapping_pid"]: row["mapping_pss_bytes"] for row in rows} == {
            one.pid: 256 * KIB,
            other.pid: 256 * KIB,
        }
        found = [row for row in objects(snapshot, "memory-shared")
                 if row["object_inode"] == piece["inode"] and row["object_kind"] == "memfd"]
        assert len(found) == 1, found
        check(found[0], "memfd", {
            "object_pss_bytes": 512 * KIB,
            "object_rss_bytes": 1024 * KIB,
            "object_uss_bytes": 0,
            "object_processes": 2,
            "object_consumers": {f"{pid} holder": 256 * KIB for pid in (one.pid, other.pid)},
        })  # fmt: skip


def test_0_is_each_process_that_is_read():
    with Holder(memfd=64) as one, Holder(memfd=64) as other:
        one.stop(), other.stop()
        snapshot = capture(f"--pid={one.pid}", f"--pid={other.pid}", "--groups=memory-mappings",
                           "-O", "memory.pid=0")  # fmt: skip
    rows = [row for row in objects(snapshot, "memory-mappings") if row["mapping_kind"] == "memfd"]
    assert {row["mapping_pid"]: row["mapping_pss_bytes"] for row in rows} == {
        one.pid: 64 * KIB, other.pid: 64 * KIB}  # fmt: skip


def test_a_tmpfs_is_told_with_what_has_no_name_any_more():
    with holder_of_all() as holder:
        if not holder.own_mount:
            raise tap.Skip("needs root, and leave to mount a tmpfs")
        rows = [row for row in objects(capture("--memory=tmpfs"), "memory-tmpfs")
                if row["name"] == holder.folder]  # fmt: skip
        assert len(rows) == 1, rows
        check(rows[0], "tmpfs", {
            "tmpfs_used_bytes": (FILES["file"] + FILES["deleted"]) * KIB,
            "tmpfs_limit_bytes": 8 << 20,
            "tmpfs_device": holder.pieces["file"]["device"],
            "tmpfs_source": "ctprof-test",
        })  # fmt: skip


def test_the_walk_counts_a_file_of_two_names_once():
    with holder_of_all() as holder:
        rows = {row["name"]: row for row in objects(capture("--memory=files"), "memory-files")}
        here = {name: row for name, row in rows.items() if name.startswith(holder.folder + "/")}
        assert sorted(os.path.basename(name) for name in here) == ["file", "link", "sparse"]
        size = FILES["file"] * KIB
        for name, allocated, logical, linked in (
            ("file", size, size, 0),
            ("link", 0, 0, 1),
            ("sparse", 0, FILES["sparse"] * KIB, 0),
        ):
            row = here[f"{holder.folder}/{name}"]
            check(row, name, {
                "file_kind": "file",
                "file_allocated_bytes": allocated,
                "file_logical_bytes": logical,
            })  # fmt: skip
            assert int(row["file_linked"]) == linked, row


def test_the_ledger_has_a_line_for_each_sort_of_shared_memory():
    with holder_of_all() as holder:
        rows = {row["name"]: row for row in objects(capture("--memory=ledger,shared"),
                                                    "memory-ledger")}  # fmt: skip
        bytes_of = {name: row["ledger_bytes"] for name, row in rows.items()
                    if name.startswith("shmem.")}  # fmt: skip
        for part, least in (
            ("total", sum(HELD.values()) - HELD["anon"] + FILES["file"] + FILES["deleted"]),
            ("tmpfs", FILES["file"] + FILES["deleted"]),
            ("memfd", HELD["memfd"]),
            ("sysv", HELD["sysv"]),
            ("anonymous", HELD["shmem"]),
        ):
            assert bytes_of[f"shmem.{part}"] >= least * KIB, (part, bytes_of)
        parts = sum(size for name, size in bytes_of.items()
                    if name not in ("shmem.total", "shmem.excess"))  # fmt: skip
        assert parts - bytes_of.get("shmem.excess", 0) == bytes_of["shmem.total"], bytes_of
        meminfo = truth.slurp("/proc/meminfo").decode()
        total = int(re.search(r"^MemTotal: +(\d+) kB$", meminfo, re.M)[1]) * KIB
        assert rows["meminfo.MemTotal"]["ledger_bytes"] == total
        assert holder.pid


def amounts_by(holder, source):
    snapshot = capture(f"--pid={holder.pid}", "--groups=memory", f"--smaps-source={source}")
    row = snapshot.rows[holder.pid, holder.pid]["extra"]
    assert row["memory_source"] == source
    assert row["memory_state"] == "exact"
    return {name: row[name] for name in row if name.endswith("_bytes")}


def test_a_process_is_the_same_by_rollup_and_by_smaps():
    """Compares private memory: its share of libc shrinks whenever another process starts."""
    with holder_of_all() as holder:
        mappings = len(smaps_of(holder.pid))
        one, other = (amounts_by(holder, source) for source in ("rollup", "smaps"))
        for name in ("rss_bytes", "swap_bytes", "anonymous_bytes"):
            assert one[name] == other[name], (name, one[name], other[name])
        if "pss_dirty_bytes" not in one:
            raise tap.Skip("the kernel tells no Pss_Dirty (Linux 6.0)")
        # smaps rounds each mapping's value down to a KiB.
        difference = one["pss_dirty_bytes"] - other["pss_dirty_bytes"]
        assert 0 <= difference < mappings * KIB, (one, other)
        assert other["pss_dirty_bytes"] >= OWN * KIB, other


def test_the_views_tell_the_same():
    with holder_of_all() as holder:
        memfd, file = holder.pieces["memfd"], holder.pieces["file"]
        mapped = view("process", holder.pid, section="mappings")["lines"]
        check(line_of(mapped, memfd), "memfd", {"kind": "memfd", "pss": memfd["bytes"]})
        check(line_of(mapped, file), "file", {"kind": "tmpfs", "pss": file["bytes"]})
        shared = view("shared", section="shared")["lines"]
        check(line_of(shared, memfd), "memfd", {"kind": "memfd", "pss": memfd["bytes"],
                                                "processes": 1})  # fmt: skip
        walked = view("tmpfs", "--walk", section="files")["lines"]
        lines = {line["path"]: line for line in walked}
        for name, allocated in (("file", file["bytes"]), ("link", 0), ("sparse", 0)):
            path = f"{holder.folder}/{name}"
            assert lines[path]["allocated"] == allocated, lines[path]
        if holder.own_mount:
            mounts = {line["mount"]: line for line in view("tmpfs", section="tmpfs")["lines"]}
            used = (FILES["file"] + FILES["deleted"]) * KIB
            check(mounts[holder.folder], "mount", {"used": used, "limit": 8 << 20})
            assert lines[holder.folder]["allocated_subtree"] == file["bytes"]


def line_of(lines, piece):
    found = [line for line in lines if line["inode"] == piece["inode"]
             and line["device"] == piece["device"]]  # fmt: skip
    assert len(found) == 1, (piece, found)
    return found[0]


def test_categories_add_up_and_leave_an_artifact():
    with holder_of_all() as holder, tempfile.TemporaryDirectory() as folder:
        table, artifact = Path(folder, "table.json"), Path(folder, "smaps_rollup.json")
        table.write_text(json.dumps([{"match": f"^{harness.HOLDER} ", "name": "holders"}]))
        section = view("categories", f"--categories={table}", f"--artifact={artifact}",
                       section="categories")  # fmt: skip
        lines = {line["category"]: line for line in section["lines"]}
        command = Path(f"/proc/{holder.pid}/cmdline").read_bytes().rstrip(b"\0")
        rollup = Path(f"/proc/{holder.pid}/smaps_rollup").read_text()
        rollup = {k: int(n) * KIB for k, n in re.findall(r"^(\w+): +(\d+) kB$", rollup, re.M)}
        [record] = [one for one in json.loads(artifact.read_text()) if one["Pid"] == holder.pid]
        assert record["Command"] == command.replace(b"\0", b" ").decode()
        assert record["SharedSwapPss"] == 0 or rollup["Swap"] > 0
        assert list(record["Rollup"]) == sorted(rollup)
        for key in truth.OWN_MEMORY & rollup.keys():
            assert record["Rollup"][key] == rollup[key], key
        assert artifact.stat().st_mode & 0o777 == 0o644
        check(lines["holders"], "holders", {
            "processes": 1,
            "pss": record["Rollup"]["Pss"],
            "pss_swap": record["Rollup"]["SwapPss"] + record["SharedSwapPss"],
            "pss_total": record["Rollup"]["Pss"] + record["Rollup"]["SwapPss"]
            + record["SharedSwapPss"],
            "exact": 1,
            "missing": 0,
        })  # fmt: skip


def test_what_an_ordinary_user_may_not_read_is_no_number():
    user = harness.need_other_user() if harness.is_root() else None
    with Holder(anon=64) as holder:
        pid = holder.pid if user else 1
        if not user and truth.slurp(f"/proc/{pid}/smaps_rollup") != "denied":
            raise tap.Skip("process 1 is no other user's")
        done = run("memory", "processes", "--format=json", "--limit=0", user=user, cwd="/")
        section = json.loads(done.stdout)["sections"][0]
        lines = [line for line in section["lines"] if line["pid"] == pid]
        assert len(lines) == 1, section
        assert lines[0]["pss"] is None and lines[0]["uss"] is None, lines
        assert lines[0]["rss"] > 0, "what everybody may read is there"
        denied = [line for line in section["lines"] if line["pss"] is None]
        stderr = done.stderr.decode()
        told = [line for line in stderr.splitlines() if re.search(r"CAP_\w+", line)]
        assert told, stderr
        counts = {int(n) for line in told for n in re.findall(r"\b\d+\b", line)}
        coverage = section["coverage"]
        assert counts & {len(denied), coverage["missing"], coverage["approximate"],
                         coverage["missing"] + coverage["approximate"]}, (told, coverage)
        table = run("memory", "processes", "--limit=0", user=user, cwd="/").stdout.decode()
        row = next(line for line in table.splitlines() if re.match(rf" *{pid}\b", line.strip()))
        assert " -" in row, row


if __name__ == "__main__":
    tap.main(globals(), world="own")
