# SPDX-License-Identifier: LGPL-2.1-or-later
"""A clean Debian of this machine's release, with nothing in it but the base.

Its sources are those of the machine's own apt. The first one is kept as a tar
file in the build directory, together with what the packages depend on, so that
the next one needs no network.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import harness
import tap

# What dpkg, apt and ld.so keep for themselves.
NOT_OURS = ("proc", "tmp", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log", "etc/ld.so.cache")


def apt_sources():
    """The machine's sources of Debian itself, as lines of a sources.list."""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "deb $(REPO_URI) $(RELEASE) $(COMPONENT)",
         "Created-By: Packages", "Origin: Debian"], capture_output=True, text=True, check=False)
    lines = sorted(set(listed.stdout.splitlines()))
    if not lines:
        raise tap.Skip("apt knows no package of Debian here (apt-get update)")
    return lines


def apt_proxies():
    """How the machine's apt accesses them."""
    dumped = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True)
    return re.findall(r'^Acquire::[^ ]*Proxy[^ ]* "[^"]+";$', dumped.stdout,
                      re.MULTILINE | re.IGNORECASE)


def codename():
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    found = re.search(r"^VERSION_CODENAME=(\w+)$", text, re.MULTILINE)
    if not found or "\nID=debian\n" not in text:
        raise tap.Skip("needs a Debian release")
    return found[1]


def make_base(tar, packages):
    """mmdebstrap into tar; with what packages depend on among apt's archives."""
    partial = tar.with_name("partial-" + tar.name)
    with tempfile.TemporaryDirectory() as scratch:
        for package in packages:
            shutil.copy2(package, scratch)
        # What cannot be installed is for the tests to find.
        fetch = ('chroot "$1" sh -c "apt-get install -y --no-install-recommends --download-only'
                 ' /packages/*.deb; rm -r /packages"')
        made = subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", "--mode=root", "--skip=cleanup/apt",
             "--dpkgopt=force-unsafe-io",
             *(f"--aptopt={option}" for option in apt_proxies()),
             f"--customize-hook=copy-in {scratch} /",
             f'--customize-hook=mv "$1/{Path(scratch).name}" "$1/packages"',
             f"--customize-hook={fetch}", codename(), partial, *apt_sources()],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        partial.unlink(missing_ok=True)
        said = re.findall(r"^(?:E|Err.*): *(.+)", made.stderr, re.MULTILINE) or ["no word why"]
        raise tap.Skip(f"mmdebstrap cannot make a Debian here: {said[0]}")
    partial.rename(tar)


class Chroot:
    """Unpacked in a scratch directory; run() runs a command in it as root."""

    def __init__(self, packages):
        if not harness.is_root():
            raise tap.Skip("needs root, to install packages in a chroot")
        for command in ("mmdebstrap", "unshare", "chroot", "tar"):
            harness.need_command(command)
        tar = harness.BUILD / f"packages-{codename()}.tar"
        if not tar.exists():
            make_base(tar, packages)
        self.scratch = tempfile.TemporaryDirectory(prefix="ctprof-chroot-")
        self.root = Path(self.scratch.name) / "root"
        self.root.mkdir(mode=0o755)
        subprocess.run(["tar", "-C", self.root, "-xf", tar, "--exclude=./dev/*"], check=True)
        for device, minor in (("null", 3), ("zero", 5), ("urandom", 9)):
            os.mknod(self.root / "dev" / device, 0o20666, os.makedev(1, minor))
            os.chmod(self.root / "dev" / device, 0o666)
        mounted = self.run("true")
        if mounted.returncode != 0:
            raise tap.Skip(f"no proc can be mounted for a chroot here: {mounted.stderr.strip()}")

    def run(self, *command, **environment):
        """In a mount namespace of its own, so that its proc disappears with
        it."""
        script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", script, self.root, *command],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                 "DEBIAN_FRONTEND": "noninteractive", **environment},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def call(self, *command, **environment):
        done = self.run(*command, **environment)
        assert done.returncode == 0, f"{command}: {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def put(self, path, name):
        """A file of the host as /tmp/NAME."""
        shutil.copy2(path, self.root / "tmp" / name)
        return f"/tmp/{name}"

    def files(self):
        """All files except those that the package tools keep for
        themselves."""
        found = set()
        for folder, folders, files in os.walk(self.root):
            inner = Path(folder).relative_to(self.root)
            folders[:] = [name for name in folders if str(inner / name) not in NOT_OURS]
            found |= {str(inner / name) for name in folders + files}
        return found - set(NOT_OURS)
