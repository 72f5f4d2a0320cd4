# SPDX-License-Identifier: LGPL-2.1-or-later
"""The plugin nix of docs/packaging.md: what ctprof-new-plugin writes, with the files that
the page adds, beside the headers of ctprof's own package."""

import os
import re
import subprocess
from pathlib import Path

import harness

PAGE = harness.SOURCE / "docs/packaging.md"
NAME = "ctprof-plugin-nix"


def page_files():
    """Name -> text of each file that the page shows."""
    return dict(re.findall(r"`([\w./-]+)`[^\n]*\n\n```\n(.*?)^```$", PAGE.read_text(encoding="utf-8"),
                           re.MULTILINE | re.DOTALL))


def environment(prefix):
    """For pkg-config to find the headers below prefix, which is their /usr."""
    (file,) = prefix.rglob("ctprof.pc")
    text = re.sub("^includedir=.*", f"includedir={prefix}/include", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    file.write_text(text, encoding="utf-8")
    return {**os.environ, "PKG_CONFIG_PATH": str(file.parent)}


def write_project(prefix, folder):
    """The project in folder, by the script as it is installed below prefix."""
    done = subprocess.run([prefix / "bin/ctprof-new-plugin", "nix", "--dir", folder], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    for name, text in page_files().items():
        file = Path(folder) / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755 if name == "debian/rules" else 0o644)
