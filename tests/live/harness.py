# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the scripts that run the real ctprof: the program, the worker,
snapshots."""

import contextlib
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(os.environ.get("CTPROF_SOURCE") or Path(__file__).resolve().parents[2])
BUILD = Path(os.environ.get("CTPROF_BUILD") or SOURCE / "build")
sys.path.insert(0, str(SOURCE / "tests/lib"))

import tap  # noqa: E402

CTPROF = BUILD / "ctprof"
WORKER = BUILD / "tests/live/worker"
HOLDER = BUILD / "tests/live/holder"
CHURNER = BUILD / "tests/live/churner"
NOBODY = 65534
# LeakSanitizer needs ptrace, which strace occupies, and the /proc of its own PID namespace.
NO_LEAK_CHECK = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
# Long enough for any machine: anything that takes longer will not happen.
PATIENCE_S = 100

if not CTPROF.exists():
    sys.exit(f"no ctprof in {BUILD}: give the build folder as CTPROF_BUILD")


def is_root():
    return os.geteuid() == 0


def kernel():
    """The running kernel's version: (6, 12)."""
    return tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])


def frames(file):
    """The whole frames of a recording, decoded by another implementation."""
    need_command("zstdcat")
    done = subprocess.run(["zstdcat", file], capture_output=True, check=False)
    decoder, text, found = json.JSONDecoder(), done.stdout.decode("utf-8", "replace"), []
    at = 0
    while at < len(text):
        try:
            frame, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            break
        found.append(frame)
    return found


def need_command(name):
    if not shutil.which(name):
        raise tap.Skip(f"needs the command {name}")
    return name


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.005)


def other_user(user):
    """Arguments of subprocess that run a command as user; None: as the current user."""
    return {} if user is None else {"user": user, "group": user, "extra_groups": []}


def need_other_user():
    """The user to switch to from root; skips if that is not possible."""
    if not is_root():
        raise tap.Skip("needs root, to become another user")
    for program in (CTPROF, WORKER):
        with tap.another_user(program):
            subprocess.run([program, "--help"], cwd="/", capture_output=True, **other_user(NOBODY))
    return NOBODY


