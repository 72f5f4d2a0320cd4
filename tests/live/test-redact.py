#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Redacted files: no original name is left, no number has changed, groups are kept."""

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import harness
import tap
from harness import SOURCE, Worker, run

SECRET = "zecret"
WORD = "[GHJKLMNPQRSTVWXZ]{15}"
PLAIN = ("--plugins=procfs,memory,cgroup,host,system,snapshot", "-q")
ODD = SOURCE / "tests/roots/6.18-odd-names"
# Texts of the host and of records that are words of ctprof or the kernel, not names.
KEPT = {"policy", "state", "memory_state", "memory_source", "smaps_state", "smaps_source",
        "object_kind", "object_device", "file_kind", "tmpfs_device", "cpu_model", "cpu_vendor",
        "thp_enabled", "thp_defrag", "kernel_name", "kernel_release", "arch", "task_delayacct",
        "config_task_xacct", "clocksource", "lsm", "ctprof_version", "group"}


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="ctprof-redact-") as path:
        path = Path(path)
        (path / "key").write_bytes(os.urandom(32))
        (path / "key").chmod(0o600)
        yield path


def text_of(file):
    harness.need_command("zstdcat")
    return subprocess.run(["zstdcat", file], stdout=subprocess.PIPE, check=True).stdout.decode()


def frames_of(file):
    """The documents of a file: one, or one per sample."""
    text, decoder, at, found = text_of(file), json.JSONDecoder(), 0, []
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        found.append(document)
    return found


def redact(file, out, *options):
    run("redact", "-q", file, "-o", out, *options)
    return out


# ---- what differs ---------------------------------------------------------------


def pairs(a, b, path=""):
    """(path, a, b) of each leaf of two documents, which have the same shape but for the
    order and names of keys that are names themselves."""
    if isinstance(a, dict) and isinstance(b, dict):
        extra = {"redacted"} if path.endswith("capture") else set()
        if path.endswith("cgroup_stats") or path.endswith("object_consumers"):
            yield from pairs(sorted(map(flat, a.values())), sorted(map(flat, b.values())), path)
            return
        if path.endswith("absent"):  # may list values that were not requested
            a, b = ({k: v for k, v in x.items() if k != "skipped"} for x in (a, b))
        a = {key: value for key, value in a.items() if not key.endswith("_hex")}
        assert set(a) == set(b) - extra, (path, set(a) ^ set(b))
        for key, value in a.items():
            yield from pairs(value, b[key], f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list):
        assert len(a) == len(b), (path, len(a), len(b))
        for x, y in zip(a, b):
            yield from pairs(x, y, path + "[]")
    else:
        yield path, a, b


def flat(value):
    """The numbers in a value, in order."""
    return re.findall(r"(?<=[:\[,])-?\d+|null|true|false", json.dumps(value, separators=(",", ":")))


# Words that systemd and the kernel use in paths and in names of memory.
FRAMES = {"system", "user", "slice", "scope", "service", "session", "init", "app", "docker", "dev",
          "zero", "shm", "heap", "stack", "anon", "anonymous", "deleted", "memfd", "SYSV", "sysv", "ctprof"}
OWN_PARTS = re.compile(r"\.(format|metrics|plugins|(exit_)?presence_sets|capture|absent|cgroup_stats|\w+_summary)\b")


def may_stay(path, text):
    return (path.rpartition(".")[2] in KEPT or OWN_PARTS.search(path) or
            path.startswith(".host.sched_tunables") or
            set(re.findall("[A-Za-z]+", text)) <= FRAMES or
            path == ".objects[].name" and re.match(r"(meminfo|physical|shmem|swap)\.|[a-z]+\d*$", text))


def check_equal_but_names(before, after):
    """Returns the texts that have been replaced, and those that have not."""
    replaced, kept = set(), set()
    a, b = frames_of(before), frames_of(after)
    assert len(a) == len(b), (len(a), len(b))
    for x, y in zip(a, b):
        for path, old, new in pairs(x, y):
            if old == new:
                assert not isinstance(old, str) or may_stay(path, old), (path, old)
                kept.add(str(old))
                continue
            assert isinstance(old, str) and isinstance(new, str), (path, old, new)
            assert path.rpartition(".")[2] not in KEPT, (path, old, new)
            replaced.add(old)
        replaced |= set(x.get("cgroup_stats", {})) - {"/"}
        replaced |= {key for o in x.get("objects", []) for key in o.get("object_consumers", {})}
    return replaced, kept


def words_of(text):
    return set(re.findall(r"[A-Za-z]{4,}", text))


