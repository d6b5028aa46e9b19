"""The safety of the console: who may send requests, from which page, of what size; and what a page may load.

Host header     one of those the server was started for: a page elsewhere cannot reach it by another name
token           where one is set, each request has it, as a cookie after the first; without it 401
page token      requests that do something have the token of a page that this server gave out
policy          scripts, styles and connections come from this origin; nothing is framed
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from xylem.errors import InputError

COOKIE = "xylem_token"
PAGE_TOKEN = "x-xylem-token"
MOST_BODY_BYTES = 5_000_000
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Access:
    """Who may use the console."""

    hosts: tuple[str, ...] = _LOOPBACK
    token: str | None = None
    page_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(12))

    def policy(self) -> str:
        """The content security policy of every page."""
        own = "'self'"
        return (
            f"default-src 'none'; script-src {own}; style-src {own} 'nonce-{self.nonce}'; img-src {own} data:; "
            f"connect-src {own}; form-action {own}; base-uri 'none'; frame-ancestors 'none'"
        )


class Guard:
    """Stands before all routes."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refused = self._refused(request)
        if refused is not None:
            await refused(scope, receive, send)
            return
        await self._app(scope, _limited(receive), self._with_headers(send, request))

    def _refused(self, request: Request) -> Response | None:
        access = self._access
        if _host(request.headers) not in access.hosts:
            return PlainTextResponse("this host is not served", 421)
        if access.token is not None and not _same(_token_of(request), access.token):
            return PlainTextResponse("open the address with the token that the console printed", 401)
        if request.method not in ("GET", "HEAD"):
            if not _same(request.headers.get(PAGE_TOKEN, ""), access.page_token):
                return PlainTextResponse("this request does not come from a page of the console", 403)
            if int(request.headers.get("content-length") or 0) > MOST_BODY_BYTES:
                return too_large()
        return None

    def _with_headers(self, send: Send, request: Request) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                told: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
                told += [
                    (b"content-security-policy", self._access.policy().encode()),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cache-control", b"no-store"),
                ]
                if self._access.token is not None and "token" in request.query_params:
                    cookie = f"{COOKIE}={self._access.token}; HttpOnly; SameSite=Strict; Path=/"
                    told.append((b"set-cookie", cookie.encode()))
                message = {**message, "headers": told}
            await send(message)

        return sent


def too_large() -> Response:
    """The error of a request that is larger than the limit."""
    error = InputError("XYIN0004", f"a request to the console may have at most {MOST_BODY_BYTES:,} bytes")
    return JSONResponse({"error": str(error)}, 413)


class BodyTooLarge(Exception):
    """The body is larger than announced, or than allowed."""


def _limited(receive: Receive) -> Receive:
    read = 0

    async def limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MOST_BODY_BYTES:
            raise BodyTooLarge
        return message

    return limited


def _host(headers: Headers) -> str:
    """The name in the Host header, without its port."""
    host = headers.get("host", "")
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def _token_of(request: Request) -> str:
    return request.query_params.get("token") or request.cookies.get(COOKIE, "")


def _same(given: Any, wanted: str) -> bool:
    return hmac.compare_digest(str(given).encode(), wanted.encode())
