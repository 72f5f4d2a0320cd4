#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The RPM spec: sound, and split like the Debian packages."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import nix  # noqa: E402
import tap  # noqa: E402
from once import once  # noqa: E402

SPEC = harness.SOURCE / "packaging/ctprof.spec"
# The macros of Fedora's meson and redhat-rpm-config packages, as short as possible.
MACROS = {
    "meson": "meson setup _build --buildtype=plain --prefix=/usr --libdir=lib64"
             " --libexecdir=libexec",
    "meson_build": "meson compile -C _build",
    "meson_install": "meson install -C _build --no-rebuild --destdir %{buildroot}",
    "_docdir": "/usr/share/doc",
    "_mandir": "/usr/share/man",
    "_prefix": "/usr",
    "_libdir": "/usr/lib64",
    "_unitdir": "/usr/lib/systemd/system",
    "systemd_post()": ":",
    "systemd_preun()": ":",
    "systemd_postun_with_restart()": ":",
    "debug_package": "%{nil}",
    # Debian's librpm knows no user of these names.
    "_build_name_fmt": "%%{NAME}.rpm",
}


def control_packages():
    """The names in debian/control as Fedora has them."""
    text = (harness.SOURCE / "debian/control").read_text(encoding="utf-8")
    names = re.findall(r"^Package: (\S+)$", text, re.MULTILINE)
    return {re.sub("-dev$", "-devel", name) for name in names}


def rpm_options():
    return [word for name, value in MACROS.items() for word in ("--define", f"{name} {value}")]


def call(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          check=False, **options)
    assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
    return done.stdout


def test_rpmlint_is_content():
    harness.need_command("rpmlint")
    said = call("rpmlint", SPEC)
    # A tag of old rpm, and a source that has no address yet.
    known = ("no-buildroot-tag", "invalid-url Source0")
    bad = [line for line in said.splitlines()
           if re.search(": [EW]: ", line) and not any(tag in line for tag in known)]
    assert not bad, bad


def test_the_builder_may_name_an_address():
    harness.need_command("rpmspec")
    for given, expect in (([], "(none)"), (["--define", "ctprof_url https://example.org/"],
                                           "https://example.org/")):
        urls = call("rpmspec", "-q", *rpm_options(), *given, "--qf", "%{url}\n", SPEC).split()
        assert set(urls) == {expect}, urls


def test_split_is_debians():
    harness.need_command("rpmspec")
    names = call("rpmspec", "-q", *rpm_options(), "--qf", "%{name}\n", SPEC).split()
    assert set(names) == control_packages(), names


SCRATCH = tempfile.TemporaryDirectory()


def build(top, spec, env):
    """name -> file of each package of the spec, whose source is in top/SOURCES."""
    harness.need_command("rpmbuild")
    call("rpmbuild", "-bb", "--nodeps", "--define", f"_topdir {top}", *rpm_options(), spec, env={**env, "HOME": SCRATCH.name})
    return {package.stem: package for package in (top / "RPMS").glob("*.rpm")}


@once
def packages():
    """Builds the packages of this tree, with its licences."""
    harness.need_command("scdoc")
    harness.need_command("git")
    top = Path(SCRATCH.name) / "ours"
    (top / "SOURCES").mkdir(parents=True)
    version = re.search(r"^Version: +(\S+)$", SPEC.read_text(encoding="utf-8"), re.MULTILINE)[1]
    listed = call("git", "-c", f"safe.directory={harness.SOURCE}", "-C", harness.SOURCE,
                  "ls-files", "-z", "-co", "--exclude-standard")
    files = [name for name in listed.split("\0") if (harness.SOURCE / name).is_file()]
    call("tar", "-C", harness.SOURCE, "-czf", top / f"SOURCES/ctprof-{version}.tar.gz",
         f"--transform=s,^,ctprof-{version}/,", "-T", "-", input="\n".join(files))
    return build(top, SPEC, os.environ)


def files_in(package):
    return call("rpm", "-qlp", package).split()


def plugins_in(name):
    return {Path(file).stem for file in files_in(packages()[name]) if file.endswith(".so")}


def test_every_file_is_in_a_package():
    assert set(packages()) == control_packages(), list(packages())


def test_plugins_are_in_their_packages_alone():
    others = [name for name in packages() if "-plugin-" in name]
    for name in others:
        plugin = name.replace("ctprof-plugin-", "ctprof-")
        assert plugins_in(name) == {plugin}, plugins_in(name)
        assert plugin not in plugins_in("ctprof")
    assert {"ctprof-procfs", "ctprof-snapshot"} <= plugins_in("ctprof")


def test_package_of_a_third_party_is_built():
    harness.need_command("rpm2archive")
    top, name = Path(SCRATCH.name), f"{nix.NAME}-1.0"
    call("rpm2archive", packages()["ctprof-devel"])
    (archive,) = packages()["ctprof-devel"].parent.glob("*.tgz")
    call("tar", "-C", top, "-xf", archive)
    nix.write_project(top / "usr", top / name)
    (top / "nix/SOURCES").mkdir(parents=True)
    call("tar", "-C", top, "-czf", top / f"nix/SOURCES/{name}.tar.gz", name)
    (package,) = build(top / "nix", top / name / f"{nix.NAME}.spec", nix.environment(top / "usr")).values()
    files = [file for file in files_in(package) if not file.startswith("/usr/lib/.build-id")]
    assert files == ["/usr/lib64/ctprof/ctprof-nix.so"], files
    assert "ctprof-abi-1" in call("rpm", "-qRp", package).split()


if __name__ == "__main__":
    tap.main(globals())