def check_no_name_is_left(before, after):
    """Searches the bytes for the names, except words of the format itself.  Returns the names."""
    names, kept = check_equal_but_names(before, after)
    text, own = text_of(after), FRAMES | words_of(" ".join(kept))
    for document in frames_of(after):
        own |= words_of(" ".join(keys_of(document)))
    looked_for = {word for word in set().union(*map(words_of, names))
                  if not any(word in one for one in own)}
    assert looked_for, "nothing to look for"
    for word in looked_for:
        assert word not in text, (word, text[max(0, text.find(word) - 80):][:200])
    for name in names:
        assert not words_of(name) - FRAMES or json.dumps(name) not in text, name
    return names


def keys_of(document):
    if isinstance(document, dict):
        for key, value in document.items():
            yield key
            yield from keys_of(value)
    elif isinstance(document, list):
        for value in document:
            yield from keys_of(value)


# ---- a file full of secrets ---------------------------------------------------------


def metric(name, kind="label", unit="text", scope="thread", group="acme"):
    return {"name": name, "kind": kind, "unit": unit, "scope": scope, "group": group,
            "plugin": "acme", "rank": 0, "help": "of a stranger", "origin": "none"}


def thread(tid, comm, **more):
    return {"tid": tid, "tgid": tid, "pcomm": comm, "comm": comm, "presence": 0, **more}


def planted():
    s = SECRET
    return {
        "format": {"name": "ctprof", "version": 1},
        "captured_at_unix_ns": 1,
        "host": {"boot_id": s, "kernel_cmdline": f"root={s}", "acme": s},
        "threads": [
            thread(7, s, cgroup=f"/{s}.slice/{s}@{s}.service", run_time_ns=18446744073709551615,
                   extra={"cmdline": f"/bin/{s} --{s}", "cwd": f"/{s}", "user": s, "acme_text": s,
                          "acme_map": {s: 1}, "acme_texts": {s: s}, "cgroup_v1": {"cpu": f"/{s}"},
                          "acme_char": "S", "nameless": s}),
            # Text that is not UTF-8 is also stored in hex.
            {**thread(8, f"{s}\ufffd"), "comm_hex": s.encode().hex() + "ff",
             "pcomm_hex": s.encode().hex() + "ff"},
        ],
        "exits": [{"tid": 9, "tgid": 9, "comm": s, "presence": 0}],
        "cgroup_stats": {f"/{s}": {"cpu": {"usage_usec": 5}},
                         f"/{s}\ufffd": {"path_hex": ("/" + s).encode().hex() + "fe"}},
        "objects": [{"group": "memory-shared", "name": f"/{s}/lib{s}.so (deleted)",
                     "object_consumers": {f"7 {s}": 3}},
                    {"group": "acme-things", "name": s, "acme_thing": s},
                    {"group": "system-net", "name": f"br-{s}7"}],
        "extra": {"acme": {"tally": s}},
        "metrics": [metric("comm", group="identity"), metric("pcomm", group="identity"),
                    metric("cgroup", group="identity"),
                    metric("run_time_ns", "counter", "ns", group="sched"),
                    metric("cmdline", scope="process"), metric("cwd", scope="process"),
                    metric("user", scope="process"), metric("acme_text"),
                    metric("acme_map", "map", "none"), metric("acme_texts", "map"),
                    metric("cgroup_v1", "map"), metric("acme_char", "category", "char"),
                    metric("comm", scope="exit"), metric("host.boot_id", scope="host"),
                    metric("host.kernel_cmdline", scope="host"), metric("host.acme", scope="host"),
                    metric("cpu.usage_usec", "counter", "us", scope="cgroup"),
                    metric("object_consumers", "map", "bytes", "object", "memory-shared"),
                    metric("acme_thing", scope="object", group="acme-things"),
                    metric("net_rx", "counter", "none", "object", "system-net"),
                    metric("acme.tally", scope="capture")],
        "plugins": [{"name": "acme", "version": "1", "kind": "source", "state": "failed",
                     "why": f"cannot open /{s}", "batches": 3, "failures": 2, "cpu_ns": 4}],
        "presence_sets": [{}],
        "exit_presence_sets": [{}],
        "capture": {"version": "0.1.0", "kernel": "6.1", "jobs": 2,
                    "options": {"proc_root": f"/{s}", "settings": f"acme.file=/{s}", s: s},
                    "marks": [{"name": s, "unix_ns": 7}, {"name": f"{s} 2", "unix_ns": 8},
                              {"name": s, "unix_ns": 9}],
                    "note": f"the host was suspended for 3.0 s; samples that could not be "
                            f"written: 2 (/{s}: No space left on device); {s}"},
        s: s,
    }


