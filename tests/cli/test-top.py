#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ctprof top and ctprof replay, in a real terminal, provided by tmux."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402
from terminal import terminal  # noqa: E402

FOLDER = tempfile.TemporaryDirectory(prefix="ctprof-top-")
SOURCES = "--plugins=procfs,system,host,snapshot,table"
END = "== the end =="


def need_screen():
    done = harness.run("replay", "/none", check=False)
    if b"without ncurses" in done.stderr:
        raise tap.Skip("this build has no ncurses")


@contextlib.contextmanager
def screen(*arguments, size=(80, 24), before="", env="", **more):
    """ctprof in a terminal; its exit status, and what the terminal was before and is after,
    are shown when it ends."""
    need_screen()
    command = " ".join([env, str(harness.CTPROF), *map(str, arguments)])
    script = (f"cd {FOLDER.name}; {before} stty -g >stty.before; {command}; status=$?; "
              f"stty -g >stty.after; cmp stty.before stty.after && "
              f"echo status=$status '== the' 'end =='; exec cat")
    with terminal(*size, script, **more) as shown:
        yield shown


def end_of(shown):
    """Waits for its end and returns the exit status.  The terminal must be restored."""
    text = shown.wait(lambda text: END in text, "the end of ctprof")
    assert shown.state("alternate_on") == "0" and shown.state("cursor_flag") == "1", text
    return int(re.search(r"status=(\d+) " + END, text)[1])


def pools(text):
    """The rows of the table of pools: first word -> line."""
    lines = text.splitlines()
    at = [line.startswith(" POOL ") for line in lines].index(True)
    body = lines[at + 1:-2]
    return {line.split()[0]: line for line in body if line.strip()}


def has_pools(text):
    return " POOL " in text and " total " in text


def wait_for_pools(shown):
    return shown.wait(has_pools, "the pools")


def record(name="host.ctprof", samples=4):
    """A recording of a few processes of ours, once."""
    path = Path(FOLDER.name, name)
    if not path.exists():
        with harness.Worker() as worker:
            harness.run(SOURCES, "record", "-q", "-i", "300ms", "-n", samples, "-p", worker.pid,
                        "-p", os.getpid(), "-o", path)
    return path


def titles(text):
    """The time and length of the window, and how long its samples took."""
    return text.splitlines()[0]


def test_the_first_screen():
    for size in ((80, 24), (120, 40)):
        with screen(SOURCES, "top", "-i", "500ms", size=size) as shown:
            text = wait_for_pools(shown)
            lines = text.splitlines()
            assert re.match(r" \d\d:\d\d:\d\d → \d\d:\d\d:\d\d( \w+)?   \S+ apart", lines[0]), text
            assert re.match(r" CPU     \S+ of \d+ busy", lines[2]), text
            assert lines[-1].startswith(" ? help  q quit"), text
            assert all(len(line) <= size[0] for line in lines), text
            # It goes on.
            shown.wait(lambda now: has_pools(now) and titles(now) != titles(text), "another window")
            shown.press("q")
            assert end_of(shown) == 0


