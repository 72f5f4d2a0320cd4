#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs five loads at once: the first screen of ctprof stat must name each of them, in a sentence
that agrees with the values in /proc before and after.  --picture puts the screen into README.md.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402
from terminal import terminal  # noqa: E402

ACTOR = harness.BUILD / "tests/scene/actor"
SECONDS = 5
LOADS = {
    "scenejvm": ["jvm", "2700"],
    "scenespin": ["spin", "4"],
    "scenedisk": ["disk"],
    "scenehog": ["hog", "100"],
    "scenestorm": ["storm", "16"],
    "scenecap": ["spin", "2"],
}
CAPPED = "scenecap"
CPU_ROOTS = ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup")
QUOTA_US = {"cpu.cfs_quota_us": "20000", "cpu.cfs_period_us": "100000", "cpu.max": "20000 100000"}
# The inner program reads the true values, runs the window's command, and reads them again: the values of stat
# must be between those of the command and those of all of stat.
WITHIN = 0.05


def read(path):
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def schedstat(pid):
    """Returns the CPU time and wait of all threads, in s."""
    cpu = wait = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        words = read(f"/proc/{pid}/task/{tid}/schedstat").split()
        if words:
            cpu, wait = cpu + int(words[0]), wait + int(words[1])
    return cpu / 1e9, wait / 1e9


def children_cpu(pid):
    fields = read(f"/proc/{pid}/stat").rpartition(") ")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def disk_bytes(pid):
    text = read(f"/proc/{pid}/io")
    return [int(re.search(rf"^{key}: (\d+)", text, re.M)[1]) for key in ("read_bytes", "write_bytes")]


def resident(pid):
    return int(re.search(r"^Pss: *(\d+)", read(f"/proc/{pid}/smaps_rollup"), re.M)[1]) * 1024


def periods(folder):
    """Returns the number of periods, and of those in which the cgroup was throttled.  On a busy host that may
    be 0."""
    values = dict(line.split() for line in read(f"{folder}/cpu.stat").splitlines())
    return [int(values.get(name, 0)) for name in ("nr_periods", "nr_throttled")]


def is_throttled(before, after):
    return after[1] - before[1] >= 0.2 * max(after[0] - before[0], 1)


@contextlib.contextmanager
def capped_cgroup():
    """Makes a cgroup that may use a fifth of a CPU; None: this host has no such controller."""
    if not harness.is_root():
        yield None
        return
    for root in CPU_ROOTS:
        folder = Path(root, CAPPED)
        try:
            folder.mkdir(exist_ok=True)
        except OSError:
            continue
        if any((folder / name).exists() for name in QUOTA_US):
            for name in ("cpu.cfs_period_us", "cpu.cfs_quota_us", "cpu.max"):
                if (folder / name).exists():
                    (folder / name).write_text(QUOTA_US[name], encoding="utf-8")
            try:
                yield folder
            finally:
                harness.wait_for(lambda: not read(folder / "cgroup.procs"), "the cgroup's end")
                folder.rmdir()
            return
        folder.rmdir()
    yield None


@contextlib.contextmanager
def scene(folder):
    actors = {}
    try:
        for name, what in LOADS.items():
            if name == CAPPED and not folder:
                continue
            # Enter before there are children, which would stay in the old cgroup.
            enter = (lambda: (folder / "cgroup.procs").write_text("0")) if name == CAPPED else None
            actors[name] = subprocess.Popen([ACTOR, name, *what], stdin=subprocess.PIPE,
                                            start_new_session=True, preexec_fn=enter)
        jvm = actors["scenejvm"].pid
        harness.wait_for(lambda: len(os.listdir(f"/proc/{jvm}/task")) > 2700, "the threads")
        yield {name: actor.pid for name, actor in actors.items()}
    finally:
        for actor in actors.values():
            actor.stdin.close()
        for actor in actors.values():
            actor.wait()


def truth(pids, folder):
    jvm_cpu, jvm_wait = schedstat(pids["scenejvm"])
    read_bytes, written = disk_bytes(pids["scenedisk"])
    return {
        "jvm_cpu": jvm_cpu,
        "jvm_wait": jvm_wait,
        "read": read_bytes,
        "written": written,
        "pss": resident(pids["scenehog"]),
        "storm": children_cpu(pids["scenestorm"]),
    }


