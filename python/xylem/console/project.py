"""The files of a project that the console may name: those below one directory, and no others.

A name is a path below the directory. A name that leads out of it, by `..` or by a link, is XYIN0002, like the name of
a file that does not exist.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from xylem.errors import InputError

MOST_FILES = 500
_QUERIES = (".xq", ".xquery", ".xqy")
_INPUTS = (".xml", ".osc", ".osm", ".rss", ".atom", ".gz", ".bz2", ".xz", ".zst", ".jsonl")


class Project:
    """One directory with everything below it."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def file(self, name: str) -> Path:
        """A file by its name."""
        path = self._path(name)
        if path is None or not path.is_file():
            raise InputError("XYIN0002", f"{name!r}: there is no such file in the project")
        return path

    def input(self, name: str) -> Path:
        """A file or a directory by its name. The project itself is no input: runs write to it."""
        path = self._path(name)
        if path is None or path == self.root or not path.exists():
            raise InputError("XYIN0002", f"{name!r}: there is no such file or directory in the project")
        return path

    def _path(self, name: str) -> Path | None:
        path = (self.root / name.replace("\0", "?")).resolve()
        return path if path.is_relative_to(self.root) else None

    def queries(self) -> list[str]:
        """The names of queries."""
        return sorted(islice(self._names(_QUERIES), MOST_FILES))

    def inputs(self) -> list[str]:
        """The names of documents and streams."""
        return sorted(islice(self._names(_INPUTS), MOST_FILES))

    def folders(self) -> list[str]:
        """The names of directories that may hold documents."""
        found = (Path(folder).relative_to(self.root).as_posix() for folder, _, _ in self._walk())
        return sorted(islice((name for name in found if name != "."), MOST_FILES))

    def named(self, ending: str) -> list[str]:
        """The names of files with an ending."""
        return sorted(islice(self._names((ending,)), MOST_FILES))

    def _names(self, endings: tuple[str, ...]) -> Iterator[str]:
        for folder, _, files in self._walk():
            for name in files:
                path = Path(folder, name)
                if name.endswith(endings) and path.resolve().is_relative_to(self.root):
                    yield path.relative_to(self.root).as_posix()

    def _walk(self) -> Iterator[tuple[str, list[str], list[str]]]:
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
            yield folder, folders, files
