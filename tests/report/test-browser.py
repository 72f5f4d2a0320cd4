#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests pages of --format html in Chromium: they sort, filter and open, and need no script for the rest."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness  # noqa: E402
import tap  # noqa: E402
from pages import FOLDER, HOSTILE, grow, kinds, name_of, page, recording, runs  # noqa: E402

# Debian's packages, if another Python comes first.
sys.path.append("/usr/lib/python3/dist-packages")
try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions"]
SCRIPTS_OFF = {"profile.managed_default_content_settings.javascript": 2}
# Generous, for a busy host: anything slower will not come at all.
PATIENCE_S = 600
POOL_ROWS = "#pools > tbody:not([hidden]) > tr:first-child"


def need_browser():
    harness.need_command("chromium")
    harness.need_command("chromedriver")
    if not webdriver:
        raise tap.Skip("needs python3-selenium")


@contextlib.contextmanager
def browser(text, scripts=True, width=1280, dark=False):
    """Opens a browser that has loaded the page."""
    need_browser()
    path = FOLDER / "page.html"
    path.write_text(text)
    options = webdriver.ChromeOptions()
    options.binary_location = harness.shutil.which("chromium")
    for flag in FLAGS:
        options.add_argument(flag)
    if not scripts:
        options.add_experimental_option("prefs", SCRIPTS_OFF)
    driver = webdriver.Chrome(service=Service(harness.shutil.which("chromedriver")), options=options)
    try:
        driver.set_page_load_timeout(PATIENCE_S)
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                               {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        driver.get(path.as_uri())
        yield driver
    finally:
        driver.quit()


def window():
    return page("compare", grow(300), grow(300, later=1))


def pools(driver):
    found = driver.find_elements(By.CSS_SELECTOR, f"{POOL_ROWS} > th")
    return [one.text for one in found]


def head(driver, name):
    found = driver.find_elements(By.CSS_SELECTOR, "#pools > thead th")
    return next(one for one in found if one.text.split(" ")[0] == name)


def press(element):
    """Uses the keyboard: everything that can be clicked can also be reached without a mouse."""
    element.send_keys(Keys.ENTER)


def test_the_page_as_it_is_dumped():
    need_browser()
    path = FOLDER / "dumped.html"
    path.write_text(page("show", grow(40, hostile=True)))
    dumped = subprocess.run(
        ["chromium", *FLAGS, f"--user-data-dir={FOLDER}/profile", "--dump-dom", path.as_uri()],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, timeout=PATIENCE_S,
    ).stdout.decode()  # fmt: skip
    assert "<button type=\"button\">" in dumped, "the script did not run"
    assert dumped.count("<script") == 2
    assert "&lt;b&gt;&amp;&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in dumped


def test_pools_sort_by_what_is_exact():
    with browser(window()) as driver:
        shown = pools(driver)
        cpu = head(driver, "CPU").find_element(By.TAG_NAME, "button")
        press(cpu)
        assert head(driver, "CPU").get_attribute("aria-sort") == "descending"
        falling = pools(driver)
        press(cpu)
        assert head(driver, "CPU").get_attribute("aria-sort") == "ascending"
        assert pools(driver) == falling[::-1] and sorted(falling) == sorted(shown)
        press(head(driver, "POOL").find_element(By.TAG_NAME, "button"))
        assert head(driver, "CPU").get_attribute("aria-sort") is None
        assert pools(driver) == sorted(shown)
        last = driver.find_elements(By.CSS_SELECTOR, "#pools > :last-child > tr > th")
        assert last[-1].text == "total"


# For each row of a section: its names, and the text of one column.
COLUMN = """
const table = document.querySelector(arguments[0] + " table");
const at = [...table.tHead.rows[0].cells].findIndex(cell => cell.textContent === arguments[1]);
const names = [...table.tHead.rows[0].cells].findIndex(cell => cell.textContent === "metric");
return [...table.tBodies[0].rows].map(row => [row.cells[0].textContent, row.cells[names].textContent, row.cells[at].textContent]);
"""


def sort(driver, section, column):
    """Sorts by the column, the largest value first."""
    for one in driver.find_elements(By.CSS_SELECTOR, f"{section} thead th"):
        if one.text.split(" ")[0] == column:
            press(one.find_element(By.TAG_NAME, "button"))
            if one.get_attribute("aria-sort") != "descending":
                press(one.find_element(By.TAG_NAME, "button"))
    return driver.execute_script(COLUMN, section, column)


def test_every_table_sorts_by_its_values():
    before, after = grow(300), grow(300, later=1)
    found = json.loads(harness.run("compare", before, after, "--format", "json").stdout)
    (primary,) = [s for s in found["sections"] if s["name"] == "primary"]
    known = {(row["group"], row["metric"]): row for row in primary["rows"]}
    with browser(window()) as driver:
        press(driver.find_element(By.CSS_SELECTOR, "#primary summary"))
        for column, value in (("delta", "delta"), ("%", "pct"), ("value", "candidate")):
            rows = sort(driver, "#primary", column)
            values = [known[name, metric][value] for name, metric, _ in rows]
            numbers = [one for one in values if isinstance(one, (int, float))]
            assert len(numbers) > 100 and len(set(numbers)) > 50, (column, len(numbers))
            # Compare nine digits, which is more than the three to six that are shown.
            wrong = [(a, b) for a, b in zip(numbers, numbers[1:]) if b - a > 1e-8 * abs(b)]
            assert not wrong, (column, wrong)


def test_pools_are_filtered():
    with browser(window()) as driver:
        n = len(pools(driver))
        field = driver.find_element(By.CSS_SELECTOR, ".filter input")
        field.send_keys(name_of(3))
        assert pools(driver) == [name_of(3)]
        assert driver.find_element(By.CSS_SELECTOR, ".filter output").text == f"1 of {n}"


def test_a_pool_opens_to_its_time_account():
    with browser(window()) as driver:
        opened = driver.find_element(By.CSS_SELECTOR, "#pools .opened")
        assert not opened.is_displayed()
        press(driver.find_element(By.CSS_SELECTOR, "#pools summary"))
        assert opened.is_displayed()
        rows = opened.find_elements(By.CSS_SELECTOR, ".account > table > tbody > tr")
        values = [row.find_elements(By.TAG_NAME, "td") for row in rows]
        total = float(opened.find_element(By.CSS_SELECTOR, "tfoot td").text.strip("~"))
        parts = sum(float(cells[0].text.strip("~")) for cells in values if len(cells) == 2)
        assert abs(parts - total) <= 0.01 * total + 0.02, (parts, total)


def test_sections_open_and_are_filtered():
    with browser(window()) as driver:
        section = driver.find_element(By.CSS_SELECTOR, "#primary")
        press(section.find_element(By.TAG_NAME, "summary"))
        section.find_element(By.CSS_SELECTOR, ".filter input").send_keys(name_of(5))
        shown = [one.text for one in section.find_elements(By.CSS_SELECTOR, "tbody > tr:not([hidden]) > th")]
        assert shown and set(shown) == {name_of(5)}, shown


def test_a_changed_script_does_not_run():
    text = window().replace('button.type = "button"', 'button.type = "buttom"')
    with browser(text) as driver:
        assert driver.find_elements(By.CSS_SELECTOR, "th button") == []
        assert len(pools(driver)) > 0


def test_all_is_readable_without_scripts():
    with browser(window(), scripts=False) as driver:
        assert driver.find_elements(By.CSS_SELECTOR, "th button") == []
        assert name_of(0) in pools(driver)
        press(driver.find_element(By.CSS_SELECTOR, "#pools summary"))
        assert driver.find_element(By.CSS_SELECTOR, "#pools .opened").is_displayed()
        press(driver.find_element(By.CSS_SELECTOR, "#primary summary"))
        assert driver.find_element(By.CSS_SELECTOR, "#primary tbody th").is_displayed()


def test_names_are_text():
    with browser(page("show", grow(40, hostile=True))) as driver:
        assert HOSTILE in pools(driver)
        assert len(driver.find_elements(By.TAG_NAME, "script")) == 2


def test_runs_are_strips():
    with browser(page("compare", *runs())) as driver:
        strip = driver.find_element(By.CSS_SELECTOR, "svg.strip")
        dots = [one.get_attribute("d").count("M") for one in strip.find_elements(By.CSS_SELECTOR, ".dots")]
        assert dots == [3, 3], dots


def test_a_recording_has_a_chart_of_its_windows():
    with browser(page("compare", recording())) as driver:
        chart = driver.find_element(By.CSS_SELECTOR, "svg.area")
        box = chart.rect
        assert box["width"] > 600 and box["height"] > 150, box
        windows = chart.find_elements(By.CSS_SELECTOR, "g")
        assert len(windows) == 5, len(windows)
        shape = max(windows[2].find_elements(By.TAG_NAME, "rect"), key=lambda one: one.rect["height"])
        title = shape.find_element(By.TAG_NAME, "title").get_attribute("textContent")
        ActionChains(driver).move_to_element(shape).perform()
        tip = driver.find_element(By.CSS_SELECTOR, ".tip")
        assert tip.is_displayed() and tip.text == title, (tip.text, title)
        times = driver.find_elements(By.CSS_SELECTOR, ".past time")
        assert len(times) == 6 and times[2].text.endswith(" XYZ"), [one.text for one in times]
        assert box["y"] + box["height"] <= times[0].rect["y"], (box, times[0].rect)
        press(driver.find_element(By.CSS_SELECTOR, "#history summary"))
        assert driver.find_element(By.CSS_SELECTOR, "#history tbody tr").is_displayed()


def test_a_narrow_page_is_not_wider_than_its_window():
    for dark in (False, True):
        for text in (window(), page("compare", recording())):
            with browser(text, width=390, dark=dark) as driver:
                width = driver.execute_script("return document.documentElement.scrollWidth")
                paper = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
                assert width <= 390, width
                assert paper == ("rgb(20, 24, 27)" if dark else "rgb(253, 253, 251)"), paper


def test_on_a_wide_screen_no_table_scrolls():
    for kind in ("window", "runs", "recording", "shared"):
        text = page("memory", "shared") if kind == "shared" else kinds()[kind]
        with browser(text, width=1920) as driver:
            driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
            cut = driver.execute_script(
                "return [...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth + 1)"
                ".map(one => [one.scrollWidth, one.clientWidth, one.textContent.slice(0, 40)])")
            assert not cut, (kind, cut)


def test_in_print_no_number_is_broken():
    with browser(page("compare", "--group-by=all", grow(300), grow(300, later=1)), width=600) as driver:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
        broken = driver.execute_script("""
            return [...document.querySelectorAll('td.n')].filter(cell => {
                const range = document.createRange();
                return [...cell.childNodes].some(node => {
                    range.selectNodeContents(node);
                    return node.nodeType == 3 && new Set([...range.getClientRects()].map(box => box.top)).size > 1;
                });
            }).map(cell => cell.textContent)""")
        assert not broken, broken


def test_in_print_nothing_is_cut_off_or_to_be_clicked():
    with browser(window(), width=1030) as driver:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert not driver.find_element(By.CSS_SELECTOR, ".filter").is_displayed()
        table = driver.find_element(By.CSS_SELECTOR, "#pools")
        assert table.size["width"] <= 1030, table.size


def test_a_page_of_30000_threads_is_there():
    text = page("compare", grow(30000), grow(30000, later=1))
    with browser(text) as driver:
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        driver.refresh()
        found = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        spent = {one["name"]: one["value"] for one in found}["TaskDuration"]
        print(f"# {len(text) >> 10} KiB, {spent:.2f} s of CPU", flush=True)
        assert len(pools(driver)) > 0


if __name__ == "__main__":
    harness.need_command("zstd")
    tap.main(globals(), world="own")
