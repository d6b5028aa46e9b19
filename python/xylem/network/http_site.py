"""A site over HTTP: JSON for what there is and is asked for, server-sent events for answers.

    GET    /sources                          the streams
    POST   /sources/NAME                     a document, whose records are added to a stream
    GET    /subscriptions                    all of them;  GET /subscriptions/NAME  one
    POST   /subscriptions                    {"name": …, "query": …, "source": …, "from": "now"}
    DELETE /subscriptions/NAME               give one up
    GET    /subscriptions/NAME/results       its answer as events; an id is the number of bytes up to there

A reader that comes back with `Last-Event-ID` goes on behind these bytes. Every request carries the token of the site.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import secrets
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError, XylemError
from xylem.run.sealed_file import private_file

from .site import NOW, Site
from .site_limits import SiteLimits

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

ADDRESS_FILE = "site.json"
_PAUSE_SECONDS = 0.02


def application(site: Site, token: str) -> Starlette:
    """The site as an ASGI application."""
    from sse_starlette.sse import EventSourceResponse
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def answered(request: Request, ask: Any) -> Response:
        """What a request gives, or its error as JSON."""
        given = request.headers.get("authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
            return JSONResponse({"code": "XYRT0055", "error": "the token is missing or wrong"}, 401)
        try:
            found = await ask()
        except XylemError as error:
            return JSONResponse({"code": error.code, "error": str(error)}, 400)
        except (ValueError, KeyError, TypeError) as error:
            return JSONResponse({"code": "XYRT0053", "error": f"the request is not understood: {error}"}, 400)
        response: Response = found if not isinstance(found, (dict, list)) else JSONResponse(found)
        return response

    async def sources(request: Request) -> Response:
        async def ask() -> Any:
            return await run_in_threadpool(site.sources)

        return await answered(request, ask)

    async def publish(request: Request) -> Response:
        async def ask() -> Any:
            publication = site.publication(request.path_params["name"])
            position = 0
            async for chunk in request.stream():
                if chunk:
                    position = await run_in_threadpool(publication.feed, chunk)
            return {"records": publication.records, "position": position}

        return await answered(request, ask)

    async def subscriptions(request: Request) -> Response:
        async def ask() -> Any:
            if request.method == "GET":
                return await run_in_threadpool(site.subscriptions)
            body = json.loads(await request.body())
            made = await run_in_threadpool(
                site.subscribe, body["name"], body["query"], body.get("source"), body.get("from", NOW)
            )
            return made.to_dict()

        return await answered(request, ask)

    async def subscription(request: Request) -> Response:
        async def ask() -> Any:
            name = request.path_params["name"]
            if request.method == "DELETE":
                return (await run_in_threadpool(site.unsubscribe, name)).to_dict()
            found = site.subscription(name)
            return next(one for one in site.subscriptions() if one["name"] == found.name)

        return await answered(request, ask)

    async def results(request: Request) -> Response:
        async def ask() -> Any:
            found = site.subscription(request.path_params["name"])
            start = int(request.headers.get("last-event-id") or request.query_params.get("after") or 0)

            async def events() -> AsyncIterator[dict[str, Any]]:
                at = start
                while True:
                    data, is_over = await run_in_threadpool(site.answer, found, at)
                    if data:
                        at += len(data)
                        yield {"id": str(at), "data": json.dumps(data.decode("utf-8"), ensure_ascii=False)}
                    elif is_over:
                        state = site.subscription(found.name)
                        yield {"event": "end", "id": str(at), "data": json.dumps(state.to_dict(), ensure_ascii=False)}
                        return
                    else:
                        await asyncio.sleep(_PAUSE_SECONDS)

            return EventSourceResponse(events())

        return await answered(request, ask)

    return Starlette(
        routes=[
            Route("/sources", sources),
            Route("/sources/{name}", publish, methods=["POST"]),
            Route("/subscriptions", subscriptions, methods=["GET", "POST"]),
            Route("/subscriptions/{name}", subscription, methods=["GET", "DELETE"]),
            Route("/subscriptions/{name}/results", results),
        ]
    )


def serve(directory: Path, port: int = 0, limits: SiteLimits | None = None) -> None:
    """Run a site on this machine until it is told to stop; its address and token are in a file of its directory."""
    try:
        import sse_starlette  # noqa: F401
        import uvicorn
    except ImportError as reason:
        told = f"{reason.name} is not installed: pip install 'xylem-xquery[network]'"
        raise InputError("XYRT0050", told) from reason
    site = Site(directory, limits=limits)
    try:
        listener = socket.create_server(("127.0.0.1", port))
    except OSError as reason:
        site.close()
        raise InputError("XYRT0054", f"port {port}: {reason.strerror}") from reason
    token = _token(directory)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    _write(directory / ADDRESS_FILE, {"url": address, "token": token, "process": os.getpid()})
    site.start()
    config = uvicorn.Config(application(site, token), log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
    try:
        uvicorn.Server(config).run([listener])
    finally:
        (directory / ADDRESS_FILE).unlink(missing_ok=True)
        site.close()
        listener.close()


def _token(directory: Path) -> str:
    """The token of a site: made once, and kept for its owner."""
    path = directory / "token"
    if not path.exists():
        with os.fdopen(private_file(path, os.O_WRONLY), "w") as file:
            file.write(secrets.token_urlsafe(32))
    return path.read_text()


def _write(path: Path, content: dict[str, Any]) -> None:
    pending = path.with_name(f".{path.name}.pending")
    with os.fdopen(private_file(pending, os.O_WRONLY | os.O_TRUNC), "w") as file:
        json.dump(content, file)
    os.replace(pending, path)
