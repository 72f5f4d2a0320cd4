# SPDX-License-Identifier: LGPL-2.1-or-later
"""The lanes: a build each, by gcc, by clang under ASan + UBSan, and under TSan."""

import json
import os
import platform
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

FOLDERS = {"gcc": "build", "asan": "build-asan", "tsan": "build-tsan"}
LEAK = "int main(void) { return 0; }"
THREAD = """#include <pthread.h>
static void *body(void *argument) { return argument; }
int main(void)
{
	pthread_t thread;
	return pthread_create(&thread, 0, body, 0) || pthread_join(thread, 0);
}
"""


class Unavailable(Exception):
    """This machine cannot run the lane; the text says why."""


class Broken(Exception):
    """The lane cannot be configured or built; the output has been printed."""


@dataclass
class Lane:
    name: str
    title: str
    folder: Path
    cc: str = "gcc"
    cxx: str = "g++"
    options: list = field(default_factory=lambda: ["-Dwerror=true"])
    env: dict = field(default_factory=dict)
    wrapper: list = field(default_factory=list)
    notes: list = field(default_factory=list)  # what this machine lacks, though the lane runs


def call(*command, **options):
    return subprocess.run([str(word) for word in command], check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def works(*command, **options):
    try:
        return call(*command, **options).returncode == 0
    except OSError:
        return False


def quietly(*command, **options):
    """Runs the command; its output is printed only if it fails, which is Broken."""
    done = call(*command, **options)
    if done.returncode != 0:
        print(done.stdout.decode(errors="replace"), flush=True)
        raise Broken(" ".join(map(str, command[:3])))


def make_gcc(_):
    return Lane("gcc", "gcc, warnings are errors", Path(FOLDERS["gcc"]))


def make_asan(scratch):
    if not works("clang", "--version"):
        raise Unavailable("there is no clang")
    lane = Lane("asan", "clang, ASan + UBSan, warnings are errors", Path(FOLDERS["asan"]), "clang", "clang++")
    # Leak checking traces its own process, which a sandbox may forbid.
    (scratch / "leak.c").write_text(LEAK)
    leaks = works("clang", "-fsanitize=address", scratch / "leak.c", "-o", scratch / "leak") and \
        works(scratch / "leak", env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1"})
    if not leaks:
        lane.notes.append("leak checking: ptrace is not allowed here")
    lane.env = {
        "ASAN_OPTIONS": f"detect_leaks={leaks:d}:strict_string_checks=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    # Plugins are linked with -z defs, so the runtime has to be a library.
    name = f"libclang_rt.asan-{platform.machine()}.so"
    runtime = Path(call("clang", f"-print-file-name={name}").stdout.decode().strip()).parent
    lane.options = [
        "-Dwerror=true", "-Dfuzz=true", "-Dbuildtype=debugoptimized", "-Db_sanitize=address,undefined",
        "-Dc_args=-fno-sanitize-recover=all -fno-omit-frame-pointer",
        f"-Dc_link_args=-shared-libasan -Wl,-rpath,{runtime}",
    ]
    return lane


def find_tsan(scratch):
    """The compiler and the wrapper with which a program starts under TSan. Where address
    space randomisation is wide (vm.mmap_rnd_bits), that is only without it."""
    source, library, program = scratch / "tsan.c", scratch / "tsan.so", scratch / "tsan"
    source.write_text(THREAD)
    for cc in ("gcc", "clang"):
        if works(cc, "-fsanitize=thread", "-shared", "-fPIC", "-Wl,-z,defs", source, "-o", library) and \
                works(cc, "-fsanitize=thread", source, "-o", program):
            for wrapper in ([], ["setarch", platform.machine(), "-R"]):
                if works(*wrapper, program):
                    return cc, wrapper
    raise Unavailable("neither compiler makes a program that starts under TSan here")


def make_tsan(scratch):
    cc, wrapper = find_tsan(scratch)
    preload = scratch / "glib.so"
    flags = call("pkg-config", "--cflags", "glib-2.0").stdout.decode().split()
    quietly(cc, "-D_GNU_SOURCE", "-shared", "-fPIC", "tests/tsan/glib.c", "-o", preload, *flags)
    scratch.chmod(0o755)  # what the tests run as another user needs it, too
    return Lane(
        "tsan", " ".join(["TSan:", cc, *(["through", *wrapper] if wrapper else [])]), Path(FOLDERS["tsan"]), cc, {"gcc": "g++", "clang": "clang++"}[cc],
        ["-Dbuildtype=debugoptimized", "-Db_sanitize=thread"],
        # GLib would hand memory from thread to thread by locks that TSan does not see.
        {"G_SLICE": "always-malloc", "TSAN_OPTIONS":
         f"second_deadlock_stack=1:die_after_fork=0:suppressions={Path('tests/tsan/suppressions').resolve()}"},
        [*wrapper, "env", f"LD_PRELOAD={preload}"])


MAKERS = {"gcc": make_gcc, "asan": make_asan, "tsan": make_tsan}


def configure(lane):
    """Makes the build folder, or brings an existing one to the lane's options."""
    note = lane.folder / ".scripts-test"
    wanted = " ".join([lane.cc, *lane.options])
    have = None
    if (lane.folder / "build.ninja").exists():
        # One that scripts/run made has no note of its options, and is gcc's.
        have = note.read_text().strip() if note.exists() else "gcc"
    if have is None or have.split()[0] != lane.cc:
        subprocess.run(["rm", "-rf", lane.folder], check=True)
        quietly("meson", "setup", lane.folder, ".", *lane.options,
                env={**os.environ, "CC": lane.cc, "CXX": lane.cxx})
    elif have != wanted:
        quietly("meson", "configure", lane.folder, *lane.options)
    note.write_text(wanted + "\n")
    quietly("ninja", "-C", lane.folder, "build.ninja")


def introspect(lane, what):
    path = lane.folder / "meson-info" / f"intro-{what}.json"
    return json.loads(path.read_text())


def list_tests(lane):
    """The names of all tests of the build: options may leave plugins out."""
    return {test["name"]: test for test in introspect(lane, "tests")}


def list_programs(lane, prefix):
    """The programs of the build whose name begins so."""
    return [Path(path) for target in introspect(lane, "targets") if target["type"] == "executable"
            and target["name"].startswith(prefix) for path in target["filename"]]


def build(lane, names, more=(), installs=False):
    """Builds what these tests run, and more; and, if they install, all that is installed."""
    tests, targets = list_tests(lane), {t["id"]: t for t in introspect(lane, "targets")}
    root = lane.folder.resolve()
    files = set(more)
    for name in names:
        files.update(path for target in tests[name]["depends"] for path in targets[target]["filename"])
    files.update(path for target in targets.values() if installs and target["installed"]
                 for path in target["filename"])
    if files:
        quietly("ninja", "--quiet", "-k", "0", "-C", lane.folder,
                *sorted(os.path.relpath(path, root) for path in files))
