#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Marks: names of moments, set while a recording is written and found when it is read."""

import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
import tap
from harness import CTPROF, wait_for

PLAIN = ["--plugins=procfs"]
CLONE_NEWNET = 0x40000000


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="ctprof-marks-") as path:
        yield Path(path)


def marks(file):
    """(sample, name) of each mark; each was sent before its sample began.  The recorder takes marks
    just before a sample: one that is sent while it begins is in the next."""
    found, before, begins = [], 0, 0
    for i, frame in enumerate(harness.frames(file)):
        now = frame["captured_at_unix_ns"]
        for mark in frame["capture"].get("marks", []):
            assert set(mark) == {"name", "unix_ns"}, mark
            assert mark["unix_ns"] <= now, (mark, now)
            assert mark["unix_ns"] > before, (mark, before)
            found.append((i, mark["name"]))
        before, begins = begins, now
    return found


@contextlib.contextmanager
def recorder(file, *arguments, user=None, ready=None, plugins=PLAIN, **more):
    process = subprocess.Popen(
        [CTPROF, *plugins, "record", "-i", "50ms", "-p", str(os.getpid()), "-o", file, *arguments],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
        **harness.other_user(user), **more)
    ready = ready or (lambda: Path(file).exists() and len(harness.frames(file)) >= 2)
    try:
        wait_for(lambda: process.poll() is not None or ready(), "samples")
        assert process.poll() is None, process.stderr.read()
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.stderr.close()
        process.wait()


def end(process, number=signal.SIGTERM):
    os.kill(process.pid, number)
    return process.communicate()[1].decode()


def sockets(file=None):
    """The names of recorders' sockets, in this network namespace."""
    text = Path("/proc/net/unix").read_text(errors="replace")
    inode = f"-{os.stat(file).st_ino:x}-" if file else ""
    return [name for name in re.findall(r"@(ctprof-record-\S+)", text) if inode in name]


def test_mark_by_command():
    with folder() as path:
        file = path / "a.ctprof"
        # So slowly that no sample comes between the last mark and the end.
        with recorder(file, "-i", "700ms") as process:
            # Each has been taken when the command ends, so they are in this order.
            for name in ("load on", "ünï \"q\" \\", "load off"):
                harness.run("mark", "-f", file, name)
            text = end(process)
        assert [name for _, name in marks(file)] == ["load on", "ünï \"q\" \\", "load off"], text
        assert file.read_bytes().endswith(b"CTPS"), "a last sample has the marks, and the table follows"
        done = harness.run("mark", "-f", file, "late", check=False)
        assert done.returncode == 1 and b"no recorder" in done.stderr, done


def test_refusals():
    with folder() as path:
        file = path / "a.ctprof"
        file.touch()
        for name in ("", "a\nb", "a\x1b[2J", "a\u202eb", b"\xff", "x" * 201):
            done = subprocess.run([CTPROF, "mark", "-f", file, name], capture_output=True, check=False)
            assert done.returncode == 2 and b"cannot be a mark" in done.stderr, (name, done)
        for arguments in ([], ["a", "b"]):
            assert harness.run("mark", *arguments, check=False).returncode == 2, arguments
        done = harness.run("mark", "-f", path / "none", "a", check=False)
        assert done.returncode == 1 and b"No such file" in done.stderr, done
        for fd in ("99", "1"):
            done = harness.run(*PLAIN, "record", "-n", 1, "-o", path / "x", "--mark-fd", fd, check=False)
            assert done.returncode == 2 and b"--mark-fd" in done.stderr, done
            assert not (path / "x").exists()


