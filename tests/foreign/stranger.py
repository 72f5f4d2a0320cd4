# SPDX-License-Identifier: LGPL-2.1-or-later
"""A third party's view: an installed tree, and projects built against it."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["CTPROF_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/lib"))

import tap  # noqa: E402
from installed import BUILD, call, find_tool, install  # noqa: E402

# Where others can write, root loads no plugin; others must be able to read there.
UMASK = 0o022


class Workshop:
    def __init__(self, tmp):
        self.tmp = pathlib.Path(tmp)
        # Projects are built with the compiler and flags of their own files.
        keep = {k: v for k, v in os.environ.items()
                if not k.startswith("CTPROF_") and k not in ("CFLAGS", "CPPFLAGS", "LDFLAGS")}
        found = install(self.tmp / "installed")
        self.env = {**keep, **{k: v for k, v in found.items() if k.startswith("PKG_CONFIG")}}
        self.program, = (self.tmp / "installed").rglob("bin/ctprof-new-plugin")

    def project(self, name, kind):
        """A plugin of this folder, created with the script, which wrote everything but
        the code."""
        project = self.tmp / name
        call(self.program, name, kind, "--dir", project, env=self.env)
        shutil.copytree(SOURCE / "tests/foreign" / name, project, dirs_exist_ok=True)
        return project

    def make(self, project, *arguments):
        """GNU make; a warning is a failure."""
        said = call(find_tool("make", "gmake"), "-C", project, *arguments, env=self.env)
        assert "warning" not in said, said
        return said

    def meson(self, project, folder):
        """Builds and tests with meson, too."""
        call("meson", "setup", "-Dwerror=true", folder, project, env=self.env)
        call("ninja", "-C", folder, env=self.env)
        return call("meson", "test", "-C", folder, env=self.env)

    def check(self, plugin):
        """The result of plugin-check: no failures, and other findings."""
        done = subprocess.run([BUILD / "ctprof", "plugin-check", "--format=json", plugin],
                              check=False, text=True, capture_output=True, env=self.env)
        told = json.loads(done.stdout)
        failed = [found for found in told["findings"] if found["result"] == "FAIL"]
        assert done.returncode == 0 and not failed, f"{plugin}: {failed}"
        return told["findings"]

    def run(self, *arguments, path, status=0, **options):
        """ctprof, which finds the plugins in path before its own."""
        with tap.another_user(BUILD / "ctprof") if "user" in options else contextlib.nullcontext():
            done = subprocess.run(
                [str(word) for word in (BUILD / "ctprof", *arguments)], check=False, text=True,
                capture_output=True, env={**self.env, "CTPROF_PLUGIN_PATH": str(path)}, **options)
        assert done.returncode == status, f"{arguments}: {done.returncode}: {done.stderr}"
        return done


@contextlib.contextmanager
def workshop():
    os.umask(UMASK)
    for tool in ("make", "meson", "ninja", "pkg-config"):
        find_tool(tool)
    if not (BUILD / "ctprof-snapshot.so").exists():
        raise tap.Skip("this build has no snapshot sink")
    with tempfile.TemporaryDirectory(prefix="ctprof-foreign-") as tmp:
        os.chmod(tmp, 0o755)
        yield Workshop(tmp)
