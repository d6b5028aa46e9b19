"""An answer in a browser, kept up to date by server-sent events: a page, and the events behind it.

    with EventServer("127.0.0.1", 8080) as server:
        server.show(1, Decimal(0), "<answer/>")

`/events` sends the answer after each commit, with the number of the commit as id. A new reader gets the latest answer
first; a reader with `Last-Event-ID` gets it only if it has changed. `/` is a page that shows it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from .changelog import commit_line, json_text

_PAGE = b"""<!doctype html><meta charset="utf-8"><title>xylem</title>
<pre id="answer" style="white-space: pre-wrap"></pre><p id="as-of" style="color: gray"></p>
<script>
new EventSource("events").onmessage = event => {
  const told = JSON.parse(event.data);
  document.getElementById("answer").textContent = told.display;
  document.getElementById("as-of").textContent = `commit ${told.commit}, t = ${told.t}`;
};
</script>
"""
_BEAT_SECONDS = 15


@dataclass(frozen=True)
class _Shown:
    commit: int
    line: str


class EventServer:
    """Serves one answer on a port of this machine, until it is closed."""

    def __init__(self, host: str, port: int) -> None:
        self._shown: _Shown | None = None
        self._news = threading.Condition()
        self._is_closed = False
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.answer(self)

            def log_message(self, format: str, *values: Any) -> None:
                """Suppress the log of requests."""

        self._server = ThreadingHTTPServer((host, port), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> EventServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._news:
            self._is_closed = True
            self._news.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def show(self, commit: int, time: Decimal, display: str) -> None:
        """Set the answer after a commit."""
        with self._news:
            self._shown = _Shown(commit, commit_line(commit, time, json_text(display)))
            self._news.notify_all()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer a request: the page, or endless events."""
        if request.path not in ("/", "/events"):
            request.send_error(404)
            return
        request.send_response(200)
        kind = "text/html; charset=utf-8" if request.path == "/" else "text/event-stream"
        request.send_header("Content-Type", kind)
        request.send_header("Cache-Control", "no-store")
        request.end_headers()
        if request.path == "/":
            request.wfile.write(_PAGE)
            return
        seen = request.headers.get("Last-Event-ID", "")
        try:
            self._tell(request, int(seen) if seen.isdecimal() else 0)
        except (BrokenPipeError, ConnectionResetError):
            return

    def _tell(self, request: BaseHTTPRequestHandler, seen: int) -> None:
        while True:
            with self._news:
                self._news.wait_for(partial(self._has_news, seen), _BEAT_SECONDS)
                shown, is_closed = self._shown, self._is_closed
            if shown is not None and shown.commit > seen:
                seen = shown.commit
                request.wfile.write(f"id: {shown.commit}\ndata: {shown.line}\n\n".encode())
            elif not is_closed:
                request.wfile.write(b": still here\n\n")
            request.wfile.flush()
            if is_closed:
                return

    def _has_news(self, seen: int) -> bool:
        return self._is_closed or (self._shown is not None and self._shown.commit > seen)