def in_own_network(function):
    """In a child of a network namespace of its own, where no other test records."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) < 0:
                os._exit(77)
            function()
            status = 0
        finally:
            sys.stderr.flush()
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 77:
        raise tap.Skip("needs the right to make a network namespace")
    assert status == 0, "see standard error"


def check_choice():
    with folder() as path:
        none = harness.run("mark", "a", check=False)
        assert none.returncode == 1 and b"no recording by this user" in none.stderr, none
        one, two = path / "one.ctprof", path / "two.ctprof"
        with recorder(one) as first:
            harness.run("mark", "alone")
            with recorder(two) as second:
                both = harness.run("mark", "b", check=False)
                assert both.returncode == 2 and b"one.ctprof, two.ctprof" in both.stderr, both
                harness.run("mark", "-f", two, "second")
                end(second)
            harness.run("mark", "alone again")
            end(first)
        assert [name for _, name in marks(one)] == ["alone", "alone again"]
        assert [name for _, name in marks(two)] == ["second"]


def test_without_a_file_there_must_be_one():
    in_own_network(check_choice)


def test_lines_of_a_descriptor():
    with folder() as path:
        file = path / "a.ctprof"
        read, write = os.pipe()
        with recorder(file, "--mark-fd", str(read), pass_fds=[read]) as process:
            os.write(write, b"on")
            time.sleep(0.5)
            os.write(write, b"e\ntwo\n\n" + b"x" * 201 + b"\n" + b"y" * 200 + b"\n\xff\nthr\xc3\xa9e\n")
            wait_for(lambda: len(marks(file)) >= 4, "the marks of a sample")
            os.write(write, b"without an end")
            os.close(write)
            wait_for(lambda: len(marks(file)) >= 5, "the line that the writer left")
            assert os.get_blocking(read), "the flags of the user's descriptor are as before"
            text = end(process)
        os.close(read)
        names = [name for _, name in marks(file)]
        assert names == ["one", "two", "y" * 200, "thrée", "without an end"], names
        notes = [frame["capture"].get("note", "") for frame in harness.frames(file)]
        assert any("marks left out: 2" in note for note in notes), notes
        assert text.count("a mark is left out") == 1, text


def test_a_flood_stops_no_sample():
    """Of a writer that never ends: at most 64 marks a sample, and the samples go on."""
    with folder() as path:
        file = path / "a.ctprof"
        yes = subprocess.Popen(["yes", "flood"], stdout=subprocess.PIPE)
        with recorder(file, "--mark-fd", str(yes.stdout.fileno()),
                      pass_fds=[yes.stdout.fileno()]) as process:
            wait_for(lambda: len(harness.frames(file)) >= 8, "samples")
            text = end(process)
        yes.kill()
        yes.stdout.close()
        yes.wait()
        counts = [len(frame["capture"].get("marks", [])) for frame in harness.frames(file)]
        assert max(counts) == 64, counts
        found = marks(file)
        assert len(found) == sum(counts), text


def test_command_marks_itself():
    """All of it: marks before the end of a command are in the file, by name and by line."""
    with folder() as path:
        file = path / "a.ctprof"
        script = f"{CTPROF} mark -f {file} on && sleep 0.5 && {CTPROF} mark -f {file} off; echo last >&9"
        os.mkfifo(path / "fifo")
        fifo = os.open(path / "fifo", os.O_RDWR)
        os.dup2(fifo, 9, inheritable=True)
        os.close(fifo)
        try:
            harness.run(*PLAIN, "record", "-i", "50ms", "--mark-fd", 9, "-o", file, "--",
                        "sh", "-c", script, pass_fds=[9])
        finally:
            os.close(9)
        assert [name for _, name in marks(file)] == ["on", "off", "last"], marks(file)


def test_the_end_refuses():
    """A mark that comes during the last sample is refused at once, not lost and not waited for."""
    with folder() as path:
        file = path / "a.ctprof"
        script = f"n=0; while {CTPROF} mark -f {file} again; do n=$((n + 1)); done; echo $n"
        with recorder(file, "-n", "30", ready=lambda: file.exists() and sockets(file)) as process:
            began = time.monotonic()
            marking = subprocess.run(["sh", "-c", script], capture_output=True, check=False)
            process.wait()
        assert marking.returncode == 0 and len(marking.stderr.splitlines()) == 1, marking
        assert time.monotonic() - began < 60, "it waits for no answer that cannot come"
        taken = int(marking.stdout)
        assert len(marks(file)) == taken > 0, (marks(file), taken)


def test_rotation_loses_none():
    with folder() as path:
        file = path / "a.ctprof"
        turned = Path(f"{file}.1")
        with recorder(file, "--max-size", "1", "--keep", "900", ready=turned.exists) as process:
            given = []
            for i in range(12):
                # A mark for a file that is full is refused, not lost.
                if harness.run("mark", "-f", file, f"mark {i}", check=False).returncode == 0:
                    given.append(f"mark {i}")
            end(process)
        files = sorted(path.iterdir(), key=lambda each: int(each.name[9:] or 0), reverse=True)
        found = [name for each in files for _, name in marks(each)]
        assert given and found == given, (given, found)


def phase(path, *arguments, plugins=PLAIN, names=("on", "off", "on", "off")):
    """A recording with phases of these names, and the samples with their marks."""
    file = path / "a.ctprof"
    with recorder(file, *arguments, plugins=plugins) as process:
        for name in names:
            harness.run("mark", "-f", file, name)
            n = len(harness.frames(file))
            wait_for(lambda n=n: len(harness.frames(file)) >= n + 4, "samples")
        end(process)
    return file, marks(file)


def cut(file, *arguments):
    part = Path(f"{file}.part")
    part.unlink(missing_ok=True)
    harness.run("cut", *arguments, "-o", part, file)
    return [frame["captured_at_unix_ns"] for frame in harness.frames(part)]


def test_a_window_is_inside_its_phase():
    with folder() as path:
        file, found = phase(path)
        (on, _), (off, _), (again, _), (off_again, _) = found
        times = [frame["captured_at_unix_ns"] for frame in harness.frames(file)]
        # A copy begins with a whole sample, so only its end is exact.
        assert cut(file, "--from", "@on", "--to", "@off")[-1] == times[off - 1]
        assert cut(file, "--from", "@off", "--to", "@on")[-1] == times[again - 1], "the next one"
        assert cut(file, "--to", "@on")[-1] == times[on - 1]
        assert cut(file, "--from", "@off", "--to", "@off")[-1] == times[off_again - 1]
        done = harness.run("compare", "--no-pager", "--format", "json", "--from", "@on", "--to", "@off", file)
        capture = json.dumps(json.loads(done.stdout))
        seconds = (times[off - 1] - times[on]) / 1e9
        span = re.search(rb"([\d.]+)(ms|s) apart",
                         harness.run("compare", "--no-pager", "--from", "@on", "--to", "@off", file).stdout)
        shown = float(span[1]) / (1000 if span[2] == b"ms" else 1)
        assert abs(shown - seconds) < 0.006 + seconds / 100, (span[0], seconds, capture[:200])


def lines_of(section, *arguments):
    """The lines of a section, whose values are the same on both sides; None: there is no such section."""
    report = json.loads(harness.run("compare", "-f", "json", *arguments).stdout)
    found = [each["lines"] for each in report["sections"] if each["name"] == section]
    value = lambda cell: cell["candidate"] if isinstance(cell, dict) else cell  # noqa: E731
    return [{name: value(cell) for name, cell in line.items()} for line in found[0]] if found else None


def test_a_report_of_a_recording_has_its_phases():
    with folder() as path:
        # Few samples: the history has a window for each two.
        file, found = phase(path, "-i", "200ms", plugins=["--plugins=procfs,system"], names=("on", "off", "rest"))
        frames = harness.frames(file)
        set_at = [mark["unix_ns"] / 1e9 for frame in frames for mark in frame["capture"].get("marks", [])]
        times = [frame["captured_at_unix_ns"] / 1e9 for frame in frames]
        assert [line["phase"] for line in lines_of("phases", file)] == [name for _, name in found], found
        # Without the last phase, which takes longer the busier the host is.
        times = [moment for moment in times if moment < set_at[2]]
        lines = lines_of("phases", "--to", "@rest", file)
        assert [line["phase"] for line in lines] == ["on", "off"], lines
        for line, begin, end in zip(lines, set_at, [set_at[1], times[-1]]):
            assert abs(line["after"] - (begin - times[0])) < 0.001, (line, begin)
            assert abs(line["seconds"] - (end - begin)) < 0.001, (line, begin, end)
        windows = [line for line in lines_of("history", "--to", "@rest", file) if line["kind"] == "host"]
        assert len(windows) == len(times) - 1, (len(windows), len(times))
        inside = [w for w, begin, end in zip(windows, times, times[1:]) if begin >= set_at[0] and end <= set_at[1]]
        assert len(inside) >= 2, inside
        mean = sum(w["cpu"] * w["seconds"] for w in inside) / sum(w["seconds"] for w in inside)
        assert abs(lines[0]["cpu"] - mean) < 0.001, (lines[0], mean)
        # Of a part, only the marks in it.
        part = lines_of("phases", "--from", "@off", file)
        assert [line["phase"] for line in part] == ["rest"], part
        text = harness.run("compare", "--no-pager", file).stdout.decode()
        assert re.search(r"^ ?phases: 'on' [0-9.]+m?s, 'off' [0-9.]+m?s, 'rest' ", text, re.MULTILINE), text
        page = harness.run("compare", "-f", "html", file).stdout.decode()
        assert page.count("<title>off</title></path>") == page.count('<svg class="area"') > 0, page


def test_a_recording_without_marks_has_no_phases():
    with folder() as path:
        file = path / "a.ctprof"
        with recorder(file) as process:
            wait_for(lambda: len(harness.frames(file)) >= 4, "samples")
            end(process)
        assert lines_of("phases", file) is None
        assert b"phases" not in harness.run("compare", "--no-pager", file).stdout


def test_exported_samples_have_their_phase():
    with folder() as path:
        file, found = phase(path, plugins=["--plugins=procfs,host"])
        done = harness.run("export", "-q", "-f", "ndjson", "--rows", "captures", file)
        rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
        assert len(rows) == len(harness.frames(file)), len(rows)
        want, begun = None, dict(found)
        for i, row in enumerate(rows):
            want = begun.get(i, want)
            assert row.get("phase") == want, (i, row.get("phase"), want)
        hidden = harness.run("export", "-q", "-f", "ndjson", "--rows", "captures", "--redact", file)
        assert all(json.loads(line).get("phase") is None for line in hidden.stdout.decode().splitlines())


def runs_of(text):
    """The values of each metric of the command, one list for each side."""
    return {row["metric"]: (row["runs"]["baseline"], row["runs"]["candidate"])
            for section in json.loads(text)["sections"] for row in section["rows"] if row["group"] == "command"}


def test_runs_of_a_command_have_phases():
    """Each run's marks are its own: those of a warm-up, and of the run before, are in no other."""
    with folder() as path:
        kept = path / "set"
        commands = [f"{CTPROF} mark -f {kept} one; sleep {s}; {CTPROF} mark -f {kept} 'and two'; {CTPROF} mark -f {kept} one"
                    for s in (0.1, 0.3)]
        done = harness.run(*PLAIN, "stat", "-q", "--smaps=never", "-f", "json", "-n", 0, "--repeat=4", "--warmup=1",
                           f"--set={kept}", f"--versus=sh -c \"{commands[1]}\"", "--", "sh", "-c", commands[0])
        found = runs_of(done.stdout)
        assert {name for name in found if name.startswith("phase.")} == {"phase.one", "phase.and two"}, found
        for side, least in ((0, 0.1), (1, 0.3)):
            for one, two, wall in zip(*(found[name][side] for name in ("phase.one", "phase.and two", "wall_ns"))):
                assert least * 1e9 <= one and one + two <= wall, (one, two, wall)
        again = harness.run("compare", "-f", "json", "-n", 0, kept / "a", kept / "b")
        assert runs_of(again.stdout) == found


