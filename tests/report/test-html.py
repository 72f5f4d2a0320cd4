#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests pages of --format html, without a browser: they are valid, safe and small."""

import base64
import hashlib
import json
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness  # noqa: E402
import tap  # noqa: E402
from pages import FOLDER, HOSTILE, busy, grow, kinds, page, recording, thread  # noqa: E402

VOID = {"meta", "input", "br", "hr"}
# Elements that end by themselves where the next one begins.
OPTIONAL = {"tr", "td", "th"}
MIB = 1 << 20


class Page(HTMLParser):
    """Collects the elements, checks that they nest, and separates text from markup."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.texts, self.raw = [], [], [], {}
        self.attributes = []
        self.feed(text)
        self.close()
        assert self.open == [], f"left open: {self.open}"

    def drop_optional(self, until):
        while self.open and self.open[-1] in OPTIONAL and self.open[-1] != until:
            self.open.pop()

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.attributes += [(tag, *one) for one in attributes]
        self.ids += [named["id"]] if "id" in named else []
        if tag in ("td", "th", "tr"):
            while self.open and self.open[-1] in (("td", "th") if tag != "tr" else OPTIONAL):
                self.open.pop()
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.attributes += [(tag, *one) for one in attributes]

    def handle_endtag(self, tag):
        self.drop_optional(tag)
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open} at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.raw.setdefault(self.open[-1], []).append(data)
        else:
            self.texts.append(data)


def test_pages_nest_and_need_nothing_else():
    for name, text in kinds().items():
        found = Page(text)
        assert len(found.ids) == len(set(found.ids)), (name, found.ids)
        for tag, attribute, value in found.attributes:
            assert attribute not in ("style", "src", "srcset") and not attribute.startswith("on"), tag
            assert attribute != "href" or value.startswith("#"), (name, value)
        assert text.startswith("<!doctype html>"), name


def test_the_policy_allows_this_script_and_style_alone():
    for name, text in kinds().items():
        found = Page(text)
        policy = next(v for tag, a, v in found.attributes if tag == "meta" and a == "content" and "'none'" in v)
        assert policy.startswith("default-src 'none'; "), policy
        scripts = [s for s in found.raw["script"] if not s.startswith("{")]
        assert len(scripts) == 1 and len(found.raw["style"]) == 1, name
        for kind, inside in (("script", scripts[0]), ("style", found.raw["style"][0])):
            digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in policy, (name, policy)
        assert "unsafe" not in policy


def test_names_are_text():
    text = page("show", grow(40, hostile=True))
    found = Page(text)
    assert any(HOSTILE in one for one in found.texts)
    assert len(found.raw["script"]) == 2
    data = json.loads(found.raw["script"][0])
    assert HOSTILE in [line[data["fields"].index("pool")] for line in data["lines"]]


def test_a_page_of_5000_threads_is_no_larger_than_a_megabyte():
    before, after = grow(5000, later=0), grow(5000, later=1)
    for arguments in (("show", after), ("compare", before, after), ("compare", "--totals", before, after)):
        text = page(*arguments)
        assert len(text.encode()) <= MIB, (arguments[0], len(text.encode()))
        print(f"# {arguments[0]}: {len(text.encode()) >> 10} KiB", flush=True)


def test_a_page_says_of_when_it_is():
    text = page("show", grow(40))
    assert '<time datetime="2026-11-22T12:00:00Z">2026-11-22 15:00:00 XYZ</time>' in text, text[:4000]
    axis = re.findall(r'<time datetime="\d+-\d+-\d+T(\d+):(\d+:\d+)Z">(\d+):(\d+:\d+)( XYZ)?</time>',
                      page("compare", recording()))
    # Of two charts, the CPUs and the memory.
    assert [one[4] for one in axis] == ["", "", " XYZ"] * 2, axis
    for utc, rest, local, same, _ in axis:
        assert (int(utc) + 3) % 24 == int(local) and rest == same, axis
    # A finding as it is written for machines, in UTC, and for people, in local time.
    people = harness.run("compare", recording()).stdout.decode()
    text = harness.run("compare", recording(), "--format", "json").stdout
    (found,) = [s for s in json.loads(text)["sections"] if s["name"] == "findings"]
    for line in found["lines"]:
        # On a busy host a finding may hold for the whole recording, but for no part of it.
        if not line.get("worst_at"):
            assert "worst at" not in line["sentence"], line
            continue
        (clock,) = re.findall(r", worst at (\d\d:\d\d:\d\d) UTC$", line["sentence"])
        assert line["worst_at"].endswith(f"T{clock}Z"), line
        hour, rest = clock.split(":", 1)
        local = f"worst at {(int(hour) + 3) % 24:02}:{rest} XYZ"
        assert local in people and local in page("compare", recording()), (local, people)
    print(f"# {len(found['lines'])} findings", flush=True)


# The names of lines, labels and absent values elsewhere on the first screen.
NAMES = ["total", "exited", "ctprof", " CPU ", "rest", "-", "host"]


def named(later):
    """Returns a capture of this host with one thread for each of these names instead of its own."""
    path = FOLDER / f"named-{later}.ctprof.zst"
    if path.exists():
        return path
    harness.run("-q", "--plugins=procfs,system", "capture", "--smaps=never", "-o", FOLDER / f"host-{later}")
    text = subprocess.run(["zstdcat", FOLDER / f"host-{later}"], stdout=subprocess.PIPE, check=True).stdout
    data = json.loads(text)
    like = max(data["threads"], key=lambda row: row["run_time_ns"])
    data["threads"] = []
    for i, name in enumerate(NAMES):
        row = thread(like, i, 0, 0, random.Random(1))
        row |= {"pcomm": name, "comm": name, "cgroup": f"/{name}.service"}
        # Less than the time between the two captures.
        row |= {"run_time_ns": 10**9 + later * (i + 1) * 10**6}
        data["threads"].append(row)
    subprocess.run(["zstd", "-q", "-o", str(path)], input=json.dumps(data).encode(), check=True)
    return path


def test_a_name_says_nothing_about_a_line():
    files = named(0), named(1)
    report = json.loads(harness.run("compare", *files, "--format", "json").stdout)
    (pools,) = [s for s in report["sections"] if s["name"] == "pools"]
    assert sorted(line["pool"] for line in pools["lines"]) == sorted(NAMES), pools
    # The most expensive comes first: no pool comes last because of its name.
    assert [line["pool"] for line in pools["lines"]] == NAMES[::-1], pools
    assert {line["role"] for line in pools["lines"]} == {"pool"}, pools
    assert pools["totals"][-1]["role"] == "total", pools
    assert "pool" not in [line["role"] for line in pools["totals"]], pools
    rows = harness.run("compare", *files, "--format", "csv").stdout.decode().splitlines()
    people = harness.run("compare", "--all", *files).stdout.decode().splitlines()
    cases = harness.run("compare", *files, "--format", "junit").stdout.decode()
    bar = page("compare", *files).split("<h2>Where ")[1].split("</section>")[0]
    for name in NAMES:
        quoted = f"'{name}" if name == "-" else name
        assert [row for row in rows if row.startswith(f"pools,line,0,{quoted},")], (name, rows)
        assert [line for line in people if re.match(rf" {re.escape(name)}\s+1 ", line)], (name, people)
        assert f'<testcase classname="{name}"' in cases, name
        assert f"</i>{name} <b>" in bar, (name, bar)
    for by in ("cgroup", "unit"):
        report = json.loads(harness.run("compare", *files, "--format", "json", "--group-by", by).stdout)
        (pools,) = [s for s in report["sections"] if s["name"] == "pools"]
        assert len(pools["lines"]) == len(NAMES), (by, pools)
        assert {line["role"] for line in pools["lines"]} == {"pool"}, pools


def number(cell):
    return (cell["candidate"] if isinstance(cell, dict) else cell) or 0


def history(command):
    """Returns the CPUs and seconds of each window of the recording, for the host and for each pool."""
    text = harness.run(command, recording(), "--format", "json").stdout
    (found,) = [s for s in json.loads(text)["sections"] if s["name"] == "history"]
    windows = {"host": {}, "pool": {}}
    for line in found["lines"]:
        of = windows[line["kind"]].setdefault(line["subject"], [])
        of.append((number(line["cpu"]), number(line["seconds"])))
    assert "host" in windows["pool"], list(windows["pool"])
    return windows["host"]["host"], windows["pool"]


def picture(text, kind):
    return ElementTree.fromstring(re.search(rf'<svg class="{kind}".*?</svg>', text, re.S).group())


def colours(drawn):
    return {shape.find("title").text.rsplit(" ", 1)[0]: shape.get("class") for shape in drawn.iter("rect")}


def test_a_recording_has_its_cpus_window_by_window():
    for command in ("show", "compare"):
        text = page(command, recording())
        host, pools = history(command)
        drawn = picture(text, "area")
        height = float(drawn.get("viewBox").split()[3])
        top = float(re.search(r'<div class="cpus"><span>([\d.]+) CPUs?<', text).group(1))
        windows = drawn.findall("g")
        assert len(windows) == len(host) == 5, (len(windows), host)
        for i, window in enumerate(windows):
            whole = max(host[i][0], sum(of[i][0] for of in pools.values()))
            floor = height
            for shape in window.findall("rect"):
                name, value = shape.find("title").text.rsplit(" ", 1)
                assert shape.get("class") == "others" or abs(pools[name][i][0] - float(value)) <= 0.005 * max(
                    1, float(value)
                ), (name, i)
                # The shapes are stacked, and together have the height that the section gives.
                floor -= float(shape.get("height"))
                assert float(shape.get("y")) == floor, (name, i)
            assert abs((height - floor) / height * top - whole) <= top / height, (floor, whole)
        used = {name: sum(cpu * seconds for cpu, seconds in of) for name, of in pools.items()}
        largest = max(used, key=used.get)
        assert f"On average: {largest} " in drawn.find("desc").text, (largest, drawn.find("desc").text)
        assert drawn.find("title").text


def numbers(section, *arguments):
    found = json.loads(harness.run(*arguments, "--format", "json").stdout)
    return [line for one in found["sections"] if one["name"] == section for line in one["lines"]]


def test_a_recording_has_its_memory_window_by_window():
    path = FOLDER / "memory.ctprof"
    with busy("eater"):
        harness.run("-q", "--plugins=procfs,system", "record", "-n", "4", "-i", "50ms", "--smaps=always", "-o", path)
    text = page("compare", path)
    drawn = ElementTree.fromstring(re.findall(r'<svg class="area".*?</svg>', text, re.S)[1])
    assert "Memory over time" in text and "PSS of pools" in drawn.find("title").text
    height = float(drawn.get("viewBox").split()[3])
    of = {"host": {}, "pool": {}}
    for line in numbers("history", "compare", path):
        of[line["kind"]].setdefault(line["subject"], []).append(number(line["memory"]))
    (host,) = of["host"].values()
    sums = [sum(window) for window in zip(*of["pool"].values(), strict=True)]
    assert len(host) == 3 and len(drawn.findall("g")) == 3, (host, drawn.findall("g"))
    # The line and the stacks have one scale: that of the largest of both.
    levels = [height - float(window.find("path").get("d")[3:-2]) for window in drawn.findall("g")]
    stacks = [sum(float(one.get("height")) for one in window.findall("rect")) for window in drawn.findall("g")]
    scale = levels[0] / host[0]
    assert all(abs(level - scale * value) <= 2 for level, value in zip(levels, host)), (levels, host)
    assert len(sums) == 3 and all(sums), sums
    assert all(abs(stack - scale * value) <= 2 + 0.01 * stack for stack, value in zip(stacks, sums)), (stacks, sums, scale)


def test_bars_of_time_have_one_scale():
    before, after = grow(300), grow(300, later=1)
    text = page("compare", before, after)
    lines = numbers("pools", "compare", before, after)
    ran = {line["pool"]: sum(number(line.get(name, 0)) for name in ("cpu", "waiting", "disk_wait")) for line in lines}
    longest, seen = max(ran.values()), 0
    for row in re.findall(r"<tbody><tr>.*?</tr>", text.partition('id="pools"')[2], re.S):
        name = re.search(r"<summary>(.*?)</summary>", row)[1]
        bar = re.search(r'<svg class="mix".*?</svg>', row, re.S)
        width = sum(int(one) for one in re.findall(r'width="(\d+)"', bar[0])) if bar else 0
        assert abs(width - 1000 * ran[name] / longest) <= 3, (name, width, ran[name], longest)
        seen += width > 0
    assert seen > 10, seen


def test_a_pool_that_grew_says_how_much():
    before, after = (FOLDER / f"grown-{i}.ctprof.zst" for i in range(2))
    code = "import sys\nprint(flush=True)\nsys.stdin.readline()\nheld = b'x' * (16 << 20)\nprint(flush=True)\nsys.stdin.readline()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as grower:
        options = ["--plugins=procfs", "capture", "-q", "--smaps=always", "-p", grower.pid, "-o"]
        grower.stdout.readline()
        harness.run(*options, before)
        grower.stdin.write(b"\n")
        grower.stdin.flush()
        grower.stdout.readline()
        harness.run(*options, after)
        grower.kill()
    (line,) = numbers("pools", "compare", before, after)
    assert 15 * MIB < number(line["growth"]) < 17 * MIB, line
    assert ">GROWTH<" in page("compare", before, after)
    # No column where nothing grew, nor between two boots.
    assert ">GROWTH<" not in page("compare", before, before) + page("show", after)


def test_a_pool_has_one_colour_in_both_charts():
    text = page("compare", recording())
    bar, area = colours(picture(text, "stack tall")), colours(picture(text, "area"))
    both = set(bar) & set(area)
    assert both and all(bar[name] == area[name] for name in both), (bar, area)
    assert len(set(area.values())) == len(area), area


if __name__ == "__main__":
    harness.need_command("zstd")
    tap.main(globals(), world="own")