def test_threads_that_are_stuck_stand_out():
    """The state of threads is read although the memory page, which shows it, is not open."""
    beast = subprocess.Popen([harness.BUILD / "tests/scene/beast", "top-stuck", "stuck", "5"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    with beast:
        beast.stdout.readline()
        with screen(SOURCES, "top", "-i", "0.5s", size=(120, 30)) as shown:
            shown.wait(lambda text: "top-stuck is stuck or frozen: 5 of" in text, "the finding")
            shown.press("q")
            assert end_of(shown) == 0


def test_replay_shows_each_sample():
    with screen("replay", record()) as shown:
        text = wait_for_pools(shown)
        assert "worker" in pools(text), text
        apart = [float(re.search(r" (\d+)ms apart", text)[1])]
        shown.press("]")
        text = shown.wait(lambda now: "ms apart" in now and f" {apart[0]:.0f}ms" not in now,
                          "a longer window")
        assert float(re.search(r" (\d+)ms apart", text)[1]) > 1.5 * apart[0], text
        shown.press("q")
        assert end_of(shown) == 0


def test_replay_explains_a_finding():
    with screen("replay", "--explain=out-of-memory", record(), size=(80, 30)) as shown:
        text = wait_for_pools(shown)
        assert " out-of-memory: no finding" in text, text
        shown.press("q")
        assert end_of(shown) == 0


def test_findings_of_a_recording():
    """A process uses a CPU in the middle of the recording: the list has it, and leads to its window."""
    path = Path(FOLDER.name, "busy.ctprof")
    recorder = subprocess.Popen([harness.CTPROF, SOURCES, "record", "-q", "-i", "250ms", "-n", "12", "-o", path])
    time.sleep(1)
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as spinner:
        time.sleep(1)
        spinner.kill()
    assert recorder.wait(60) == 0
    with screen("replay", path, size=(110, 30)) as shown:
        wait_for_pools(shown)
        shown.press("f")
        text = shown.wait(lambda now: "in the whole recording" in now and " FINDING " in now, "the findings")
        assert re.search(r"^ (busiest|wants-cpu|starved) +sh ", text, re.MULTILINE), text
        assert text.splitlines()[1].startswith(" FINDING "), text
        shown.press("f")
        wait_for_pools(shown)
        shown.press("f")
        shown.wait(lambda now: " FINDING " in now, "the findings again")
        shown.press("Enter")
        text = wait_for_pools(shown)
        assert "paused" in text and "!" in text, text
        shown.press("q")
        assert end_of(shown) == 0


def test_replay_of_a_file_that_is_cut_off():
    whole = record().read_bytes()
    path = Path(FOLDER.name, "cut.ctprof")
    # The table of frames, and the end of the last sample.
    path.write_bytes(whole[:-100])
    with screen("replay", path, size=(120, 24)) as shown:
        text = wait_for_pools(shown)
        said = harness.run("show", path).stderr.decode()
        remark = re.search(r"cut\.ctprof: (.{20})", said)[1]
        assert remark in text, (remark, text)
        shown.press("q")
        assert end_of(shown) == 0


def names(text):
    """The names in the table of pools, in order."""
    return [name for name in pools(text) if name not in ("exited,", "total")]


def test_keys_of_a_recording():
    with screen("replay", record(), size=(100, 24)) as shown:
        text = wait_for_pools(shown)
        first = titles(text)
        shown.press("t")
        shown.wait(lambda now: titles(now) != first, "the next sample")
        shown.press("T")
        shown.wait(lambda now: titles(now) == first, "the sample before")
        shown.press("j")
        shown.type("-0s")
        shown.press("Enter")
        shown.wait(lambda now: titles(now) != first, "the last window")
        shown.press("j")
        shown.type("yesterday")
        shown.press("Enter")
        shown.wait(lambda now: "expected a time" in now, "why it is no time")
        shown.press("g")
        text = shown.wait(lambda now: " by comm ·" in now, "threads by name")
        assert any(name.startswith("ctw") or name.startswith("worker") for name in names(text)), text
        shown.press("\\")
        shown.type("no-such-pool")
        shown.press("Enter")
        shown.wait(lambda now: "filter no-such-pool: no name matches" in now and not names(now), "nothing to match")
        shown.press("\\", "C-h", *["BSpace"] * 12)
        shown.type("(")
        shown.press("Enter")
        shown.wait(lambda now: "'(': Error" in now, "no regular expression")
        shown.press("?")
        text = shown.wait(lambda now: " Keys" in now, "the keys")
        assert "search for a name" in text, text
        shown.press("q")
        assert end_of(shown) == 0


def test_replay_of_a_rotated_recording():
    """For the folder: all samples of all files, in order."""
    path = Path(FOLDER.name, "turned")
    path.mkdir()
    harness.run(SOURCES, "record", "-q", "-n", 12, "-i", "100ms", "--max-age", "300ms", "--keep", 1000,
                "-o", path / "turn.ctprof")  # fmt: skip
    assert len(list(path.iterdir())) > 2, list(path.iterdir())
    with screen("replay", path, size=(100, 24)) as shown:
        first = titles(wait_for_pools(shown))
        shown.press("j")
        shown.type("-0s")
        shown.press("Enter")
        shown.wait(lambda now: titles(now) != first, "the last window")
        shown.press(*["T"] * 9)
        time.sleep(1)
        shown.wait(lambda now: titles(now) != first, "the second window")
        shown.press("T")
        shown.wait(lambda now: titles(now) == first, "the first window")
        shown.press("q")
        assert end_of(shown) == 0


def test_order_and_columns():
    with screen("replay", record(), size=(120, 24)) as shown:
        wait_for_pools(shown)
        for key, order in ((">", "threads"), (">", "pss"), ("<", "threads"), ("<", "cost")):
            shown.press(key)
            shown.wait(lambda now, order=order: f"sort {order}" in now, f"the order {order}")
        shown.press("c")
        shown.wait(lambda now: "[x] THREADS" in now, "the columns")
        shown.press("Home", "Enter")
        shown.wait(lambda now: "[ ] THREADS" in now, "a column that is not wanted")
        shown.press("Escape")
        text = wait_for_pools(shown)
        assert " THREADS " not in text, text
        shown.press("q")
        assert end_of(shown) == 0


def test_another_order_is_seen():
    """Its column is marked, and stays if there is no room for others; the first row is chosen."""
    with screen("replay", harness.SOURCE / "tests/cli/replay/loads.ctprof", size=(50, 24)) as shown:
        text = wait_for_pools(shown)
        assert " PSS" not in text and "▾" not in text, text
        shown.press("End", "<")
        text = shown.wait(lambda now: "sort pss" in now and has_pools(now), "the last column")
        assert " PSS▾" in text and text.count("▾") == 1, text
        assert max(map(len, text.splitlines())) <= 50, text
        shown.press("Enter")
        shown.wait(lambda now: "python3[" in now, "the pool with the most")
        shown.press("q")
        assert end_of(shown) == 0


def test_every_column_is_explained():
    """On the screen, and in --help, from which the manual page is made."""
    headers = {header for path in ("frame/quantity.c", "report/section/digest/pools.c")
               for header in re.findall(r'(?:SHORT|COLUMN|SUBJECT_FIELD|TABLE_FIELD|TEXT_FIELD)\(\s*"\w+", "([^"]+)"',
                                        (harness.SOURCE / "core" / path).read_text(encoding="utf-8"))}
    assert {"CPU", "A TURN", "POOL", "UNIT"} <= headers, headers
    said = harness.run("top", "--help").stdout.decode().partition("Columns:\n")[2].partition("\n\n")[0]
    known = {word for line in said.splitlines() for word in line[2:18].strip().split(", ")}
    # Some fields are for machines.
    wanted = {header for header in headers - {"BORN", "GONE"} if not header.islower()} | {"usr/sys", "-"}
    assert wanted <= known, wanted - known
    with screen("replay", harness.SOURCE / "tests/cli/replay/loads.ctprof", size=(80, 60)) as shown:
        wait_for_pools(shown)
        shown.press("?")
        shown.wait(lambda now: all(line in now for line in said.splitlines()), "the columns")
        shown.press("q")
        assert end_of(shown) == 0


def test_a_pool_opens():
    """Threads and, as root, where they wait; the search finds a thread."""
    with harness.Worker() as worker, screen("top", "-i", "1s", worker.pid,
                                            size=(100, 30)) as shown:
        wait_for_pools(shown)
        shown.press("/")
        shown.type("worker")
        shown.press("Enter", "Enter")
        text = shown.wait(lambda now: f"worker[{worker.pid}]" in now, "its threads")
        assert " THREADS " in text, text
        if harness.is_root():
            shown.wait(lambda now: " WAITS IN " in now, "where they wait")
        shown.press("Escape")
        shown.wait(lambda now: " busy " in now, "the pools")
        shown.press("q")
        assert end_of(shown) == 0


def test_a_pool_has_its_states():
    with harness.Worker() as worker, screen("top", "-i", "1s", "--states=10", worker.pid, size=(100, 40)) as shown:
        wait_for_pools(shown)
        shown.press("/")
        shown.type("worker")
        shown.press("Enter", "Enter")
        text = shown.wait(lambda now: " STATE " in now and f"worker[{worker.pid}]" in now, "its states")
        assert " SHARE " in text and "95 %" in text, text
        shown.press("q")
        assert end_of(shown) == 0


def test_pause_and_save():
    with screen(SOURCES, "top", "-i", "300ms", size=(120, 30)) as shown:
        wait_for_pools(shown)
        shown.press("p")
        text = shown.wait(lambda now: "paused" in now, "the pause")
        shown.press("s")
        text = shown.wait(lambda now: "saved: " in now, "the file")
        path = Path(FOLDER.name, re.search(r"saved: (\S+)", text)[1])
        # The file has what was shown; but for another run, this one is a pool.
        report = harness.run("compare", path).stdout.decode()
        assert shown.lines()[0].partition("   ")[2] in report, (report, shown.text())
        pools = [line.split() for line in (*shown.lines(), *report.splitlines()) if line.startswith(" ctprof ")]
        assert len(pools) == 2 and len(pools[0]) == 2 and len(pools[1]) > 5, (report, shown.text())
        shown.press("Space")
        shown.wait(lambda now: has_pools(now) and titles(now) != titles(text), "another window")
        shown.press("q")
        assert end_of(shown) == 0


def test_resize():
    with screen("replay", record()) as shown:
        wait_for_pools(shown)
        for width, height in ((120, 40), (60, 12), (200, 50), (80, 24)):
            shown.resize(width, height)
            text = shown.wait(lambda now, height=height: has_pools(now) and
                              now.splitlines()[height - 1].startswith(" ? help"), "the new size")
            assert max(map(len, text.splitlines())) <= width, text
        shown.press("q")
        assert end_of(shown) == 0


def test_hostile_names_are_escaped():
    """A process whose name contains a cursor movement and a bell."""
    code = ("import ctypes,sys; ctypes.CDLL(None).prctl(15, b'e\\x1b[2J\\x07\\xc2\\x9bq'); "
            "print(flush=True); sys.stdin.read()")
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as evil:
        evil.stdout.readline()
        with screen(SOURCES, "top", "-i", "300ms", evil.pid, size=(120, 24)) as shown:
            text = wait_for_pools(shown)
            assert r"e\x1b[2J\x07" in text, text
            shown.press("q")
            assert end_of(shown) == 0
        evil.stdin.close()


def of_terminal(shown):
    """The processes of ctprof in the terminal: the supervisor, and the one that draws."""
    shell = int(shown.state("pane_pid"))
    (supervisor,) = [pid for pid in children_of(shell) if "ctprof" in name_of(pid)]
    return supervisor, children_of(supervisor)[0]


def children_of(pid):
    return [int(child) for child in
            Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()]


def name_of(pid):
    return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8")


def test_signals_give_the_terminal_back():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        with screen("replay", record()) as shown:
            wait_for_pools(shown)
            os.kill(of_terminal(shown)[0], number)
            assert end_of(shown) == 128 + number


def test_a_crash_gives_the_terminal_back():
    with screen("replay", record(), size=(120, 24)) as shown:
        wait_for_pools(shown)
        _, drawing = of_terminal(shown)
        os.kill(drawing, signal.SIGSEGV)
        assert end_of(shown) == 128 + signal.SIGSEGV
        assert "crashed with SIGSEGV, outside of any plugin" in shown.text(), shown.text()


def test_a_plugin_that_crashes_is_left_out():
    with screen(toy(), "--plugins=all,-bpf", "top", "-i", "300ms",
                size=(120, 24), env="TOY_FAULT=crash-host") as shown:
        wait_for_pools(shown)
        shown.press("q")
        assert end_of(shown) == 4
        assert "toy" in shown.text() and "crashed with SIGSEGV" in shown.text(), shown.text()


def test_stop_and_go_on():
    """Ctrl-Z, and fg, of a shell with job control."""
    need_screen()
    with terminal(80, 24, "exec bash --norc --noprofile -i") as shown:
        shown.type(f"PS1=; {harness.CTPROF} replay {record()}; echo the' 'end")
        shown.press("Enter")
        wait_for_pools(shown)
        shown.press("C-z")
        shown.wait(lambda now: "Stopped" in now, "the shell")
        assert shown.state("cursor_flag") == "1"
        shown.type("fg")
        shown.press("Enter")
        wait_for_pools(shown)
        shown.press("q")
        shown.wait(lambda now: "Stopped" in now and not has_pools(now), "the end")
        assert shown.state("alternate_on") == "0"


def test_sigkill_of_the_one_that_draws_gives_the_terminal_back():
    with screen("replay", record()) as shown:
        wait_for_pools(shown)
        os.kill(of_terminal(shown)[1], signal.SIGKILL)
        assert end_of(shown) == 128 + signal.SIGKILL
        assert "killed by the kernel, or from outside" in shown.text(), shown.text()


def test_sigkill_of_the_supervisor_gives_the_terminal_back():
    need_screen()
    script = (f"cd {FOLDER.name}; stty -g >stty.before; {harness.CTPROF} replay {record()}; "
              'until [ "$(stty -g)" = "$(cat stty.before)" ]; do sleep 0.05; done; '
              f"echo '== the' 'end =='; exec cat")
    with terminal(80, 24, script) as shown:
        wait_for_pools(shown)
        supervisor, drawing = of_terminal(shown)
        os.kill(supervisor, signal.SIGKILL)
        shown.wait(lambda now: END in now, "the terminal as it was")
        harness.wait_for(lambda: not Path(f"/proc/{drawing}").exists(), "the end of both")
        assert shown.state("alternate_on") == "0" and shown.state("cursor_flag") == "1"


def toy():
    """Returns the option for a folder with the plugin that has faults."""
    path = Path(FOLDER.name, "toys")
    path.mkdir(exist_ok=True)
    shutil.copy(harness.BUILD / "tests/border/ctprof-toy.so", path)
    return f"--plugin-path={path}"


def test_keys_are_answered_while_a_sample_is_read():
    """A sample that never ends."""
    with screen(toy(), "--plugins=all,-bpf", "top", env="TOY_FAULT=hang-host") as shown:
        shown.wait(lambda now: "first sample is taken" in now, "the screen")
        for key, sight in (("?", " Keys"), ("Escape", "first sample is taken"), ("p", "paused")):
            shown.press(key)
            shown.wait(lambda now, sight=sight: sight in now, f"what {key} does")
        shown.press("q")
        assert end_of(shown) == 1
        assert "reading was cut off" in shown.text(), shown.text()


# ---- memory ---------------------------------------------------------------------------


def need_memory():
    if "memory-mappings" not in harness.run("plugins", "--format", "json").stdout.decode():
        raise tap.Skip("no plugin of this build has the group memory-mappings")


def tree(text):
    """Rows of the page of processes: pid -> line."""
    lines = text.splitlines()
    (at,) = [i for i, line in enumerate(lines) if re.match(r" +PID  USER ", line)]
    return {int(found[1]): line for line in lines[at + 1:-2]
            if (found := re.match(r" +(\d+)  ", line))}


def has_tree(text):
    return re.search(r"^ +PID  USER .* COMMAND", text, re.MULTILINE) and " total" in text


def is_sorted(text, column):
    """Whether the rows of the page are in the order of a column of sizes."""
    lines = text.splitlines()
    (at,) = [i for i, line in enumerate(lines) if f" {column} " in line]
    end = re.search(rf" {re.escape(column)}(?= )", lines[at]).end()
    cells = [re.search(r"([\d.]+)([BKMGT])$", line[:end]) for line in lines[at + 1:at + 4]]
    sizes = [float(cell[1]) * 1024 ** "BKMGT".index(cell[2]) for cell in cells if cell]
    return sizes == sorted(sizes, reverse=True) and len(sizes) > 1


def test_the_memory_page():
    """From the tree to the mappings of a process, to the processes that map a file, and back."""
    need_memory()
    with harness.Worker("--processes", 3) as worker, \
            screen("top", "-i", "300ms", *worker.pids) as shown:
        wait_for_pools(shown)
        shown.press("m")
        # A message may be below it for a while.
        state = re.compile(r" by pss · with children · read at \d\d:\d\d:\d\d, \d+ s ago")
        text = shown.wait(lambda now: has_tree(now) and state.search(now), "the tree, and its age")
        assert sorted(tree(text)) == worker.pids, text
        assert re.match(r" [\d.]+ [GM]iB · [\d.]+ free", text), text
        assert max(map(len, text.splitlines())) <= 80, text
        shown.press("e")
        shown.wait(lambda now: "of each alone" in now, "what each has itself")
        shown.press("e")
        shown.wait(lambda now: "flat list" in now and " PSS+" not in now, "the list")
        shown.press("u")
        shown.wait(lambda now: " by uss " in now, "another measure")
        shown.press(">")
        shown.wait(lambda now: " by rss " in now and is_sorted(now, "RSS"), "the next one")
        shown.press("<")
        shown.wait(lambda now: " by uss " in now and is_sorted(now, "USS"), "the one before")
        shown.press("/")
        shown.type(str(worker.pid))
        shown.press("Enter", "Enter")
        text = shown.wait(lambda now: " OBJECT" in now and f"mappings of {worker.pid}" in now,
                          "the mappings")
        assert str(worker.pid) in text.splitlines()[1], text
        assert "[stack]" in text or "[heap]" in text, text
        shown.press("/")
        shown.type("libc")
        shown.press("Enter", "Enter")
        text = shown.wait(lambda now: re.search(r"^ +PID  NAME +PSS", now, re.MULTILINE),
                          "who maps it")
        for pid in worker.pids:
            assert re.search(rf"^ +{pid}  ", text, re.MULTILINE), text
        shown.press("Escape", "Escape")
        shown.wait(has_tree, "the tree again")
        shown.press("m")
        wait_for_pools(shown)
        shown.press("q")
        assert end_of(shown) == 0


def test_memory_that_belongs_to_no_object_opens_nothing():
    need_memory()
    with harness.Worker() as worker, screen("top", "-i", "300ms", worker.pid) as shown:
        wait_for_pools(shown)
        shown.press("m")
        shown.wait(has_tree, "the tree")
        shown.press("Enter")
        shown.wait(lambda now: "[stack]" in now, "the mappings")
        shown.press("/")
        shown.type("[stack]")
        shown.press("Enter", "Enter")
        shown.wait(lambda now: "it is this process's own memory" in now, "why not")
        shown.press("q")
        assert end_of(shown) == 0


def test_memory_of_a_process_that_ends():
    need_memory()
    with harness.Worker() as worker, screen("top", "-i", "300ms", worker.pid, os.getpid()) as shown:
        wait_for_pools(shown)
        shown.press("m")
        shown.wait(has_tree, "the tree")
        shown.press("/")
        shown.type(f"{worker.pid}")
        shown.press("Enter", "Enter")
        shown.wait(lambda now: " OBJECT" in now, "the mappings")
        worker.process.kill()
        worker.process.wait()
        shown.wait(lambda now: f"process {worker.pid} has ended" in now, "what became of it")
        # The other line is still shown.
        shown.press("Escape")
        shown.wait(lambda now: has_tree(now) and set(tree(now)) == {os.getpid()}, "the tree")
        shown.press("m")
        wait_for_pools(shown)
        shown.press("q")
        assert end_of(shown) == 0


def test_top_of_a_process_shows_no_other():
    """Processes that end meanwhile are not shown either."""
    with harness.Worker() as worker, screen("top", "-i", "300ms", worker.pid) as shown:
        text = wait_for_pools(shown)
        for _ in range(3):
            for _ in range(20):
                subprocess.run(["true"], check=True)
            text = shown.wait(lambda now, before=titles(text): has_pools(now) and titles(now) != before,
                              "another window")
            assert set(pools(text)) <= {"worker", "total"}, text
        shown.press("q")
        assert end_of(shown) == 0


def test_top_of_processes_ends_with_the_last_of_them():
    with harness.Worker() as one, harness.Worker() as other, \
            screen("--plugins=all,-bpf", "top", "-i", "300ms", one.pid, other.pid) as shown:
        text = wait_for_pools(shown)
        for worker in (one, other):
            worker.process.kill()
            worker.process.wait()
            if worker is one:
                shown.wait(lambda now: has_pools(now) and titles(now) != titles(text), "another window")
        assert end_of(shown) == 1
        assert "has ended, as have the others" in shown.text(), shown.text()


def test_hostile_names_are_escaped_on_the_memory_page():
    """The command line, and a mapped file."""
    need_memory()
    path = Path(FOLDER.name, "m\x1b[2J\x9b.so")
    path.write_bytes(b"x" * 8192)
    code = ("import mmap,sys; f=open(sys.argv[1],'r+b'); m=mmap.mmap(f.fileno(),0); m[:]; "
            "print(flush=True); sys.stdin.read()")
    with subprocess.Popen([sys.executable, "-c", code, path, "a\x1b[2Jb\nc"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as evil:
        evil.stdout.readline()
        with screen("top", "-i", "300ms", evil.pid, size=(200, 24)) as shown:
            wait_for_pools(shown)
            shown.press("m")
            text = shown.wait(has_tree, "the tree")
            assert r"a\x1b[2Jb\nc" in text or r"a\x1b[2Jb\x0ac" in text, text
            shown.press("Enter")
            shown.wait(lambda now: " OBJECT" in now, "the mappings")
            shown.press("/")
            shown.type("[2J")
            shown.press("Enter")
            shown.wait(lambda now: r"m\x1b[2J" in now, "the file")
            shown.press("Enter")
            shown.wait(lambda now: r"m\x1b[2J" in now and re.search(rf"^ +{evil.pid}  python", now, re.MULTILINE),
                       "who maps it")
            shown.press("q")
            assert end_of(shown) == 0
        evil.stdin.close()


def test_memory_of_a_recording():
    need_memory()
    path = Path(FOLDER.name, "memory.ctprof")
    with harness.Worker("--processes", 2) as worker:
        harness.run("record", "-q", "-i", "300ms", "-n", 4, "--every", "memory=1h",
                    "--memory=ledger,processes", "-g", "all,memory-mappings",
                    "-O", f"memory.pid={worker.pid}", "-p", worker.pid, "-p", worker.pids[-1], "-o", path)
    with screen("replay", path) as shown:
        wait_for_pools(shown)
        shown.press("t", "t", "m")
        # It was read only with the first sample.
        text = shown.wait(has_tree, "the tree")
        assert set(tree(text)) <= set(worker.pids) and tree(text), text
        assert re.search(r" · read at \d\d:\d\d:\d\d(?!, )", text), text
        shown.press("/")
        shown.type(str(worker.pid))
        shown.press("Enter", "Enter")
        shown.wait(lambda now: " OBJECT" in now and "libc" in now, "the mappings")
        shown.press("/")
        shown.type("libc")
        shown.press("Enter", "Enter")
        shown.wait(lambda now: "has no shared objects: capture with --memory=shared" in now, "what is missing")
        shown.press("q")
        assert end_of(shown) == 0


# Screens of replay/loads.ctprof, three samples of four processes with their memory: name -> the
# keys to it, and the text that is then visible.  BLESS=1 writes what is drawn.
SCREENS = {
    "pools": ("", " total "),
    "next": ("t", " → 22:20:58 "),
    "pool": ("Enter", "python3["),
    "history": ("Enter t t", " CPU   █"),
    "idle": ("End Enter", "worker["),
    "threads": ("g g g g g", " by thread "),
    "help": ("?", " Keys"),
    "memory": ("m", " by pss "),
    "flat": ("m e e u", " by uss · flat list"),
    "mappings": ("m Enter", " OBJECT"),
    "consumers": ("m Enter / l i b m Enter Enter", " NAME "),
}


def test_screens_of_a_recording():
    need_memory()
    folder = harness.SOURCE / "tests/cli/replay"
    bless = os.environ.get("BLESS")
    for size in ((80, 24), (120, 40)):
        for name, (keys, sight) in SCREENS.items():
            golden = folder / f"{name}-{size[0]}x{size[1]}.txt"
            with screen("replay", folder / "loads.ctprof", size=size, env="TZ=UTC") as shown:
                wait_for_pools(shown)
                for key in keys.split():
                    shown.press(key)
                if bless:
                    drawn = [""]
                    # Takes the same sample several times.
                    shown.wait(lambda now, sight=sight, drawn=drawn:
                               sight in now and drawn.append(now) is None
                               and drawn[-8:] == 8 * [now], "the screen")
                    golden.write_text(drawn[-1], encoding="utf-8")
                shown.wait(lambda now, golden=golden: now == golden.read_text(encoding="utf-8"),
                           f"the screen {golden.name}")
                shown.press("q")
                assert end_of(shown) == 0


def test_the_memory_page_on_a_small_terminal():
    """Rows come before notes."""
    need_memory()
    path = harness.SOURCE / "tests/cli/replay/loads.ctprof"
    with screen("replay", path, size=(80, 12)) as shown:
        wait_for_pools(shown)
        shown.press("m", "Enter")
        text = shown.wait(lambda now: " OBJECT" in now and " total" in now, "the mappings")
        lines = text.splitlines()
        (at,) = [i for i, line in enumerate(lines) if " OBJECT" in line]
        (end,) = [i for i, line in enumerate(lines) if line.endswith(" total")]
        assert end - at - 1 >= 5, text
        for height in (6, 3, 24):
            shown.resize(80, height)
            shown.wait(lambda now, height=height: now.splitlines()[height - 1].startswith(" ? help"),
                       "the new size")
        shown.press("q")
        assert end_of(shown) == 0


def test_a_recording_without_memory_says_so():
    with screen("replay", record(), size=(120, 24)) as shown:
        wait_for_pools(shown)
        shown.press("m")
        shown.wait(lambda now: "has no memory of processes: capture with --memory=processes" in now,
                   "what is missing")
        shown.press("m")
        wait_for_pools(shown)
        shown.press("u")
        shown.wait(lambda now: "only on the memory page" in now, "where the key is for")
        shown.press("q")
        assert end_of(shown) == 0


def test_what_is_said_again_and_again_is_said_once():
    """A plugin that logs a line in each sample."""
    with screen(toy(), "--plugins=all,-bpf", "top", "-i", "100ms", os.getpid(), size=(120, 24),
                env="TOY_FAULT=odd-log") as shown:
        text = wait_for_pools(shown)
        for _ in range(3):
            text = shown.wait(lambda now, text=text: has_pools(now) and titles(now) != titles(text), "another window")
        shown.press("q")
        assert end_of(shown) == 0
        said = [line for line in shown.lines() if "toy" in line]
        assert said == [r"ctprof: warning: toy: two\nlines \x1b[31mand\xff colour"], shown.text()


def test_without_the_plugin_the_memory_page_says_so():
    with screen(SOURCES, "top", "-i", "300ms", os.getpid(), size=(120, 24)) as shown:
        wait_for_pools(shown)
        shown.press("m")
        shown.wait(lambda now: "the plugin memory is not loaded" in now, "why not")
        shown.press("q")
        assert end_of(shown) == 0


def test_examples_of_the_help():
    for command in ("top", "replay"):
        text = harness.run(command, "--help").stdout.decode()
        found = re.findall(r"^  ctprof (.*)$", text.partition("Examples:\n")[2], re.MULTILINE)
        assert found, text
        for example in found:
            words = re.sub(r"\$\(.*\)", str(os.getpid()), example).replace("host.ctprof", str(record()))
            with screen(words) as shown:
                wait_for_pools(shown)
                shown.press("q")
                assert end_of(shown) == 0, example


def test_what_is_no_terminal_is_refused_in_a_line():
    done = harness.run("top", check=False)
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1, done
    for term in ("dumb", "no-such-terminal"):
        with screen("top", env=f"TERM={term}") as shown:
            assert end_of(shown) == 2
            assert f"TERM={term}: " in shown.text(), shown.text()


# Arguments -> status, and words of the one line: mistakes that only show on a terminal.
MISTAKES = (
    (("replay", "no-such-file"), 1, "no-such-file: No such file"),
    (("replay", "/"), 1, "/: expected a directory with one recording"),
    (("replay", "/etc/passwd"), 1, "/etc/passwd: not a ctprof snapshot"),
    (("replay", "--sort=run_tim_ns", "RECORDING"), 2, "did you mean run_time_ns?"),
    (("replay", "--filter='('", "RECORDING"), 2, "'(': "),
    (("top", "--sort=nosuch"), 2, "nosuch"),
    (("top", "--groups=nosuch"), 2, "unknown group 'nosuch'"),
    (("top", "4194305"), 1, "4194305: no such process"),
)


def test_mistakes_give_the_terminal_back():
    for words, status, said in MISTAKES:
        words = [str(record()) if word == "RECORDING" else word for word in words]
        with screen(SOURCES, *words, size=(200, 24)) as shown:
            assert end_of(shown) == status, (words, shown.text())
            # Other lines, about values that cannot be read here, may come before.
            (line,) = [line for line in shown.lines()
                       if line.startswith("ctprof: ") and "warning: " not in line]
            assert said in line, (words, line)


def test_one_sample_is_nothing_to_replay():
    path = record("one.ctprof", 1)
    with screen("replay", path) as shown:
        assert end_of(shown) == 1
        assert "has only one sample" in shown.text(), shown.text()


if __name__ == "__main__":
    tap.main(globals(), world="own")