def check_runs_alone():
    with folder() as path:
        read, write = os.pipe()
        command = f"{CTPROF} mark 'by name' && echo 'by line' >&{write}"
        done = harness.run(*PLAIN, "stat", "-q", "--smaps=never", "-f", "json", "-n", 0, "--repeat=2", f"--mark-fd={read}",
                           "--", "bash", "-c", command, pass_fds=[read, write], cwd=path)
        found = runs_of(done.stdout)
        assert all(len(found[f"phase.{name}"][0]) == 2 for name in ("by name", "by line")), found


def test_runs_take_marks_without_a_file_and_by_lines():
    in_own_network(check_runs_alone)


def test_a_mark_that_is_not_there():
    with folder() as path:
        file, _ = phase(path)
        for arguments, expected in (
            (["--from", "@none"], "the recording has no such mark; it has '@on', '@off'"),
            (["--from", "@off", "--to", "@none"], "no such mark after "),
            (["--from", "@"], "it has '@on', '@off'"),
            (["--from", "@on", "--to", "@ON"], "it has '@off', '@on'"),
        ):
            done = harness.run("compare", *arguments, file, check=False)
            assert done.returncode == 1 and expected in done.stderr.decode(), done.stderr
        plain = path / "plain.ctprof"
        harness.run(*PLAIN, "record", "-n", 2, "-i", "10ms", "-p", os.getpid(), "-o", plain)
        done = harness.run("show", "--at", "@on", plain, check=False)
        assert done.returncode == 1 and b"the recording has no marks" in done.stderr, done.stderr


