# SPDX-License-Identifier: LGPL-2.1-or-later
"""ctprof-findings(7) has every rule of the digest, and its limit."""

import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tap

SOURCE = Path(os.environ["CTPROF_SOURCE"])
PAGE = (SOURCE / "docs/man/ctprof-findings.7.scd").read_text(encoding="utf-8")
DIGEST = SOURCE / "core/report/section/digest"
ROW = re.compile(r'^\t\{"([a-z-]+)", "([^"]+)", ([^,]+), measure', re.MULTILINE)
DEFINE = re.compile(r"^#define (\w+) +(?:\(([^)]*)\)|([\d.]+))", re.MULTILINE)


def rules():
    """Name -> (unit, limit)"""
    texts = [path.read_text(encoding="utf-8") for path in (*DIGEST.glob("*-rules.c"), DIGEST / "rules.h", DIGEST / "throttling.h")]
    constants = {}
    for name, product, number in (found for text in texts for found in DEFINE.findall(text)):
        words = [constants.get(word, word) for word in (product or number).split(" * ")]
        if all(re.fullmatch(r"[\d.]+", str(word)) for word in words):
            constants[name] = 1.0
            for word in words:
                constants[name] *= float(word)
    return {name: (unit, float(constants.get(limit, limit))) for text in texts for name, unit, limit in ROW.findall(text)}


def test_each_rule_is_described_with_its_limit():
    described = {name: (unit, float(limit)) for name, unit, limit in
                 re.findall(r"^\*([a-z-]+)\* \((\S+) >= ([\d.]+)\)$", PAGE, re.MULTILINE)}
    assert len(rules()) >= 22 and described == rules(), set(described.items()) ^ set(rules().items())


tap.main(globals())
