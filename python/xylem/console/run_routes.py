"""The addresses of runs: their pages, their commands, and their files as they grow.

`/api/runs/ID/events` sends the result as server-sent events. A new reader gets the display first, then the rows
that change it; a reader that comes back with `Last-Event-ID` gets the rows after that one.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any

import anyio
from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from xylem.errors import XylemError

from .network_map import network_map, network_plan
from .registry import METRICS, PROCESS, STREAM, Asked
from .run_arguments import LIMITS, RESULT, UPDATES
from .run_log import ROWS_AT_ONCE, ResultLog, commits, display_at, letters, lines, thinned
from .runs import Runs, last_line
from .safety import Access
from .stream_figures import over_time

LOOK_EVERY_SECONDS = 0.15
BEAT_SECONDS = 15.0
Answer = Callable[[Request, dict[str, Any]], Any]


class RunRoutes:
    """The handlers of the addresses of runs."""

    def __init__(self, runs: Runs, pages: Environment, access: Access) -> None:
        self._runs = runs
        self._pages = pages
        self._access = access
        self._plans: dict[str, Sequence[dict[str, Any]]] = {}
        """The operators of runs, each planned once."""

    def routes(self) -> list[Route]:
        return [
            Route("/runs", self.list_page),
            Route("/runs/{id}", self.run_page),
            Route("/api/runs", self._json(self.list), methods=["GET"]),
            Route("/api/runs", self._json(self.start), methods=["POST"]),
            Route("/api/runs/{id}", self._json(self.facts)),
            Route("/api/runs/{id}/stop", self._json(self.stop), methods=["POST"]),
            Route("/api/runs/{id}/restart", self._json(self.restart), methods=["POST"]),
            Route("/api/runs/{id}/letters", self._json(self.letters)),
            Route("/api/runs/{id}/plan", self._json(self.plan)),
            Route("/api/runs/{id}/display", self._json(self.display)),
            Route("/api/runs/{id}/events", self.events),
            Route("/network", self.network_page),
            Route("/api/network", self._json(lambda request, given: network_map(self._runs.project))),
            Route("/api/network/plan", self._json(self.network_plan)),
        ]

    def _json(self, answer: Answer) -> Callable[[Request], Any]:
        async def answered(request: Request) -> Response:
            try:
                body = await request.json() if request.method == "POST" else None
                given = body if isinstance(body, dict) else {}
                return JSONResponse(await anyio.to_thread.run_sync(partial(answer, request, given)))
            except XylemError as error:
                return JSONResponse({"error": str(error)}, 404 if error.code == "XYIN0002" else 409)

        return answered

    # --- pages

    async def list_page(self, request: Request) -> Response:
        project = self._runs.project
        listed = await anyio.to_thread.run_sync(lambda: (project.queries(), project.inputs(), project.folders()))
        queries, inputs, folders = listed
        offered: dict[str, Any] = {"queries": queries, "inputs": inputs, "folders": folders, "formats": UPDATES}
        return self._page("runs.html", **offered, limits=LIMITS, root=project.root.name)

    async def run_page(self, request: Request) -> Response:
        try:
            run = await anyio.to_thread.run_sync(self._runs.run, request.path_params["id"])
        except XylemError as error:
            return self._page("error.html", 404, told=f"{error.code}: there is no such run in this project.")
        return self._page("run.html", run=run)

    async def network_page(self, request: Request) -> Response:
        return self._page("network.html", root=self._runs.project.root.name)

    def network_plan(self, request: Request, given: dict[str, Any]) -> Any:
        return network_plan(self._runs.project, request.query_params.get("file", ""))

    async def no_such_page(self, request: Request, error: Exception) -> Response:
        return self._page("error.html", 404, told=f"There is no page {request.url.path}")

    def _page(self, name: str, status: int = 200, **values: Any) -> Response:
        return HTMLResponse(self._pages.get_template(name).render(token=self._access.page_token, **values), status)

    def sample(self, number: str, place: str) -> tuple[str, str]:
        """The query of a run and one of its dead letters, for the playground."""
        run = self._runs.run(number)
        found = letters(self._runs.place(number))
        chosen = found[int(place)] if place.isdecimal() and int(place) < len(found) else {}
        return self._runs.project.file(run.asked.query).read_text(encoding="utf-8"), str(chosen.get("text", ""))

    # --- commands

    def list(self, request: Request, given: dict[str, Any]) -> Any:
        return [run.to_dict() for run in self._runs.all()]

    def start(self, request: Request, given: dict[str, Any]) -> Any:
        query, source, updates = (str(given.get(name, "")) for name in ("query", "input", "updates"))
        malformed = "dead-letter" if given.get("malformed") == "dead-letter" else "stop"
        return {"id": self._runs.start(Asked(query, source, updates, malformed, str(given.get("runner", PROCESS))))}

    def stop(self, request: Request, given: dict[str, Any]) -> Any:
        self._runs.stop(request.path_params["id"])
        return {}

    def restart(self, request: Request, given: dict[str, Any]) -> Any:
        return {"id": self._runs.restart(request.path_params["id"])}

    # --- results

    def facts(self, request: Request, given: dict[str, Any]) -> Any:
        run = self._runs.run(request.path_params["id"])
        place = self._runs.place(run.id)
        log = commits(place / RESULT) if run.asked.updates else []
        measured = lines(place / METRICS)
        if run.asked.runner == STREAM:
            measured = over_time(measured, run.started)
        return {**run.to_dict(), "samples": thinned(measured), "commits": log}

    def letters(self, request: Request, given: dict[str, Any]) -> Any:
        return letters(self._runs.place(request.path_params["id"]))

    def display(self, request: Request, given: dict[str, Any]) -> Any:
        place = self._runs.place(request.path_params["id"])
        commit = request.query_params.get("commit", "")
        return {"display": display_at(place / RESULT, int(commit) if commit.isdecimal() else 0)}

    def plan(self, request: Request, given: dict[str, Any]) -> Any:
        """The operators of a run, with their counters so far."""
        run = self._runs.run(request.path_params["id"])
        if run.asked.updates or run.asked.command:
            return []
        if run.id not in self._plans:
            from xylem import api
            from xylem.plan.explain_operators import plan_facts

            text = self._runs.project.file(run.asked.query).read_text(encoding="utf-8")
            query = api.compile(text, name=run.asked.query)
            is_local = run.asked.runner == PROCESS
            self._plans[run.id] = plan_facts(query.explain().operators if is_local else query.task_operators())
        operators = self._plans[run.id]
        place = self._runs.place(run.id)
        told = last_line(place / "told").get("operators") or last_line(place / METRICS).get("operators") or []
        counted = {(one["id"], one["text"]): one for one in told}
        return [{**one, **counted.get((one["id"], one["text"]), {})} for one in operators]

    async def events(self, request: Request) -> Response:
        try:
            run = await anyio.to_thread.run_sync(self._runs.run, request.path_params["id"])
        except XylemError as error:
            return JSONResponse({"error": str(error)}, 404)
        path = self._runs.place(run.id) / RESULT
        seen = request.headers.get("last-event-id", "")
        log = ResultLog(path, bool(run.asked.updates))
        return StreamingResponse(self._told(run.id, log, int(seen) if seen.isdecimal() else None), media_type=_SSE)

    async def _told(self, number: str, log: ResultLog, seen: int | None) -> AsyncIterator[bytes]:
        to_thread = anyio.to_thread.run_sync
        if seen is None:
            while await to_thread(log.rows):
                pass
            yield _event(log.seen, "display", {"regions": log.regions, "commit": log.commit})
        else:
            skipped: list[dict[str, Any]] = [{}]
            while log.seen < seen and skipped:
                skipped = await to_thread(log.rows, min(seen - log.seen, ROWS_AT_ONCE))
        quiet = 0.0
        while True:
            ended = (await to_thread(self._runs.run, number)).state != "running"
            rows = await to_thread(partial(log.rows, is_complete=ended))
            if rows:
                quiet = 0.0
                yield _event(log.seen, "rows", {"rows": rows, "commit": log.commit})
                continue
            if ended or log.is_full:
                yield _event(log.seen, "end", {"full": log.is_full})
                return
            await anyio.sleep(LOOK_EVERY_SECONDS)
            quiet += LOOK_EVERY_SECONDS
            if quiet > BEAT_SECONDS:
                quiet = 0.0
                yield b": still here\n\n"


_SSE = "text/event-stream"


def _event(number: int, name: str, data: Any) -> bytes:
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
