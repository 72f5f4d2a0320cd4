# SPDX-License-Identifier: LGPL-2.1-or-later
"""A place to run the real ctprof in: plugins, a recorded root, an output folder.

Plugins of the rig: toy and toy-2 (sources, see toy.c for their faults) and a
sink in the snapshot's place that writes lines (see toysink.c).
"""

import contextlib
import functools
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(os.environ["CTPROF_BUILD"])
SOURCE = pathlib.Path(os.environ["CTPROF_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/lib"))

import tap  # noqa: E402

NOBODY = 65534
ALARM = 60
# Two processes with this number of threads are more than a batch holds.
OWN_BATCH = 129


@functools.cache
def everything():
    """A list for --plugins with all except ctprof's own, which need a real root."""
    listed = subprocess.run([BUILD / "ctprof", "plugins", "--format", "json"], check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    names = [plugin["name"] for plugin in json.loads(listed.stdout)["plugins"]]
    return ",".join("-" + name for name in names if name != "snapshot")


def is_root():
    return os.geteuid() == 0


def become(user):
    def switch():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    return switch


def children_of(parent):
    """The processes that a process has started."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            yield int(stat.parent.name)


class Result:
    """The result of a run: status (negative: a signal's), stdout, lines of
    stderr."""

    def __init__(self, process, out, err):
        self.status = process.returncode
        self.out = out.decode("utf-8", "replace")
        self.raw = err
        self.err = err.decode("utf-8", "replace").splitlines()

    def __str__(self):
        return f"status {self.status}\nstdout: {self.out[:2000]}\nstderr: " + "\n".join(self.err[:40])


class Rig:
    def __init__(self, tmp):
        self.tmp = pathlib.Path(tmp)
        self.plugins = self.tmp / "plugins"
        self.output = self.tmp / "out"
        self.file = self.output / "snap"
        self.proc = self.tmp / "proc"
        for folder in (self.plugins, self.output, self.proc):
            folder.mkdir()
        self.install("snapshot")
        self.install("toy")

    def install(self, plugin, name=None):
        """Copies a plugin of the rig, optionally under another name."""
        target = self.plugins / f"ctprof-{name or plugin}.so"
        shutil.copyfile(BUILD / f"tests/border/ctprof-{plugin}.so", target)
        target.chmod(0o755)
        return target

    def record(self, processes, threads=1):
        """A recorded root with these numbers of processes and of threads in
        each."""
        for i in range(processes):
            task = self.proc / str((i + 1) * 1000) / "task"
            task.mkdir(parents=True)
            for j in range(threads):
                (task / str((i + 1) * 1000 + j)).mkdir()

    def command(self, *args, plugins="toy,snapshot", path=True):
        command = [str(BUILD / "ctprof")]
        command += ["--plugin-path", str(self.plugins)] if path else []
        command += ["--plugins", plugins] if plugins else []
        return command + [str(arg) for arg in args]

    def start(self, command, env=None, **options):
        """Popen with a clean environment and default signal handling."""
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("CTPROF_", "TOY"))}
        before = options.pop("preexec_fn", None)

        def prepare():
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP,
                           signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if before:
                before()
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        with tap.another_user(command[0]) if before else contextlib.nullcontext():
            return subprocess.Popen(command, env={**keep, **(env or {})}, preexec_fn=prepare,
                                    cwd=self.tmp, **options)

    def finish(self, process):
        try:
            out, err = process.communicate(timeout=ALARM)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return Result(process, out or b"", err or b"")

    def run(self, *args, plugins="toy,snapshot", path=True, env=None, **options):
        return self.finish(self.start(self.command(*args, plugins=plugins, path=path), env, **options))

    def capture(self, *args, **options):
        """Runs a capture of the recorded root into the output folder."""
        return self.run("--proc-root", self.proc, "capture", "-o", self.file, *args, **options)

    def lines(self, word):
        """The snapshot's lines that begin with word."""
        text = self.file.read_text(encoding="utf-8")
        return [line for line in text.splitlines() if line.split(" ")[0] == word]

    def left(self):
        return sorted(os.listdir(self.output))

    def is_writing(self, process):
        """Whether process or its child has a non-empty file open in the output folder; the
        file may be unnamed until it is complete."""
        for pid in (process.pid, *children_of(process.pid)):
            for link in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
                try:
                    path = os.readlink(link)
                    if path.startswith(f"{self.output}/") and path != str(self.file) and \
                            link.stat().st_size:
                        return True
                except OSError:
                    continue
        return False

    def wait_for_output(self, process):
        """Waits until the capture writes to a new file."""
        end = time.monotonic() + ALARM
        while not self.is_writing(process):
            assert process.poll() is None, f"ended early: {self.finish(process)}"
            assert time.monotonic() < end, "nothing is being written"
            time.sleep(0.005)


def folder():
    """A temporary folder whose name does not contain that of the toy."""
    while "toy" in (made := tempfile.TemporaryDirectory(prefix="ctprof-border-")).name:
        made.cleanup()
    return made


@contextlib.contextmanager
def rig(processes=3, threads=2):
    with folder() as tmp:
        os.chmod(tmp, 0o755)
        made = Rig(tmp)
        made.record(processes, threads)
        yield made


def check_failure(result, status, *words, lines=1):
    """Checks that status, and that exactly one line contains each of the words."""
    assert result.status == status, f"expected status {status}\n{result}"
    assert len(result.err) == lines, f"expected {lines} line(s) on stderr\n{result}"
    assert all(line.startswith("ctprof: ") for line in result.err), str(result)
    check_printable(result)
    for word in words:
        assert word in result.err[-1], f"expected '{word}' in the message\n{result}"


def check_printable(result):
    stray = [byte for byte in result.raw if (byte < 32 and byte != 10) or byte == 127]
    assert not stray, f"control bytes on stderr: {result.raw!r}"


def add_tests(namespace, prefix, check, table):
    """One test for each row of a table: a dict, name -> arguments of check."""
    for name, arguments in table.items():
        def test(arguments=arguments, name=name):
            check(name, *arguments)
        namespace[f"test_{prefix}_{name}"] = test
