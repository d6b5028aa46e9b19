"""Which files a query may read: those below the directories a user allowed, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import NoReturn

from xylem.errors import InputError
from xylem.values.uri import split


class AllowedPlaces:
    """Directories (with all below them) and single files. Symbolic links are followed before comparing."""

    def __init__(self, places: Iterable[str | PathLike[str]] = ()) -> None:
        self._roots = [Path(place).resolve() for place in places]

    def path(self, uri: str, code: str) -> Path:
        """The allowed file or directory a URI names, or an error with the given code."""
        path = _path_of(uri, code)
        try:
            real = path.resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError(code, f"{uri}: {error}") from error
        if not any(real == root or root in real.parents for root in self._roots):
            raise InputError(
                code, f"the query may not read {uri}", hint="allow its directory: --allow DIR, or allow=[…]"
            )
        if not real.exists():
            raise InputError(code, f"{uri}: no such file")
        return real

    def read(self, uri: str, code: str) -> bytes:
        path = self.path(uri, code)
        try:
            return path.read_bytes()
        except OSError as error:
            raise InputError(code, f"{uri}: {error.strerror}") from error


def _path_of(uri: str, code: str) -> Path:
    parts = split(uri)
    if parts.scheme is None:
        _refuse(code, f"{uri!r} is relative", "give the query a base URI, or make the URI absolute")
    if parts.scheme.lower() != "file":
        _refuse(code, f"{uri} is not a file", "nothing is fetched from the network: save it and pass the file")
    if parts.authority not in (None, "", "localhost"):
        _refuse(code, f"{uri} is on another host", "nothing is fetched from the network: save it and pass the file")
    from urllib.parse import unquote

    text = unquote(parts.path)
    if "\0" in text or not text.startswith("/"):
        _refuse(code, f"{uri!r} names no file", "")
    return Path(text)


def _refuse(code: str, why: str, hint: str) -> NoReturn:
    raise InputError(code, why, hint=hint)
