"""The streams and subscriptions of a site: a database of changes, which are appended and never altered.

All changes together give the state. A change is on disk before the site acts on it, so a restarted site does the same:
a subscription covers the positions [from, to), and both are in the catalogue. Each change has the digest of itself and
of the one before, because the database does not notice a bit that was changed in a row.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from xylem.errors import InputError

from .change_store import ChangeStore
from .network_state import NetworkState

_OF_SUBSCRIPTIONS = ("unsubscribe", "complete", "suspend", "resume", "failed")


class State(StrEnum):
    """The state of a subscription."""

    ACTIVE = "active"
    ENDING = "ending"
    """The user ended it: earlier records are still to be answered."""
    COMPLETE = "complete"
    FAILED = "failed"
    SUSPENDED = "suspended"
    """Its answer was not read for too long: it is not answered until it is subscribed again."""


@dataclass(frozen=True)
class Subscription:
    """A query over the records of a stream from one position on, up to another once it has ended."""

    name: str
    version: int
    """Catalogue version at its creation: distinguishes it from others of its name."""
    query: str
    source: str
    start: int
    end: int | None
    made_ms: int
    state: State = State.ACTIVE
    error: str = ""
    via: str = ""
    """The neighbour that the answer comes from; empty if it is computed here."""

    @property
    def is_live(self) -> bool:
        return self.state in (State.ACTIVE, State.ENDING)

    @property
    def answer_name(self) -> str:
        return f"{self.version:08}"

    def to_dict(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "name": self.name,
            "source": self.source,
            "from": self.start,
            "to": self.end,
            "state": str(self.state),
            "query": self.query,
        }
        if self.via:
            told["via"] = self.via
        if self.error:
            told["error"] = self.error
        return told


def _sealed(before: str, *change: object) -> str:
    """The digest of a change, chained to the previous one."""
    return hashlib.sha256(json.dumps([before, *map(str, change)]).encode()).hexdigest()[:32]


class Catalogue:
    """The catalogue of one site. Several threads may read; one at a time writes."""

    def __init__(self, store: ChangeStore) -> None:
        self._store = store
        self._lock = threading.RLock()
        self.sources: dict[str, int] = {}
        """Streams by name, with the version that made them."""
        self.subscriptions: dict[str, Subscription] = {}
        self.network = NetworkState()
        self._seal = ""
        """Digest of the last change."""
        self.version = 0
        """Number of the last change."""
        for version, kind, name, body, seal in store.changes():
            self._seal = _sealed(self._seal, kind, name, body)
            if seal != self._seal:
                raise InputError("XYRT0033", f"{store.place}: change {version} is not what was written")
            self._apply(version, kind, name, body)

    def close(self) -> None:
        with self._lock:
            self._store.close()

    def add(self, kind: str, name: str, body: dict[str, Any]) -> int:
        """Append a change in the network; return its number."""
        with self._lock:
            return self._add(kind, name, body)

    def _add(self, kind: str, name: str, body: dict[str, Any]) -> int:
        text = json.dumps(body, ensure_ascii=False)
        with self._lock:
            seal = _sealed(self._seal, kind, name, text)
            version = self._store.add(kind, name, text, seal)
            self._seal = seal
            self._apply(version, kind, name, text)
            return version

    def _apply(self, version: int, kind: str, name: str, text: str) -> None:
        body = json.loads(text)
        self.version = version
        if kind == "source":
            self.sources[name] = version
        elif kind == "subscribe":
            made = Subscription(name, version, body["query"], body["source"], body["from"], None, body["ms"])
            self.subscriptions[name] = replace(made, via=body.get("via", ""))
        elif kind not in _OF_SUBSCRIPTIONS:
            self.network.apply(version, kind, name, body)
        else:
            known = self.subscriptions[name]
            if kind == "unsubscribe":
                self.subscriptions[name] = replace(known, end=body["to"], state=State.ENDING)
            elif kind == "complete":
                self.subscriptions[name] = replace(known, end=body["to"], state=State.COMPLETE)
            elif kind == "suspend":
                self.subscriptions[name] = replace(known, state=State.SUSPENDED, error=body["error"])
            elif kind == "resume":
                self.subscriptions[name] = replace(known, state=State.ACTIVE, error="")
            elif kind == "failed":
                self.subscriptions[name] = replace(known, end=body["to"], state=State.FAILED, error=body["error"])

    # --- changes

    def add_source(self, name: str) -> None:
        with self._lock:
            if name not in self.sources:
                self._add("source", name, {})

    def subscribe(self, name: str, query: str, source: str, start: int, now_ms: int, via: str = "") -> Subscription:
        """XYRT0053 for a name that is in use."""
        with self._lock:
            known = self.subscriptions.get(name)
            if known is not None and known.is_live:
                raise InputError("XYRT0053", f"a subscription '{name}' exists already")
            body: dict[str, Any] = {"query": query, "source": source, "from": start, "ms": now_ms}
            self._add("subscribe", name, {**body, "via": via} if via else body)
            return self.subscriptions[name]

    def unsubscribe(self, name: str, end: int) -> Subscription:
        """Record the end of a subscription. XYRT0053 if no subscription has this name."""
        with self._lock:
            known = self.subscriptions.get(name)
            if known is None:
                raise InputError("XYRT0053", f"there is no subscription '{name}'")
            if known.state is State.ACTIVE:
                self._add("unsubscribe", name, {"to": max(end, known.start)})
            elif known.state is State.SUSPENDED:
                self.fail(name, max(end, known.start), known.error)
            return self.subscriptions[name]

    def suspend(self, name: str, error: str) -> None:
        self._add("suspend", name, {"error": error})

    def resume(self, name: str) -> Subscription:
        """Resume a suspended subscription from the end of its answer."""
        with self._lock:
            self._add("resume", name, {})
            return self.subscriptions[name]

    @property
    def live(self) -> int:
        """The number of active subscriptions."""
        return sum(one.is_live for one in self.subscriptions.values())

    def complete(self, name: str, end: int) -> None:
        self._add("complete", name, {"to": end})

    def fail(self, name: str, end: int, error: str) -> None:
        self._add("failed", name, {"to": end, "error": error})
