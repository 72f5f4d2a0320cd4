# SPDX-License-Identifier: LGPL-2.1-or-later
"""The view of a third party: a tree made by `meson install`, and ordinary
tools."""

import os
import pathlib
import shlex
import shutil
import subprocess

import tap

BUILD = pathlib.Path(os.environ["CTPROF_BUILD"])


def find_tool(*names):
    for name in names:
        if shutil.which(name):
            return name
    raise tap.Skip(f"there is no {names[0]} here")


def call(*command, **options):
    """Returns the output of the command, which must succeed."""
    done = subprocess.run([str(word) for word in command], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}: {done.stdout}"
    return done.stdout


def install(tmp):
    """Runs `meson install` into tmp; returns the environment in which pkg-config finds it."""
    if not os.access(BUILD / "meson-logs", os.W_OK):
        raise tap.Skip("`meson install` writes its log into the build tree, which is not ours")
    call(find_tool("meson"), "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", tmp)
    found = list(pathlib.Path(tmp).rglob("pkgconfig/ctprof.pc"))
    assert len(found) == 1, found
    return {**os.environ, "PKG_CONFIG_LIBDIR": str(found[0].parent), "PKG_CONFIG_PATH": "",
            "PKG_CONFIG_SYSROOT_DIR": str(tmp)}