def test_nothing_of_a_file_full_of_secrets_is_left():
    harness.need_command("zstd")
    with folder() as tmp:
        document = planted()
        # Option names are ctprof's own, and so are no secret of the file.
        del document["capture"]["options"][SECRET]
        (tmp / "plain").write_text(json.dumps(document))
        subprocess.run(["zstd", "-q", tmp / "plain", "-o", tmp / "a.ctprof.zst"], check=True)
        text = text_of(redact(tmp / "a.ctprof.zst", tmp / "b.ctprof.zst"))
        for secret in (SECRET, SECRET.encode().hex(), "hex"):
            assert secret not in text, text
        after = json.loads(text)
        assert after["threads"][0]["run_time_ns"] == 2**64 - 1
        assert after["threads"][0]["extra"]["acme_char"] == "S"
        assert re.fullmatch(f"/({WORD}).slice/\\1@\\1.service", after["threads"][0]["cgroup"])
        assert after["capture"]["note"] == ("the host was suspended for 3.0 s; samples that could "
                                            "not be written: 2; (redacted)")
        marks = after["capture"]["marks"]
        assert [mark["unix_ns"] for mark in marks] == [7, 8, 9], marks
        assert marks[0]["name"] == marks[2]["name"] != marks[1]["name"], marks
        plugin, = after["plugins"]
        assert plugin == {**document["plugins"][0], "why": "(redacted)"}
        fields = after["capture"]["redacted"]["fields"]
        assert fields["comm"] == 3 and fields["acme_text"] == 1 and fields["plugins.why"] == 1, fields
        assert fields["capture.marks"] == 3, fields
        assert fields["cgroup_stats"] == 2 and fields["objects.acme-things"] == 1, fields
        assert list(after["cgroup_stats"]) == sorted(after["cgroup_stats"])


def test_tables_of_it_have_nothing_either():
    """No kind of row has a name in its text; no folder or file is named after the host."""
    harness.need_command("zstd")
    with folder() as tmp:
        document = planted()
        del document["capture"]["options"][SECRET]
        (tmp / "plain").write_text(json.dumps(document))
        file = tmp / f"{SECRET}-20261122T031200Z.ctprof.zst"
        subprocess.run(["zstd", "-q", tmp / "plain", "-o", file], check=True)
        for rows in ("threads", "groups", "cgroups", "objects", "captures"):
            command = ("export", "-q", "-f", "ndjson", "--rows", rows, file)
            before = run(*command).stdout.decode()
            after = run(*command, "--redact").stdout.decode()
            assert SECRET in before and SECRET not in after, (rows, after)
            assert len(before.splitlines()) == len(after.splitlines()) > 0, (rows, before, after)
        run("export", "-q", "-f", "csv", "--partition", "-o", tmp / "out", file, "--redact")
        made, = (tmp / "out").glob("*/*/*.csv")
        assert SECRET not in str(made) and SECRET not in made.read_text(), made
        # At capture time, a sink of tables gets its rows in another way.
        names = capture(tmp / "names", "-p", os.getpid(), "--sink=ndjson").read_text()
        none = capture(tmp / "none", "-p", os.getpid(), "--sink=ndjson", "--redact").read_text()
        comm = Path("/proc/self/comm").read_text().strip()
        assert json.dumps(comm) in names and json.dumps(comm) not in none, none


def test_kernel_threads_keep_their_names():
    """If kthreadd is present, and only threads without page faults; device names are replaced."""
    harness.need_command("zstd")
    number = {"kind": "counter", "unit": "none"}

    def redacted(root, tmp):
        threads = [(1, "init", 0, 3), (2, root, 0, 0), (5, "kworker/0:1-events", 2, 0),
                   (9, "kworker/u8:1-wr", 2, 0), (10, "kworker/0:1H-kb", 2, 0), (11, "kworker/R-ext4-", 2, 0),
                   (12, "rcu_tasks_kthre", 2, 0), (13, "napi/secret0-3", 2, 0), (14, "wg-crypt-secret", 2, 0),
                   (15, "10.9.8.7-manager", 2, 0), (16, "drbd_w_secret", 2, 0),
                   (6, "modprobe", 2, 9), (8, "kworker/1:0", 1, 0)]
        document = {
            "format": {"name": "ctprof", "version": 1},
            "threads": [thread(tid, comm, start_time_clock_ticks=5, majflt=0, minflt=faults,
                               extra={"ppid": parent}) for tid, comm, parent, faults in threads],
            "metrics": [metric("comm"), metric("pcomm"), metric("start_time_clock_ticks", unit="ticks"),
                        {**metric("minflt"), **number}, {**metric("majflt"), **number},
                        metric("ppid", unit="none", scope="process")],
            "presence_sets": [{}],
        }
        (tmp / root).write_text(json.dumps(document))
        subprocess.run(["zstd", "-q", tmp / root, "-o", tmp / f"{root}.zst"], check=True)
        after, = frames_of(redact(tmp / f"{root}.zst", tmp / f"{root}.redacted"))
        kept = {t["comm"] for t in after["threads"]} & {t[1] for t in threads}
        assert not re.search(r"secret|\b9[.]8\b", json.dumps(after)), after
        assert kept == {t["pcomm"] for t in after["threads"]} & {t[1] for t in threads}
        return kept

    with folder() as tmp:
        assert redacted("kthreadd", tmp) == {"kthreadd", "kworker/0:1-events", "kworker/u8:1-wr", "kworker/0:1H-kb",
                                             "kworker/R-ext4-", "rcu_tasks_kthre"}
        assert redacted("bash", tmp) == set()


