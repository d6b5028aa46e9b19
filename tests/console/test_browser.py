"""The console in a real browser: chromium by Playwright, if both are installed (XYLEM_CHROMIUM names another one).

What each screen must do, and the test that checks it:

 1  no request leaves the origin, no error in the console        every test, by the fixture `opened`
 2  ready after little CPU, the editor usable                    test_a_server_that_is_killed…, every test
 3  a typo is underlined at the place that `check` reports       test_a_typo_is_underlined_exactly_and_explained
 4  `order by` holds, and less with `[position() le 10]`         test_the_margin_says_what_a_line_does
 5  the playground prints what `xylem run` prints                test_run_by_mouse…; every example: test_playground.py
 6  a changing node keeps its identity                           test_ten_thousand_edits_leave_the_page_awake
 7  a killed server loses and doubles no row                     test_a_server_that_is_killed…
 8  a malformed record is shown with line, byte and path         test_a_run_with_its_plan_figures_and_dead_letters
 9  the plot's maximum is that of `--stats json`                 test_the_plot_and_the_graph_are_those_of_the_json
10  nodes and edges of a graph are those of the JSON             the same, test_run_by_mouse…, test_the_map_of_a_network
11  the slider shows the log replayed to a commit                test_the_slider_shows_what_the_log_says
12  a wrong token is 401, a large upload names its limit         test_safety.py
13  10,000 edits leave the page awake                            test_ten_thousand_edits_leave_the_page_awake
14  the keyboard reaches everything, contrast AA, screenshots    test_the_keyboard_…, test_texts_have_enough_contrast

XYLEM_SCREENSHOTS names a directory for screenshots: those of docs/ are made by these tests.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed")
pytest.importorskip("starlette", reason="the console is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="the console is not installed")
EDITS = 10_000
CHROMIUM = os.environ.get("XYLEM_CHROMIUM") or shutil.which("chromium")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.share(3),
]


UPDATES = "<u:stream xmlns:u='urn:xylem:update'><a><b u:id='i'>0</b><b u:id='j'>x</b></a>{}</u:stream>"
BROKEN = "<a><b>1</b>\n<b><c>2</b>\n<b>3</b></a>"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("project")
    (place / "b.xq").write_text("//b")
    (place / "sorted.xq").write_text("for $b in //b\nwhere $b > 0\norder by number($b) descending\nreturn $b")
    edits = "".join(f"<u:replace of='i' t='{number}'><b>{number}</b></u:replace>" for number in range(1, EDITS + 1))
    (place / "edits.xml").write_text(UPDATES.format(edits))
    (place / "few.xml").write_text(
        UPDATES.format("<u:replace of='i' t='5'><b>7</b></u:replace><u:remove of='j' t='6'/>")
    )
    (place / "broken.xml").write_text(BROKEN)
    (place / "many.xml").write_text("<a>" + "".join(f"<b>{number % 97}</b>" for number in range(3000)) + "</a>")
    return place


@pytest.fixture(scope="module")
def address(project: Path) -> Iterator[str]:
    from xylem.console.app import console_app
    from xylem.console.safety import Access

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(console_app(Access(), project), port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


class Opened:
    """A page of the playground, and what happened in it."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda told: self.errors.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.address = address
        self.go("/")

    def go(self, path: str) -> None:
        self.page.goto(self.address + path)
        self.page.wait_for_selector("body[data-ready=yes]")

    def start(self, **chosen: str) -> None:
        """Start a run by the form, and wait for its page."""
        self.go("/runs")
        for name, value in chosen.items():
            self.page.select_option(f"#start [name={name}]", value)
        self.page.click("#start button")
        self.page.wait_for_url("**/runs/*")
        self.page.wait_for_selector("body[data-ready=yes]")

    def texts(self, selector: str) -> list[str]:
        return [found.text_content() for found in self.page.query_selector_all(selector)]

    def shot(self, name: str) -> None:
        if place := os.environ.get("XYLEM_SCREENSHOTS"):
            self.page.screenshot(path=str(Path(place) / name), full_page=True)

    def write(self, query: str) -> None:
        self.page.evaluate(
            "text => xylemEditor.dispatch({changes: {from: 0, to: xylemEditor.state.doc.length, insert: text}})", query
        )

    def until(self, script: str, argument: object = None) -> None:
        """Wait for something in the page, asking from outside: its policy lets nothing be evaluated inside."""
        for _ in range(600):
            if self.page.evaluate(script, argument):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(script)

    def effects(self) -> list[str]:
        return [mark.inner_text() for mark in self.page.query_selector_all(".effect")]

    def run(self) -> str:
        self.page.click("#run")
        self.until("document.getElementById('figures').textContent !== ''")
        text: str = self.page.text_content("#answer")
        return text


