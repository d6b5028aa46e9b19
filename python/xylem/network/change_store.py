"""Where the changes of a catalogue are kept: in a database of the site's own, or in PostgreSQL. One interface for both.

Changes are appended and never altered. When `add` returns, a change is kept for good.
"""

from __future__ import annotations

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from xylem.errors import InputError
from xylem.run.sealed_file import private_directory, private_file

FORMAT = 2

Change = tuple[int, str, str, str, str]
"""A version, the kind of the change, the name it concerns, its body as JSON, and its seal."""


class ChangeStore(ABC):
    """The changes of one site. One process adds to them."""

    @abstractmethod
    def changes(self) -> Iterator[Change]:
        """All changes, in order."""

    @abstractmethod
    def add(self, kind: str, name: str, body: str, seal: str) -> int:
        """Append a change; return its version."""

    @abstractmethod
    def close(self) -> None: ...

    @property
    @abstractmethod
    def place(self) -> str:
        """Location of the changes, for messages."""


class ChangeFile(ChangeStore):
    """An SQLite database in the directory of the site."""

    def __init__(self, path: Path) -> None:
        self._path = path
        private_directory(path.parent)
        # Created for its owner alone, before the database contains anything.
        os.close(private_file(path, os.O_RDWR))
        try:
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._database.execute("pragma journal_mode=wal")
            self._database.execute("pragma synchronous=full")
            self._begin()
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

    @property
    def place(self) -> str:
        return str(self._path)

    def changes(self) -> Iterator[Change]:
        try:
            yield from self._database.execute("select version, kind, name, body, seal from change order by version")
        except sqlite3.DatabaseError as reason:
            raise InputError("XYRT0033", f"{self._path}: {reason}") from reason

    def add(self, kind: str, name: str, body: str, seal: str) -> int:
        added = "insert into change (kind, name, body, seal) values (?, ?, ?, ?)"
        version = self._database.execute(added, (kind, name, body, seal)).lastrowid
        assert version is not None
        return version

    def close(self) -> None:
        self._database.close()
