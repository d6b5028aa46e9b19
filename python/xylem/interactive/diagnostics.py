"""The error of a query with its place, and notes on its lines, as plain data for editors and checkers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

from xylem.errors import Span, XylemError


@dataclass(frozen=True)
class Place:
    """A range of characters in a text; lines and columns count from 1, the end is after the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Diagnostic:
    """One error of a query."""

    name: str
    code: str
    message: str
    hint: str
    place: Place | None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class LineNote:
    """The effect of a construct on items: it streams, folds or holds them."""

    place: Place
    construct: str
    effect: str
    text: str


def place_of(span: Span) -> Place:
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(max(span.end, span.start))
    return Place(line, column, end_line, end_column)


def diagnostic_of(error: XylemError, name: str) -> Diagnostic:
    """An error as plain data."""
    span = error.span
    place = None if span is None or span.source.name != name else place_of(span)
    text = str(error) if place is None else error.message
    return Diagnostic(name, error.code, text, error.hint, place)


def checked(
    text: str,
    name: str = "query",
    *,
    base_uri: str | None = None,
    namespaces: Mapping[str, str] | None = None,
    module_folders: Iterable[str | PathLike[str]] = (),
) -> Diagnostic | None:
    """The first static error of a query, if it has one. Further errors would be guesses."""
    from xylem import api

    try:
        api.compile(text, name=name, base_uri=base_uri, namespaces=namespaces, module_folders=module_folders)
    except XylemError as error:
        return diagnostic_of(error, name)
    return None


def line_notes(text: str, name: str = "query", **options: Any) -> list[LineNote]:
    """The notes of `explain` on the lines of a query; none if it has a static error."""
    from xylem import api

    try:
        told = api.compile(text, name=name, **options).explain()
    except XylemError:
        return []
    return [
        LineNote(place_of(step.span), step.construct, step.effect, step.text)
        for step in told.steps
        if step.span.source.name == name
    ]