def test_the_table_has_every_text_of_ours():
    """The author of a metric decides if its text is a name; a third-party plugin's always is."""
    table = (SOURCE / "core/redact/fields.c").read_text()
    metrics = json.loads(run("--plugins=all", "metric-list", "--format=json").stdout)["metrics"]
    ours = [m for m in metrics if (m["unit"] == "text" or m["kind"] == "map")]
    assert len(ours) > 20, ours
    missing = [m["name"] for m in ours if f'"{m["name"]}"' not in table]
    missing += {m["group"] for m in metrics if m["scope"] == "object" and f'"{m["group"]}"' not in table}
    assert not missing, missing


# ---- captures ---------------------------------------------------------------------------


def capture(file, *options, plugins=PLAIN):
    run(*plugins, "capture", "-o", file, *options)
    return file


def names_in(file):
    document, = frames_of(file)
    return ([(t["tid"], t["comm"], t["pcomm"], t["cgroup"]) for t in document["threads"]],
            list(document["cgroup_stats"]), [o["name"] for o in document.get("objects", [])])


def test_odd_names():
    """A recorded tree redacted at capture and afterwards is the same with the same key."""
    with folder() as tmp:
        root = (f"--proc-root={ODD}/proc", f"--sys-root={ODD}/sys")
        key = f"--key-file={tmp}/key"
        plain = capture(tmp / "plain", *root)
        after = redact(plain, tmp / "after", key)
        check_no_name_is_left(plain, after)
        at = capture(tmp / "at", *root, "--redact", key)
        assert names_in(at) == names_in(after)
        assert '_hex"' not in text_of(after)


def rows(file, *arguments):
    """The output of a command as rows of CSV."""
    return list(csv.reader(io.StringIO(run(*arguments, "--format=csv", file).stdout.decode())))


def test_a_capture_of_memory():
    """No name is left, no number has changed; reports read it."""
    with folder() as tmp, Worker("--threads", "3") as worker:
        plain = capture(tmp / "plain.ctprof.zst", "--memory=all", "-p", worker.pid, "-p", os.getpid())
        after = redact(plain, tmp / "after.ctprof.zst")
        assert "worker" in check_no_name_is_left(plain, after)
        for command in (("show", "--all"), ("memory",), ("memory", "processes"), ("memory", "shared")):
            assert len(rows(plain, *command)) == len(rows(after, *command)), command
        told = run("show", after).stderr.decode()
        assert "the capture is redacted: names are pseudonyms" in told, told


def numbers(table):
    """The cells that are numbers, whatever they count."""
    return sorted(tuple(cell for cell in row if re.fullmatch(r"-?[\d.]+", cell)) for row in table)


def compare(a, b):
    done = run("compare", "--totals", "--all", "--format=csv", a, b)
    return list(csv.reader(io.StringIO(done.stdout.decode()))), done.stderr.decode()


def test_two_captures_by_one_key():
    """The same groups are joined as before, with the same numbers; with two keys none are."""
    with folder() as tmp, Worker("--threads", "3") as worker:
        key = f"--key-file={tmp}/key"
        pids = ("-p", worker.pid, "-p", os.getpid())
        a, b = capture(tmp / "a", *pids), capture(tmp / "b", *pids)
        before, _ = compare(a, b)
        ra, rb = redact(a, tmp / "ra", key), redact(b, tmp / "rb", key)
        after, told = compare(ra, rb)
        assert len(before) == len(after) and numbers(before) == numbers(after)
        assert "names:" not in told, told
        other = redact(b, tmp / "other")
        _, told = compare(ra, other)
        assert "names: redacted by the key" in told, told
        # Without a file the key is another one each time.
        again = redact(b, tmp / "again")
        comms = [{t["comm"] for t in frames_of(file)[0]["threads"]} for file in (ra, rb, other, again)]
        assert comms[0] & comms[1] and not comms[0] & comms[2] and not comms[3] & (comms[0] | comms[2]), comms


