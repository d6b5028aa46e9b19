"""Documents stored at a site, for queries that join a stream with them: `doc("photons-before.xml")`.

A query runs at a peer that has the documents it names, and can read nothing else there.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from xylem.functions.registry import FN
from xylem.source.resources import FileResources
from xylem.syntax import ast, parse

_READING = ("doc", "doc-available", "json-doc", "unparsed-text", "unparsed-text-available", "unparsed-text-lines")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|/")


@lru_cache(1024)
def documents_read(query: str) -> tuple[str, ...]:
    """The names of the documents that a query asks its site for."""
    found: dict[str, None] = {}
    for node in parse(query, "query").walk():
        match node:
            case ast.FunctionCall(name=name, arguments=(ast.StringLiteral(value=place), *_)) if (
                name.local in _READING and (name.uri == FN or name.prefix in (None, "fn"))
            ):
                if _SCHEME.match(place) is None:
                    found[place.partition("#")[0]] = None
    return tuple(found)


class Documents:
    """The directory of a site's documents, which need not exist."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory.resolve()

    @property
    def base_uri(self) -> str:
        """The base of relative names."""
        return f"{self._directory.as_uri()}/"

    def resources(self) -> FileResources:
        """Reads only these documents."""
        return FileResources([self._directory])

    def names(self) -> list[str]:
        if not self._directory.is_dir():
            return []
        files = (path for path in self._directory.rglob("*") if path.is_file())
        return sorted(path.relative_to(self._directory).as_posix() for path in files)
