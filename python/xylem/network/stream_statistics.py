"""Measure the cost of a stream on a sample: the bytes of a filter stream and of a result, and the time they take.

The engine itself runs over a piece of the stream; no number is estimated from conditions.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.sink.default_parameters import chosen_parameters
from xylem.sink.serialize import serialize
from xylem.source.resources import FileResources

from .filter_stream import filter_query, plain_filter_query
from .properties import Properties


@dataclass(frozen=True)
class Measured:
    """Measurements of one query over the sample."""

    bytes: int
    seconds: float
    """CPU seconds of this processor."""


@dataclass(frozen=True)
class StreamStatistics:
    """Measurements of a subscription: the output of its filter, and its result."""

    filter: Measured
    result: Measured

    def without_result(self) -> StreamStatistics:
        """The measurements of a stream that only others read."""
        return StreamStatistics(self.filter, Measured(0, 0.0))


def measured_answer(query: str, document: bytes, take: Callable[[bytes], object] = lambda data: None) -> Measured:
    """Run a query over a document; return the size of its answer. `take` receives the answer."""
    compiled = CompiledQuery(query, StaticEnvironment())
    program = compiled.stream_program()
    # A query is compiled once, however long its stream goes on.
    started = time.process_time()
    items = program.run(document, FileResources())
    parameters = chosen_parameters(program.handlers.output, {}, lambda: True)
    data = serialize(list(items), parameters).encode()
    seconds = time.process_time() - started
    take(data)
    return Measured(len(data), seconds)


def filter_text(properties: Properties) -> str:
    """The filter as a query: the plain one if it needs no guards, which the scan evaluates alone."""
    return plain_filter_query(properties) or filter_query(properties)


def statistics_of(query: str, properties: Properties | None, document: bytes) -> StreamStatistics:
    """The share of a sample that passes a query's filter, and its result. A query that shares nothing passes all."""
    result = measured_answer(query, document)
    left = Measured(len(document), 0.0)
    if properties is not None:
        left = measured_answer(filter_text(properties), document)
    return StreamStatistics(left, result)
