# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests ctprof memory of the real program: its output and exit status."""

import contextlib
import csv
import io
import json
import mmap
import os
import pwd
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

FOLDER = tempfile.TemporaryDirectory(prefix="ctprof-memory-test-")
SNAPSHOT = f"{FOLDER.name}/now.ctprof.zst"
os.chmod(FOLDER.name, 0o755)


def ctprof(*arguments, **more):
    return subprocess.run(
        [str(harness.CTPROF), *map(str, arguments)],
        capture_output=True,
        check=False,
        cwd=FOLDER.name,
        timeout=harness.PATIENCE_S,
        **more,
    )


def text(*arguments, **more):
    done = ctprof(*arguments, **more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def need(group):
    """Skips the test if no plugin of this build reads that group."""
    plugins = json.loads(text("plugins", "--format", "json"))["plugins"]
    if not any(group in plugin["groups"] for plugin in plugins):
        raise tap.Skip(f"no plugin of this build has the group {group}")


def snapshot():
    need("memory")
    if not os.path.exists(SNAPSHOT):
        text("-q", "capture", "--plugins=memory", "--memory=processes", "-o", SNAPSHOT)
    return SNAPSHOT


def table(*arguments):
    """Returns the first section of ctprof memory's JSON."""
    return json.loads(text("memory", "--format", "json", *arguments))["sections"][0]


def test_misuse_is_exit_code_2():
    for arguments, word in (
        (["xyz"], "pools, ledger, processes, process, areas, shared, object, tmpfs, sysv"),
        (["process"], "process ID"),
        (["object"], "name of an object"),
        (["process", "x"], "process ID"),
        (["processes", "a", "b", "c"], "'c'"),
        (["processes", "--sort", "x"], "pss, uss, rss"),
        (["ledger", "--sort", "pss"], "the view ledger has kernel, size, name"),
        (["tmpfs", "--sort", "pss"], "used, limit, files, name"),
        (["processes", "--fold", "--flat"], "--flat"),
        (["sysv", "--fold"], "processes and tmpfs"),
        (["processes", "--filter", "("], "--filter"),
        (["processes", "--limit", "-1"], "--limit"),
        (["processes", "--walk"], "tmpfs"),
        (["processes", "--swap-share", "x"], "by-object"),
        (["processes", "--format", "xml", "none"], "xml"),
    ):
        done = ctprof("memory", *arguments)
        said = done.stderr.decode()
        assert done.returncode == 2, f"{arguments}: exit {done.returncode}: {said}"
        assert word in said and said.count("\n") == 1 and not done.stdout, f"{arguments}: {said}"


def test_file_without_what_the_view_needs_is_exit_code_1():
    path = f"{FOLDER.name}/bare.ctprof.zst"
    text("-q", "capture", "--plugins=procfs", "-o", path)
    for view, lacks, option in (
        ("ledger", "memory ledger", "--memory"),
        ("processes", "memory of processes", "--memory=processes"),
        ("tmpfs", "tmpfs mounts", "--memory=tmpfs"),
        ("shared", "shared objects", "--memory=shared"),
        ("sysv", "SysV segments", "--memory=sysv"),
    ):
        done = ctprof("memory", view, path)
        said = done.stderr.decode()
        assert done.returncode == 1 and not done.stdout, (view, done)
        assert f"{path} has no {lacks}" in said and said.rstrip().endswith(option), said
        assert said.count("\n") == 1, said


def test_file_that_cannot_be_read_is_exit_code_1():
    done = ctprof("memory", "processes", "none")
    assert done.returncode == 1 and b"none" in done.stderr, done
    # A word that is not a view may be a file, which is shown in the default view.
    done = ctprof("memory", FOLDER.name)
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1, done


def test_sums_of_roots_are_the_total():
    processes = table("processes", snapshot())
    lines, (total,) = processes["lines"], processes["totals"]
    assert len({line["pid"] for line in lines}) == len(lines) > 0
    for metric in ("pss", "uss", "rss", "swap"):
        own = sum(line[metric] or 0 for line in lines)
        roots = sum(line[f"{metric}_subtree"] or 0 for line in lines if line["depth"] == 0)
        assert own == roots == (total[metric] or 0) == (total[f"{metric}_subtree"] or 0), metric
    states = [line["memory_state"] for line in lines]
    assert processes["coverage"]["exact"] == states.count("exact")


def test_formats_tell_the_same():
    path = snapshot()
    lines = table("processes", "--flat", path)["lines"]
    rows = list(csv.DictReader(io.StringIO(text("memory", "processes", "--flat", "-f", "csv", path))))
    shown = text("memory", "processes", "--flat", "--no-header", path).splitlines()
    assert [row["pid"] for row in rows if row["line"] == "line"] == [str(x["pid"]) for x in lines]
    assert [row["pss"] for row in rows if row["line"] == "line"] == [
        "" if line["pss"] is None else str(line["pss"]) for line in lines
    ]
    assert [line.split()[0] for line in shown[: len(lines)]] == [str(x["pid"]) for x in lines]


def test_every_total_tells_what_it_is_made_of():
    """This holds in each view, and in the same way in each format."""
    need("memory-shared")
    path = f"{FOLDER.name}/all.ctprof.zst"
    text("-q", "capture", "--plugins=memory", "--memory=all,files", "-o", path)
    for view in ("pools", "ledger", "processes", "shared", "tmpfs", "sysv", "categories"):
        drawn = text("memory", view, path)
        rows = text("memory", view, "-f", "csv", path).splitlines()
        for section in json.loads(text("memory", view, "-f", "json", path))["sections"]:
            if section["name"] == "lenses":
                assert all(line["exact"] is not None for line in section["lines"])
            if section["name"] in ("lenses", "consumers", "host"):
                continue
            told = section["coverage"]
            counts = [told[word] for word in ("exact", "approximate", "missing")]
            words = "{}: {} exact, {} approximate, {} missing".format(told["of"], *counts)
            assert f" {words}\n" in drawn, (view, words)
            last = ",".join([told["of"], *map(str, counts)])
            (line,) = [x for x in rows if x.startswith(section["name"] + ",coverage,")]
            assert line.endswith("," + last), line


def test_manual_has_the_orders_of_each_view():
    page = (harness.SOURCE / "docs/man/ctprof-memory.1.scd").read_text(encoding="utf-8")
    orders = page.partition("# SORTING AND FOLDING")[2].partition("\n# ")[0]
    for view in ("pools", "ledger", "processes", "process", "areas", "shared", "object", "tmpfs", "sysv",
                 "categories"):
        said = ctprof("memory", view, *["1"][: view in ("process", "object")], "--sort=?").stderr.decode()
        known = said.strip().partition(f" {view} has ")[2].split(", ")
        (told,) = [
            part.split("\n\n")[0]
            for part in orders.split("\n*")
            if part.partition("*")[0] == view
        ]
        words = set(told.replace(",", " ").replace(";", " ").split())
        assert len(known) > 2 and set(known) <= words, (view, known, words)


def test_folding_changes_no_total():
    need("memory-ledger")
    path = snapshot()
    whole, folded = (table("processes", *more, path) for more in ([], ["--fold"]))
    assert folded["totals"] == whole["totals"] and folded["coverage"] == whole["coverage"]
    stand = sum(1 + (line["folded"] or 0) for line in folded["lines"])
    assert stand == len(whole["lines"]) >= len(folded["lines"])


def test_orders_and_limit():
    path = snapshot()
    for sort in ("pss", "uss", "rss"):
        values = [line[sort] for line in table("processes", "--flat", "--sort", sort, path)["lines"]]
        known = [value for value in values if value is not None]
        assert known == sorted(known, reverse=True)
        assert values[len(known) :] == [None] * (len(values) - len(known))
    cut = table("processes", "--flat", "-n", 1, path)
    assert len(cut["lines"]) == 1 and cut["cut"] > 0


def test_filter_shows_what_a_match_is_below():
    need("memory-ledger")
    lines = table("processes", "--filter", f"^{os.getpid()}$")
    (own,) = [line for line in lines["lines"] if not line.get("context")]
    assert own["pid"] == os.getpid()
    assert [line["depth"] for line in lines["lines"]] == list(range(len(lines["lines"])))
    (total,) = lines["totals"]
    assert total["pss"] == own["pss"] and total["pss_subtree"] == own["pss_subtree"]


def test_this_process_is_told_as_the_kernel_tells_it():
    need("memory-ledger")
    (own,) = [x for x in table("processes", "--flat")["lines"] if x["pid"] == os.getpid()]
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    words = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    rss = int(words["VmRSS"].split()[0]) * 1024
    assert own["memory_state"] == "exact"
    assert own["ppid"] == os.getppid()
    assert own["cwd"] == os.getcwd()
    assert rss / 2 < own["rss"] < rss * 2 and 0 < own["uss"] <= own["pss"] <= own["rss"]


def test_foreign_processes_have_no_pss_and_it_is_said_once():
    user = harness.need_other_user()
    need("memory-ledger")
    done = ctprof(
        "memory", "processes", "--flat", "-f", "json", **harness.other_user(user)
    )
    assert done.returncode == 0, done.stderr.decode()
    processes = json.loads(done.stdout)["sections"][0]
    foreign = [line for line in processes["lines"] if line["user"] == "root"]
    assert foreign, "no process of root is seen"
    refused = [line for line in foreign if line["memory_state"] == "approximate"]
    assert refused and all(line["pss"] is None for line in foreign)
    assert any(line["rss"] for line in foreign)
    assert processes["coverage"]["approximate"] >= len(refused)
    told = done.stderr.decode() + "\n".join(processes["notes"])
    assert told.count("CAP_PERFMON") == 1, told


def test_without_pss_pools_are_in_the_order_of_rss():
    """This is the order for a user who may read few processes; if there is PSS, the column is not shown."""
    user = harness.need_other_user()
    need("memory-ledger")
    done = ctprof("memory", "-n", 0, "-f", "json", **harness.other_user(user))
    pools = json.loads(done.stdout)["sections"][-1]
    values = [line["rss"] for line in pools["lines"] if line["role"] == "pool"]
    assert values and values == sorted(values, key=lambda rss: -(rss or -1)), values
    assert " RSS " in ctprof("memory", **harness.other_user(user)).stdout.decode()
    assert " RSS " not in text("memory")


def test_ledger_of_this_host():
    need("memory-ledger")
    sections = {x["name"]: x for x in json.loads(text("memory", "ledger", "-f", "json"))["sections"]}
    meminfo = {line["name"]: line["bytes"] for line in sections["meminfo"]["lines"]}
    kernel = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
    assert list(meminfo) == [line.partition(":")[0] for line in kernel]
    total = int(kernel[0].split()[1]) * 1024
    assert meminfo["MemTotal"] == total
    assert sections["physical"]["lines"][0]["name"] == "allocated"


def test_tmpfs_of_this_host():
    need("memory-tmpfs")
    mounts = {line["mount"]: line for line in table("tmpfs")["lines"]}
    for mount, line in mounts.items():
        # Bytes that are not UTF-8 have another name in JSON.
        if "\ufffd" in mount:
            continue
        st = os.statvfs(mount)
        assert line["limit"] in ("max", st.f_blocks * st.f_frsize), (mount, line)


def test_own_mappings():
    need("memory-mappings")
    sections = json.loads(text("memory", "process", os.getpid(), "-f", "json"))["sections"]
    own, mappings = sections
    assert [line["pid"] for line in own["lines"]] == [os.getpid()]
    kinds = {line["kind"] for line in mappings["lines"]}
    assert {"heap", "stack", "file"} <= kinds, kinds
    (total,) = mappings["totals"]
    assert total["rss"] == sum(line["rss"] for line in mappings["lines"])


def test_state_and_threads_are_told_live():
    need("memory-ledger")
    lines = table("processes", "--flat")["lines"]
    (own,) = [line for line in lines if line["pid"] == os.getpid()]
    threads = len(os.listdir("/proc/self/task"))
    assert own["state"] in "SR" and own["threads"] == threads, own
    total = Path("/proc/meminfo").read_text(encoding="utf-8").split()[1]
    assert abs(own["ram_percent"] - 100 * own["pss"] / (int(total) * 1024)) < 0.01, own


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


def test_filters_look_at_state_and_working_directory():
    need("memory-ledger")
    with tempfile.TemporaryDirectory(prefix="ctprof-cwd-") as folder:
        with subprocess.Popen(["sleep", "1000"], cwd=folder) as sleeper:
            harness.wait_for(lambda: state_of(sleeper.pid) == "S", "the sleeper")
            name = os.path.basename(folder)
            (line,) = table("processes", "--flat", "--filter", f"/{name}$")["lines"]
            os.kill(sleeper.pid, signal.SIGSTOP)
            harness.wait_for(lambda: state_of(sleeper.pid) == "T", "the stop")
            stopped = [x["pid"] for x in table("processes", "--flat", "--filter", "^T$")["lines"]]
            sleeper.kill()
    assert line["pid"] == sleeper.pid and sleeper.pid in stopped, (line, stopped)


def test_pools_add_up_and_ctprof_is_told_apart():
    need("memory-ledger")
    host, pools = json.loads(text("memory", "-f", "json"))["sections"]
    own, total = pools["totals"]
    for metric in ("processes", "pss", "uss"):
        parts = sum(line[metric] or 0 for line in pools["lines"]) + own[metric]
        assert parts == total[metric], metric
    assert own["pool"] == "ctprof itself" and own["processes"] == 2 and own["shared"] > 0
    assert any("without ctprof" in note for note in pools["notes"])
    sizes = {line["name"]: line["bytes"] for line in host["lines"]}
    assert 0 < sizes["free"] <= sizes["total"] and sizes["available"] < sizes["total"]
    by_user = json.loads(text("memory", "--group-by", "user", "-f", "json"))["sections"][1]
    names = [line["pool"] for line in by_user["lines"]]
    assert pwd.getpwuid(os.getuid()).pw_name in names, names


HOLD = (
    "import mmap, sys\n"
    "file = open(sys.argv[1], 'r+b')\n"
    "area = mmap.mmap(file.fileno(), 0)\n"
    "sum(area[::4096])\n"
    "print('ready', flush=True)\n"
    "sys.stdin.read()\n"
)


@contextlib.contextmanager
def hold(path):
    """Starts a process that maps all of a file."""
    with subprocess.Popen([sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as holder:  # fmt: skip
        assert holder.stdout.readline() == "ready\n"
        yield holder
        holder.stdin.close()


def test_every_consumer_is_told_in_bytes():
    need("memory-shared")
    path = f"{FOLDER.name}/held-{os.getpid()}"
    Path(path).write_bytes(b"x" * 65536)
    name = os.path.basename(path)
    with contextlib.ExitStack() as stack:
        pids = {stack.enter_context(hold(path)).pid for _ in range(5)}
        shown = json.loads(text("memory", "shared", "--filter", name, "-f", "json"))
        told = text("memory", "object", name)
    (line,), consumers = (section["lines"] for section in shown["sections"])
    assert line["processes"] == 5 and {x["pid"] for x in consumers} == pids, (pids, consumers)
    assert sum(x["pss"] for x in consumers) == line["pss"] > 0
    assert "2 more" in line["consumers"] and all(f" {pid}  " in told for pid in pids), told


def test_the_largest_areas_of_all_processes():
    need("memory-mappings")
    size = 48 << 20
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as area:
        area[::4096] = b"x" * (size // 4096)
        lines = table("areas")["lines"]
    (own,) = [x for x in lines if x["pid"] == os.getpid() and x["area"] == "<anonymous>"]
    assert size <= own["rss"] < 2 * size and own["name"], own
    sizes = [line["rss"] for line in lines]
    assert sizes == sorted(sizes, reverse=True)
    assert not any(line["kind"] == "file" for line in lines)


def test_nothing_is_left_behind():
    need("memory-ledger")
    text("memory", "processes", env={**os.environ, "TMPDIR": FOLDER.name})
    assert not [name for name in os.listdir(FOLDER.name) if name.startswith("ctprof-memory")]


if __name__ == "__main__":
    tap.main(globals(), world="own")
