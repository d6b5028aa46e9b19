"""The streams and subscriptions of a site: a database of changes, which are appended and never altered.

All changes together give the state. A change is on disk before the site acts on it, so a site that restarts does the
same: a subscription covers the positions [from, to), and both are in the catalogue. Each change has the digest of
itself and of the one before, because the database does not notice a bit that was changed in a row.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from xylem.errors import InputError
from xylem.run.sealed_file import private_directory, private_file

from .network_state import NetworkState

FORMAT = 2


_COLUMNS = "version, kind, name, body"
_OF_SUBSCRIPTIONS = ("unsubscribe", "complete", "suspend", "resume", "failed")


class State(StrEnum):
    """The state of a subscription."""

    ACTIVE = "active"
    ENDING = "ending"
    """It was given up: what came before that is still to be answered."""
    COMPLETE = "complete"
    FAILED = "failed"
    SUSPENDED = "suspended"
    """Its answer was not read for too long: it is not answered any more until it is subscribed again."""


@dataclass(frozen=True)
class Subscription:
    """A query over the records of a stream from one position on, and up to another once it was given up."""

    name: str
    version: int
    """Of the catalogue, when it was made: tells it from others of its name."""
    query: str
    source: str
    start: int
    end: int | None
    made_ms: int
    state: State = State.ACTIVE
    error: str = ""
    via: str = ""
    """The neighbour that the answer comes from; empty where it is computed here."""

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
    """The digest of a change behind another one."""
    return hashlib.sha256(json.dumps([before, *map(str, change)]).encode()).hexdigest()[:32]


class Catalogue:
    """The catalogue of one site. Several threads may ask; one at a time adds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        private_directory(path.parent)
        # Made for its owner alone, before the database has anything in it.
        os.close(private_file(path, os.O_RDWR))
        try:
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._database.execute("pragma journal_mode=wal")
            self._database.execute("pragma synchronous=full")
            self._begin()
            self.sources: dict[str, int] = {}
            """Streams by name, with the version that made them."""
            self.subscriptions: dict[str, Subscription] = {}
            self.network = NetworkState()
            self._seal = ""
            """Of the last change."""
            for *row, seal in self._database.execute(f"select {_COLUMNS}, seal from change order by version"):
                self._seal = _sealed(self._seal, *row[1:])
                if seal != self._seal:
                    raise InputError("XYRT0033", f"{path}: change {row[0]} is not what was written")
                self._apply(*row)
        except sqlite3.DatabaseError as reason:
            raise InputError("XYRT0033", f"{path}: {reason}") from reason

    def _begin(self) -> None:
        (found,) = self._database.execute("pragma user_version").fetchone()
        if found not in (0, FORMAT):
            told = f"{self._path} was written by another version of Xylem: it has format {found}"
            raise InputError("XYRT0020", told)
        if found == FORMAT:
            return
        self._database.execute("begin")
        self._database.execute(
            "create table change (version integer primary key autoincrement,"
            " kind text not null, name text not null, body text not null, seal text not null)"
        )
        self._database.execute(f"pragma user_version={FORMAT}")
        self._database.execute("commit")

    def close(self) -> None:
        with self._lock:
            self._database.close()

    @property
    def version(self) -> int:
        """The number of changes so far."""
        with self._lock:
            (found,) = self._database.execute("select coalesce(max(version), 0) from change").fetchone()
            return int(found)

    def add(self, kind: str, name: str, body: dict[str, Any]) -> int:
        """Append a change in the network; returns its number."""
        with self._lock:
            return self._add(kind, name, body)

    def _add(self, kind: str, name: str, body: dict[str, Any]) -> int:
        text = json.dumps(body, ensure_ascii=False)
        with self._lock:
            seal = _sealed(self._seal, kind, name, text)
            added = "insert into change (kind, name, body, seal) values (?, ?, ?, ?)"
            cursor = self._database.execute(added, (kind, name, text, seal))
            assert cursor.lastrowid is not None
            self._seal = seal
            self._apply(cursor.lastrowid, kind, name, text)
            return cursor.lastrowid

    def _apply(self, version: int, kind: str, name: str, text: str) -> None:
        body = json.loads(text)
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
        """A subscription that was suspended is answered again, from where its answer ends."""
        with self._lock:
            self._add("resume", name, {})
            return self.subscriptions[name]

    @property
    def live(self) -> int:
        """The number of subscriptions that are being answered."""
        return sum(one.is_live for one in self.subscriptions.values())

    def complete(self, name: str, end: int) -> None:
        self._add("complete", name, {"to": end})

    def fail(self, name: str, end: int, error: str) -> None:
        self._add("failed", name, {"to": end, "error": error})
