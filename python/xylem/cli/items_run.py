"""`xylem run --items NAME=FILE.xml`: a query over items that arrive one after the other, with no tree around them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import typer

from .answer_format import write_items
from .query_source import QuerySource, input_source, split_pair, variables
from .result_output import result_output
from .statistics import Facts, peak_rss_bytes, report_as

if TYPE_CHECKING:
    from .run_query import RunOptions


def run_over_items(source: QuerySource, options: RunOptions) -> None:
    """Run a query whose infinite variables and streams are read from files, element by element."""
    from .run_query import compiled, parameters_of

    if options.inputs:
        raise typer.BadParameter("a query takes items or a document, not both", param_hint="--items")
    query = compiled(source, options=options)
    declared = {variable.local for variable in query.external_variables}
    bound = variables(options.values, options.documents)
    streams: dict[str, Iterable[Any]] = {}
    read: list[ReadItems] = []
    for pair in options.items:
        name, equals, place = split_pair(pair)
        if not equals:
            raise typer.BadParameter(f"{pair!r} is not name=file", param_hint="--items")
        items = ReadItems(name, place, options)
        read.append(items)
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
        clock=read[0].clock if read else None,
    )
    started = time.monotonic()
    with result_output(options.output) as output:

        def hand_over() -> None:
            """Somebody may wait for what there is: the next item may be long in coming."""
            result.flush()
            output.flush()

        for items in read:
            items.source.before_waiting = hand_over
        if options.format is not None:
            write_items(result.drawn(), query.compiled, options.format, output)
        else:
            result.write_to(output.write, **parameters_of(options, result.output))
    if options.statistics is not None:
        report_as(_facts(read, time.monotonic() - started), _rows, options.statistics)


class ReadItems:
    """The items of an input, counted as they are read; with the clock of its replay, if it is replayed."""

    def __init__(self, name: str, place: str, options: RunOptions) -> None:
        from xylem import api

        self.name = name
        self.number = 0
        self.clock: Any = None
        self.source = input_source(place, options.limits)
        if options.replay is not None:
            self.source = replayed = options.replay.of(self.source, options.limits)
            self.clock = replayed.clock.now
        self._items = api.items(self.source, limits=options.limits)

    def __iter__(self) -> Iterator[Any]:
        for item in self._items:
            self.number += 1
            yield item


def _facts(read: Sequence[ReadItems], seconds: float) -> Facts:
    return {
        "streamed": True,
        "items": {one.name: one.number for one in read},
        "input_bytes": sum(one.source.position for one in read),
        "seconds": round(seconds, 3),
        "peak_rss_bytes": peak_rss_bytes(),
    }


def _rows(facts: Facts) -> Iterator[tuple[str, str]]:
    for name, number in facts["items"].items():
        yield f"items of {name}", f"{number:,}"
    yield "input", f"{facts['input_bytes']:,} bytes in {facts['seconds']:.3g} s"
    if facts["peak_rss_bytes"] is not None:
        yield "memory at most", f"{facts['peak_rss_bytes'] / 1e6:,.1f} MB"