def test_marks_outlive_copies():
    """What cut and redact write has the marks, the latter as words that find the same samples."""
    with folder() as path:
        file, found = phase(path)
        times = [frame["captured_at_unix_ns"] for frame in harness.frames(file)]
        safe = path / "safe.ctprof"
        harness.run("redact", "-o", safe, file)
        hidden = marks(safe)
        assert [i for i, _ in hidden] == [i for i, _ in found]
        on, off = hidden[0][1], hidden[1][1]
        assert [on, off] * 2 == [name for _, name in hidden] and "on" not in (on, off), hidden
        assert cut(safe, "--from", f"@{on}", "--to", f"@{off}")[-1] == times[found[1][0] - 1]
        part = path / "part.ctprof"
        harness.run("cut", "--to", "@off", "-o", part, file)
        assert [name for _, name in marks(part)] == ["on"], marks(part)


def test_strangers_set_no_marks():
    other = harness.need_other_user()
    with folder() as path:
        os.chmod(path, 0o755)
        file = path / "a.ctprof"
        with recorder(file) as process:
            name, = sockets(file)
            refused = harness.run("mark", "-f", file, "stranger", user=other, check=False)
            assert refused.returncode == 1, refused

            def send():
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
                    own.bind("")
                    own.settimeout(harness.PATIENCE_S)
                    own.connect(f"\0{name}")
                    own.send(b"stranger")
                    return own.recv(100)

            assert b"another user" in harness.as_user(other, send)
            harness.run("mark", "-f", file, "own")
            end(process)
        assert [mark for _, mark in marks(file)] == ["own"]


