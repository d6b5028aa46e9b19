"""How a site answers over HTTP: who may ask, and what an error looks like."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Awaitable, Callable
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylem.errors import XylemError
from xylem.run.sealed_file import private_file

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

Ask = Callable[["Request"], Awaitable[Any]]


class Scope(IntEnum):
    """What a token lets its owner do; each may do what those before it may."""

    NOTHING = 0
    PEER = 1
    """What sites ask of each other."""
    OWNER = 2


class Access:
    """The tokens of a site, each in a file for its owner to read."""

    def __init__(self, directory: Path) -> None:
        self.owner = _kept_token(directory / "token")
        self.peer = _kept_token(directory / "peer-token")

    def scope(self, request: Request) -> Scope:
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        found = Scope.NOTHING
        for token, scope in ((self.peer, Scope.PEER), (self.owner, Scope.OWNER)):
            # Digests, so that the time of the comparison says nothing of how much is right.
            if hmac.compare_digest(hashlib.sha256(given.encode()).digest(), hashlib.sha256(token.encode()).digest()):
                found = scope
        return found


def answering(access: Access, least: Scope, ask: Ask) -> Callable[[Request], Awaitable[Response]]:
    """A function that answers requests of those who may ask: what `ask` gives, or its error as JSON."""

    async def answered(request: Request) -> Response:
        from starlette.responses import JSONResponse

        if access.scope(request) < least:
            return JSONResponse({"code": "XYRT0055", "error": "the token is missing or wrong"}, 401)
        try:
            found = await ask(request)
        except XylemError as error:
            return JSONResponse({"code": error.code, "error": str(error)}, 400)
        except (ValueError, KeyError, TypeError) as error:
            return JSONResponse({"code": "XYRT0053", "error": f"the request is not understood: {error}"}, 400)
        response: Response = found if not isinstance(found, (dict, list)) else JSONResponse(found)
        return response

    return answered


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON in a request."""
    found: dict[str, Any] = json.loads(await request.body())
    return found


def _kept_token(path: Path) -> str:
    """A token that is made once and kept."""
    if not path.exists():
        with os.fdopen(private_file(path, os.O_WRONLY), "w") as file:
            file.write(secrets.token_urlsafe(32))
    return path.read_text()
