# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mistakes on the command line and in the environment, and ctprof's
messages."""

import os
import pty
import re
import resource
import signal
import subprocess
import threading

from rig import NOBODY, OWN_BATCH, add_tests, become, check_failure, is_root, rig

import tap
from built import is_sanitized

# Options before or behind "capture" -> status, words of the one line.
MISUSES = {
    "plugin_unknown": (["--plugins", "nix"], 2, "nix"),
    "plugin_unknown_left_out": (["--plugins", "-nix"], 2, "nix"),
    "plugin_list_empty_entry": (["--plugins", "toy,,snapshot"], 2, "--plugins", "empty"),
    "plugin_list_comma": (["--plugins", ","], 2, "--plugins", "empty"),
    "plugin_list_odd_name": (["--plugins", "To y"], 2, "--plugins", "To y"),
    "plugin_path_missing": (["--plugin-path", "nowhere"], 1, "nowhere"),
    "plugin_path_file": (["--plugin-path", "/dev/null"], 1, "/dev/null"),
    "metric_unknown": (["--metrics", "nix"], 2, "nix", "metric"),
    "metric_unknown_left_out": (["--metrics", "-nix"], 2, "nix"),
    "metric_list_empty_entry": (["--metrics", "toy_count,"], 2, "--metrics", "empty"),
    "group_unknown": (["--groups", "toy,nix"], 2, "nix", "group"),
    "group_list_empty_entry": (["--groups", ",toy"], 2, "--groups", "empty"),
    "control_byte_in_name": (["--metrics", "a\033[31m\n"], 2, "--metrics"),
    "pid_0": (["--pid", "0"], 2, "--pid", "0"),
    "pid_negative": (["--pid=-1"], 2, "--pid", "-1"),
    "pid_word": (["--pid", "abc"], 2, "--pid", "abc"),
    "pid_empty": (["--pid", ""], 2, "--pid"),
    "pid_too_large": (["--pid", "99999999999999999999"], 2, "--pid"),
    "pid_with_blank": (["--pid", "1000 "], 2, "--pid"),
    "pid_unknown": (["--pid", "7"], 1, "--pid 7", "no such process"),
    "pid_known_and_unknown": (["--pid", "1000", "--pid", "7"], 1, "--pid 7"),
    "pid_of_a_thread": (["--pid", "1001"], 1, "--pid 1001"),
    "jobs_0": (["--jobs", "0"], 2, "--jobs"),
    "jobs_negative": (["--jobs=-1"], 2, "--jobs"),
    "jobs_word": (["--jobs", "many"], 2, "many"),
    "jobs_too_large": (["--jobs", "99999999999"], 2, "99999999999"),
    "setting_without_value": (["-O", "toy.key"], 2, "toy.key"),
    "setting_without_plugin": (["-O", ".key=1"], 2, ".key"),
    "setting_without_key": (["-O", "toy.=1"], 2, "toy."),
    "setting_of_no_plugin": (["-O", "tyo.when=often"], 2, "'tyo'", "did you mean toy?"),
    "setting_unknown": (["-O", "toy.nix=1"], 2, "toy.nix", "when, long"),
    "setting_of_a_sink": (["-O", "snapshot.nix=1"], 2, "snapshot.nix", "has none"),
    "setting_of_no_word": (["-O", "toy.when=oftn"], 2, "toy.when", "oftn", "often or seldom"),
    "setting_of_no_time": (["-O", "toy.long=soon"], 2, "toy.long", "soon", "500ms"),
    "plugin_option_of_no_word": (["--toy-when=oftn"], 2, "--toy-when", "did you mean often?"),
    "plugin_option_without_value": (["--toy-long"], 2, "--toy-long", "TIME"),
    "option_unknown": (["--nix"], 2, "--nix"),
    "option_misspelt": (["--toy-whne=often"], 2, "--toy-whne", "did you mean --toy-when?"),
    "option_without_value": (["-o"], 2, "-o"),
    "argument_behind": (["extra"], 2, "extra"),
    "argument_with_control_byte": (["ex\033tra"], 2, "ex\\x1btra"),
}


def check_misuse(name, options, status, *words):
    with rig() as r:
        result = r.run("--proc-root", r.proc, "capture", "-o", r.file, *options)
        check_failure(result, status, *words)
        assert not result.out, f"something on stdout\n{result}"
        assert r.left() == [], f"left: {r.left()}"


add_tests(globals(), "misuse", check_misuse, MISUSES)


def check_command(name, arguments, status, *words):
    with rig() as r:
        result = r.run(*arguments)
        check_failure(result, status, *words)
        assert not result.out, f"something on stdout\n{result}"


add_tests(globals(), "command", check_command, {
    "unknown": (["nix"], 2, "nix"),
    "empty": ([""], 2, "unknown command"),
    "metric_list_format": (["metric-list", "--format", "xml"], 2, "xml"),
    "metric_list_argument": (["metric-list", "nix", "extra"], 2, "extra"),
    "metric_list_nothing": (["metric-list", "nix"], 1, "nothing matches 'nix'"),
    "plugins_unknown": (["plugins", "nix"], 1, "nix"),
    "plugins_two": (["plugins", "toy", "snapshot"], 2, "snapshot"),
})


def test_no_command_shows_the_help():
    with rig() as r:
        result = r.run(plugins=None, path=False)
        assert result.status == 2 and not result.out, str(result)
        assert any("metric-list" in line for line in result.err), str(result)


def test_pid_of_a_live_thread_is_misuse():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with rig() as r:
            result = r.run("capture", "-o", r.file, "--pid", thread.native_id)
            check_failure(result, 2, f"--pid {thread.native_id}", f"--pid {os.getpid()}")
            assert r.left() == []
    finally:
        stop.set()
        thread.join()


def test_pid_of_a_process_that_ended():
    child = subprocess.Popen(["true"])
    child.wait()
    with rig() as r:
        result = r.run("capture", "-o", r.file, "--pid", child.pid)
        check_failure(result, 1, f"--pid {child.pid}", "no such process")
        assert r.left() == []


def check_root(name, path, *words):
    with rig() as r:
        (r.tmp / "empty").mkdir()
        (r.tmp / "file").touch()
        result = r.run("--proc-root", path, "capture", "-o", r.file)
        check_failure(result, 1, path, *words)
        assert r.left() == []


add_tests(globals(), "proc_root", check_root, {
    "missing": ["nowhere", "No such file"],
    "file": ["file", "Not a directory"],
    "empty": ["empty", "no process"],
})


def test_recorded_root_needs_its_processes():
    with rig() as r:
        check_failure(r.run("--sys-root", r.proc, "capture", "-o", r.file), 2, "--proc-root")
        assert r.left() == []


def test_output_is_a_directory():
    with rig() as r:
        check_failure(r.run("--proc-root", r.proc, "capture", "-o", r.output), 1, str(r.output))
        assert r.left() == []


def test_output_in_a_missing_directory():
    with rig() as r:
        missing = r.output / "missing" / "snap"
        check_failure(r.run("--proc-root", r.proc, "capture", "-o", missing), 1, str(missing))


def test_output_is_a_link():
    with rig() as r:
        (r.output / "link").symlink_to("snap")
        result = r.run("--proc-root", r.proc, "capture", "-o", r.output / "link")
        check_failure(result, 1, "symbolic link")
        assert r.left() == ["link"]


def test_output_where_the_user_may_not_write():
    with rig() as r:
        r.output.chmod(0o555)
        user = {"preexec_fn": become(NOBODY)} if is_root() else {}
        check_failure(r.capture(**user), 1, str(r.file), "Permission denied")
        assert r.left() == []


def test_ordinary_user_captures():
    if not is_root():
        raise tap.Skip("only root can become somebody else")
    with rig() as r:
        os.chown(r.output, NOBODY, NOBODY)
        result = r.capture(preexec_fn=become(NOBODY))
        assert result.status == 0, str(result)
        assert r.file.stat().st_uid == NOBODY and len(r.lines("thread")) == 6


def test_full_disk_leaves_nothing():
    if not is_root():
        raise tap.Skip("mounting a small disk takes root")
    with rig(processes=20, threads=OWN_BATCH) as r:
        script = 'mount -t tmpfs -o size=64k small "$0" || exit 77; "$@"; s=$?; ls -A "$0"; exit $s'
        command = r.command("--proc-root", r.proc, "capture", "-o", r.file)
        process = r.start(["unshare", "-m", "sh", "-c", script, str(r.output), *command])
        result = r.finish(process)
        if result.status == 77 or "unshare" in "".join(result.err):
            raise tap.Skip("no mount namespace can be made here")
        check_failure(result, 1, str(r.file), "No space left")
        assert not result.out, f"left: {result.out}"


def test_full_device():
    with rig() as r:
        result = r.run("--proc-root", r.proc, "capture", "-o", "/dev/full")
        check_failure(result, 1, "/dev/full", "No space left")


def test_write_error_the_sink_hides():
    """Only the last write fails; the sink does not check it, so ctprof
    must."""
    with rig(processes=1, threads=1) as r:
        assert r.capture().status == 0
        size = r.file.stat().st_size
        r.file.unlink()

        def bound():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size - 1, size - 1))
        check_failure(r.capture(preexec_fn=bound), 1, str(r.file), "File too large")
        assert r.left() == []


def test_terminal_gets_no_snapshot():
    with rig() as r:
        master, slave = pty.openpty()
        try:
            result = r.run("--proc-root", r.proc, "capture", "-o", "-", stdout=slave)
            check_failure(result, 1, "terminal")
        finally:
            os.close(slave)
            os.close(master)


def test_output_to_a_pipe():
    with rig() as r:
        result = r.run("--proc-root", r.proc, "capture", "-o", "-")
        assert result.status == 0 and len(result.err) == 1, str(result)
        assert "standard output" in result.err[0]
        assert result.out.splitlines()[-1] == "end threads=6 processes=3", str(result)


def test_output_to_a_pipe_that_closes():
    with rig(processes=20, threads=OWN_BATCH) as r:
        process = r.start(r.command("--proc-root", r.proc, "capture", "-o", "-"))
        process.stdout.close()
        err = process.stderr.read().decode()
        process.stderr.close()
        process.wait()
        assert process.returncode in (-signal.SIGPIPE, 1), (process.returncode, err)
        assert len(err.splitlines()) == (1 if process.returncode == 1 else 0), err


def test_stdout_closed():
    with rig() as r:
        for arguments in (["metric-list"], ["plugins"], ["plugins", "--format", "json"],
                          ["--proc-root", r.proc, "capture", "-o", "-"]):
            result = r.run(*arguments, preexec_fn=lambda: os.close(1))
            check_failure(result, 1, "standard output")


def test_stdout_full():
    with rig() as r, open("/dev/full", "wb") as full:
        for arguments in (["metric-list"], ["plugins"], ["--version"],
                          ["--proc-root", r.proc, "capture", "-o", "-"]):
            result = r.run(*arguments, stdout=full)
            check_failure(result, 1, "cannot write to standard output: No space left")


def check_closed(name, *closed):
    """The snapshot must not get the descriptor of a closed stream, and its
    messages."""
    with rig() as r:
        assert r.capture().status == 0
        whole = r.file.read_text()
        r.file.unlink()
        result = r.capture(preexec_fn=lambda: [os.close(fd) for fd in closed])
        assert result.status == 0, str(result)
        assert r.file.read_text() == whole


add_tests(globals(), "closed", check_closed, {
    "stderr": [2],
    "stdin_and_stderr": [0, 2],
    "stdout_and_stderr": [1, 2],
    "all_streams": [0, 1, 2],
})


def check_jobs(name, jobs):
    """Too many workers is an error, not a crash."""
    with rig() as r:
        if jobs > 1000 and is_sanitized():
            raise tap.Skip("a sanitizer's address space cannot be bounded")
        # So that a wrong answer cannot take the machine's memory.
        result = r.capture("--jobs", jobs, preexec_fn=lambda: jobs > 1000 and
                           resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30)))
        assert result.status in (0, 2) and len(result.err) == 1, str(result)
        assert r.left() == (["snap"] if result.status == 0 else []), r.left()


add_tests(globals(), "jobs", check_jobs, {"999": [999], "int_max": [2147483647]})


def test_few_descriptors_lose_no_thread():
    """A batch may hold a descriptor per process; too few must only slow it
    down."""
    with rig(processes=100, threads=1) as r:
        result = r.capture("--jobs", "1", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (40, 40)))
        assert result.status == 0, str(result)
        lines = r.lines("thread")
        assert len(lines) == 100, f"{len(lines)} of 100 threads"
        lost = [line for line in lines if "toy_word=opened" not in line]
        assert not lost, f"no descriptor was left for the source: {lost[0]}, and {len(lost) - 1} more"


def check_limit(name, limit, values):
    """Too little of any resource gives one message: no signal, no file, no stray line of a
    library."""
    if limit not in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE) and is_sanitized():
        raise tap.Skip("a sanitizer takes memory and threads of its own")
    failures = 0
    with rig(processes=20, threads=OWN_BATCH) as r:
        for value in values:
            result = r.capture("--jobs", "2", preexec_fn=lambda value=value: resource.setrlimit(limit, (value, value)))
            if result.status == 127 and re.search("shared librar|initial thread", result.err[-1]):
                continue  # so little that ld.so itself fails
            assert result.status in (0, 1), f"{name} {value}: {result}"
            assert all(line.startswith("ctprof: ") for line in result.err), f"{name} {value}: {result}"
            assert r.left() == (["snap"] if result.status == 0 else []), f"{name} {value}: {r.left()}"
            failures += result.status
            if result.status == 0:
                r.file.unlink()
            else:
                check_failure(result, 1)
    # If only threads cannot be started, the main thread reads.
    assert failures or limit in (resource.RLIMIT_NPROC, resource.RLIMIT_AS, resource.RLIMIT_DATA), \
        f"{name}: it was never too little"


add_tests(globals(), "limit_of", check_limit, {
    "file_size": [resource.RLIMIT_FSIZE, [0, 1, 4096, 100000]],
    "descriptors": [resource.RLIMIT_NOFILE, range(5, 20)],
    "address_space": [resource.RLIMIT_AS, [n << 20 for n in (*range(8, 64, 8), *range(64, 160, 12))]],
    "data": [resource.RLIMIT_DATA, [n << 10 for n in (500, 1000, 2000, 4000, 8000)]],
    "stack": [resource.RLIMIT_STACK, [n << 10 for n in (32, 64, 128, 255, 256)]],
    "processes": [resource.RLIMIT_NPROC, range(3)],
})


def limit_addresses(mib):
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))}


def test_too_little_memory_for_all_plugins():
    """Libraries print words of their own for it, or crash."""
    if is_sanitized():
        raise tap.Skip("a sanitizer's address space cannot be bounded")
    with rig() as r:
        for mib in range(16, 64, 4):
            # Options of plugins are read before.
            more = ["--smaps=never"] if mib % 8 else []
            result = r.run("capture", "-o", r.file, "--pid", os.getpid(), *more, path=False, plugins=None,
                           **limit_addresses(mib))
            if result.status != 127:  # so little that ld.so itself fails
                check_failure(result, 1, f"limited to {mib} MiB", "ulimit -v")
            assert r.left() == [], r.left()


def test_all_plugins_in_little_memory():
    """Memory that runs out after the plugins were loaded is not blamed on a plugin, nor reported by
    GLib or the dynamic linker."""
    if is_sanitized():
        raise tap.Skip("a sanitizer's address space cannot be bounded")
    with rig() as r:
        for mib in (*range(64, 80, 2), *range(80, 257, 16)):
            result = r.run("capture", "--memory", "--jobs", 4, "-o", r.file, path=False, plugins=None,
                           **limit_addresses(mib))
            assert result.status in (0, 1), f"{mib} MiB: {result}"
            assert all(line.startswith("ctprof: ") for line in result.err), f"{mib} MiB: {result}"
            assert not any("a plugin" in line or "it ended" in line or "crashed" in line
                           for line in result.err), f"{mib} MiB: {result}"
            r.file.unlink(missing_ok=True)
            assert r.left() == [], r.left()


def test_a_crash_for_want_of_memory_is_no_plugins():
    if is_sanitized():
        raise tap.Skip("a sanitizer's address space cannot be bounded")
    with rig() as r:
        for fault in ("starve-open", "starve-thread"):
            result = r.capture(env={"TOY_FAULT": fault}, **limit_addresses(512))
            check_failure(result, 1, "out of memory", "ulimit -v")
            assert r.left() == [], r.left()


def test_cpu_time():
    """Its child is ended by a signal that is not a plugin's crash."""
    with rig() as r:
        for limit, word in (((1, 60), "out of CPU time"), ((1, 1), "killed")):
            result = r.capture(env={"TOY_FAULT": "spin-thread"},
                               preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_CPU, limit))
            assert result.status in (-signal.SIGXCPU, -signal.SIGKILL), str(result)
            check_failure(result, result.status, word, "ulimit -t")
            assert r.left() == [], r.left()