def test_no_answer_goes_to_a_path():
    """A stranger's path would be looked up with the rights of the recorder."""
    with folder() as path:
        file = path / "a.ctprof"
        with recorder(file) as process, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
            name, = sockets(file)
            own.bind(str(path / "own"))
            own.sendto(b"by path", f"\0{name}")
            # Taken after that message.
            harness.run("mark", "-f", file, "by name")
            own.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                raise AssertionError(own.recv(300))
            end(process)
        assert [mark for _, mark in marks(file)] == ["by path", "by name"]


def test_root_marks_the_recording_of_a_user():
    other = harness.need_other_user()
    with folder() as path:
        os.chmod(path, 0o777)
        file = path / "a.ctprof"
        with recorder(file, user=other) as process:
            harness.run("mark", "-f", file, "by root")
            harness.run("mark", "-f", file, "by the user", user=other)
            end(process)
        assert [mark for _, mark in marks(file)] == ["by root", "by the user"]


def test_an_impostor_takes_no_mark():
    """Another user's process has the name of a recorder: the command does not believe it."""
    other = harness.need_other_user()
    with folder() as path:
        file = path / "a.ctprof"
        file.touch()
        st = os.stat(file)
        impostor = os.fork()
        if impostor == 0:
            os.setresgid(other, other, other)
            os.setresuid(other, other, other)
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
                own.bind(f"\0ctprof-record-0-{st.st_dev:x}-{st.st_ino:x}-a.ctprof")
                _, sender = own.recvfrom(300)
                own.sendto(b"", sender)
            os._exit(0)
        try:
            wait_for(lambda: sockets(file), "the impostor")
            done = harness.run("mark", "-f", file, "secret", check=False)
            assert done.returncode == 1 and b"another user's process" in done.stderr, done
        finally:
            os.kill(impostor, signal.SIGKILL)
            os.waitpid(impostor, 0)


def test_impostors_keep_no_one_waiting():
    """However many processes have names like that of the recorder, and do not answer."""
    with folder() as path:
        file = path / "a.ctprof"
        with recorder(file) as process, contextlib.ExitStack() as stack:
            st = os.stat(file)
            for i in range(200):
                impostor = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
                impostor.bind(f"\0ctprof-record-0-{st.st_dev:x}-{st.st_ino:x}-a{i}.ctprof")
            began = time.monotonic()
            harness.run("mark", "-f", file, "own")
            assert time.monotonic() - began < 10, "it asks the recorder first"
            end(process)
        assert [mark for _, mark in marks(file)] == ["own"]


if __name__ == "__main__":
    if not shutil.which("zstdcat"):
        print("1..0 # SKIP needs zstdcat")
        sys.exit(0)
    tap.main(globals(), world="of recordings of one process, whose sockets have names of their own")
