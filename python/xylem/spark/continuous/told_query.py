"""Queries that share a source, in the form for tasks and checkpoints."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xylem.analysis.static_context import StaticContext, build_static_context
from xylem.errors import InputError
from xylem.functions.function_definition import definition_of
from xylem.query.external_names import expanded_name
from xylem.syntax import ast, print_query

from ..shipped_query import ShippedQuery, shipped_query

_NAMING_FUNCTIONS = (ast.FunctionCall, ast.NamedFunctionRef)
ENDINGS = {"xml": ".xml", "xhtml": ".xhtml", "html": ".html", "json": ".json"}


@dataclass(frozen=True)
class QueryText:
    """A query as written."""

    output_name: str
    """The name of its output."""
    text: str
    name: str
    """Its name in errors."""
    base_uri: str
    folder: Path
    """The directory of its modules."""


def told_queries(
    texts: Sequence[QueryText], *, variables: Mapping[str, Any], **given: Any
) -> list[tuple[str, ShippedQuery]]:
    """The queries with their parameters; their static errors are raised here.

    A variable is for those that declare it; XYIN0006 for one that none of them does.
    """
    told = []
    taken: set[str] = set()
    for text in texts:
        query = shipped_query(
            text.text,
            variables=variables,
            # Each of several queries takes the variables it declares.
            only_declared=len(texts) > 1,
            name=text.name,
            base_uri=text.base_uri,
            module_folders=[text.folder],
            needs_values=True,
            **given,
        )
        told.append((text.output_name, query))
        taken.update(name for name in variables if expanded_name(query.compiled.resolved, name) in query.variables)
    for name in variables:
        if name not in taken:
            raise InputError("XYIN0006", f"${name}")
    return told


def fingerprint(query: ShippedQuery) -> str:
    """A digest that ignores white space and comments in queries; modules, functions and values count, too."""
    known = query.compiled.environment.parsed_modules
    parsed = [query.compiled.written, *(known[module] for module in query.modules)]
    printed = [print_query(module) for module in parsed]
    values = sorted(repr(item) for item in query.variables.items())
    called = {node.name.local for module in parsed for node in module.walk() if isinstance(node, _NAMING_FUNCTIONS)}
    functions = sorted(definition_of(function) for function in query.functions if function.local in called)
    told = repr((printed, values, sorted(query.output.items()), *functions))
    told += "" if query.event_time is None else repr(query.event_time)
    # The speed of a replay may change, the path of the times may not.
    told += "" if query.replay is None else repr(query.replay.path)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def serialization(query: ShippedQuery) -> dict[str, str]:
    """The serialization parameters: those the caller gave, then those the query declares."""
    declared = build_static_context(query.compiled.written, StaticContext()).output
    return {**declared, **dict(query.output)}


def file_ending(query: ShippedQuery) -> str:
    """The extension of files with its answers, by the method that it or the caller names."""
    return ENDINGS.get(serialization(query).get("method", "xml"), ".txt")
