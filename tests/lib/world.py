# SPDX-License-Identifier: LGPL-2.1-or-later
"""A world of its own for a test: PID, mount and cgroup namespaces without other processes.

enter() runs the program again in such a world, under the same PID as outside, so that names made
from the PID stay unique on the host. As a program: world.py SCRIPT...
"""

import contextlib
import ctypes
import glob
import os
import select
import signal
import sys

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWPID = 0x00020000, 0x02000000, 0x20000000
MS_REC, MS_PRIVATE, MNT_DETACH = 1 << 14, 1 << 18, 2
PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
INSIDE = "CTPROF_TEST_INSIDE"
PASSED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
GROUP = "ctprof-world-"
# Controllers of cgroup v1 whose cgroups ctprof reports; "" is cgroup2. Without cpu, because a
# new group of it may not have real-time threads.
TOLD = {"", "cpuacct", "memory", "pids"}
LIBC = ctypes.CDLL(None, use_errno=True)


def _call(function, *arguments):
    if getattr(LIBC, function)(*arguments) == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")


def _pass_signals(pid):
    for number in PASSED_ON:
        signal.signal(number, lambda number, _: os.kill(pid, number))


def _hierarchies():
    """[(mount point, type, controllers, our cgroup's folder)] of hierarchies mounted whole."""
    mounts, found = [], []
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            fields, _, rest = line.partition(" - ")
            kind, _, options = rest.split()[:3]
            if kind in ("cgroup", "cgroup2") and fields.split()[3] == "/":
                mounts.append((fields.split()[4], kind, set(options.split(","))))
    with open("/proc/self/cgroup", encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            _, names, path = line.rstrip("\n").split(":", 2)
            found += [(place, kind, names, place + path) for place, kind, options in mounts
                      if (set(names.split(",")) <= options if names else kind == "cgroup2")]
    return found


def _make_groups(number, hierarchies):
    """Makes cgroups for the world where possible and returns their folders. Removes cgroups left
    over by a test that was killed."""
    made = []
    for _, _, names, folder in hierarchies:
        names = set(names.split(","))
        if names & TOLD and "cpu" not in names:
            for left in glob.glob(f"{glob.escape(folder)}/{GROUP}*"):
                if not os.path.exists(f"/proc/{left.rpartition('-')[2]}"):
                    _remove_groups([left])
            with contextlib.suppress(OSError):
                os.mkdir(f"{folder}/{GROUP}{number}")
                made.append(f"{folder}/{GROUP}{number}")
    return made


def _remove_groups(groups):
    for group in groups:
        for folder, _, _ in os.walk(group, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)


def _enter_groups(groups, hierarchies):
    """Joins the groups and remounts the hierarchies, so that the world's cgroup is "/" in them."""
    for group in groups:
        with contextlib.suppress(OSError), open(f"{group}/cgroup.procs", "w", encoding="ascii") as procs:
            procs.write("0")
    _call("unshare", CLONE_NEWCGROUP)
    for place, kind, names, _ in hierarchies:
        place, kind, names = (os.fsencode(text) for text in (place, kind, names))
        _call("umount2", place, MNT_DETACH)
        _call("mount", kind, place, kind, 0, names or None)


def _move_in(number, tell, groups, hierarchies):
    """Sets up the rest of the world in its first process, and makes number the next PID."""
    _call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL)
    # If the parent ended before prctl(), no signal comes, but the pipe has no reader.
    alive = select.poll()
    alive.register(tell, 0)
    if alive.poll(0):
        os._exit(1)
    _call("prctl", PR_SET_NAME, b"world")
    # Job control and terminal signals are left to the processes outside.
    os.setsid()
    _call("unshare", CLONE_NEWNS)
    _call("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)
    _enter_groups(groups, hierarchies)
    _call("mount", b"proc", b"/proc", b"proc", 0, None)
    with open("/proc/sys/kernel/ns_last_pid", "w", encoding="ascii") as last:
        last.write(str(number - 1))


def _be_first(number, tell, *cgroups):
    """Runs the program again, and does the work of process 1: reaps and passes signals on."""
    try:
        _move_in(number, tell, *cgroups)
    except OSError as error:
        os.write(tell, (error.strerror or str(error)).encode())
        os._exit(1)
    child = os.fork()
    if child == 0:
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})
    os.close(tell)
    _pass_signals(child)
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _end_as(code):
    """Ends with the same status, or by the same signal, as the program in the world."""
    if code > 128:
        with contextlib.suppress(OSError):  # SIGKILL has no other way
            signal.signal(code - 128, signal.SIG_DFL)
        os.kill(os.getpid(), code - 128)
    sys.exit(code)


def _start(number, groups, hierarchies):
    """Returns the first process of the world, and why the world could not be made ("": it was)."""
    outside = os.open("/proc/self/ns/pid", os.O_RDONLY)
    hear, tell = os.pipe()
    _call("unshare", CLONE_NEWPID)
    first = os.fork()
    if first == 0:
        os.close(hear)
        _be_first(number, tell, groups, hierarchies)
    os.close(tell)
    _pass_signals(first)
    # Otherwise later children of ours would be in the new namespace, too.
    _call("setns", outside, CLONE_NEWPID)
    os.close(outside)
    with open(hear, encoding="utf-8") as answer:
        return first, answer.read()


def enter():
    """Returns "" inside the world, or why it cannot be made. If it was made, does not return."""
    if os.environ.pop(INSIDE, None):
        return ""
    if os.geteuid() != 0:
        return "a world of its own needs root"
    number, hierarchies = os.getpid(), _hierarchies()
    before = {name: signal.getsignal(name) for name in PASSED_ON}
    groups = _make_groups(number, hierarchies)
    try:
        first, why = _start(number, groups, hierarchies)
        code = os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
    except OSError as error:
        why = error.strerror
    _remove_groups(groups)
    for name, handler in before.items():
        signal.signal(name, handler)
    if not why:
        _end_as(code)
    return why


if __name__ == "__main__":
    if why_not := enter():
        print(f"# world: shared host: {why_not}", file=sys.stderr, flush=True)
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