@pytest.fixture
def opened(address: str) -> Iterator[Opened]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        found = Opened(browser.new_page(viewport={"width": 1200, "height": 900}), address)
        yield found
        assert found.errors == []
        assert all(url.startswith((address, "data:")) for url in found.requests), found.requests
        browser.close()


def test_a_typo_is_underlined_exactly_and_explained(opened: Opened) -> None:
    opened.write("for $page in //page\nreturn $pag")
    opened.page.wait_for_selector(".cm-lintRange-error")
    assert opened.page.inner_text(".cm-lintRange-error") == "$pag"
    opened.page.hover(".cm-lintRange-error")
    opened.page.wait_for_selector(".cm-tooltip-lint")
    assert "did you mean $page?" in opened.page.inner_text(".cm-tooltip-lint")


def test_the_margin_says_what_a_line_does(opened: Opened) -> None:
    text = "for $d in //departure\norder by $d/@minutes\nreturn $d/to"
    opened.write(text)
    opened.until("document.querySelectorAll('.effect.holds').length === 1")
    assert opened.effects() == ["passes", "holds"]
    whole = opened.page.get_attribute(".effect.holds", "title")
    opened.write(f"({text})[position() le 2]")
    changed = "text => (document.querySelector('.effect.holds') || {title: ''}).title !== text"
    opened.until(changed, whole)


def test_run_by_mouse_and_by_keyboard(opened: Opened) -> None:
    from xylem.console import playground

    query, sample = playground.examples()["filter"]
    assert opened.run() == playground.run(query, sample)["output"]
    assert opened.page.get_attribute("#plot img", "alt") is not None
    planned = [one["id"] for one in playground.check(query)["operators"]]
    nodes = "[...document.querySelectorAll('#plan .operator')].map((one) => Number(one.dataset.id))"
    assert opened.page.evaluate(nodes) == planned
    assert any("items out" in text for text in opened.texts("#plan .counts"))
    opened.page.select_option("#examples", "group")
    opened.until("xylemEditor.state.doc.toString().includes('group by')")
    opened.page.select_option("#format", "csv")
    opened.page.focus(".cm-content")
    opened.page.keyboard.press("Control+Enter")
    opened.until("document.getElementById('answer').textContent.startsWith('line,departures,worst')")
    opened.shot("playground.png")


def test_the_keyboard_reaches_everything(opened: Opened) -> None:
    reached = set()
    for _ in range(15):
        opened.page.keyboard.press("Tab")
        reached.add(opened.page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"examples", "format", "run", "sample", "upload", "answer", "explain"} <= reached
    assert any("cm-content" in name for name in reached)


ENDED = "document.querySelector('#result[data-ended=yes]') && state.textContent !== 'running'"


def test_a_run_with_its_plan_figures_and_dead_letters(opened: Opened, address: str) -> None:
    opened.start(query="b.xq", input="broken.xml", malformed="dead-letter")
    opened.until(ENDED)
    opened.until("document.querySelectorAll('#letters tbody tr').length === 1")
    assert opened.texts(".region") == ["<b>1</b>", "<b>3</b>"]
    assert opened.texts("#letters tbody td")[:3] == ["2", "21", "/a/b/c"]
    opened.page.click("#letters a")
    opened.page.wait_for_selector("body[data-ready=yes]")
    assert opened.page.input_value("#sample") == "<b><c>2</b>"


def test_the_plot_and_the_graph_are_those_of_the_json(opened: Opened, project: Path) -> None:
    opened.start(query="sorted.xq", input="many.xml")
    opened.until(ENDED)
    number = opened.page.url.rpartition("/")[2]
    told = json.loads((project / ".xylem" / "runs" / number / "told").read_text().splitlines()[-1])
    opened.until("document.querySelector('[data-plot=peak_buffered_bytes]') !== null")
    assert opened.page.get_attribute("[data-plot=peak_buffered_bytes]", "data-most") == str(told["peak_buffered_bytes"])
    opened.until("document.querySelectorAll('#plan .operator').length > 0")
    operators = opened.page.evaluate("async path => (await fetch(path)).json()", f"/api/runs/{number}/plan")
    nodes = opened.page.evaluate("[...document.querySelectorAll('#plan .operator')].map(one => Number(one.dataset.id))")
    edges = opened.page.evaluate(
        "[...document.querySelectorAll('#plan .edge')].map(one => [Number(one.dataset.from), Number(one.dataset.to)])"
    )
    assert nodes == [one["id"] for one in operators]
    wanted = [[source, one["id"]] for one in operators for source in (*one["inputs"], one["over"]) if source]
    assert sorted(edges) == sorted(wanted)
    assert {one["id"] for one in told["operators"]} == set(nodes)
    opened.shot("run.png")
    opened.go("/runs")
    assert opened.texts("#runs tbody tr td:nth-child(2)")[0] == "done"
    opened.shot("runs.png")


