"""The changes of catalogues in PostgreSQL: those of several sites in one database, each site with its own.

A session lock keeps out a second process of the same site. If the server stops, the site retries for a minute; the
version of the last change shows whether it arrived, so it is stored once. A site that has lost its lock to another
process finds changes that are not its own, and stops.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

from xylem.errors import DynamicError, InputError
from xylem.errors.optional_package import optional_package

from .change_store import FORMAT, Change, ChangeStore

_TIMEOUT_SECONDS = 60.0
_LOCK_SECONDS = 3.0
_PAUSE_SECONDS = 0.25
_MADE = (
    "create table if not exists xylem_change (site text not null, version bigint not null,"
    " kind text not null, name text not null, body text not null, seal text not null, primary key (site, version))",
    "create table if not exists xylem_format (format integer primary key)",
)
T = TypeVar("T")


def catalogue_place(directory: Path, url: str, site: str) -> tuple[str, str] | None:
    """The database of a site's catalogue and the site's name there, as it was first told; None for a file of the site.

    XYRT0053 for another place than at the first start. What is kept has no password.
    """
    if url and not url.startswith(("postgresql://", "postgres://")):
        told = f"a catalogue is kept in `files` or at `postgresql://HOST/DATABASE`, not at '{url}'"
        raise InputError("XYRT0053", told)
    kept = directory / "catalogue-place.json"
    known = json.loads(kept.read_text()) if kept.exists() else None
    if url and known is None and (directory / "catalogue.db").exists():
        raise InputError("XYRT0053", "the catalogue of the site is in a file already")
    if known is None and not url:
        return None
    if known is not None and url and _without_password(url) != known["url"]:
        raise InputError("XYRT0053", f"the catalogue of the site is at {known['url']}, not at {_without_password(url)}")
    if known is None:
        # Directories of two sites may have one name.
        known = {"url": _without_password(url), "site": f"{site}.{secrets.token_hex(8)}"}
        pending = kept.with_name(".catalogue-place.pending")
        pending.write_text(json.dumps(known))
        os.replace(pending, kept)
    return url or known["url"], known["site"]


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    netloc = f"{user.partition(':')[0]}@{host}" if user else host
    return urlunsplit(parts._replace(netloc=netloc))


class ChangeDatabase(ChangeStore):
    """The changes of one site in a database. XYRT0065 where the server does not answer."""

    def __init__(self, url: str, site: str, timeout_seconds: float = _TIMEOUT_SECONDS) -> None:
        self._psycopg: Any = optional_package("psycopg", "postgresql")
        self._url, self._site, self._timeout = url, site, timeout_seconds
        self._connection: Any = None
        self._last: tuple[int, str] = (0, "")
        """The version and the seal of the last change of this site."""
        self._asked(lambda: None)
        self._last = self._newest()

    @property
    def place(self) -> str:
        return f"{_without_password(self._url)} (site {self._site})"

    def _connect(self) -> None:
        """A new session, with the lock of the site and with nothing in the table that this site did not write."""
        opened: Any = self._psycopg.connect(self._url, autocommit=True, connect_timeout=10)
        try:
            opened.execute("set synchronous_commit to on")
            self._lock(opened)
            with opened.transaction():
                # Two sites that start at once create the tables one after the other.
                opened.execute("select pg_advisory_xact_lock(%s)", (FORMAT,))
                for made in _MADE:
                    opened.execute(made)
                opened.execute("insert into xylem_format select %s where not exists (select from xylem_format)",
                               (FORMAT,))  # fmt: skip
            (found,) = opened.execute("select max(format) from xylem_format").fetchone()
            if found != FORMAT:
                told = f"{self.place} was written by another version of Xylem: it has format {found}"
                raise InputError("XYRT0020", told)
        except BaseException:
            opened.close()
            raise
        self._connection = opened

    def _lock(self, opened: Any) -> None:
        # The server may take a moment to notice that a process was killed.
        until = time.monotonic() + _LOCK_SECONDS
        while not opened.execute("select pg_try_advisory_lock(%s)", (self._number,)).fetchone()[0]:
            if time.monotonic() > until:
                raise InputError("XYRT0054", f"{self.place} is in use by another process")
            time.sleep(_PAUSE_SECONDS)

    @property
    def _number(self) -> int:
        """Number for the lock of the site."""
        digest = hashlib.sha256(f"xylem {self._site}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    def _asked(self, ask: Callable[[], T]) -> T:
        """The server's answer; retried in a new session for a minute."""
        until = time.monotonic() + self._timeout
        while True:
            try:
                if self._connection is None or self._connection.closed:
                    self._connect()
                return ask()
            except self._psycopg.OperationalError as reason:
                self.close()
                if time.monotonic() > until:
                    raise DynamicError("XYRT0065", f"{self.place}: {reason}") from reason
                time.sleep(_PAUSE_SECONDS)
            except self._psycopg.Error as reason:
                raise InputError("XYRT0033", f"{self.place}: {reason}") from reason

    def _newest(self) -> tuple[int, str]:
        found = self._asked(
            lambda: self._connection.execute(
                "select version, seal from xylem_change where site = %s order by version desc limit 1", (self._site,)
            ).fetchone()
        )
        return (0, "") if found is None else (int(found[0]), str(found[1]))

    def changes(self) -> Iterator[Change]:
        rows = self._asked(
            lambda: self._connection.execute(
                "select version, kind, name, body, seal from xylem_change where site = %s order by version",
                (self._site,),
            ).fetchall()
        )
        yield from rows

    def add(self, kind: str, name: str, body: str, seal: str) -> int:
        version = self._last[0] + 1
        row = (self._site, version, kind, name, body, seal)

        def insert() -> None:
            # After a lost session: the change may have arrived, and nobody else may have written.
            self._connection.execute(
                "insert into xylem_change values (%s, %s, %s, %s, %s, %s) on conflict do nothing", row
            )
            found = self._connection.execute(
                "select seal from xylem_change where site = %s and version = %s", row[:2]
            ).fetchone()
            if found is None or found[0] != seal:
                raise InputError("XYRT0054", f"{self.place}: another process has written to this catalogue")

        self._asked(insert)
        self._last = version, seal
        return version

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
