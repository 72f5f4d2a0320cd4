# SPDX-License-Identifier: LGPL-2.1-or-later
"""plugin-check finds the faults of a plugin, and none in a correct one."""

import json
import os
import pathlib
import tempfile

from rig import BUILD, SOURCE, add_tests, check_failure, rig

import tap
from built import is_sanitized

# TSan does not see the locks of GLib's own allocator.
os.environ["G_SLICE"] = "always-malloc"

# Fault of rude.c -> the check that finds it, words of the finding.
RULES = {
    "undeclared": ("files", "proc/<tgid>/task/<tid>/statm"),
    "absolute": ("files", "absolute path"),
    "early": ("files", "opened 'rude' in open()"),
    "leak": ("descriptors", "more descriptors than it began with"),
    "left": ("descriptors", "1 descriptors are still open after close()"),
    "thread": ("threads", "still run after close()"),
    "stray-put": ("puts", "outside collect()"),
    "many-buckets": ("puts", "was refused"),
    "positive": ("results", "collect returned 1"),
    "silent": ("results", "without a call of host->error()"),
    "twice": ("metrics", "rude_stat is declared twice"),
    "mute": ("metrics", "declared no metric"),
    "full-stop": ("metrics", "full stop"),
    "demand": ("demand", "call host->wanted() first"),
}

# Faults of toy.c, in the same form.
TOYS = {
    "wrong-major": ("load", "ABI 2"),
    "short-descriptor": ("load", "struct_size"),
    "no-collect": ("load", "collect"),
    "crash-constructor": ("load", "crashed with signal 11"),
    "crash-open": ("run", "in its open function"),
    "crash-start": ("run", "in its start function"),
    "crash-thread": ("run", "in its collect function"),
    "abort-thread": ("run", "crashed with signal 6"),
    "exit-thread": ("run", "ended the process with status"),
    "hang-thread": ("run", "not finished after 2 s"),
    "crash-close": ("run", "in its close function"),
    "overflow-thread": ("workers", "in its collect function"),
    "hang-worker-open": ("run", "not finished after 2 s; in its worker_open function"),
    "worker-fails": ("run", "no socket"),
    "open-fails": ("run", "no luck today"),
    "open-fails-in-silence": ("results", "without a call of host->error()"),
    "collect-fails": ("results", "collect failed"),
    "odd-metric": ("metrics", "name"),
    "bad-puts": ("puts", "was refused"),
}


def check(r, file, env=None, timeout=60):
    """The findings about a file, of the rig's recorded root, by result."""
    result = r.run("plugin-check", "--format", "json", "--timeout", timeout, "--proc-root", r.proc,
                   file, plugins=None, path=False, env=env)
    told = json.loads(result.out)
    found = {word: [(f["check"], f["text"]) for f in told["findings"] if f["result"] == word]
             for word in ("ok", "FAIL", "note")}
    assert told["failed"] == len(found["FAIL"]), str(result)
    assert result.status == (1 if found["FAIL"] else 0), str(result)
    return found


def find(found, where, words):
    return [text for check, text in found["FAIL"] if check == where and words in text]


def fill(r):
    for thread in r.proc.glob("*/task/*"):
        (thread / "wchan").write_text("do_wait")
        (thread / "stat").write_text(f"{thread.name} (toy) S 1\n")
        (thread / "statm").write_text("1 2 3\n")


def test_sound_source_passes():
    with rig() as r:
        fill(r)
        found = check(r, r.install("rude"))
        assert not found["FAIL"], found
        passed = {name for name, _ in found["ok"]}
        assert passed >= {"load", "name", "symbols", "descriptor", "needs", "run", "workers",
                          "demand", "bare", "metrics", "results", "puts", "files",
                          "descriptors", "threads", "values"}, passed
        assert ("values", "3 of 3 metrics have values") in found["ok"], found


def check_rule(fault, where, words):
    with rig() as r:
        fill(r)
        found = check(r, r.install("rude"), env={"RUDE_FAULT": fault})
        assert find(found, where, words), found
        # The plugin has no other fault.
        others = {name for name, _ in found["FAIL"]} - {where, "results", "run"}
        assert not others, found