def test_ten_thousand_edits_leave_the_page_awake(opened: Opened) -> None:
    opened.start(query="b.xq", input="edits.xml", updates="native")
    opened.until("document.querySelectorAll('.region').length === 2")
    opened.page.evaluate(
        "window.kept = document.querySelector('.region'), window.slowest = 0, window.since = performance.now(),"
        "setInterval(() => { const now = performance.now(); slowest = Math.max(slowest, now - since - 20);"
        "since = now }, 20)"
    )
    opened.until(ENDED)
    assert opened.texts(".region") == [f"<b>{EDITS}</b>", "<b>x</b>"]
    assert opened.page.evaluate("window.kept === document.querySelector('.region')")
    assert opened.page.evaluate("window.slowest") < 200 * 5  # elapsed, on a machine that others use too


def test_the_slider_shows_what_the_log_says(opened: Opened, project: Path) -> None:
    from xylem.api import history_query

    opened.start(query="b.xq", input="few.xml", updates="native")
    opened.until(ENDED)
    opened.until("Number(document.getElementById('slider').max) === 2")
    answers = history_query("//b").answers((project / "few.xml").read_bytes())
    opened.page.focus("#slider")
    shown = []
    for place, answer in enumerate(answers):
        opened.page.evaluate("place => { slider.value = place; slider.dispatchEvent(new Event('input')) }", str(place))
        opened.until(
            "commit => document.getElementById('earlier').dataset.commit === commit", str(answer.commit.number)
        )
        assert opened.page.text_content("#earlier") == answer.display.text
        shown.append(answer.display.text)
    assert len(shown) == 3
    opened.shot("updates.png")


CONTRASTS = """() => {
  const numbers = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = (c) => { const s = c / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4 };
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const rect = one.tagName === "g" && one.querySelector("rect");
      const found = numbers(rect ? getComputedStyle(rect).fill : getComputedStyle(one).backgroundColor);
      if (found.length === 3 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.getClientRects().length) continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const text = numbers(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [luminance(text), luminance(behind(element))].sort((x, y) => y - x);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if ((a + 0.05) / (b + 0.05) < (isLarge ? 3 : 4.5)) {
      poor.push(`${element.tagName}.${element.getAttribute("class")}: ${element.textContent.slice(0, 20)}`);
    }
  }
  return poor;
}"""


def test_texts_have_enough_contrast(opened: Opened) -> None:
    """Level AA of the accessibility guidelines: 4.5 to 1, large text 3 to 1; in a light and in a dark system."""
    opened.until("document.querySelectorAll('.effect').length > 0")
    _assert_contrast(opened)
    opened.start(query="sorted.xq", input="many.xml")
    opened.until(ENDED)
    opened.until("document.querySelectorAll('#plan .operator').length > 0")
    _assert_contrast(opened)
    for path in ("/runs", "/network"):
        opened.go(path)
        _assert_contrast(opened)
    opened.page.emulate_media(color_scheme="light")
    opened.page.evaluate("document.querySelector('h1').style.color = '#aaa'")
    assert opened.page.evaluate(CONTRASTS) != []


def _assert_contrast(opened: Opened) -> None:
    for scheme in ("light", "dark"):
        opened.page.emulate_media(color_scheme=scheme)
        assert opened.page.evaluate(CONTRASTS) == [], (opened.page.url, scheme)


def test_a_narrow_window_scrolls_tables_and_no_page(opened: Opened) -> None:
    opened.start(query="b.xq", input="many.xml")
    opened.until(ENDED)
    run = opened.page.url.removeprefix(opened.address)
    opened.page.set_viewport_size({"width": 420, "height": 900})
    for path in ("/", "/runs", "/network", run):
        opened.go(path)
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 420, path
    opened.page.emulate_media(color_scheme="dark")
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(23, 24, 26)"


