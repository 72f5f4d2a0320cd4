#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plugins of third parties, built only against an installed tree, can do what ours
do."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import openmetrics  # noqa: E402
from stranger import call, find_tool, tap, workshop  # noqa: E402

NOBODY = 65534
OPENED = 5
EVIL = 'e"v\\i l'


def snapshot(file):
    return json.loads(call(find_tool("zstd"), "-dcq", file))


def capture(w, path, name, *arguments, pid=None, **options):
    """A capture of one process only, this one if no other, by all plugins that read it."""
    file = w.tmp / name
    w.run("--plugins=wchan,procfs,snapshot", "capture", "--pid", pid or os.getpid(), "-o", file,
          *arguments, path=path, **options)
    return file


def leader(file, pid=None):
    thread, = [t for t in snapshot(file)["threads"] if t["tid"] == (pid or os.getpid())]
    return thread


def absence(file, metric, pid=None):
    """Why the process's first thread has no value of that metric, or None."""
    thread = leader(file, pid)
    for reason, names in snapshot(file)["presence_sets"][thread["presence"]].items():
        if metric in names:
            return reason
    return None


@contextlib.contextmanager
def opener():
    """A process with few files, which does nothing; and what has it open more."""
    files = " ".join(f"{fd}</dev/null" for fd in range(3, 3 + OPENED))
    with subprocess.Popen(["sh", "-c", f"echo; read _; exec {files}; echo; read _"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()

        def open_more():
            process.stdin.write(b"\n")
            process.stdin.flush()
            process.stdout.readline()

        yield process.pid, open_more
        process.stdin.close()


def build_both(w):
    """Builds each with its Makefile and with meson, and runs its test; returns
    the folder."""
    folder = w.tmp / "plugins"
    folder.mkdir()
    for name, kind in (("wchan", "source"), ("scrape", "sink")):
        project = w.project(name, kind)
        assert f"{name}: all tests passed" in w.make(project, "check")
        w.meson(project, w.tmp / f"build-{name}")
        w.make(project, "install", f"plugindir={folder}")
    return folder


def draw(w, path, *arguments):
    shown = w.run(*arguments, "--format=scrape", "--limit=0", path=path)
    return openmetrics.parse(shown.stdout.encode("utf-8"))


def value(families, name, **labels):
    return families[name].samples[tuple(sorted(labels.items()))]


def check_source(w, path):
    with opener() as (pid, open_more):
        before = capture(w, path, "before.ctprof.zst", pid=pid)
        open_more()
        after = capture(w, path, "after.ctprof.zst", pid=pid)
    thread = leader(before, pid)
    assert thread["extra"]["open_fds"] >= 3, thread["extra"]
    # It sleeps; only a kernel without symbols does not show where.
    place = Path("/proc/self/wchan")
    if place.exists() and absence(before, "wchan", pid) is None:
        assert thread["extra"]["wchan"] not in ("", "0"), thread["extra"]
    compared = w.run("compare", "--group-by=pcomm", "--format=json", "--sections=primary",
                     "--metrics=wchan,open_fds", before, after, path=path)
    rows = [row for section in json.loads(compared.stdout)["sections"] for row in section["rows"]]
    assert {row["metric"] for row in rows} == {"wchan", "open_fds"}, rows
    opens, = [row for row in rows if row["metric"] == "open_fds"]
    assert opens["delta"] == OPENED, rows
    return before, after


def check_counter(families, file):
    """A counter is the snapshot's sum, in seconds."""
    family = families["ctprof_run_time_seconds"]
    total = sum(thread["run_time_ns"] for thread in snapshot(file)["threads"])
    assert family.meta["TYPE"] == "counter" and family.meta["UNIT"] == "seconds", family.meta
    assert abs(sum(map(float, family.samples.values())) - total / 1e9) < 1e-8, family.samples
    assert families["ctprof_open_fds"].meta["TYPE"] == "gauge"
    assert {"ctprof_nice_min", "ctprof_nice_max"} <= set(families)


def check_sink(w, path, before, after):
    for group_by in ("pcomm", "comm", "comm-exact", "cgroup", "all", "thread"):
        check_counter(draw(w, path, "show", f"--group-by={group_by}", before), before)
    everything = "--sections=primary,derived,host,smaps-rollup,cgroup-stats,pressure"
    families = draw(w, path, "compare", "--group-by=all", everything, before, after)
    sides = {dict(labels)["side"] for family in families.values() for labels in family.samples}
    assert sides == {"baseline", "candidate"}, sides
    names = {label for family in families.values() for labels in family.samples
             for label, _ in labels}
    assert {"cgroup", "pcomm", "comm", "side"} <= names, names
    for file in (before, after):
        check_counter(draw(w, path, "show", file), file)


def test_strangers_capture_and_draw():
    with workshop() as w:
        path = build_both(w)
        before, after = check_source(w, path)
        check_sink(w, path, before, after)


def test_plugin_check_passes_both():
    with workshop() as w:
        path = build_both(w)
        found = w.check(path / "ctprof-wchan.so")
        assert {"check": "demand", "result": "ok", "text": ""} in found, found
        found = w.check(path / "ctprof-scrape.so")
        drawn = {f["check"] for f in found if f["result"] == "ok"}
        assert {"show", "compare", "table"} <= drawn, found


def test_everything_a_host_has_is_openmetrics():
    """The whole host, by all of ctprof's own sources, in all groupings."""
    with workshop() as w:
        path = build_both(w)
        file = w.tmp / "host.ctprof.zst"
        w.run("--plugins=-wchan,-example", "-q", "capture", "-o", file, path=path)
        for group_by in ("pcomm", "cgroup", "all", "thread"):
            families = draw(w, path, "-q", "show", f"--group-by={group_by}", "--no-thread-normalize",
                            file)
            assert len(families) > 20, sorted(families)


def test_what_others_may_not_know_is_denied():
    if os.geteuid() != 0:
        raise tap.Skip("it takes root to become another user")
    with workshop() as w:
        path = build_both(w)
        output = w.tmp / "theirs"
        output.mkdir()
        os.chown(output, NOBODY, NOBODY)
        # A sleeping thread, whose place the kernel does not tell. We sleep while ctprof runs,
        # except between its start and our wait.
        for n in range(20):
            file = capture(w, path, f"theirs/{n}.ctprof.zst", user=NOBODY, group=NOBODY,
                           extra_groups=[])
            if leader(file)["state"] != "R":
                break
        assert absence(file, "open_fds") == "denied", absence(file, "open_fds")
        assert absence(file, "wchan") == "denied", leader(file)


def test_names_are_escaped():
    """A thread may call itself anything."""
    with workshop() as w:
        path = build_both(w)
        done = threading.Event()

        def body():
            Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(EVIL)
            named.set()
            done.wait()

        named = threading.Event()
        thread = threading.Thread(target=body)
        thread.start()
        named.wait()
        try:
            file = capture(w, path, "x.ctprof.zst")
        finally:
            done.set()
            thread.join()
        families = draw(w, path, "show", "--group-by=comm-exact", file)
        assert value(families, "ctprof_thread_count", comm=EVIL) == "1"


def test_the_reader_is_strict():
    """It rejects what a careless sink might write."""
    head = b"# TYPE a gauge\n"
    for bad in (b"", b"# EOF", head + b"a 1\n", head + b"# EOF\n", b"a 1\n# EOF\n",
                head + b"a 1\na 2\n# EOF\n", head + b"a{b=\"\x01\"} 1\n# EOF\n",
                head + b"a{b=\"\xff\"} 1\n# EOF\n", head + b"a{b=\"\\x\"} 1\n# EOF\n",
                head + b"a{b=\"c\",} 1\n# EOF\n", head + b"a{b=\"c\",b=\"d\"} 1\n# EOF\n",
                head + b"a_total 1\n# EOF\n", head + b"a 1,5\n# EOF\n", head + b"a inf\n# EOF\n",
                b"# TYPE a counter\na 1\n# EOF\n", b"# TYPE a counter\na_total -1\n# EOF\n",
                b"# HELP a b\n# TYPE a gauge\na 1\n# EOF\n",
                b"# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n",
                head + b"a 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\na{c=\"d\"} 1\n# EOF\n",
                b"# TYPE a counter\na_total 1\n# TYPE a_total gauge\na_total 1\n# EOF\n"):
        try:
            openmetrics.parse(bad)
        except (AssertionError, UnicodeDecodeError):
            continue
        raise AssertionError(f"taken: {bad!r}")
    good = b"# TYPE a_seconds counter\n# UNIT a_seconds seconds\n# HELP a_seconds x \\\\ y\n" \
           b"a_seconds_total{b=\"\\n\\\"\\\\\"} 1.5\n# EOF\n"
    assert value(openmetrics.parse(good), "a_seconds", b='\n"\\') == "1.5"


if __name__ == "__main__":
    tap.main(globals(), world="own")
