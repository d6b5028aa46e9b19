"""HTTP responses of a site: token checks, and the form of errors."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Awaitable, Callable
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError, XylemError
from xylem.run.sealed_file import private_file

from .grants import Caller, Grant, digest_of
from .network_state import NetworkState
from .peer_client import BUSY_STATUS, Busy
from .site_identity import SITE_HEADER, names_in

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

Ask = Callable[["Request"], Awaitable[Any]]


class Scope(IntEnum):
    """The callers that may send a request."""

    PEER = 1
    """Sites, which send each other requests; and the owner."""
    USER = 2
    """Anyone with a token of the site: the request decides which rights are checked."""
    OWNER = 3


class Access:
    """The tokens of a site: those of its owner and of its peers, in files that the owner can read, and granted ones."""

    def __init__(self, directory: Path, state: NetworkState, *, is_mutual: bool = False) -> None:
        """`is_mutual` means that sites show certificates, and none is served without one."""
        self.owner = _kept_token(directory / "token")
        self.peer = _kept_token(directory / "peer-token")
        self._state = state
        self.is_mutual = is_mutual

    def caller(self, request: Request, scope: Scope) -> Caller | None:
        """The caller of a request; None if the caller has no right to it."""
        given = digest_of(request.headers.get("authorization", "").removeprefix("Bearer "))
        # Digests, so that the duration of the comparison reveals nothing about the token.
        if hmac.compare_digest(given, digest_of(self.owner)):
            return Caller()
        if scope is Scope.PEER:
            is_site = not self.is_mutual or site_of(request) in _certified(request)
            return Caller() if is_site and hmac.compare_digest(given, digest_of(self.peer)) else None
        found: Caller | None = None
        for name, told in list(self._state.grants.items()) if scope is Scope.USER else ():
            if hmac.compare_digest(given, told["digest"]):
                found = Caller(Grant.from_dict(name, told))
        return found


def answering(access: Access, scope: Scope, ask: Ask) -> Callable[[Request], Awaitable[Response]]:
    """A handler that answers permitted requests with the result of `ask`, or with its error as JSON."""

    async def answered(request: Request) -> Response:
        from starlette.responses import JSONResponse

        caller = access.caller(request, scope)
        if caller is None:
            return JSONResponse({"code": "XYRT0055", "error": "the token is missing or wrong"}, 401)
        request.state.caller, request.state.is_mutual = caller, access.is_mutual
        try:
            found = await ask(request)
        except XylemError as error:
            return JSONResponse({"code": error.code, "error": str(error)}, 403 if error.code == "XYRT0059" else 400)
        except Busy as reason:
            return JSONResponse({"error": str(reason)}, BUSY_STATUS)
        except (ValueError, KeyError, TypeError) as error:
            return JSONResponse({"code": "XYRT0053", "error": f"the request is not understood: {error}"}, 400)
        response: Response = found if not isinstance(found, (dict, list)) else JSONResponse(found)
        return response

    return answered


def site_of(request: Request) -> str:
    """The requesting site, by its own claim; if sites show certificates, the claim has been checked."""
    return request.headers.get(SITE_HEADER, "")


def _certified(request: Request) -> set[str]:
    return names_in(getattr(request.state, "certificate", {}))


def must_be(request: Request, name: str) -> None:
    """XYRT0059 for a site whose claimed name is not that of its certificate."""
    if request.state.is_mutual and name not in _certified(request):
        raise InputError("XYRT0059", f"the certificate that was shown is not for '{name}'")


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON in a request."""
    found: dict[str, Any] = json.loads(await request.body())
    return found


def _kept_token(path: Path) -> str:
    """A token that is created once and kept."""
    if not path.exists():
        with os.fdopen(private_file(path, os.O_WRONLY), "w") as file:
            file.write(secrets.token_urlsafe(32))
    return path.read_text()
