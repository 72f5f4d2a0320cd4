#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files that a capture by root opens beside processes that offer it traps (strace).

A path that an unprivileged user controls is opened with O_PATH first, and read only once it
is known to be a regular file. Apart from these, only the files listed here are opened.
"""

import contextlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

import harness
import tap

TOYS = harness.BUILD / "plugins/jemalloc/tests"
OPEN = re.compile(r'^\d+ +openat2?\(([^,]*), "([^"]*)", (.*?)\) = (\d+)<(.*)>(?:\(deleted\))?$')
# Files of the host and of the user who runs ctprof.
OURS = re.compile(r"^/(proc|sys)(/|$)|^/(usr/)?lib|^/usr/share/|^/etc/|^/dev/(null|urandom)(<|$)|^anon_inode|^(pipe|socket|user):")
OWN_PROGRAMS = ("ctprof", "ctprof-jemalloc-examine")
# Reopening an O_PATH descriptor for reading.
REOPENED = re.compile(r"^thread-self/fd/\d+$")


def lay_traps(folder):
    """Makes a library without build-id whose debug file is a FIFO or a device, in all places."""
    library = folder / "libtraps.so"
    (folder / "traps.debug").touch()
    subprocess.run(["objcopy", "--remove-section=.note.gnu.build-id",
                    f"--add-gnu-debuglink={folder}/traps.debug", TOYS / "libtoy-stripped.so", library],
                   check=True)
    (folder / "traps.debug").unlink()
    (folder / ".debug").mkdir()
    os.mkfifo(folder / "traps.debug")
    for name, aim in ((".debug/traps.debug", "/dev/tty"),
                      ("libtraps.so.debug", "/dev/zero"), ("libtraps.debug", "/etc/shadow")):
        (folder / name).symlink_to(aim)
    return library


@contextlib.contextmanager
def hostile(user, *through):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = lay_traps(folder)
        folder.chmod(0o755)
        os.chown(folder, user, user)
        with subprocess.Popen([*through, TOYS / "jemalloc-worker-plain", "quiet", "3", library], cwd="/",
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              **harness.other_user(user)) as process:
            while (line := process.stdout.readline()) and line != b"ready\n":
                pass
            yield process.pid, folder
            process.stdin.close()


def calls(log):
    """The completed lines of strace, with calls that another thread interrupted put together."""
    begun = {}
    for line in log.read_text(errors="replace").splitlines():
        thread = line.partition(" ")[0]
        if line.endswith(" <unfinished ...>"):
            begun[thread] = line.removesuffix(" <unfinished ...>")
        elif " resumed>" in line:
            yield begun.pop(thread, "") + line.partition(" resumed>")[2]
        else:
            yield line


def opened(log):
    """(arguments, path as given, flags, path of the opened file) of each successful open."""
    return [found.group(1, 2, 3, 5) for line in calls(log) if (found := OPEN.match(line))]


def check_no_code_of_theirs(log, folder):
    """Only ctprof's own programs are executed, and no file of the process is mapped as code."""
    text = log.read_text(errors="replace")
    programs = set(re.findall(r'execve\("([^"]*)"', text))
    assert programs and all(Path(path).name in OWN_PROGRAMS for path in programs), programs
    mapped = [line for line in text.splitlines() if "PROT_EXEC" in line and f"<{folder}" in line]
    assert not mapped and "PROT_EXEC" in text, mapped


def is_a_place(flags):
    return "O_PATH" in flags or "O_DIRECTORY" in flags


def capture_traced(pid, output, log):
    # By ptrace, as deadlines do not take strace into account otherwise.
    done = subprocess.run(
        ["strace", "-f", "-qq", "-y", "-e", "trace=open,openat,openat2,open_by_handle_at,execve,execveat,mmap", "-o", log,
         harness.CTPROF, "capture", "-O", "jemalloc.mode=ptrace", "--memory", "--pid", str(pid),
         "-o", f"{output}/snapshot"],
        stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr.decode()
    return log


def check_opens(user, *through):
    with hostile(user, *through) as (pid, folder), tempfile.TemporaryDirectory() as output:
        log = Path(output) / "log"
        # On a busy host the time limit of a process ends before all of its files are examined.
        for _ in range(10):
            seen = opened(capture_traced(pid, output, log))
            offered = {what for _, _, flags, what in seen if is_a_place(flags)}
            if f"{folder}/traps.debug" in offered:
                break
        # The traps were examined, so the fact that they were not opened is significant.
        assert {f"{folder}/traps.debug", f"{folder}/libtraps.so"} <= offered, sorted(offered)
        executed = re.escape(str(TOYS)) + "|" + re.escape(str(harness.BUILD)) + "|" + re.escape(output)
        known = set()
        for at, path, flags, what in seen:
            if is_a_place(flags):
                known.add(what)
                continue
            if OURS.match(what) or re.match(executed, what):
                continue
            assert REOPENED.match(path) and "/proc>" in at, (at, path, flags, what)
            assert what in known and what == f"{folder}/libtraps.so", (path, what)
        assert "/etc/shadow" not in {what for _, _, flags, what in seen if "O_PATH" not in flags}
        # Nothing of a process is opened for writing.
        assert not [what for _, _, flags, what in seen if what.startswith("/proc/") and re.search("WRONLY|RDWR", flags)]
        check_no_code_of_theirs(log, folder)


def test_no_path_of_a_user_is_read_before_its_kind_is_known():
    """Also where root in a container, which has mounts of its own, is that user."""
    harness.need_command("strace")
    harness.need_command("objcopy")
    user = harness.need_other_user()
    if not (TOYS / "libtoy-stripped.so").exists():
        raise tap.Skip("the source jemalloc was not built")
    check_opens(user)
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0:
        check_opens(0, "unshare", "-m")


if __name__ == "__main__":
    tap.main(globals(), world="own")