def check_toy(fault, where, words):
    if is_sanitized() and fault == "crash-constructor":
        raise tap.Skip("a sanitizer's own handler reports the signal")
    with rig() as r:
        found = check(r, r.install("toy"), env={"TOY_FAULT": fault}, timeout=2)
        assert find(found, where, words), found


def test_wrong_file_name():
    with rig() as r:
        found = check(r, r.install("rude", "other"))
        assert find(found, "load", "not the one in its file name"), found


def test_stray_symbol():
    with rig() as r:
        found = check(r, r.install("rude-export", "rude"))
        assert find(found, "symbols", "rude_helper"), found


def test_no_plugin():
    with rig() as r:
        for name, data in (("empty", b""), ("text", b"#!/bin/sh\n"), ("elf", b"\x7fELF" * 40)):
            file = r.plugins / f"ctprof-{name}.so"
            file.write_bytes(data)
            found = check(r, file)
            assert [name for name, _ in found["FAIL"]] == ["load"] and not found["ok"], found


def test_sink_passes():
    with rig() as r:
        found = check(r, r.install("snapshot"))
        assert not found["FAIL"], found
        assert {"capture", "full-disk"} <= {name for name, _ in found["ok"]}, found


def test_sink_that_writes_nothing():
    with rig() as r:
        found = check(r, r.install("snapshot"), env={"TOYSINK_FAULT": "mute"})
        assert find(found, "capture", "nothing was written"), found


def test_misuse():
    with rig() as r:
        for arguments in ([], ["a", "b"], ["--timeout", "0", "a"], ["--pid", "x", "a"]):
            result = r.run("plugin-check", *arguments, plugins=None, path=False)
            check_failure(result, 2)


def test_text_ends_with_the_sum():
    with rig() as r:
        fill(r)
        file = r.install("rude")
        for env, last, status in (({}, "every check passed", 0),
                                  ({"RUDE_FAULT": "absolute"}, "1 failure", 1)):
            result = r.run("plugin-check", "--proc-root", r.proc, file, plugins=None, path=False,
                           env=env)
            assert result.out.splitlines()[-1] == last and result.status == status, str(result)


def test_what_it_prints_is_no_part_of_the_report():
    with rig() as r:
        fill(r)
        result = r.run("plugin-check", "--proc-root", r.proc, r.install("rude"), plugins=None,
                       path=False, env={"RUDE_FAULT": "prints"})
        assert result.out.count("every check passed") == 1, str(result)
        assert "every check passed" in result.err, str(result)


def test_nothing_is_left_behind():
    with rig() as r, tempfile.TemporaryDirectory() as tmp:
        check(r, r.install("toy"), env={"TOY_FAULT": "crash-thread", "TMPDIR": tmp})
        assert not os.listdir(tmp), os.listdir(tmp)


def check_own(_, file):
    """Our own plugins follow the rules, on the running host."""
    with rig() as r:
        result = r.run("plugin-check", "--format", "json", "--pid", os.getpid(), file,
                       plugins=None, path=False)
        failed = [f for f in json.loads(result.out)["findings"] if f["result"] == "FAIL"]
        assert not failed and result.status == 0, str(result)


OWN = {file.stem.replace("-", "_"): (file,)
       for file in sorted(pathlib.Path(BUILD).glob("ctprof-*.so"))}
RECORDED = SOURCE / "tests/roots/6.18-odd-names"


def check_own_recorded(_, file):
    """They also follow the rules if most of the files they read are missing."""
    with rig() as r:
        result = r.run("plugin-check", "--format", "json", "--proc-root", RECORDED / "proc",
                       "--sys-root", RECORDED / "sys", file, plugins=None, path=False)
        failed = [f for f in json.loads(result.out)["findings"] if f["result"] == "FAIL"]
        assert not failed and result.status == 0, str(result)


add_tests(globals(), "finds", check_rule, RULES)
add_tests(globals(), "finds_toy", check_toy, TOYS)
add_tests(globals(), "own", check_own, OWN)
add_tests(globals(), "own_recorded", check_own_recorded, OWN)

if __name__ == "__main__":
    tap.main(globals(), world="own")
