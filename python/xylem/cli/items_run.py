"""`xylem run --items NAME=FILE.xml`: a query over items that arrive one after the other, with no tree around them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

from .query_source import QuerySource, input_source, output_parameters, split_pair, variables
from .result_output import result_output

if TYPE_CHECKING:
    from .run_query import RunOptions


def run_over_items(source: QuerySource, options: RunOptions) -> None:
    """Run a query whose infinite variables and streams are read from files, element by element."""
    from .run_query import compiled

    if options.inputs:
        raise typer.BadParameter("a query takes items or a document, not both", param_hint="--items")
    query = compiled(source, options=options)
    declared = {variable.local for variable in query.external_variables}
    bound = variables(options.values, options.documents)
    streams: dict[str, Iterable[Any]] = {}
    clocks: list[Any] = []
    for pair in options.items:
        name, equals, place = split_pair(pair)
        if not equals:
            raise typer.BadParameter(f"{pair!r} is not name=file", param_hint="--items")
        items, clock = _items(place, options)
        clocks += [] if clock is None else [clock]
        if name.rpartition(":")[2].rpartition("}")[2] in declared:
            bound[name] = items
        else:
            streams[name] = items
    for remark in query.warnings:
        typer.echo(f"warning: {remark}", err=True)
    result = query.run(
        variables=bound,
        streams=streams,
        allow=options.allowed,
        environment=os.environ if options.allow_environment else None,
        held_items=options.limits.held_items,
        clock=clocks[0] if clocks else None,
    )
    with result_output(options.output) as output:
        result.write_to(output.write, **output_parameters(options.output_parameters))


def _items(place: str, options: RunOptions) -> tuple[Iterable[Any], Any]:
    """The items of an input, and the clock of its replay."""
    from xylem import api

    source = input_source(place, options.limits)
    if options.replay is None:
        return api.items(source, limits=options.limits), None
    replayed = options.replay.of(source, options.limits)
    return api.items(replayed, limits=options.limits), replayed.clock.now
