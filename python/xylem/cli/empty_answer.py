"""A note on standard error when a query finds nothing because its names are in another namespace."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xylem.source.root_element import head_of

from .query_source import STANDARD_INPUT, QuerySource

if TYPE_CHECKING:
    from xylem.query.compiled_query import CompiledQuery
    from xylem.source.byte_source import ByteSource

    from .result_output import ResultOutput


def is_nothing(output: ResultOutput) -> bool:
    """Whether a query found nothing: its output has no text, or only zeros."""
    if not output.has_items:
        return True
    if output.written_bytes > len(output.beginning):
        return False
    from xylem.query import unmatched_names

    return unmatched_names.is_nothing(output.beginning.decode("utf-8", "replace"))


def tell_of_namespaces(
    source: QuerySource,
    inputs: Sequence[str],
    kept: ByteSource | None = None,
    *,
    others: Sequence[Path] = (),
) -> None:
    """Say which namespace the input is in, if the query asks for another.

    Without an input, the first of the `others` decides: documents of variables, and those that the query names.
    """
    head = _head(inputs or [str(place) for place in others], kept)
    if not head:
        return
    from xylem.pipeline import StaticEnvironment
    from xylem.query.compiled_query import CompiledQuery
    from xylem.query.unmatched_names import DECLARED_OPTION, OPTION, advice_for

    environment = StaticEnvironment(name=source.name, namespaces=source.namespaces)
    option = OPTION if inputs else DECLARED_OPTION
    told = advice_for(CompiledQuery(source.text, environment), source.text, head, option)
    if told is not None:
        print(told, file=sys.stderr)


def named_documents(query: CompiledQuery, allowed: Sequence[Path]) -> Iterator[Path]:
    """The files that a query names by doc("…"), as far as it may read them."""
    from xylem.errors import InputError
    from xylem.source.allowed_places import AllowedPlaces
    from xylem.syntax import ast
    from xylem.values.uri import resolve

    places, base = AllowedPlaces(allowed), query.environment.base_uri or ""
    for node in query.resolved.walk():
        match node:
            case ast.FunctionCall(name=name, arguments=(ast.StringLiteral(value=uri),)) if name.local == "doc":
                try:
                    yield places.path(resolve(uri, base), "FODC0002")
                except InputError:
                    continue


def _head(inputs: Sequence[str], kept: ByteSource | None) -> bytes:
    """The first bytes of the first input: read again, or kept of an input that can be read only once."""
    if kept is not None and kept.head:
        return kept.head
    if not inputs or inputs[0] == STANDARD_INPUT:
        return b""
    from xylem.source.byte_source import ByteSource
    from xylem.source.framed_file import framed
    from xylem.source.limits import DEFAULT_LIMITS
    from xylem.source.message_inputs import MessageInputs

    frames = framed(inputs[0])
    if frames is not None:
        messages = None if frames[0] == STANDARD_INPUT else MessageInputs(inputs[:1], DEFAULT_LIMITS)
        return head_of(messages.bytes_of(0)) if messages else b""
    with ByteSource.of(inputs[0]) as again:
        return head_of(again) if again.can_be_read_again else b""