def test_a_recording():
    """Key frames and deltas, at capture and afterwards."""
    with folder() as tmp, Worker("--threads", "3") as worker:
        plain, key = tmp / "a.ctprof", f"--key-file={tmp}/key"
        record = (*PLAIN, "record", "-n", 4, "-i", "50ms", "-p", worker.pid, "-p", os.getpid())
        run(*record, "-o", plain)
        after = redact(plain, tmp / "b.ctprof", key)
        assert [f["format"].get("frame") for f in frames_of(after)][1:] == ["delta"] * 3
        check_no_name_is_left(plain, after)
        assert len(rows(plain, "compare")) == len(rows(after, "compare"))
        assert len(rows(after, "show", "--sample=1")) > 1
        run(*record, "-o", tmp / "c.ctprof", "--redact", key)
        names = {t["pcomm"] for t in frames_of(tmp / "c.ctprof")[0]["threads"]}
        assert names == {t["pcomm"] for t in frames_of(after)[0]["threads"]}
        assert "worker" not in names and all("redacted" in f["capture"]
                                             for f in frames_of(tmp / "c.ctprof"))


def test_standard_input():
    """A pipe works like a file, even for commands that read samples of a recording in any order."""
    with folder() as tmp:
        key = f"--key-file={tmp}/key"
        snapshot, recording = capture(tmp / "a", "-p", os.getpid()), tmp / "b"
        run(*PLAIN, "record", "-n", 4, "-i", "20ms", "-p", os.getpid(), "-o", recording)
        for file in (snapshot, recording):
            redact(file, tmp / "named", key)
            piped = subprocess.run(f"cat {file} | {harness.CTPROF} redact -q {key} - -o - | cat",
                                   shell=True, capture_output=True, check=True)
            assert piped.stdout == (tmp / "named").read_bytes(), piped.stderr
        commands = ("show --sample=1 -f csv -", "compare -f csv -", "cut --from=+20ms -o - -",
                    "export -f csv --rows windows --host b -")
        for command in commands:
            piped = subprocess.run(f"cat {recording} | {harness.CTPROF} -q {command}", shell=True,
                                   capture_output=True, check=True)
            named = run("-q", *command.split()[:-1], recording)
            assert piped.stdout == named.stdout and len(named.stdout) > 200, command


def test_the_name_of_the_host_is_in_no_file_name():
    host = os.uname().nodename
    with folder() as tmp:
        done = subprocess.run([harness.CTPROF, "--plugins=procfs,snapshot", "capture", "--redact",
                               f"-p{os.getpid()}"], cwd=tmp, check=True, capture_output=True)
        file, = tmp.glob("*.ctprof.zst")
        assert file.name.startswith("host-") and (host == "host" or host not in file.name)
        assert "procfs" not in done.stderr.decode()


# ---- mistakes ---------------------------------------------------------------------------


def test_bad_keys():
    with folder() as tmp:
        file = capture(tmp / "a", "-p", os.getpid())
        short, long, dense = tmp / "short", tmp / "long", tmp / "dense"
        short.write_bytes(b"0123456789abcde\n")
        long.write_bytes(bytes(range(1, 255)) * 17)
        dense.symlink_to("/dev/zero")
        for key, told in ((short, "expected 16 to 4096 bytes"), (long, "expected 16 to 4096 bytes"),
                          (tmp / "none", "No such file"), (tmp, "Is a directory"),
                          (dense, "No such device"), ("", "No such file")):
            done = run("redact", file, "-o", tmp / "out", f"--key-file={key}", check=False)
            assert done.returncode == 1 and told in done.stderr.decode(), (key, done.stderr)
            assert not (tmp / "out").exists()
        (tmp / "key").chmod(0o644)
        done = run("redact", file, "-o", tmp / "out", f"--key-file={tmp}/key")
        assert "others can read it" in done.stderr.decode()
        for words, told in (((), "expected a snapshot or recording: FILE"),
                            ((file,), "expected -o FILE"),
                            ((file, file, "-o", "-"), "unexpected argument")):
            done = run("redact", *words, check=False)
            assert done.returncode == 2 and told in done.stderr.decode(), (words, done.stderr)
        done = run("capture", f"--key-file={tmp}/key", "-o", "-", check=False)
        assert done.returncode == 2 and "only with --redact" in done.stderr.decode()


tap.main(globals(), world="own")
