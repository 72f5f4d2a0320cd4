#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Debian packages: built, checked, and installed in a clean Debian."""

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import chroot  # noqa: E402
import harness  # noqa: E402
import tap  # noqa: E402

OUTPUT = tempfile.TemporaryDirectory()


def call(*command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def once(function):
    """Called only once; later calls return the same result or raise the same
    exception."""
    @functools.lru_cache
    def attempt():
        try:
            return function(), None
        except (AssertionError, tap.Skip) as why:
            return None, why

    def again():
        result, why = attempt()
        if why:
            raise why
        return result
    return again


@once
def built():
    """name -> file of each package, but those of debug symbols."""
    for command in ("dpkg-buildpackage", "dh", "dpkg-checkbuilddeps"):
        harness.need_command(command)
    unmet = subprocess.run(["dpkg-checkbuilddeps"], cwd=harness.SOURCE, text=True,
                           capture_output=True, check=False)
    if unmet.returncode != 0:
        raise tap.Skip(unmet.stderr.strip())
    # lintian wants a person: the packages of this test have one.
    call("env", "DEBFULLNAME=A Person", "DEBEMAIL=person@debian.org", harness.SOURCE / "scripts/deb",
         "--check-reproducible", "--output", OUTPUT.name)
    return {file.name.partition("_")[0]: file for file in Path(OUTPUT.name).glob("*.deb")
            if "-dbgsym_" not in file.name}


def plugin_packages():
    return [name for name in built() if name.startswith("ctprof-plugin-")]


def test_builds_the_same_elsewhere():
    assert {"ctprof", "ctprof-dev", "ctprof-doc", "ctprof-plugin-taskstats"} <= set(built())


def test_lintian_is_content():
    harness.need_command("lintian")
    built()
    (changes,) = Path(OUTPUT.name).glob("*.changes")
    # It does not like to be root.
    user = ["--allow-root"] if os.geteuid() == 0 else []
    call("lintian", "--fail-on=error,warning", *user, changes)


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
    """(scope, metric) -> the plugins that offer it, of what is installed."""
    listed = json.loads(debian().call("ctprof", "metric-list", "--format", "json"))
    return {(metric["scope"], metric["name"]): frozenset(metric["plugins"])
            for metric in listed["metrics"]}


def test_absent_plugin_is_named_with_its_package():
    before = debian().files()
    install("ctprof")
    for name in plugin_packages():
        plugin = name.rpartition("-")[2]
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


def test_autopkgtest_passes():
    install("ctprof", "ctprof-plugin-taskstats")
    script = debian().put(harness.SOURCE / "debian/tests/capture", "capture")
    debian().call(script, AUTOPKGTEST_TMP="/tmp")


def test_each_package_takes_exactly_its_metrics_away():
    install("ctprof", *plugin_packages())
    for name in plugin_packages():
        plugin, before = name.rpartition("-")[2], metrics()
        assert any(plugin in plugins for plugins in before.values()), f"{plugin} offers nothing"
        debian().call("dpkg", "--purge", name)
        # A metric that another plugin offers as well stays, by that one.
        left = {metric: plugins - {plugin} for metric, plugins in before.items()}
        wrong = metrics().items() ^ {item for item in left.items() if item[1]}
        assert not wrong, f"{name}: {wrong}"


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
