#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Debian packages: built, checked, and installed in a clean Debian."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import chroot  # noqa: E402
import harness  # noqa: E402
import lintian  # noqa: E402
import nix  # noqa: E402
import tap  # noqa: E402
from once import once  # noqa: E402

OUTPUT = tempfile.TemporaryDirectory()


def call(*command, **how):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=False, **how)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@once
def built():
    """name -> file of each package, but those of debug symbols."""
    for command in ("dpkg-buildpackage", "dh", "dpkg-checkbuilddeps"):
        harness.need_command(command)
    unmet = subprocess.run(["dpkg-checkbuilddeps"], cwd=harness.SOURCE, text=True,
                           capture_output=True, check=False)
    if unmet.returncode != 0:
        raise tap.Skip(unmet.stderr.strip())
    # lintian requires a person as maintainer: the packages of this test have one.
    call("env", "DEBFULLNAME=A Person", "DEBEMAIL=person@debian.org", harness.SOURCE / "scripts/deb",
         "--check-reproducible", "--output", OUTPUT.name)
    return {file.name.partition("_")[0]: file for file in Path(OUTPUT.name).glob("*.deb")
            if "-dbgsym_" not in file.name}


def plugin_packages():
    return [name for name in built() if name.startswith("ctprof-plugin-")]


def test_builds_the_same_elsewhere():
    assert {"ctprof", "ctprof-dev", "ctprof-doc", "ctprof-plugin-taskstats"} <= set(built())


def test_lintian_is_content():
    built()
    (changes,) = Path(OUTPUT.name).glob("*.changes")
    lintian.check(changes)


def test_plugins_depend_on_the_abi_only():
    (provided,) = call("dpkg-deb", "-f", built()["ctprof"], "Provides").split(",")
    abi = provided.split(" ", maxsplit=1)[0]
    for name in plugin_packages():
        depends = call("dpkg-deb", "-f", built()[name], "Depends").replace(",", " ").split()
        assert abi in depends and "ctprof" not in depends, depends


@once
def debian():
    return chroot.Chroot(list(built().values()))


def install(*names):
    files = [debian().put(built()[name], f"{name}.deb") for name in names]
    debian().call("apt-get", "install", "-y", "--no-install-recommends", *files)


def remove(*names):
    debian().call("apt-get", "purge", "-y", "--autoremove", *names)


def metrics():
    """(scope, metric) -> the installed plugins that offer it."""
    listed = json.loads(debian().call("ctprof", "metric-list", "--format", "json"))
    return {(metric["scope"], metric["name"]): frozenset(metric["plugins"])
            for metric in listed["metrics"]}


def test_absent_plugin_is_named_with_its_package():
    before = debian().files()
    install("ctprof")
    for name in plugin_packages():
        plugin = name.removeprefix("ctprof-plugin-")
        failed = debian().run("ctprof", f"--plugins={plugin}", "capture")
        said = f"ctprof: {plugin}: not installed (Debian: apt install {name})\n"
        assert (failed.returncode, failed.stderr) == (2, said), failed
        debian().call("apt-get", "install", "--simulate", debian().put(built()[name], "one.deb"))
    remove("ctprof")
    assert debian().files() == before, debian().files() ^ before


def test_ctprof_and_one_plugin_work():
    install("ctprof", "ctprof-plugin-taskstats")
    said = debian().call("ctprof", "doctor")
    assert "not installed" not in "".join(
        line for line in said.splitlines() if line.startswith("delay")), said
    debian().call("ctprof", "--plugins=procfs,taskstats", "capture", "-o", "/tmp/one.ctprof.zst")
    plugins = {name for names in metrics().values() for name in names}
    assert {"procfs", "taskstats"} <= plugins and "jemalloc" not in plugins, plugins


def autopkgtests():
    """(name, packages) of each stanza of debian/tests/control."""
    text = (harness.SOURCE / "debian/tests/control").read_text(encoding="utf-8")
    return [(fields["Tests"], fields["Depends"].split(", ")) for fields in
            (dict(line.split(": ", 1) for line in stanza.splitlines()) for stanza in text.split("\n\n"))]


def test_autopkgtests_pass():
    for name, packages in autopkgtests():
        install(*[package for package in packages if package in built()])
        others = [package for package in packages if package not in built()]
        fetched = debian().run("apt-get", "install", "-y", "--no-install-recommends", *others)
        if fetched.returncode != 0:
            raise tap.Skip(f"{name}: cannot be had here: {' '.join(others)}")
        debian().call(debian().put(harness.SOURCE / f"debian/tests/{name}", name), AUTOPKGTEST_TMP="/tmp")
    remove("ctprof*")


def test_each_package_takes_exactly_its_metrics_away():
    install("ctprof", *plugin_packages())
    for name in plugin_packages():
        plugin, before = name.removeprefix("ctprof-plugin-"), metrics()
        assert any(plugin in plugins for plugins in before.values()), f"{plugin} offers nothing"
        debian().call("dpkg", "--purge", name)
        # A metric that another plugin offers as well stays, by that one.
        left = {metric: plugins - {plugin} for metric, plugins in before.items()}
        wrong = metrics().items() ^ {item for item in left.items() if item[1]}
        assert not wrong, f"{name}: {wrong}"


@once
def built_elsewhere():
    """The package of the plugin in docs/packaging.md, built with only ctprof-dev."""
    folder = Path(OUTPUT.name) / "elsewhere"
    folder.mkdir()
    call("dpkg-deb", "-x", built()["ctprof-dev"], folder / "dev")
    nix.write_project(folder / "dev/usr", folder / nix.NAME)
    # ctprof-dev is not installed on this host.
    call("dpkg-buildpackage", "-us", "-uc", "-b", "-d", cwd=folder / nix.NAME, env=nix.environment(folder / "dev/usr"))
    (package,) = folder.glob(f"{nix.NAME}_*.deb")
    return package


def test_package_of_a_third_party_works():
    install("ctprof")
    before = debian().files()
    debian().call("apt-get", "install", "-y", "--no-install-recommends", debian().put(built_elsewhere(), "nix.deb"))
    assert "nix" in debian().call("ctprof", "--plugins=nix", "plugins", "nix")
    debian().call("dpkg", "--purge", nix.NAME)
    assert debian().files() == before, debian().files() ^ before


def test_lintian_is_content_with_it():
    lintian.check(built_elsewhere())


def test_purge_leaves_nothing():
    remove("ctprof*")
    before = debian().files()
    install(*built())
    debian().call("ctprof", "doctor")
    remove("ctprof*")
    assert debian().files() == before, debian().files() ^ before
    known = debian().call("dpkg-query", "-W", "-f", "${Package} ${Status}\n")
    assert "ctprof" not in known, known


if __name__ == "__main__":
    tap.main(globals())
