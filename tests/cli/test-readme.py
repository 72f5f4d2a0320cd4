#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each plugin's README lists the metrics and needs that the plugin has."""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import tap  # noqa: E402

SECTION = re.compile(r"^## Metrics\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `([^`]+)` \|.*$", re.MULTILINE)
NAMES = re.compile(r"^\| (?:`[^`]+`(?:, )?)+ \|.*$", re.MULTILINE)


def folder_of(plugin):
    folders = [harness.SOURCE / kind / plugin["name"] for kind in ("plugins", "sinks")]
    (folder,) = [folder for folder in folders if folder.is_dir()]
    return folder


def check(plugin):
    readme = folder_of(plugin) / "README.md"
    assert readme.exists(), f"{plugin['name']} has no README.md"
    text = readme.read_text(encoding="utf-8")
    section = SECTION.search(text)
    rows = [match for match in ROW.finditer(section[1] if section else "")]
    lines = NAMES.findall(section[1]) if section else []
    named = {name for line in lines for name in re.findall(r"`([^`]+)`", line)}
    real = {name for names in plugin["groups"].values() for name in names}
    assert real <= named, f"in no row of ## Metrics: {sorted(real - named)}"
    unreal = {row[1] for row in rows} - real
    assert not unreal, f"the plugin does not register {sorted(unreal)}"
    for need in plugin["needs"]:
        # For a file, only its own name: the README names the folder once.
        name = need["name"].rpartition("/")[2] if need["kind"] == "file" else need["name"]
        assert name in text, f"the need {need['name']} is not in README.md"


def add_tests():
    shown = harness.run("plugins", "--format", "json").stdout
    for plugin in json.loads(shown)["plugins"]:
        name = "test_readme_of_" + plugin["name"].replace("-", "_")
        globals()[name] = lambda plugin=plugin: check(plugin)


add_tests()

if __name__ == "__main__":
    tap.main(globals())
