"""`--ns PREFIX=URI` and `--default-ns URI|auto`: namespaces for a query that does not declare them itself."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from xylem.errors import InputError
from xylem.source.limits import Limits

from .common_options import QUERY
from .query_source import STANDARD_INPUT

AUTO = "auto"

Namespaces = Annotated[
    list[str] | None,
    typer.Option("--ns", metavar="PREFIX=URI", help="Declare a namespace prefix for the query.", rich_help_panel=QUERY),
]
DefaultNamespace = Annotated[
    str | None,
    typer.Option(
        "--default-ns",
        metavar="URI|auto",
        help="The namespace of element names without a prefix. `auto` takes the namespace of the input's root.",
        rich_help_panel=QUERY,
    ),
]


def namespaces_of(pairs: Sequence[str], default: str | None, inputs: Sequence[str], limits: Limits) -> dict[str, str]:
    """Prefix to URI, '' for the default element namespace."""
    declared: dict[str, str] = {}
    for pair in pairs:
        prefix, equals, uri = pair.partition("=")
        if not equals or not prefix.replace("-", "").replace("_", "").replace(".", "").isalnum() or not uri:
            raise typer.BadParameter(f"{pair!r} is not PREFIX=URI", param_hint="--ns")
        declared[prefix] = uri
    if default == AUTO:
        declared[""] = _namespace_of_root(inputs, limits)
    elif default is not None:
        declared[""] = default
    return declared


def _namespace_of_root(inputs: Sequence[str], limits: Limits) -> str:
    if not inputs:
        raise typer.BadParameter("`auto` needs an input: give one with -i", param_hint="--default-ns")
    from xylem.source.input_files import named_files
    from xylem.source.root_element import root_element

    place = named_files(inputs[:1])[0]
    root = root_element(_head(place, limits))
    if root is None:
        raise InputError("XYIN0002", f"{place}: no root element was found to take the namespace from")
    return root.uri


def _head(place: str, limits: Limits) -> bytes:
    """The first bytes of an input. The run still gets those of standard input."""
    from xylem.source.byte_source import ByteSource
    from xylem.source.root_element import head_of

    if place != STANDARD_INPUT:
        with ByteSource.of(place, limits.decompression_ratio) as source:
            return head_of(source)
    from xylem.source.decompression import decompressed

    try:
        waiting: bytes = sys.stdin.buffer.peek(1)  # type: ignore[union-attr]  # standard input is buffered
        return head_of(decompressed([waiting], limits.decompression_ratio))
    except InputError as error:
        # The peek ends in the middle of compressed data; the run itself reads on.
        if error.code != "XYIN0009":
            raise
        why = "`auto` cannot look into compressed standard input"
        raise typer.BadParameter(why, param_hint="--default-ns") from None
