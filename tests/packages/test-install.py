#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`meson install` to any prefix: no file is installed elsewhere, and the result
works."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

LIBDIR = "deep/er lib"
SCRATCH = tempfile.TemporaryDirectory()
PREFIX = Path(SCRATCH.name) / "odd prefix"
# Variables that would mislead ctprof or pkg-config.
LEADING = ("CTPROF_PLUGIN_PATH", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "DESTDIR")
ENV = {name: value for name, value in os.environ.items() if name not in LEADING}


def call(*command, env=ENV):
    done = subprocess.run([str(word) for word in command], env=env, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def fail(*command):
    done = subprocess.run([str(word) for word in command], env=ENV, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 2, f"{command}: {done.returncode}: {done.stderr}"
    return done.stderr.strip()


@functools.lru_cache
def staged():
    """A build with another prefix, installed below a DESTDIR; returns the files
    there."""
    build, dest = Path(SCRATCH.name) / "build", Path(SCRATCH.name) / "dest"
    call("meson", "setup", build, harness.SOURCE, "-Dtests=false", "-Dbuildtype=plain",
         f"--prefix={PREFIX}", f"--libdir={LIBDIR}", "-Dplugin-packages=taskstats,nix",
         "-Dplugin-package-hint=Debian: apt install ctprof-plugin-")
    call("meson", "install", "-C", build, "--destdir", dest)
    files = [path for path in dest.rglob("*") if not path.is_dir()]
    return {path.relative_to(dest / PREFIX.relative_to("/")): path for path in files}


@functools.lru_cache
def installed():
    """The same build in its final place; returns the program."""
    for name, path in staged().items():
        (PREFIX / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, PREFIX / name)
    return PREFIX / "bin/ctprof"


def test_destdir_holds_everything():
    names = {str(name) for name in staged()}
    assert not any(name.startswith("..") for name in names), names
    assert not PREFIX.exists(), "something was installed past the DESTDIR"
    for name in ("bin/ctprof", f"{LIBDIR}/ctprof/ctprof-procfs.so", "include/ctprof/plugin.h",
                 f"{LIBDIR}/pkgconfig/ctprof.pc", "share/doc/ctprof/README.md",
                 "share/doc/ctprof/plugins/procfs/README.md", "share/licenses/ctprof/0BSD"):
        assert name in names, f"{name} is not among {sorted(names)}"


def test_no_file_is_installed_for_tests_or_as_example():
    # A plugin to start from comes with a test of its own.
    names = [name.name for name in staged() if "templates" not in name.parts]
    assert not [name for name in names if "example.so" in name or "test" in name]


def test_plugins_are_found_at_the_prefix():
    listed = json.loads(call(installed(), "plugins", "--format", "json"))["plugins"]
    files = {Path(plugin["file"]) for plugin in listed}
    assert files == set((PREFIX / LIBDIR / "ctprof").glob("*.so")), files


def test_documents_link_to_documents():
    docs = installed().parents[1] / "share/doc/ctprof"
    for page in docs.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+\.md)\)", page.read_text(encoding="utf-8")):
            if Path(target).name != "CONTRIBUTING.md":
                assert (page.parent / target).exists(), f"{page}: {target}"


def ask_pkg_config(directory, *what):
    return call("pkg-config", *what, "ctprof", env={**ENV, "PKG_CONFIG_PATH": str(directory)})


def test_pkg_config_tells_plugindir_and_abi():
    harness.need_command("pkg-config")
    installed()
    directory = PREFIX / LIBDIR / "pkgconfig"
    header = (harness.SOURCE / "include/ctprof/plugin.h").read_text(encoding="utf-8")
    abi = re.findall(r"^#define CTPROF_ABI_M\w+OR (\d+)u$", header, re.MULTILINE)
    assert ask_pkg_config(directory, "--variable=abi_version").strip() == ".".join(abi)
    told = ask_pkg_config(directory, "--variable=plugindir").strip().replace("\\", "")
    assert Path(told) == PREFIX / LIBDIR / "ctprof", told


def test_devenv_is_the_build_tree():
    harness.need_command("pkg-config")
    devenv = ["meson", "devenv", "-C", harness.BUILD]
    listed = json.loads(call(*devenv, "ctprof", "plugins", "--format", "json"))["plugins"]
    assert {Path(plugin["file"]).parent for plugin in listed} == {harness.BUILD}, listed
    flags = call(*devenv, "pkg-config", "--cflags", "ctprof")
    assert f"-I{harness.SOURCE}/include" in flags, flags
    assert call(*devenv, "pkg-config", "--variable=plugindir", "ctprof").strip() == str(harness.BUILD)


def test_absent_plugin_is_named_with_its_package():
    said = fail(installed(), "--plugins=nix", "capture")
    assert said == "ctprof: nix: not installed (Debian: apt install ctprof-plugin-nix)", said


def test_absent_plugin_without_package_is_named_with_the_directory():
    said = fail(installed(), "--plugins=nux", "capture")
    assert f"nux: not installed: no ctprof-nux.so in {PREFIX / LIBDIR / 'ctprof'} (" in said, said


def test_absent_plugin_with_package_may_be_left_out():
    assert "procfs" in call(installed(), "--plugins=-nix", "plugins")
    assert "nux: not installed" in fail(installed(), "--plugins=-nux", "plugins")


def test_own_plugin_that_is_not_there_may_be_left_out():
    """As when it was left out of the build."""
    (installed().parents[1] / LIBDIR / "ctprof/ctprof-scx.so").unlink(missing_ok=True)
    assert "procfs" in call(installed(), "--plugins=-scx", "plugins")
    assert "scx: not installed" in fail(installed(), "--plugins=scx", "capture")


def test_doctor_names_the_package():
    (installed().parents[1] / LIBDIR / "ctprof/ctprof-taskstats.so").unlink(missing_ok=True)
    groups = json.loads(call(installed(), "doctor", "--format", "json"))["groups"]
    (absent,) = [group for group in groups if group["plugin"] == "taskstats"]
    assert "apt install ctprof-plugin-taskstats" in absent["remedy"], absent


if __name__ == "__main__":
    tap.main(globals())
