"""A query run over the stream and over the whole tree: the items as text, or the code of the error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import xylem
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.run.stream.program import StreamProgram
from xylem.sink import SerializationParameters, serialize
from xylem.source.byte_source import ByteSource
from xylem.source.resources import FileResources

ADAPTIVE = SerializationParameters.from_options({"method": "adaptive", "indent": "no"})


def from_tree(query: str, document: str, variables: Mapping[str, Any] | None = None) -> str:
    """What the reference evaluator says."""
    try:
        return serialize(xylem.compile(query).run(xylem.parse(document), dict(variables or {})).xdm, ADAPTIVE)
    except XylemError as error:
        return error.code


def program_of(query: str, without: frozenset[str] = frozenset()) -> StreamProgram:
    return compile_stream(query, StaticEnvironment(without_rules=without))


def streamed(
    query: str,
    document: str,
    scanner: str = "auto",
    without: frozenset[str] = frozenset(),
    variables: Mapping[str, Any] | None = None,
) -> str:
    """What comes of one pass, or of none where a query waits for all of its input."""
    given = {("", name): [value] for name, value in (variables or {}).items()}
    try:
        program = program_of(query, without)
        items = program.run(ByteSource.of(document.encode()), FileResources(), scanner=scanner, variables=given)
        return serialize(list(items), ADAPTIVE)
    except XylemError as error:
        return error.code
