#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts/release: the tarball is complete, and the packages made from it are fit for distributions."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import lintian  # noqa: E402
import tap  # noqa: E402
from once import once  # noqa: E402

SCRATCH = tempfile.TemporaryDirectory()
# lintian requires a person, and an address of the project.
NAMED = {"DEBFULLNAME": "A Person", "DEBEMAIL": "person@debian.org", "HOMEPAGE": "https://example.org/"}


def call(*command, **environment):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True, capture_output=True,
                          check=False, cwd=SCRATCH.name, env={**os.environ, **environment})
    assert done.returncode == 0, f"{command}: {done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


@once
def released():
    """The folder of the release that HEAD would be."""
    harness.need_command("git")
    if not (harness.SOURCE / ".git").exists():
        raise tap.Skip("needs the repository")
    call(harness.SOURCE / "scripts/release", "--rehearse", "--output", SCRATCH.name, **NAMED)
    return Path(SCRATCH.name)


def test_tarball_is_built_tested_installed_and_uninstalled():
    (tarball,) = released().glob("ctprof-*.tar.xz")
    call("sha256sum", "--check", f"{tarball.name}.sha256sum")


def test_lintian_is_content_with_the_source():
    harness.need_command("dpkg-source")
    (description,) = released().glob("*.dsc")
    lintian.check(description)


def test_watch_finds_the_tag_of_a_release():
    """In a repository of this test: there is no network."""
    harness.need_command("uscan")
    released()
    upstream, tree = Path(SCRATCH.name) / "upstream", Path(SCRATCH.name) / "tree"
    call("git", "init", "-q", upstream)
    call("git", "-C", upstream, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x")
    call("git", "-C", upstream, "tag", "v9.8.7")
    (description,) = released().glob("*.dsc")
    call("dpkg-source", "--extract", description, tree)
    watch = tree / "debian/watch"
    watch.write_text(watch.read_text().replace(NAMED["HOMEPAGE"], f"file://{upstream}"))
    said = subprocess.run(["uscan", "--report", "--dehs"], cwd=tree, text=True, capture_output=True, check=False).stdout
    assert "<upstream-version>9.8.7</upstream-version>" in said, said


def test_appstream_takes_the_description():
    harness.need_command("appstreamcli")
    call("appstreamcli", "validate", "--no-net", "--pedantic", *(harness.SOURCE / "data/metainfo").glob("*.xml"))


if __name__ == "__main__":
    tap.main(globals())
