"""A site as its users reach it: over HTTP on this machine, with the token that is in its directory."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from xylem.errors import InputError

from .http_site import ADDRESS_FILE


class SiteClient:
    """Asks a site. XYRT0050 where there is none; what the site refuses is raised with its code."""

    def __init__(self, directory: Path) -> None:
        try:
            found = json.loads((directory / ADDRESS_FILE).read_text())
        except (OSError, ValueError):
            raise InputError("XYRT0050", f"{directory} has no site that runs") from None
        self.process: int = found["process"]
        self._place = urlsplit(found["url"])
        self._headers = {"Authorization": f"Bearer {found['token']}"}

    def sources(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("GET", "/sources")
        return found

    def publish(self, name: str, chunks: Iterable[bytes]) -> dict[str, Any]:
        """Add the records of a document, as its bytes come."""
        found: dict[str, Any] = self._ask("POST", f"/sources/{quote(name)}", chunks)
        return found

    def subscriptions(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("GET", "/subscriptions")
        return found

    def subscribe(self, name: str, query: str, source: str | None, start: str) -> dict[str, Any]:
        body = {"name": name, "query": query, "source": source, "from": start}
        found: dict[str, Any] = self._ask("POST", "/subscriptions", [json.dumps(body).encode()])
        return found

    def unsubscribe(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("DELETE", f"/subscriptions/{quote(name)}")
        return found

    def results(self, name: str, after: int = 0) -> Iterator[tuple[int, str]]:
        """The answer from a byte on, piece by piece as it comes, each with where it ends; ends with the answer.

        XYRT0051 with its error for a subscription that failed.
        """
        connection = self._connection()
        headers = {**self._headers, "Last-Event-ID": str(after)}
        connection.request("GET", f"/subscriptions/{quote(name)}/results", headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            self._refuse(response.status, response.read())
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
                        raise InputError("XYRT0051", state["error"])
                    return
                if "data" in event:
                    yield int(event["id"]), json.loads(event["data"])
                event = {}
        finally:
            connection.close()
        raise InputError("XYRT0050", "the site ended the connection")

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._place.hostname or "127.0.0.1", self._place.port)

    def _ask(self, method: str, path: str, body: Iterable[bytes] | None = None) -> Any:
        connection = self._connection()
        try:
            connection.request(method, path, body, self._headers, encode_chunked=body is not None)
            response = connection.getresponse()
            data = response.read()
        except OSError as reason:
            raise InputError("XYRT0050", f"{self._place.netloc}: {reason.strerror or reason}") from reason
        finally:
            connection.close()
        if response.status != 200:
            self._refuse(response.status, data)
        return json.loads(data)

    @staticmethod
    def _refuse(status: int, data: bytes) -> None:
        try:
            told = json.loads(data)
        except ValueError:
            told = {"code": "XYRT0055", "error": f"status {status}"}
        hint = "the token of the site is in its file site.json" if status == 401 else ""
        raise InputError("XYRT0055", f"{told['error']}", hint=hint)