def test_the_map_of_a_network(opened: Opened, project: Path) -> None:
    examples = Path(__file__).resolve().parents[2] / "examples"
    for name in ("network", "photons"):
        shutil.copytree(examples / name, project / name)
    pytest.importorskip("sse_starlette", reason="sites are not installed")
    from xylem.network.site_client import SiteClient

    command = [sys.executable, "-m", "xylem", "network"]
    sites = [project / name for name in ("P0", "SP0", "P1")]
    for site in sites:
        kind = "super" if site.name.startswith("SP") else "thin"
        start = ["start", "--background", "--kind", kind, "--site", str(site)]
        subprocess.run([*command, *start], check=True, capture_output=True)
    try:
        source, middle, reader = map(SiteClient, sites)
        source.ask("POST", "/join", {**middle.address, "bandwidth": 1e6})
        middle.ask("POST", "/join", {**reader.address, "bandwidth": 1e6})
        source.publish("photons", [(project / "photons" / "photons.xml").read_bytes()])
        for name in ("vela", "rxj"):
            reader.subscribe(name, (project / "photons" / f"{name}.xq").read_text(), "photons", "earliest", at="P1")
        _look_at_network(opened)
    finally:
        for site in sites:
            subprocess.run([*command, "stop", "--site", str(site)], check=True, capture_output=True)


def _look_at_network(opened: Opened) -> None:
    opened.go("/network")
    opened.until("document.querySelectorAll('#networks .peer').length === 3")
    assert opened.texts("#networks .peer text") == ["P0", "P1", "SP0"]
    sent = "[...document.querySelectorAll('#networks .edge')].map((edge) => Number(edge.dataset.bytes))"
    opened.until(f"({sent}).every((size) => size > 0)")
    assert {"vela, rxj", "rxj, vela"} & set(opened.texts("#networks td"))
    assert "photons" in opened.texts("[data-site=P0] .peer text")
    opened.until("document.querySelectorAll('#network-file option').length > 1")
    opened.page.select_option("#network-file", "network/thesis.json")
    opened.until("document.querySelectorAll('#network .peer').length === 7")
    plan = opened.page.evaluate("async () => (await fetch('/api/network/plan?file=network/thesis.json')).json()")
    carried = "[...document.querySelectorAll('#network .edge')].map((edge) => Number(edge.dataset.bytes))"
    assert sum(opened.page.evaluate(carried)) == plan["total bytes"]
    assert opened.texts("#plans tbody td:first-child") == [one["subscription"] for one in plan["plans"]]
    assert {"network-file", "network"} <= _tabbed(opened, 6)
    opened.shot("network.png")


def test_a_server_that_is_killed_loses_and_doubles_no_row(project: Path) -> None:
    from playwright.sync_api import sync_playwright

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "xylem", "console", "--port", port, "--project", str(project)]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _wait_for(port)
    assert _cpu_seconds(first.pid) < 2, "the console is ready within a second of CPU on a quiet machine"
    second = None
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            opened = Opened(browser.new_page(), f"http://127.0.0.1:{port}")
            opened.start(query="b.xq", input="edits.xml", updates="native")
            opened.until("document.querySelectorAll('.region').length === 2")
            first.kill()
            first.wait()
            second = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _wait_for(port)
            opened.until("document.querySelector('#result[data-ended=yes]') !== null")
            assert opened.texts(".region") == [f"<b>{EDITS}</b>", "<b>x</b>"]
            browser.close()
    finally:
        for one in (first, second):
            if one is not None:
                one.kill()
                one.wait()


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _wait_for(port: str) -> None:
    for _ in range(1200):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", int(port))) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the console does not answer")


def test_the_keyboard_reaches_all_of_a_run(opened: Opened) -> None:
    opened.go("/runs")
    names = _tabbed(opened, 12)
    assert {"query", "input", "updates", "malformed", "Start"} <= names
    opened.page.keyboard.press("Shift+Tab")
    opened.start(query="b.xq", input="few.xml", updates="native")
    opened.until(ENDED)
    assert {"restart", "result", "slider", "earlier"} <= _tabbed(opened, 14)
    opened.start(query="b.xq", input="broken.xml")
    opened.until("document.getElementById('messages').textContent !== ''")
    assert {"restart", "result", "plan", "messages"} <= _tabbed(opened, 14)


def _tabbed(opened: Opened, times: int) -> set[str]:
    """What has the focus, by its id, name or text, after each step of the tabulator."""
    found = set()
    for _ in range(times):
        opened.page.keyboard.press("Tab")
        script = "(e => e.id || e.getAttribute('name') || e.textContent.trim())(document.activeElement)"
        found.add(opened.page.evaluate(script))
    return found