def as_user(user, function, *arguments):
    """The result of function when called as user (in a child process)."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            with open(send, "wb") as out:
                pickle.dump(function(*arguments), out)
            status = 0
        os._exit(status)
    os.close(send)
    with open(receive, "rb") as answer:
        data = answer.read()
    assert os.waitpid(child, 0)[1] == 0, f"{function.__name__} failed as user {user}"
    return pickle.loads(data)


@contextlib.contextmanager
def own_name(program):
    """A link to the program, under a name that no other test's processes have. Names that differ
    only in numbers would be one pool, so the letters differ, too."""
    test = Path(sys.argv[0]).stem.removeprefix("test-")
    with tempfile.TemporaryDirectory(prefix="ctprof-name-") as folder:
        link = Path(folder) / f"{test[:6]}-{Path(program).name[0]}{os.getpid()}"
        link.symlink_to(program)
        yield link


def run(*arguments, user=None, check=True, **more):
    """Runs ctprof, which must succeed unless the caller checks that itself."""
    done = subprocess.run(
        [CTPROF, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        **more,
        **other_user(user),
    )
    if check and done.returncode != 0:
        text = done.stderr.decode(errors="replace")
        raise AssertionError(f"ctprof {arguments} exits with {done.returncode}: {text}")
    return done


class Snapshot:
    """A parsed snapshot; rows by (tgid, tid)."""

    def __init__(self, packed, stderr=""):
        need_command("zstdcat")
        text = subprocess.run(["zstdcat"], input=packed, stdout=subprocess.PIPE, check=True).stdout
        self.text = text.decode("utf-8")
        self.data = json.loads(self.text)
        self.stderr = stderr
        self.keys = [(t["tgid"], t["tid"]) for t in self.data["threads"]]
        self.rows = dict(zip(self.keys, self.data["threads"]))
        self._reasons = [
            {name: reason for reason, names in one.items() for name in names}
            for one in self.data["presence_sets"]
        ]

    def reason(self, row, name):
        """Why a value is absent; None if it is present."""
        return self._reasons[row["presence"]].get(name)

    def value(self, row, name):
        """("value", VALUE) or ("absent", reason)."""
        reason = self.reason(row, name)
        if reason:
            return ("absent", reason)
        return ("value", row[name] if name in row else row.get("extra", {}).get(name))

    def absences(self, row):
        return self._reasons[row["presence"]]

    def of(self, tgid):
        return {key: row for key, row in self.rows.items() if key[0] == tgid}


def capture(*arguments, user=None, **more):
    """A snapshot by ctprof capture with these arguments (procfs only, by default)."""
    arguments = [str(a) for a in arguments]
    plugins = [] if any(a.startswith("--plugins") for a in arguments) else ["--plugins=procfs"]
    # "/": another user may not have access to our working directory.
    done = run("capture", *plugins, *arguments, "-o", "-", user=user, cwd="/", **more)
    return Snapshot(done.stdout, done.stderr.decode())


@contextlib.contextmanager
def spinners(n):
    """Yields the PIDs of n processes that want a CPU all the time, and end with this process at the latest."""
    parent, pids = os.getpid(), []
    try:
        for _ in range(n):
            pids.append(os.fork())
            if pids[-1] == 0:
                while os.getppid() == parent:
                    for _ in range(1_000_000):
                        pass
                os._exit(0)
        yield pids
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        for pid in pids:
            os.waitpid(pid, 0)


@contextlib.contextmanager
def no_niceness():
    """Sets the nice value of the test to 0, because ctprof would keep a nice value set by the user."""
    chosen = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, 0)
    try:
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, chosen)


@contextlib.contextmanager
def started(*command, user=None):
    """Yields the PID of the command and the lines that it prints before it is ready."""
    with subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
                          **other_user(user)) as process:
        lines = []
        for line in process.stdout:
            if line == "ready\n":
                break
            lines.append(line)
        yield process.pid, lines
        process.stdin.close()


BPF_ALWAYS = ("-O", "bpf.when=always")
# The option does not exist if bpf is not built.
BPF_NEVER = ("-O", "bpf.when=never") if (BUILD / "ctprof-bpf.so").exists() else ()
# Room for all other exits on a host that is too busy to read the records in time.
ROOMY = [word for source in ("bpf", "taskstats") if (BUILD / f"ctprof-{source}.so").exists()
         for word in ("-O", f"{source}.buffer=64MiB")]  # fmt: skip


def report_of(snapshot, plugin="bpf"):
    """The state of a plugin after a capture."""
    (report,) = [p for p in snapshot.data["plugins"] if p["name"] == plugin]
    return report


def need_bpf():
    """Skips the test if BPF cannot run."""
    if not (BUILD / "ctprof-bpf.so").exists():
        raise tap.Skip("bpf is not built")
    report = report_of(capture("--plugins=bpf,procfs", *BPF_ALWAYS))
    if report["state"] != "live":
        raise tap.Skip(f"bpf cannot run here: {report['why']}")


def tids_of(pid):
    try:
        return sorted(int(name) for name in os.listdir(f"/proc/{pid}/task"))
    except (FileNotFoundError, ProcessLookupError):
        return []


def state_of(tgid, tid):
    with open(f"/proc/{tgid}/task/{tid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0].decode()


class Worker:
    """The helper program, whose arguments say what it does; a context
    manager."""

    def __init__(self, *arguments, user=None):
        self.process = subprocess.Popen(
            [WORKER, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd="/",
            **other_user(user),
        )
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            raise AssertionError(f"worker {arguments} failed")
        self.truth = json.loads(line)
        self.pid = self.truth["pid"]
        self.zombies = self.truth["zombies"]
        self.living = [self.pid, *self.truth["processes"]]
        self.pids = sorted(self.living + self.zombies)
        if "--leader-exits" in arguments:
            wait_for(lambda: state_of(self.pid, self.pid) == "Z", "the leader to exit")

    def threads(self):
        return [(pid, tid) for pid in self.pids for tid in tids_of(pid)]

    def stop(self):
        """Stops every thread, so that its counters no longer change."""
        for pid in self.living:
            os.kill(pid, signal.SIGSTOP)
        wait_for(
            lambda: all(state_of(*thread) in "TZX" for thread in self.threads()),
            "the threads to stop",
        )
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.truth["processes"]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Holder:
    """The helper that holds memory (holder.c); a context manager. Keyword
    arguments say what it holds, in that order: Holder(memfd=64, sysv=4).
    """

    def __init__(self, user=None, through=(), **what):
        self.process = subprocess.Popen(
            [*through, HOLDER, *(f"{name}={value}" for name, value in what.items())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd="/",
            **other_user(user),
        )
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            self.process.wait()
            raise AssertionError(f"holder {what} failed")
        self.truth = json.loads(line)
        self.pid = self.truth["pid"]
        self.pieces = {piece["kind"]: piece for piece in self.truth["pieces"]}

    def stop(self):
        os.kill(self.pid, signal.SIGSTOP)
        wait_for(lambda: state_of(self.pid, self.pid) == "T", "the holder to stop")
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
