# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of the tests (tests/table): which lane runs each, in which tier, and why.

meson.build reads the same file, for the order and the suites.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/table"
LANES = ("gcc", "asan", "tsan")
COLUMNS = 2 + len(LANES) + 2  # name, suite, lanes, turn, kind; then why
TIERS = ("quick", "default", "release")  # each runs what the ones before it run
CELL = re.compile(r"(-)|(%s):(\d+)" % "|".join(TIERS))


@dataclass
class Row:
    name: str
    suite: str
    cells: dict = field(default_factory=dict)  # lane -> [tier, seconds]
    turn: str = "beside"
    kind: str = ""
    why: str = ""

    def is_in(self, lane, tier):
        cell = self.cells.get(lane)
        return cell is not None and TIERS.index(cell[0]) <= TIERS.index(tier)


def read_kinds(text):
    """The kinds of tests, which the comment at the table's head explains."""
    return re.findall(r"^#   (\w+) {2,}", text, re.MULTILINE)


def read_row(line):
    """Returns a Row; a ValueError reports a fault in the line."""
    words = line.split(None, COLUMNS)
    if len(words) < COLUMNS:
        raise ValueError(f"too few columns: {line}")
    row = Row(words[0], words[1], turn=words[5], kind=words[6], why=" ".join(words[COLUMNS:]))
    for lane, word in zip(LANES, words[2:]):
        match = CELL.fullmatch(word)
        if not match:
            raise ValueError(f"{row.name}: {lane}: '{word}' is not TIER:SECONDS or -")
        if not match.group(1):
            row.cells[lane] = [match.group(2), int(match.group(3))]
    if row.turn not in ("beside", "alone"):
        raise ValueError(f"{row.name}: '{row.turn}' is neither beside nor alone")
    if row.turn == "alone" and not row.why:
        raise ValueError(f"{row.name}: runs alone without a reason")
    return row


def read_rows(text):
    return [read_row(line) for line in text.splitlines() if line and not line.startswith("#")]


def load_rows():
    return read_rows(TABLE.read_text(encoding="utf-8"))


def format_row(row):
    cells = [":".join(map(str, row.cells[lane])) if lane in row.cells else "-" for lane in LANES]
    line = f"{row.name:26} {row.suite:9}" + "".join(f" {cell:11}" for cell in cells)
    return f"{line} {row.turn:7} {row.kind:9} {row.why}".rstrip()


def rewrite(text, seconds):
    """The table with the measured times: seconds is {(lane, name): seconds}."""
    lines = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            row = read_row(line)
            for lane, cell in row.cells.items():
                cell[1] = round(seconds.get((lane, row.name), cell[1]))
            line = format_row(row)
        lines.append(line)
    return "\n".join(lines) + "\n"
