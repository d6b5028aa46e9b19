"""`xylem run --items NAME=FILE.xml`: a query over items that arrive one after the other, with no tree around them."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import typer

from .answer_format import write_items
from .query_source import QuerySource, input_source, split_pair, variables
from .result_output import result_output
from .statistics import Facts, left_out_rows, peak_rss_bytes, report_as

if TYPE_CHECKING:
    from .run_query import RunOptions


def run_over_items(source: QuerySource, options: RunOptions) -> None:
    """Run a query whose infinite variables and streams are read from files, element by element."""
    from .run_query import compiled, parameters_of

    if options.inputs:
        raise typer.BadParameter("give items or an input document, not both", param_hint="--items")
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
    left_out: Counter[str] | None = None if options.statistics is None else Counter()
    result = query.run(
        variables=bound,
        streams=streams,
        allow=options.allowed,
        environment=os.environ if options.allow_environment else None,
        held_items=options.limits.held_items,
        clock=read[0].clock if read else None,
        left_out=left_out,
        **options.windows,
    )
    started = time.monotonic()
    with result_output(options.output, routes=options.routes) as output:

        def hand_over() -> None:
            """Write the results so far: a reader may wait for them, and the next item may take long."""
            result.flush()
            output.flush()

        for items in read:
            items.source.before_waiting = hand_over
        if options.format is not None:
            write_items(result.drawn(), query.compiled, options.format, output)
        else:
            result.write_to(output.write, **parameters_of(options, result.output))
    if options.statistics is not None:
        report_as(_facts(read, time.monotonic() - started, left_out), _rows, options.statistics)


PAGED_BYTES = 1 << 15
"""Bytes to read at a time if items may spill to a file."""


class ReadItems:
    """The items of an input, counted as they are read; with the clock of its replay, if it is replayed."""

    def __init__(self, name: str, place: str, options: RunOptions) -> None:
        from xylem import api
        from xylem.run.stream.plot import in_pieces

        self.name = name
        self.number = 0
        self.clock: Any = None
        self.source = input_source(place, options.limits)
        if options.replay is not None:
            self.source = replayed = options.replay.of(self.source, options.limits)
            self.clock = replayed.clock.now
        # Spilled pages are read many times, so they should be small.
        read = self.source if options.spill is None else in_pieces(self.source, PAGED_BYTES)
        self._items = api.items(read, limits=options.limits).changed(self._counted)

    def __iter__(self) -> Iterator[Any]:
        return self._items

    def _counted(self, items: Sequence[Any]) -> Sequence[Any]:
        self.number += len(items)
        return items


def _facts(read: Sequence[ReadItems], seconds: float, left_out: Counter[str] | None) -> Facts:
    return {
        "streamed": True,
        "items": {one.name: one.number for one in read},
        "input_bytes": sum(one.source.position for one in read),
        "seconds": round(seconds, 3),
        "peak_rss_bytes": peak_rss_bytes(),
        "items_without_value": dict(left_out or {}),
    }


def _rows(facts: Facts) -> Iterator[tuple[str, str]]:
    for name, number in facts["items"].items():
        yield f"items of {name}", f"{number:,}"
    yield from left_out_rows(facts)
    yield "input", f"{facts['input_bytes']:,} bytes in {facts['seconds']:.3g} s"
    if facts["peak_rss_bytes"] is not None:
        yield "memory at most", f"{facts['peak_rss_bytes'] / 1e6:,.1f} MB"
