"""Requests from one site to another: over HTTP, with a token of the site that answers.

Answers are JSON; records and answers of subscriptions come as bytes after one line of JSON that describes them.
"""

from __future__ import annotations

import http.client
import json
import re
import ssl
from typing import Any
from urllib.parse import urlsplit

from xylem.errors import InputError
from xylem.errors.catalogue import CATALOGUE

from .site_identity import SITE_HEADER, Identity

BUSY_STATUS = 503
NOBODY = Identity()


class Unreachable(Exception):
    """The site does not answer now, but may answer later."""


class Busy(Unreachable):
    """The site answers, but has no time: ask again later."""


class PeerClient:
    """Sends requests to one site. Raises Unreachable without an answer, and the site's own error if it refuses."""

    def __init__(
        self, url: str, token: str, timeout: float = 60.0, certificate: str = "", identity: Identity = NOBODY
    ) -> None:
        """`certificate` belongs to the site asked, or to its signer; `identity` to the requester."""
        self._place = urlsplit(url)
        self._token = token
        self._timeout = timeout
        self._certificate = certificate
        self._identity = identity
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        return json.loads(self.ask_bytes(method, path, body))

    def ask_bytes(self, method: str, path: str, body: Any = None) -> bytes:
        """The body of the answer. The connection is kept for the next request."""
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        headers = {"Authorization": f"Bearer {self._token}", SITE_HEADER: self._identity.name}
        is_fresh = self._connection is None
        try:
            status, found = self._asked(method, path, data, headers)
        except (OSError, http.client.HTTPException) as reason:
            self.close()
            if is_fresh:
                raise Unreachable(f"{self._place.netloc}: {reason}") from reason
            # The other side may have closed an idle connection.
            return self.ask_bytes(method, path, body)
        if status == BUSY_STATUS:
            raise Busy(f"{self._place.netloc}: {found.decode(errors='replace')}")
        if status != 200:
            raise refusal(status, found)
        return found

    def _asked(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = connected(self._place.geturl(), self._timeout, self._certificate, self._identity)
        self._connection.request(method, path, data, headers)
        response = self._connection.getresponse()
        return response.status, response.read()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def connected(
    url: str, timeout: float | None, certificate: str = "", identity: Identity = NOBODY
) -> http.client.HTTPConnection:
    """A connection to a site; with TLS if its address says so, and then only if its certificate is trusted."""
    place = urlsplit(url)
    host = place.hostname or "127.0.0.1"
    if place.scheme != "https":
        return http.client.HTTPConnection(host, place.port, timeout=timeout)
    context = ssl.create_default_context(cadata=certificate or None)
    identity.show(context)
    return http.client.HTTPSConnection(host, place.port, timeout=timeout, context=context)


def refusal(status: int, data: bytes) -> InputError:
    """The refusal of a site as an error."""
    try:
        found = json.loads(data)
        told = found["error"]
        known = passed_on(str(told))
        if known is not None:
            return known
    except (ValueError, KeyError, TypeError):
        told = f"status {status}"
    hint = "the token of the site is in its file site.json" if status == 401 else ""
    # A site may have asked another one, which refused.
    return InputError("XYRT0055", str(told).removeprefix(_before_reason("XYRT0055")), hint=hint)


def passed_on(told: str) -> InputError | None:
    """The error that a site told of, if it is one of networks or documents: it explains itself, with its own hint."""
    code = told.partition(":")[0]
    if not re.fullmatch(r"XYRT00[56]\d|XYIN0001", code) or code == "XYRT0055" or code not in CATALOGUE:
        return None
    return InputError(code, told.removeprefix(_before_reason(code)))


def _before_reason(code: str) -> str:
    return str(InputError(code, "|")).partition("|")[0]
