# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plugins built for older ABIs and by third parties work; ours use only the
interface."""

import json
import os
import shlex
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["CTPROF_SOURCE"], "tests/border"))

from rig import BUILD, SOURCE, rig

import tap
from built import is_sanitized
from installed import call, find_tool, install

ENTRY = "ctprof_plugin_entry_v1"
# Symbols that a sanitizer adds to code that it compiles.
RUNTIME = ("__asan", "__odr_asan", "__ubsan", "__tsan", "__sanitizer", "__start_asan", "__stop_asan")


def symbols(file, which):
    lines = call(find_tool("nm"), "-D", f"--{which}-only", file).splitlines()
    names = [line.split()[-1].split("@")[0] for line in lines]
    return {name for name in names if not name.startswith(RUNTIME)}


def plugins():
    found = sorted(BUILD.glob("ctprof-*.so"))
    assert found, "no plugin was built"
    return found


def test_plugins_export_their_entry_only():
    for file in plugins():
        assert symbols(file, "defined") == {ENTRY}, (file.name, symbols(file, "defined"))


def test_plugins_take_nothing_from_the_host():
    """The executable exports neither our names nor any others to plugins."""
    offered = symbols(BUILD / "ctprof", "defined")
    for file in plugins():
        wanted = symbols(file, "undefined")
        ours = [name for name in wanted if "ctprof" in name]
        assert not ours, (file.name, ours)
        # Copies of a library's data, and symbols that every program has, are not ours.
        libraries = {"stdin", "stdout", "stderr", "environ", "optarg", "optind"}
        assert not (wanted & offered) - libraries, (file.name, wanted & offered)


def test_v1_example_still_works():
    with rig() as r:
        shutil.copy(BUILD / "tests/abi/ctprof-example.so", r.plugins)
        listed = r.run("metric-list", "--format", "json", plugins="example")
        assert listed.status == 0 and not listed.err, str(listed)
        metric, = [m for m in json.loads(listed.out)["metrics"] if m["name"] == "wchan"]
        assert metric["plugins"] == ["example"] and metric["group"] == "example"
        assert metric["kind"] == "category" and metric["on_demand"] is True
        shown = r.run("plugins", "example", plugins="example")
        assert f"file: {r.plugins}/" in shown.out, str(shown)
        for thread in r.proc.glob("*/task/*"):
            (thread / "wchan").write_text(f"sleep_{thread.name}")
        result = r.capture("--groups", "example", plugins="example,snapshot",
                           env={"TOYSINK_GROUP": "example"})
        assert result.status == 0 and len(result.err) == 1, str(result)
        assert r.lines("thread")[1] == "thread 1000 1001 wchan=sleep_1001"
        assert r.lines("plugin") == ["plugin example state=10 failures=0 why=-"]


def test_plugin_of_tomorrow_works():
    """Its structs are longer than ours, and it has needs of a kind unknown to
    us."""
    with rig() as r:
        shutil.copy(BUILD / "tests/abi/ctprof-future.so", r.plugins)
        shown = r.run("plugins", "future", plugins="future")
        assert shown.status == 0 and not shown.err, str(shown)
        for text in ("the first", "the second", "it is not there yet"):
            assert text in shown.out, str(shown)
        result = r.capture(plugins="future,snapshot", env={"TOYSINK_GROUP": "future"})
        assert result.status == 0 and len(result.err) == 1, str(result)
        assert r.lines("thread")[1] == "thread 1000 1001 future_thrice=3003"
        assert r.lines("plugin") == ["plugin future state=10 failures=0 why=-"]


def build_stranger(r, env, cxx=False):
    if cxx:
        cc = shlex.split(os.environ.get("CXX", "")) or [find_tool("c++", "g++", "clang++")]
        standard, source = "-std=c++11", "stranger.cc"
    else:
        cc = shlex.split(os.environ.get("CC", "")) or [find_tool("cc", "gcc", "clang")]
        standard, source = "-std=c99", "stranger.c"
    pkg_config = find_tool("pkg-config", "pkgconf")
    cflags = shlex.split(call(pkg_config, "--cflags", "ctprof", env=env))
    assert call(pkg_config, "--libs", "ctprof", env=env).strip() == "", "a plugin links nothing"
    assert call(pkg_config, "--variable=abi_version", "ctprof", env=env).startswith("1.")
    plugin = r.plugins / "ctprof-stranger.so"
    call(*cc, standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC",
         "-Wl,-z,defs", *cflags, SOURCE / "tests/abi" / source, "-o", plugin, cwd=r.tmp)
    plugin.chmod(0o755)
    return plugin


def check_stranger(cxx):
    with rig() as r:
        env = install(r.tmp / "installed")
        build_stranger(r, env, cxx)
        listed = r.run("metric-list", plugins="stranger")
        assert listed.status == 0 and "stranger_twice" in listed.out, str(listed)
        result = r.capture(plugins="stranger,snapshot", env={"TOYSINK_GROUP": "stranger"})
        assert result.status == 0 and len(result.err) == 1, str(result)
        assert r.lines("thread")[0] == "thread 1000 1000 stranger_twice=2000"


def test_stranger_builds_out_of_tree():
    check_stranger(cxx=False)


def test_stranger_may_write_cxx():
    check_stranger(cxx=True)


def test_stranger_is_in_the_snapshot():
    if not (BUILD / "ctprof-snapshot.so").exists():
        raise tap.Skip("this build has no snapshot sink")
    zstd = find_tool("zstd")
    with rig() as r:
        (r.plugins / "ctprof-snapshot.so").unlink()
        build_stranger(r, install(r.tmp / "installed"))
        result = r.run("capture", "--pid", os.getpid(), "-o", r.file,
                       plugins="stranger,procfs,snapshot")
        assert result.status == 0, str(result)
        snapshot = json.loads(call(zstd, "-dcq", r.file))
        threads = {thread["tid"]: thread for thread in snapshot["threads"]}
        assert threads[os.getpid()]["extra"]["stranger_twice"] == 2 * os.getpid()
        defined = [m for m in snapshot["metrics"] if m["name"] == "stranger_twice"]
        assert len(defined) == 1 and defined[0]["plugin"] == "stranger", defined


def test_installed_program_finds_no_build_tree():
    """Only in a build tree may ctprof load plugins next to the executable."""
    if is_sanitized():
        raise tap.Skip("what is installed has no run path to the sanitizer")
    with rig() as r:
        install(r.tmp / "installed")
        program, = (r.tmp / "installed").rglob("bin/ctprof")
        r.install("toy").rename(program.parent / "ctprof-toy.so")
        process = r.start([str(program), "plugins"])
        result = r.finish(process)
        assert result.status == 0 and "\ntoy " not in result.out, str(result)


def test_plugin_check_takes_old_and_new():
    """Members of another minor are not a failure, as the interface grows."""
    for name in ("example", "lines", "newer", "future"):
        with rig() as r:
            done = r.run("plugin-check", "--proc-root", r.proc,
                         BUILD / f"tests/abi/ctprof-{name}.so", plugins=None, path=False)
            assert done.status == 0 and done.out.endswith("every check passed\n"), str(done)


if __name__ == "__main__":
    tap.main(globals(), world="own")