def span(before, after):
    return {key: after[key] - before[key] for key in before}


INNER = "import json,os,sys,time; sys.path[:0]=[{lib!r},{live!r},{here!r}]; os.environ.update({env!r}); " \
    "import importlib.util as u; s=u.spec_from_file_location('scene',{file!r}); m=u.module_from_spec(s); " \
    "s.loader.exec_module(m); a=m.truth({pids!r},None); time.sleep({seconds}); b=m.truth({pids!r},None); " \
    "open({out!r},'w').write(json.dumps(m.span(a,b)))"


def stat(*arguments, command):
    done = harness.run("stat", "--smaps=always", *arguments, "--", *command)
    return done.stdout.decode()


def observe(pids, folder, made):
    out = str(Path(made, "inner.json"))
    code = INNER.format(
        lib=str(harness.SOURCE / "tests/lib"), live=str(harness.SOURCE / "tests/live"),
        here=str(Path(__file__).parent), env={"CTPROF_BUILD": str(harness.BUILD),
        "CTPROF_SOURCE": str(harness.SOURCE)}, file=__file__, pids=pids, seconds=SECONDS, out=out)
    before = truth(pids, folder)
    report = json.loads(stat("--format=json", command=[sys.executable, "-c", code]))
    outer = span(before, truth(pids, folder))
    return report, json.loads(Path(out).read_text(encoding="utf-8")), outer


def lines_of(report, section):
    return next(x["lines"] for x in report["sections"] if x["name"] == section)


def check_between(what, value, inner, outer):
    assert inner * (1 - WITHIN) <= value <= outer * (1 + WITHIN), (what, inner, value, outer)


def patiently(check):
    """Tries again, as other programs on the host can keep a load from running, or its values from being
    read."""
    for left in (2, 1, 0):
        try:
            return check()
        except (AssertionError, KeyError) as error:
            if left == 0:
                raise
            print(f"# once more: {str(error)[:200]!r}", flush=True)


def check_numbers():
    with capped_cgroup() as folder, scene(folder) as pids, tempfile.TemporaryDirectory() as made:
        before = periods(folder)
        report, inner, outer = observe(pids, folder, made)
        after = periods(folder)
    seconds = report["window"]["seconds"]
    pools = {line["pool"]: line for line in lines_of(report, "pools")}
    found = {line["finding"]: line for line in lines_of(report, "findings")}
    value = lambda pool, key: pools[pool][key]["candidate"]  # noqa: E731
    check_between("wait", value("scenejvm", "waiting") * seconds, inner["jvm_wait"], outer["jvm_wait"])
    check_between("CPU", value("scenejvm", "cpu") * seconds, inner["jvm_cpu"], outer["jvm_cpu"])
    assert found["starved"]["subject"] == "scenejvm", found["starved"]
    if harness.is_root():
        check_between("read", value("scenedisk", "read") * seconds, inner["read"], outer["read"])
        check_between("written", value("scenedisk", "write") * seconds, inner["written"], outer["written"])
        assert found["disk-io"]["subject"] == "scenedisk", found["disk-io"]
        assert found["grew"]["subject"] == "scenehog", found["grew"]
        check_between("PSS", found["grew"]["value"]["candidate"], inner["pss"], outer["pss"])
    storm = found.get("came-and-went") or found["forks"]
    assert "scenestorm" in storm["sentence"], storm
    if is_throttled(before, after):
        assert CAPPED in found["throttled"]["sentence"], found


def test_each_load_is_named_and_its_numbers_are_true():
    patiently(check_numbers)


