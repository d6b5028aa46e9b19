"""The routes of the console, and the server that answers them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from xylem.errors import XylemError

from . import playground
from .project import Project
from .run_routes import RunRoutes
from .runs import Runs
from .safety import Access, BodyTooLarge, Guard, too_large

if TYPE_CHECKING:
    from jinja2 import Environment

RUNS_AT_ONCE = 2


def console_app(access: Access | None = None, project: Path | None = None) -> Starlette:
    """The console as an application, for the runs of a project: a directory, by default the current one."""
    from jinja2 import Environment, PackageLoader

    chosen = access or Access()
    pages = Environment(loader=PackageLoader("xylem.console"), autoescape=True)
    runs = RunRoutes(Runs(Project(project or Path.cwd())), pages, chosen)
    routes = Routes(chosen, pages, runs)
    static = StaticFiles(directory=str(files("xylem.console") / "static"))
    return Starlette(
        routes=[
            Route("/", routes.page),
            Route("/api/check", routes.check, methods=["POST"]),
            Route("/api/names", routes.names, methods=["POST"]),
            Route("/api/run", routes.run, methods=["POST"]),
            Route("/api/example/{name}", routes.example),
            *runs.routes(),
            Mount("/static", static),
        ],
        middleware=[Middleware(Guard, access=chosen)],
        exception_handlers={BodyTooLarge: lambda request, error: too_large(), 404: runs.no_such_page},
    )


class Routes:
    """The handlers of the addresses."""

    def __init__(self, access: Access, pages: Environment, of_runs: RunRoutes) -> None:
        self._access = access
        self._pages = pages
        self._of_runs = of_runs
        self._runs = anyio.CapacityLimiter(RUNS_AT_ONCE)

    async def page(self, request: Request) -> Response:
        examples = playground.examples()
        first = next(iter(examples.values()))
        if number := request.query_params.get("run"):
            try:
                place = request.query_params.get("letter", "")
                first = await anyio.to_thread.run_sync(self._of_runs.sample, number, place)
            except XylemError as error:
                return PlainTextResponse(str(error), 404)
        text = self._pages.get_template("playground.html").render(
            token=self._access.page_token,
            nonce=self._access.nonce,
            query=first[0],
            sample=first[1],
            examples=list(examples),
            formats=playground.FORMATS,
            limits=playground.LIMITS,
        )
        return HTMLResponse(text)

    async def check(self, request: Request) -> Response:
        given = await _given(request, "query")
        return JSONResponse(await anyio.to_thread.run_sync(playground.check, given["query"]))

    async def names(self, request: Request) -> Response:
        given = await _given(request, "before", "query", "sample")
        return JSONResponse(playground.names(given["before"], given["query"], given["sample"]))

    async def run(self, request: Request) -> Response:
        given = await _given(request, "query", "sample", "format")
        arguments = (given["query"], given["sample"], given["format"])
        return JSONResponse(await anyio.to_thread.run_sync(playground.run, *arguments, limiter=self._runs))

    async def example(self, request: Request) -> Response:
        found = playground.examples().get(request.path_params["name"])
        if found is None:
            return PlainTextResponse("there is no such example", 404)
        return JSONResponse({"query": found[0], "sample": found[1]})


async def _given(request: Request, *names: str) -> dict[str, str]:
    """The texts of a request."""
    body: Any = await request.json()
    return {name: str(body.get(name, "")) for name in names} if isinstance(body, dict) else dict.fromkeys(names, "")


def serve(
    host: str,
    port: int,
    access: Access,
    certificate: str | None = None,
    key: str | None = None,
    project: Path | None = None,
) -> None:
    """Answer until interrupted."""
    import uvicorn

    uvicorn.run(
        console_app(access, project),
        host=host,
        port=port,
        log_level="warning",
        ssl_certfile=certificate,
        ssl_keyfile=key,
        server_header=False,
    )