def test_memory_for_reports():
    """A snapshot that exceeds the memory limit gives one line, on either side."""
    if is_sanitized():
        raise tap.Skip("a sanitizer's address space cannot be bounded")
    with rig() as r:
        stop = threading.Event()
        # So many that their text exceeds the memory that happens to be free.
        crowd = [threading.Thread(target=stop.wait) for _ in range(300)]
        for thread in crowd:
            thread.start()
        taken = r.run("capture", "-o", r.file, "--pid", os.getpid(), path=False, plugins="procfs")
        stop.set()
        for thread in crowd:
            thread.join()
        assert taken.status == 0, str(taken)
        for command in (["show", r.file], ["compare", r.file, r.file], ["memory", "processes", r.file]):
            result = r.run(*command, "--max-memory", "4KiB", path=False, plugins=None)
            check_failure(result, 1, "out of memory", "4.0 KiB", "--max-memory")
            assert not result.out, str(result)
        for command in (["redact", "-o", r.output / "less", r.file], ["export", "--rows", "groups", r.file],
                        ["export", "-f", "ndjson", r.file]):
            result = r.run(*command, "--max-memory", "4KiB", path=False, plugins=None)
            check_failure(result, 1, "out of memory", "4.0 KiB", "--max-memory")
            assert not result.out and r.left() == ["snap"], str(result)
        for enough in ("1GiB", "0"):
            assert r.run("show", "--max-memory", enough, r.file, path=False, plugins=None).status == 0


def test_size_limit_of_a_stream():
    with rig() as r, open(r.tmp / "stream", "wb") as stream:
        result = r.run("metric-list", stdout=stream,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)))
        check_failure(result, 1, "cannot write to standard output: File too large")


if __name__ == "__main__":
    tap.main(globals(), world="own")
