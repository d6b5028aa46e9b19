"""The playground in a real browser: chromium by Playwright, where both are installed (XYLEM_CHROMIUM names another)."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed")
pytest.importorskip("starlette", reason="the console is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="the console is not installed")
CHROMIUM = os.environ.get("XYLEM_CHROMIUM") or shutil.which("chromium")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    from xylem.console.app import console_app
    from xylem.console.safety import Access

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(console_app(Access()), port=port, log_level="error"))
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
        page.goto(address)
        page.wait_for_selector("body[data-ready=yes]")

    def write(self, query: str) -> None:
        self.page.evaluate(
            "text => xylemEditor.dispatch({changes: {from: 0, to: xylemEditor.state.doc.length, insert: text}})", query
        )

    def until(self, script: str, argument: object = None) -> None:
        """Wait for something in the page, asking from outside: its policy lets nothing be evaluated inside."""
        for _ in range(200):
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
    opened.page.select_option("#examples", "group")
    opened.until("xylemEditor.state.doc.toString().includes('group by')")
    opened.page.select_option("#format", "csv")
    opened.page.focus(".cm-content")
    opened.page.keyboard.press("Control+Enter")
    opened.until("document.getElementById('answer').textContent.startsWith('line,departures,worst')")
    if place := os.environ.get("XYLEM_SCREENSHOTS"):
        opened.page.screenshot(path=str(Path(place) / "playground.png"), full_page=True)


def test_the_keyboard_reaches_everything(opened: Opened) -> None:
    reached = set()
    for _ in range(15):
        opened.page.keyboard.press("Tab")
        reached.add(opened.page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"examples", "format", "run", "sample", "upload", "answer", "explain"} <= reached
    assert any("cm-content" in name for name in reached)
