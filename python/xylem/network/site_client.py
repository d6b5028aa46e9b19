"""A user's client for a site: over HTTP on this machine, with the token in the site's directory."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from xylem.errors import InputError

from .http_site import ADDRESS_FILE
from .peer_client import connected, passed_on, refusal


class SiteClient:
    """Sends requests to a site. XYRT0050 if the site does not answer; a refusal is raised with the site's code."""

    def __init__(self, directory: Path | str, token: str | None = None, certificate: str = "") -> None:
        """By the directory of a site, which holds its address and the owner's token; or by an address and a token."""
        if isinstance(directory, str):
            found: dict[str, Any] = {"url": directory, "token": token or "", "certificate": certificate, "process": 0}
        else:
            try:
                found = json.loads((directory / ADDRESS_FILE).read_text())
            except (OSError, ValueError):
                raise InputError("XYRT0050", f"in {directory}") from None
            if token is not None:
                found["token"] = token
        self.process: int = found["process"]
        self.url: str = found["url"]
        self._certificate: str = found["certificate"]
        self.address = {key: found[key] for key in ("url", "token", "certificate")}
        """The address by which another site can become its neighbour."""
        self._headers = {"Authorization": f"Bearer {found['token']}"}

    @property
    def is_local(self) -> bool:
        """Whether the site is on this machine, as its file says."""
        return urlsplit(self.url).hostname in ("127.0.0.1", "::1", "localhost")

    def sources(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("GET", "/sources")
        return found

    def publish(self, name: str, chunks: Iterable[bytes]) -> dict[str, Any]:
        """Add the records of a document while its bytes arrive."""
        found: dict[str, Any] = self._ask("POST", f"/sources/{quote(name)}", chunks)
        return found

    def subscriptions(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("GET", "/subscriptions")
        return found

    def subscribe(self, name: str, query: str, source: str | None, start: str, at: str | None = None) -> dict[str, Any]:
        body = {"name": name, "query": query, "source": source, "from": start, "at": at}
        found: dict[str, Any] = self.ask("POST", "/subscriptions", body)
        return found

    def unsubscribe(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("DELETE", f"/subscriptions/{quote(name)}")
        return found

    def results(self, name: str, after: int = 0) -> Iterator[tuple[int, str]]:
        """The answer from a byte on, piece by piece as it arrives, each with its end; ends with the answer.

        XYRT0066 with its error for a subscription that failed.
        """
        connection = self._connection()
        headers = {**self._headers, "Last-Event-ID": str(after)}
        connection.request("GET", f"/subscriptions/{quote(name)}/results", headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            data = response.read()
            connection.close()
            raise refusal(response.status, data)
        event: dict[str, str] = {}
        try:
            for line in iter(response.readline, b""):
                key, _, value = line.decode("utf-8").rstrip("\r\n").partition(": ")
                if key:
                    event[key] = value
                    continue
                if event.get("event") == "end":
                    state = json.loads(event["data"])
                    if state.get("error"):
                        raise passed_on(state["error"]) or InputError("XYRT0066", state["error"])
                    return
                if "data" in event:
                    yield int(event["id"]), json.loads(event["data"])
                event = {}
        finally:
            connection.close()
        raise InputError("XYRT0050", "the site ended the connection")

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send and receive JSON."""
        return self._ask(method, path, None if body is None else [json.dumps(body, ensure_ascii=False).encode()])

    def ask_text(self, path: str) -> str:
        """A response of a site as text."""
        return self._bytes("GET", path).decode("utf-8")

    def _connection(self) -> http.client.HTTPConnection:
        return connected(self.url, None, self._certificate)

    def _ask(self, method: str, path: str, body: Iterable[bytes] | None = None) -> Any:
        return json.loads(self._bytes(method, path, body))

    def _bytes(self, method: str, path: str, body: Iterable[bytes] | None = None) -> bytes:
        connection = self._connection()
        try:
            connection.request(method, path, body, self._headers, encode_chunked=body is not None)
            response = connection.getresponse()
            data = response.read()
        except OSError as reason:
            raise InputError("XYRT0050", f"{self.url}: {reason.strerror or reason}") from reason
        finally:
            connection.close()
        if response.status != 200:
            raise refusal(response.status, data)
        return data
