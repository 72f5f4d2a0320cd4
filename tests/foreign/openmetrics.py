# SPDX-License-Identifier: LGPL-2.1-or-later
"""A strict reader of OpenMetrics 1.0 text, of the types that a table has.

Written from the specification: metadata before samples and in the order TYPE,
UNIT, HELP, no duplicate or interleaved families, names that include unit and
type, no duplicate samples, and an end.
"""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)')
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]Inf|NaN")
META = re.compile(rf"# (TYPE|UNIT|HELP) ({NAME}) (.*)")
ORDER = ("TYPE", "UNIT", "HELP")
SUFFIX = {"counter": "_total", "gauge": "", "histogram": "_bucket"}
ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}


class Family:
    def __init__(self, name):
        self.name = name
        self.meta = {}
        self.samples = {}  # labels, as a sorted tuple of pairs -> value as text

    def add_meta(self, word, value):
        assert not self.samples, f"# {word} after samples"
        assert not [w for w in self.meta if ORDER.index(w) >= ORDER.index(word)], f"order: {word}"
        if word == "TYPE":
            assert value in SUFFIX, f"type {value}"
        if word == "UNIT":
            assert self.name.endswith("_" + value), f"{self.name} does not end with {value}"
        if word == "HELP":
            assert not re.search(r'\\(?![\\"n])', re.sub(r"\\\\", "", value)), f"help: {value}"
        self.meta[word] = value

    def add_sample(self, name, labels, value):
        kind = self.meta.get("TYPE")
        assert kind, f"sample {name} without a type"
        assert name == self.name + SUFFIX[kind], f"sample {name} of {kind} {self.name}"
        assert NUMBER.fullmatch(value), f"value {value}"
        if kind == "counter":
            assert float(value) >= 0, f"counter {name} is {value}"
        assert labels not in self.samples, f"{name} twice with {labels}"
        self.samples[labels] = value


def parse_labels(text):
    """'a="b",c="d"' as a sorted tuple of pairs."""
    pairs, at = [], 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match and (match[3] or match.end() == len(text)), f"labels: {text[at:]}"
        value = re.sub(r'\\[\\"n]', lambda escape: ESCAPES[escape[0]], match[2])
        pairs.append((match[1], value))
        at = match.end()
    assert not text.endswith(","), f"labels: {text}"
    assert len({name for name, _ in pairs}) == len(pairs), f"a label twice: {text}"
    return tuple(sorted(pairs))


def check_clashes(families):
    """No sample may have a name that could belong to another family."""
    taken = {}
    for family in families.values():
        for suffix in {"counter": ("_total", "_created", ""), "gauge": ("",),
                       "histogram": ("_bucket", "_count", "_sum", "_created", "")}[family.meta["TYPE"]]:
            name = family.name + suffix
            assert name not in taken, f"{name} of {family.name} and of {taken[name]}"
            taken[name] = family.name


def parse(data):
    """Returns the families by name; an AssertionError reports an error."""
    text = data.decode("utf-8")  # strictly
    assert text.endswith("# EOF\n"), "there is no end"
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text), "a control character"
    families, current = {}, None
    for line in text[:-len("# EOF\n")].splitlines():
        meta, sample = META.fullmatch(line), SAMPLE.fullmatch(line)
        name = meta[2] if meta else None
        if meta and (current is None or current.name != name):
            assert name not in families, f"{name} is in two places"
            current = families[name] = Family(name)
        if meta:
            current.add_meta(meta[1], meta[3])
        else:
            assert sample and current, f"line: {line}"
            current.add_sample(sample[1], parse_labels(sample[2] or ""), sample[3])
    for family in families.values():
        assert family.samples, f"{family.name} is empty"
    check_clashes(families)
    return families
