# SPDX-License-Identifier: LGPL-2.1-or-later
"""A short run of every libFuzzer target of the ASan build."""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import lanes
from table import ROOT

PREFIX = "libfuzzer-"
LIMITS = ("-timeout=10", "-rss_limit_mb=1024", "-malloc_limit_mb=512")


def list_targets(lane):
    return lanes.list_programs(lane, PREFIX)


def fuzz_one(lane, program, seconds):
    """-> (name, whether nothing was found, the log). New inputs and crashes stay in the
    build folder."""
    name = program.name.removeprefix(PREFIX)
    work = lane.folder / "fuzz" / name
    (work / "corpus").mkdir(parents=True, exist_ok=True)
    seeds = ROOT / "tests/fuzz/corpus" / name
    words = ROOT / "tests/fuzz/dict" / f"{name.rpartition('-')[0] or name}.dict"
    # It ends when more than that many whole seconds have passed; 0 would be no limit.
    command = [program, f"-max_total_time={max(int(seconds) - 1, 1)}", *LIMITS, f"-artifact_prefix={work}/",
               *([f"-dict={words}"] if words.exists() else []),
               work / "corpus", *([seeds] if seeds.is_dir() else [])]
    with (work / "log").open("wb") as log:
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=log,
                              stderr=subprocess.STDOUT, env={**os.environ, **lane.env})
    return name, done.returncode == 0, (work / "log").read_text(errors="replace")


def run(lane, seconds, sums):
    programs = [path for path in list_targets(lane) if path.exists()]
    if not programs:
        sums.note("skipped", "[fuzz] no libFuzzer target was built")
        return
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, good, log in pool.map(lambda path: fuzz_one(lane, path, seconds), programs):
            if good:
                sums.count["passed"] += 1
                print(f"{name}: {''.join(re.findall('^Done .*', log, re.MULTILINE))}", flush=True)
            else:
                print("\n".join(log.splitlines()[-60:]))
                sums.note("failed", f"[fuzz] {name}: inputs in {lane.folder}/fuzz/{name}/")
