# SPDX-License-Identifier: Apache-2.0
"""The page that `-f html` writes, in a headless Chromium, with a real mouse and keyboard."""
import json
import os
import subprocess
import time

import pytest

from browser import Browser, BrowserPage
from daemon import BUILD

PROFILE = f"{BUILD}/integration/flamegraph_profile"
OPEN_S = 3.0  # a million stacks, from the file to the picture
EXPORT_PATIENCE_S = 300
REPAINT_S = 10


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    running = Browser(tmp_path_factory.mktemp("chromium"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """made(SHAPE): the path of a page with that made-up profile; made.seconds[SHAPE]."""
    folder = tmp_path_factory.mktemp("pages")
    made_s = {}

    def make(shape):
        path = folder / f"{shape}.html"
        if not path.exists():
            with open(path, "wb") as f:
                done = subprocess.run([PROFILE, shape, "html"], stdout=f, check=True,
                                      stderr=subprocess.PIPE, timeout=EXPORT_PATIENCE_S)
            made_s[shape] = float(done.stderr)
        return path

    make.seconds = made_s
    return make


@pytest.fixture
def open_page(browser, made):
    """open_page(SHAPE): what went wrong in the page, or was loaded by it, fails the test."""
    opened = []

    def open_one(shape, **options):
        opened.append(BrowserPage(browser, made(shape), **options))
        return opened[-1]

    yield open_one
    for page in opened:
        assert page.said == []
        assert len(page.requests) == 1


def state(page):
    return json.loads(page.evaluate("JSON.stringify(spprof.state())"))


def names(page):
    return {box["name"] for box in state(page)["drawn"]}


def box_named(page, name):
    return next(box for box in state(page)["drawn"] if box["name"] == name)


def click_box(page, name):
    box = box_named(page, name)
    page.click(box["x"] + box["width"] / 2, box["y"] + 5)


def text_of(page, selector):
    return page.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")


def pixel(page, x, y):
    """The colour that the canvas has there, of the page's coordinates; read from a copy."""
    return page.evaluate("(() => { const c = document.querySelector('#canvas'); "
                         "const r = c.getBoundingClientRect(); "
                         "const d = new OffscreenCanvas(1, 1).getContext('2d'); "
                         f"d.drawImage(c, -({x} - r.x) * c.width / r.width, "
                         f"-({y} - r.y) * c.height / r.height); "
                         "return [...d.getImageData(0, 0, 1, 1).data]; })()")


def test_it_renders(open_page):
    page = open_page("small")
    assert names(page) == {"all", "<module>", "outer", "inner", "memcpy", "do_syscall_64", "??"}
    assert state(page)["total"] == 1_000_000_000
    assert text_of(page, "h1") == "python3 1234"
    page.screenshot(f"{BUILD}/flamegraph.png")
    page.press("c")
    page.screenshot(f"{BUILD}/flamegraph-dark.png")


def test_widths_are_weights_and_kinds_are_told_apart(open_page):
    page = open_page("small")
    whole = box_named(page, "all")
    memcpy = box_named(page, "memcpy")
    assert memcpy["width"] / whole["width"] == pytest.approx(0.35)
    assert memcpy["kind"] == "native"
    assert box_named(page, "do_syscall_64")["kind"] == "kernel"
    colours = {tuple(pixel(page, box["x"] + box["width"] - 4, box["y"] + 3))
               for box in map(lambda name: box_named(page, name),
                              ("<module>", "memcpy", "do_syscall_64", "??"))}
    assert len(colours) == 4
    page.mouse("mouseMoved", memcpy["x"] + 5, memcpy["y"] + 5)
    assert text_of(page, "#hover").startswith(
        "memcpy [native] /usr/lib/libc.so.6:7: 35.00 %, 350 ms (350,000,000 nanoseconds); self 25.00 %")


def test_a_click_zooms_and_escape_ends_it(open_page):
    page = open_page("small")
    before = box_named(page, "inner")["width"]
    click_box(page, "inner")
    shown = state(page)
    assert shown["zoomed"]["name"] == "inner"
    assert box_named(page, "inner")["width"] == box_named(page, "all")["width"] > 2 * before
    assert "memcpy" not in names(page)
    page.press("Escape")
    assert state(page)["zoomed"]["name"] == "all"
    assert box_named(page, "inner")["width"] == before


def search(page, text):
    page.press("/")
    page.evaluate("document.querySelector('#search').value = ''")
    page.press(*text)
    page.wait(f"spprof.state().search === {json.dumps(text)}")


def test_a_search_shows_its_share_once(open_page):
    """inner is in outer and outer again in inner: 60 %, not 105 %."""
    page = open_page("small")
    before = pixel(page, *middle(page, "inner"))
    search(page, "OUTER")
    assert text_of(page, "#share") == "found in 60.00 %, 600 ms"
    assert pixel(page, *middle(page, "inner")) == before
    search(page, "inner")
    assert text_of(page, "#share") == "found in 40.00 %, 400 ms"  # also where the file has it
    assert pixel(page, *middle(page, "inner")) != before
    assert page.evaluate("document.querySelector('tr.found td.name').textContent") == "inner"
    page.press("Escape")
    assert text_of(page, "#share") == ""
    search(page, "nobody")
    assert text_of(page, "#share") == "found in 0.00 %, 0"


def middle(page, name):
    box = box_named(page, name)
    return box["x"] + box["width"] * 0.75, box["y"] + 3


def test_the_keyboard_does_it_all(open_page):
    page = open_page("small")
    page.evaluate("document.querySelector('#scroller').focus()")
    selected = []
    for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        page.press(key)
        selected.append(state(page)["selected"]["name"])
    assert selected == ["all", "<module>", "outer", "memcpy", "??", "<module>", "<module>"]
    assert state(page)["zoomed"]["name"] == "<module>"
    assert text_of(page, "#detail").startswith("<module> [python] /srv/app.py:7: 100.00 %, 1 s")
    page.press("Escape", "f")
    assert state(page)["shape"] == "icicle"
    page.press("ArrowDown")
    assert state(page)["selected"]["name"] == "<module>"
    page.press("i")
    assert state(page)["direction"] == "callers"
    page.press("?")
    assert page.evaluate("document.querySelector('#help').open")
    page.press("Escape")
    assert not page.evaluate("document.querySelector('#help').open")


def test_flame_and_icicle(open_page):
    page = open_page("small")
    assert box_named(page, "outer")["y"] < box_named(page, "<module>")["y"]
    page.click_on("[data-value=icicle]")
    assert box_named(page, "outer")["y"] > box_named(page, "<module>")["y"]
    assert page.evaluate("document.querySelector('[data-value=icicle]').ariaPressed") == "true"


def test_inverted_is_by_self_time_with_callers_above(open_page):
    page = open_page("small")
    page.click_on("[data-value=callers]")
    roots = {box["name"]: box["weight"] for box in state(page)["drawn"] if box["row"] == 1}
    assert roots == {"inner": 350e6, "outer": 250e6, "memcpy": 250e6, "do_syscall_64": 100e6,
                     "??": 50e6}
    callers = sorted((box["name"], box["weight"]) for box in state(page)["drawn"]
                     if box["row"] == 2)
    assert callers == [("<module>", 50e6), ("<module>", 200e6), ("<module>", 250e6),
                       ("inner", 50e6), ("memcpy", 100e6), ("outer", 350e6)]


def test_the_table_has_every_function(open_page):
    page = open_page("small")
    rows = page.evaluate("[...document.querySelectorAll('#functions tr')].map("
                         "(row) => [...row.cells].map((cell) => cell.textContent))")
    assert rows[0] == ["350 ms", "35.00 %", "400 ms", "40.00 %", "python", "inner",
                       "/srv/lib/inner.py:7"]
    assert [row[5] for row in rows] == ["inner", "outer", "memcpy", "do_syscall_64", "??",
                                        "<module>"]
    page.click_on("[data-sort=total]")
    assert text_of(page, "#functions td.name") == "<module>"
    page.click_on("[data-sort=name]")
    assert text_of(page, "#functions td.name") == "<module>"
    assert page.evaluate("document.querySelector('[data-sort=name]').parentElement.ariaSort") == \
        "ascending"


def test_by_time_only_where_the_profile_has_it(open_page):
    page = open_page("small")
    assert page.evaluate("document.querySelector('[data-value=time]').disabled")
    assert "no order of time" in text_of(page, "#notes")
    page = open_page("threads")
    page.click_on("[data-value=time]")
    rows = [(box["name"], box["weight"]) for box in state(page)["drawn"] if box["row"] == 2]
    # The heaviest thread first: ten times a and b by turns. Then c on b, then b.
    assert rows == [("a", 10), ("b", 20)] * 10 + [("b", 150), ("b", 50)]


def test_threads_and_processes_are_selected(open_page):
    page = open_page("threads")
    choices = page.evaluate("[...document.querySelector('#threads').options].map(o => o.text)")
    assert choices == ["all", "all of python3 10: 70.00 %", "all of python3 20: 30.00 %",
                       "python3 10/10 MainThread: 60.00 %", "python3 20/20 MainThread: 30.00 %",
                       "python3 10/11 worker: 10.00 %"]
    totals = []
    for value in range(len(choices)):
        page.evaluate("(() => { const s = document.querySelector('#threads'); "
                      f"s.value = '{value}'; s.dispatchEvent(new Event('change')); }})()")
        totals.append((state(page)["total"], sorted(names(page) - {"all", "main"})))
    assert totals == [(500, ["a", "b", "c"]), (350, ["a", "b"]), (150, ["b", "c"]),
                      (300, ["a", "b"]), (150, ["b", "c"]), (50, ["b"])]
    assert text_of(page, "#functions") == "50 ns100.00 %50 ns100.00 %pythonb/srv/app.py:7" \
        "00.00 %50 ns100.00 %pythonmain/srv/app.py:7"


def test_names_with_markup_stay_text(open_page):
    page = open_page("hostile")
    shown = names(page)
    assert {"</script><script>window.broken = 1</script>", "__proto__", "constructor",
            "<img src=x onerror=\"window.broken = 2\">", "{{profile}}", "&lt;entity&gt; &amp;",
            "line\\x0abreak\\x0d\\x09tab\\x1b[31mred\\x7f", "\\u202egnp.exe\\u2066"} <= shown
    assert len(shown) == 16
    for name in sorted(shown - {"all", ""}):
        click_box(page, name)
        assert text_of(page, "#detail").startswith(name)
        page.press("Escape")
    search(page, "</script>")
    assert text_of(page, "#share").startswith("found in 100.00 %")  # the file of all
    assert page.evaluate("window.broken") is None
    assert page.evaluate("document.scripts.length") == \
        page.evaluate("document.querySelectorAll('body > script').length") == 11
    assert page.evaluate("document.images.length") == 0


def test_dark_and_light(open_page):
    page = open_page("small", scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark, dark_box = page.evaluate(background), pixel(page, *middle(page, "inner"))
    assert state(page)["theme"] == "dark"
    page.set_scheme("light")
    page.wait("spprof.state().theme === 'light'")
    assert (page.evaluate(background), dark) == ("rgb(255, 255, 255)", "rgb(23, 25, 28)")
    end = time.monotonic() + REPAINT_S
    while pixel(page, *middle(page, "inner")) == dark_box:  # the page is told a moment later
        assert time.monotonic() < end, "the picture stayed dark"
    page.click_on("#theme")
    assert (page.evaluate(background), pixel(page, *middle(page, "inner"))) == (dark, dark_box)
    assert text_of(page, "#theme") == "Colours: dark"


def test_labels_are_there_for_who_cannot_see(open_page):
    page = open_page("threads")
    tree = page.browser.send("Accessibility.getFullAXTree")["nodes"]
    said = {(node["role"]["value"], node["name"]["value"]) for node in tree
            if node.get("name", {}).get("value")}
    assert {("application", "Flame graph"), ("searchbox", "Search (/)"), ("toolbar", "View"),
            ("button", "Inverted"), ("button", "Help (?)")} <= said
    nameless = [node for node in tree if node["role"]["value"] in ("button", "searchbox", "combobox")
                and not node.get("name", {}).get("value")]
    assert nameless == []


def test_a_stack_of_20000_frames_is_shown(open_page):
    page = open_page("deep")
    assert state(page)["rows"] == 20001
    page.evaluate("document.querySelector('#scroller').scrollTop = 0")
    page.wait("spprof.state().drawn.some((box) => box.row === 20000)")
    page.click_on("[data-value=callers]")
    assert state(page)["rows"] > 1000


def test_an_empty_profile_is_a_page(open_page):
    page = open_page("empty")
    assert state(page)["total"] == 0
    page.click_on("[data-value=callers]")
    page.press("Escape", "f")


def tell(capsys, text):
    with capsys.disabled():
        print(f"\n{text}")


def test_a_million_stacks_open_in_three_seconds(open_page, made, capsys):
    page = open_page("million")
    shown = state(page)
    tell(capsys, f"a million stacks: {os.path.getsize(made('million')) / 1e6:.1f} MB, exported in "
         f"{made.seconds['million']:.2f} s, "
         f"opened in {page.opened_s:.2f} s ({shown['openedMs']:.0f} ms by the page's clock)")
    assert page.opened_s < OPEN_S and shown["openedMs"] < OPEN_S * 1000
    assert shown["small"]["count"] > 1_000_000
    assert f"{shown['small']['count']:,} boxes of at most" in text_of(page, "#notes")
    assert shown["total"] == sum(box["weight"] for box in shown["drawn"] if box["row"] == 0)
    start = time.monotonic()
    page.click_on("[data-value=callers]")
    assert state(page)["direction"] == "callers"
    assert time.monotonic() - start < OPEN_S
    search(page, "function_1")
    assert text_of(page, "#share").startswith("found in at least ")


def test_a_million_samples_in_their_order_are_shown_by_time(open_page, capsys):
    page = open_page("ordered")
    start = time.monotonic()
    page.click_on("[data-value=time]")
    shown = state(page)
    tell(capsys, f"a million samples by time: opened in {page.opened_s:.2f} s, "
         f"{shown['boxes']:,} boxes laid out in {time.monotonic() - start:.2f} s")
    assert page.opened_s < OPEN_S and time.monotonic() - start < OPEN_S
    assert shown["order"] == "time"
    assert "short runs were joined" in text_of(page, "#notes")
