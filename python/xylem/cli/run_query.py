"""`xylem run`: compile, bind, evaluate, write."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from xylem.errors import InputError

from .query_source import QuerySource, document, output_parameters, variables

if TYPE_CHECKING:
    from xylem.api import Query, Result


@dataclass(frozen=True)
class RunOptions:
    """What the command line says about one run."""

    inputs: Sequence[str]
    values: Sequence[str]
    documents: Sequence[str]
    allowed: Sequence[Path]
    allow_environment: bool
    output: Path | None
    output_parameters: Sequence[str]


def compiled(source: QuerySource) -> Query:
    """The query compiled; library modules are read from its folder and below."""
    from xylem import api

    return api.compile(source.text, name=source.name, base_uri=source.base_uri, module_folders=[source.folder])


def run_query(source: QuerySource, options: RunOptions) -> None:
    """Run the query and write the result where it belongs."""
    parameters = output_parameters(options.output_parameters)
    query = compiled(source)
    documents = [document(place) for place in options.inputs]
    result = query.run(
        context=documents[0] if len(documents) == 1 else None,
        variables=variables(options.values, options.documents),
        collection=documents,
        allow=options.allowed,
        environment=os.environ if options.allow_environment else None,
    )
    _write(result, parameters, options.output)


def _write(result: Result, parameters: Mapping[str, str], output: Path | None) -> None:
    if output is None:
        last = b"\n"

        def write(data: bytes) -> None:
            nonlocal last
            sys.stdout.buffer.write(data)
            last = data[-1:] or last

        result.write_to(write, **parameters)
        # Lines end, for terminals and for pipes of text tools; a file gets exactly the result.
        if last != b"\n":
            sys.stdout.buffer.write(b"\n")
        sys.stdout.buffer.flush()
        return
    try:
        with output.open("wb") as file:
            result.write_to(file.write, **parameters)
    except OSError as reason:
        raise InputError("XYIN0002", f"{output}: {reason.strerror}") from reason
