"""`xylem check`: the static errors of many queries, for people, programs, GitHub's annotations and SARIF readers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer

from xylem.errors import XylemError
from xylem.interactive.diagnostics import Diagnostic, diagnostic_of
from xylem.version import VERSION

from .failures import Exit
from .query_source import QuerySource
from .run_query import compiled, compiled_over_updates

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def check_queries(sources: Iterable[QuerySource], chosen: str, *, over_updates: bool = False) -> None:
    """Write the errors of all queries; the exit code is 1 if there is one."""
    errors: list[tuple[QuerySource, XylemError]] = []
    for source in sources:
        try:
            if over_updates:
                _check_over_updates(source)
            else:
                compiled(source)
        except XylemError as error:
            errors.append((source, error))
    if chosen == "text":
        for _, found_error in errors:
            typer.echo(found_error.render(), err=True)
    else:
        found = [diagnostic_of(found_error, source.name) for source, found_error in errors]
        for line in _WRITERS[chosen](found):
            typer.echo(line)
    if errors:
        raise typer.Exit(Exit.QUERY_ERROR)


def _check_over_updates(source: QuerySource) -> None:
    query = compiled_over_updates(source)
    assert query.program and query.operators
    for span, hint in query.slips:
        line, column = span.source.position(span.start)
        typer.echo(f"hint at {span.source.name}:{line}:{column}: {hint}", err=True)


def _json(found: Sequence[Diagnostic]) -> Iterable[str]:
    yield json.dumps([one.to_dict() for one in found], indent=2, ensure_ascii=False)


def _github(found: Sequence[Diagnostic]) -> Iterable[str]:
    """Commands of workflows, which become annotations of a pull request."""
    for one in found:
        place = one.place
        where = "" if place is None else f",line={place.line},col={place.column},endLine={place.end_line}"
        text = one.message + (f"\nhint: {one.hint}" if one.hint else "")
        yield f"::error file={_escaped(one.name)}{where},title={one.code}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _sarif(found: Sequence[Diagnostic]) -> Iterable[str]:
    codes = sorted({one.code for one in found})
    driver = {"name": "xylem", "version": VERSION, "rules": [{"id": code} for code in codes]}
    run = {"tool": {"driver": driver}, "results": [_sarif_result(one) for one in found]}
    yield json.dumps({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _sarif_result(one: Diagnostic) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": Path(one.name).as_posix()}}
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
