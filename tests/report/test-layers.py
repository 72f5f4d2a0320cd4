# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests --group-by layer: a configuration of layers on 5000 threads, against a script that evaluates the same
file independently."""

import collections
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

MADE = tempfile.TemporaryDirectory(prefix="ctprof-layers-")
FOLDER = Path(MADE.name)
PROCESSES, EACH = 1000, 5

LAYERS = [
    {"name": "kernel", "matches": [[{"IsKthread": True}]], "kind": {"Open": {}}},
    {"name": "one", "matches": [[{"PIDEquals": 5007}], [{"TGIDEquals": 5010}, {"IsGroupLeader": False}]]},
    {"name": "batch", "comment": "slices, and what ends like one",
     "matches": [[{"CgroupPrefix": "system.slice/batch"}, {"NiceAbove": 0}],
                 [{"CgroupSuffix": "/job.scope/"}, {"NiceBelow": 5}]]},
    {"name": "web", "matches": [[{"PcommPrefix": "web"}, {"CommPrefixExclude": "web-log"}],
                                [{"CgroupRegex": "user-[0-9]+\\.slice/.*web"}]]},
    {"name": "short", "matches": [[{"AvgRuntime": [0, 500]}, {"CgroupContains": "slice"}]]},
    {"name": "nice", "matches": [[{"NiceEquals": 7}, {"PcommPrefixExclude": "db"}],
                                 [{"PPIDEquals": 5001}, {"CommPrefix": "db"}]]},
    {"name": "rest", "matches": [[]]},
]  # fmt: skip


def ctprof(*arguments, status=0):
    done = subprocess.run([str(harness.CTPROF), *map(str, arguments)], capture_output=True, check=False,
                          cwd=FOLDER, timeout=harness.PATIENCE_S)  # fmt: skip
    assert done.returncode == status, (done.returncode, done.stderr.decode())
    return done


def templates():
    """Returns the records of a leader and of another thread, of this process."""
    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    ctprof("--plugins=procfs", "-q", "capture", "--smaps=never", "-o", "here")
    stop.set()
    other.join()
    data = json.loads(subprocess.run(["zstd", "-dcq", FOLDER / "here"], capture_output=True, check=True).stdout)
    leader = next(each for each in data["threads"] if each["tid"] == each["tgid"] and "ppid" in each.get("extra", {}))
    thread = next(each for each in data["threads"] if each["tid"] != each["tgid"])
    return data, leader, thread


def write(path, data):
    path.unlink(missing_ok=True)
    subprocess.run(["zstd", "-q", "-o", path], input=json.dumps(data).encode(), check=True)


def made():
    """Returns a capture of the threads; another one is a second later, with one more fault for each
    thread."""
    path = FOLDER / "made"
    data, leader, thread = templates()
    chance = random.Random(20)
    cgroups = ["/", "/system.slice/batch-1.service", "/system.slice/web.service", "/user.slice/user-7.slice/web",
               "/user.slice/user-x.slice/web", "/a/job.scope", "/batch", "/a/slice"]  # fmt: skip
    threads = []
    for process in range(PROCESSES):
        tgid = 5000 + process * EACH
        pcomm = chance.choice(["web", "website", "db", "kworker", "x"])
        cgroup, parent = chance.choice(cgroups), chance.choice([1, 2, 5000, 5001])
        for i in range(EACH):
            one = dict(leader if i == 0 else thread)
            one.update(tid=tgid + i, tgid=tgid, pcomm=pcomm, cgroup=cgroup, nice=chance.choice([-5, 0, 4, 7, 19]),
                       comm=chance.choice([pcomm, "web-log", "db-1", "y"]), run_time_ns=chance.randrange(10**9),
                       timeslices=chance.choice([0, 1, 1000, 10**6]), minflt=chance.randrange(10**12))  # fmt: skip
            if i == 0:
                one["extra"] = {**one["extra"], "ppid": parent}
            threads.append(one)
    data["threads"] = threads
    write(path, data)
    data["captured_at_unix_ns"] += 10**9
    data["capture"]["begin_boottime_ns"] += 10**9
    data["threads"] = [{**each, "minflt": each["minflt"] + 1} for each in threads]
    write(FOLDER / "later", data)
    return path, threads


def matches(matcher, thread, parents):
    (word, value), = matcher.items()  # fmt: skip
    path = thread["cgroup"].lstrip("/") + "/"
    runtime = thread["run_time_ns"] // thread["timeslices"] // 1000 if thread["timeslices"] else 0
    parent = parents[thread["tgid"]]
    return {
        "CgroupPrefix": lambda: path.startswith(value),
        "CgroupSuffix": lambda: path.endswith(value),
        "CgroupContains": lambda: value in path,
        "CgroupRegex": lambda: re.search(value, path) is not None,
        "CommPrefix": lambda: thread["comm"].startswith(value),
        "CommPrefixExclude": lambda: not thread["comm"].startswith(value),
        "PcommPrefix": lambda: thread["pcomm"].startswith(value),
        "PcommPrefixExclude": lambda: not thread["pcomm"].startswith(value),
        "NiceAbove": lambda: thread["nice"] > value,
        "NiceBelow": lambda: thread["nice"] < value,
        "NiceEquals": lambda: thread["nice"] == value,
        "PIDEquals": lambda: thread["tid"] == value,
        "TGIDEquals": lambda: thread["tgid"] == value,
        "PPIDEquals": lambda: parent == value,
        "IsGroupLeader": lambda: (thread["tid"] == thread["tgid"]) == value,
        "IsKthread": lambda: (parent == 2 or thread["tgid"] == 2) == value,
        "AvgRuntime": lambda: value[0] <= runtime < value[1],
    }[word]()


def expected(threads, layers):
    """Returns the number of threads and the sum of their faults, in each layer."""
    parents = {each["tgid"]: each["extra"]["ppid"] for each in threads if each["tid"] == each["tgid"]}
    found = collections.defaultdict(lambda: [0, 0])
    for thread in threads:
        name = next(layer["name"] for layer in layers
                    if any(all(matches(each, thread, parents) for each in some) for some in layer["matches"]))  # fmt: skip
        found[name][0] += 1
        found[name][1] += thread["minflt"]
    return {name: tuple(both) for name, both in found.items()}


def shown(path, layers, *more):
    (FOLDER / "layers.json").write_text(json.dumps(layers))
    done = ctprof("show", "-f", "json", "-n", "0", "-m", "minflt", "--group-by=layer", "--layers=layers.json", *more, path)
    (section,) = (each for each in json.loads(done.stdout)["sections"] if each["name"] == "primary")
    return {row["group"]: (row["threads"][0], row["value"]) for row in section["rows"]}, done.stderr.decode()


def test_layers_are_those_of_an_independent_script():
    path, threads = made()
    found, said = shown(path, LAYERS)
    want = expected(threads, LAYERS)
    assert sum(n for n, _ in want.values()) == PROCESSES * EACH, want
    assert set(want) == {layer["name"] for layer in LAYERS}, want
    # The sums of random numbers agree only if each thread is in the same layer.
    assert found == want, (found, want)
    assert said == "", said


def test_a_window_has_the_same_layers():
    path, threads = made()
    (FOLDER / "layers.json").write_text(json.dumps(LAYERS))
    done = ctprof("compare", "--window", "-f", "json", "-n", "0", "-m", "minflt", "--group-by=layer",
                  "--layers=layers.json", path, FOLDER / "later")  # fmt: skip
    report = json.loads(done.stdout)
    (section,) = (each for each in report["sections"] if each["name"] == "primary")
    found = {row["group"]: (row["threads"], row["delta"]) for row in section["rows"]}
    assert found == {name: ([n, n], n) for name, (n, _) in expected(threads, LAYERS).items()}, (found, report.keys())


def test_what_no_capture_can_decide_is_named():
    path, threads = made()
    unknown = [
        {"name": "gpu", "matches": [[{"UsedGpuPid": True}, {"PcommPrefix": "web"}]]},
        {"name": "group", "matches": [[{"GIDEquals": 7}, {"PcommPrefix": "db"}]]},
        {"name": "rest", "matches": [[]]},
    ]
    found, said = shown(path, unknown)
    assert "a capture cannot decide UsedGpuPid of layer 'gpu'" in said, said
    count = lambda prefix: sum(each["pcomm"].startswith(prefix) for each in threads)  # noqa: E731
    assert {name: n for name, (n, _) in found.items()} == {
        "gpu?": count("web"), "group?": count("db"), "rest": PROCESSES * EACH - count("web") - count("db"),
    }, found  # fmt: skip


def test_what_is_wrong_is_said():
    path = made()[0]
    for text, message in (
        ("[", "--layers 'layers.json': "),
        ("[]", "whose last one matches every thread"),
        ('[{"name":"a","matches":[[{"Nix":1}]]}]', "layer 'a': Nix: unknown matcher"),
        ('[{"name":"a","matches":[[{"NiceAbove":"x"}]]}]', "layer 'a': NiceAbove: the value is of another type"),
        ('[{"name":"a","matches":[[{"CgroupRegex":"("}]]}]', "layer 'a': CgroupRegex: "),
        ('[{"name":"a","matches":[[{}]]}]', 'expected {"MATCHER": VALUE}'),
        ('[{"matches":[[]]}]', 'layer 1: expected a "name"'),
        ("[" * 5000, "too large"),
    ):
        (FOLDER / "layers.json").write_text(text)
        done = ctprof("show", "--group-by=layer", "--layers=layers.json", path, status=2)
        assert message in done.stderr.decode(), (text, done.stderr.decode())
    assert b"expected --layers FILE" in ctprof("show", "--group-by=layer", path, status=2).stderr
    assert b"only with --group-by layer" in ctprof("show", "--layers=layers.json", path, status=2).stderr


if __name__ == "__main__":
    tap.main(globals(), world="own")