def screen(width=80, height=24):
    """Returns the screen of stat -- sleep 5 on a terminal of that size."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    child = subprocess.Popen(
        [harness.CTPROF, "stat", "--no-pager", "--no-color", "--", "sleep", str(SECONDS)],
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, env={**os.environ, "TERM": "dumb"})
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            shown += part
    child.wait()
    return shown.decode().replace("\r\n", "\n").splitlines()


def check_screen():
    with capped_cgroup() as folder, scene(folder):
        before = periods(folder)
        lines = screen()
        after = periods(folder)
    assert len(lines) < 24, "\n".join(lines)
    assert max(map(len, lines)) <= 80, "\n".join(lines)
    said = [line for line in lines if line.startswith(" ! ")]
    text = "\n".join(said)
    # Sentences are ordered by cost: those of strangers may move some of ours to --all.
    strangers = sum("scene" not in line for line in said) if any("more: --all)" in line for line in lines) else 0
    missing = [name for name in ("scenejvm", "scenehog", "scenestorm") if name not in text]
    # A stranger may have more of the CPU time that came and went.
    if re.search("came and went", text):
        missing = [name for name in missing if name != "scenestorm"]
    assert len(missing) <= strangers or not harness.is_root(), "\n".join(lines)
    # A stranger that uses the disk more is named instead, as a line has room for one name.
    assert "scenedisk" in text or re.search(r"^ ! \S+ (reads|writes) ", text, re.MULTILINE) or \
        not harness.is_root(), "\n".join(lines)
    assert not is_throttled(before, after) or CAPPED in text, "\n".join(lines)


def test_the_first_screen_fits_and_names_all():
    patiently(check_screen)


def top():
    """Returns the screen of ctprof top once its windows have named every load.  The second window does,
    unless other loads keep PSS from being read, or one of ours from running."""
    wanted = {"scenejvm"} | ({"scenedisk", "scenehog", "scenestorm"} if harness.is_root() else set())
    named = set()
    with terminal(80, 24, f"exec {harness.CTPROF} top") as shown:
        def answers(text):
            said = "\n".join(line for line in text.splitlines() if line.startswith(" ! "))
            named.update(name for name in wanted if name in said)
            return named == wanted

        text = shown.wait(answers, "a screen that names every load")
        shown.press("q")
    return [line.rstrip() for line in text.splitlines()]


def check_top():
    with capped_cgroup() as folder, scene(folder):
        lines = top()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, "\n".join(lines)
    assert any(line.startswith(" scenejvm ") for line in lines), "\n".join(lines)


def test_top_names_all():
    # PSS is read twice at first, and then again when the cost is paid for: by then the process that grows
    # must have had a CPU.
    patiently(check_top)


# A process that starts a beast with a CPU to itself, and prints its PID.
KEEPER = "import sys, time; sys.path.insert(0, {here!r}); import zoo\n" \
    "with zoo.running([zoo.Beast('zoo-left', 'spin', policy={policy}, cpus=zoo.LAST)]) as pids:\n" \
    "    print(pids['zoo-left'], flush=True); time.sleep(1000)"


def has_ended(pid):
    return read(f"/proc/{pid}/stat").rpartition(") ")[2][:1] in ("", "Z", "X")


def test_no_beast_outlives_a_zoo_that_is_killed():
    policy = os.SCHED_FIFO if harness.is_root() else os.SCHED_OTHER
    code = KEEPER.format(here=str(Path(__file__).parent), policy=int(policy))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as keeper:
        line = keeper.stdout.readline()
        keeper.kill()
    if not line:
        raise tap.Skip("SCHED_FIFO cannot be had here")
    try:
        harness.wait_for(lambda: has_ended(int(line)), "the beast's end")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(line), signal.SIGKILL)


def put_picture():
    with capped_cgroup() as folder, scene(folder):
        pictures = {"first screen": screen(), "top": top()}
    readme = harness.SOURCE / "README.md"
    text = readme.read_text(encoding="utf-8")
    for place, lines in pictures.items():
        picture = "".join(f"    {line}\n".replace("     \n", "\n") for line in lines)
        text, n = re.subn(rf"(<!-- {place} -->\n\n)(?:    .*\n|\n)*(\n?<!-- end -->)",
                          lambda m, picture=picture: m[1] + picture + "\n" + m[2].lstrip("\n"), text)
        assert n == 1, f"README.md has no place for the picture: {place}"
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if "--picture" in sys.argv:
        put_picture()
    else:
        tap.main(globals())
