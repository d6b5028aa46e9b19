"""`xylem check`: the static errors of many queries, for people, programs, GitHub's annotations and SARIF readers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import typer

from xylem.errors import XylemError
from xylem.interactive.diagnostics import Diagnostic, diagnostic_of
from xylem.version import VERSION

from .failures import Exit
from .query_source import QuerySource, query_source
from .run_query import compiled, compiled_over_updates

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def check_queries(files: Sequence[Path], text: str | None, chosen: str, *, over_updates: bool = False) -> None:
    """Write the errors of all queries, and which files cannot be read; the exit code says whether there are any."""
    errors: list[tuple[str, XylemError]] = []
    code = Exit.RESULT
    for file in [*files, None] if text is not None or not files else files:
        name = "query" if file is None else str(file)
        try:
            source = query_source(file, text if file is None else None)
        except XylemError as error:
            # The other files are checked all the same.
            errors.append((name, error))
            code = Exit.INPUT_ERROR
            continue
        try:
            if over_updates:
                _check_over_updates(source)
            else:
                compiled(source)
        except XylemError as error:
            errors.append((source.name, error))
            code = max(code, Exit.QUERY_ERROR)
    if chosen == "text":
        for _, found_error in errors:
            typer.echo(found_error.render(), err=True)
    else:
        found = [diagnostic_of(found_error, name) for name, found_error in errors]
        for line in _WRITERS[chosen](found):
            typer.echo(line)
    if errors:
        raise typer.Exit(code)


def _check_over_updates(source: QuerySource) -> None:
    query = compiled_over_updates(source)
    assert query.program and query.operators
    for span, hint in query.slips:
        line, column = span.source.position(span.start)
        typer.echo(f"hint at {span.source.name}:{line}:{column}: {hint}", err=True)


def _json(found: Sequence[Diagnostic]) -> Iterable[str]:
    yield _as_json([one.to_dict() for one in found])


def _as_json(value: object) -> str:
    """JSON is UTF-8, file names need not be: bytes that are not become U+FFFD."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _github(found: Sequence[Diagnostic]) -> Iterable[str]:
    """Commands of workflows, which become annotations of a pull request."""
    for one in found:
        place = one.place
        where = "" if place is None else f",line={place.line},col={place.column},endLine={place.end_line}"
        text = one.message + (f"\nhint: {one.hint}" if one.hint else "")
        file = _escaped(one.name).replace(":", "%3A").replace(",", "%2C")
        yield f"::error file={file}{where},title={one.code}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _sarif(found: Sequence[Diagnostic]) -> Iterable[str]:
    codes = sorted({one.code for one in found})
    driver = {"name": "xylem", "version": VERSION, "rules": [{"id": code} for code in codes]}
    run = {"tool": {"driver": driver}, "results": [_sarif_result(one) for one in found]}
    yield _as_json({"$schema": _SARIF, "version": "2.1.0", "runs": [run]})


def _sarif_result(one: Diagnostic) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(os.fsencode(Path(one.name).as_posix()))}}
    if one.place is not None:
        physical["region"] = {
            "startLine": one.place.line,
            "startColumn": one.place.column,
            "endLine": one.place.end_line,
            "endColumn": one.place.end_column,
        }
    text = one.message + (f" ({one.hint})" if one.hint else "")
    return {
        "ruleId": one.code,
        "level": "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": physical}],
    }


_WRITERS = {"json": _json, "github": _github, "sarif": _sarif}
