"""A query run both ways: over the stream as it arrives, and over the whole tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import xylem
from xylem.errors import XylemError
from xylem.functions.external import Functions
from xylem.lowering.stream.build import NotStreamable
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.run import Statistics
from xylem.schema.constraints import Schema
from xylem.schema.loading import load_schema
from xylem.sink import SerializationParameters, serialize
from xylem.sink.event_writer import EventWriter
from xylem.source.kernel import is_kernel_built
from xylem.source.resources import FileResources

ADAPTIVE = SerializationParameters.from_options({"method": "adaptive", "indent": "no"})
XML = SerializationParameters.from_options({"method": "xml", "omit-xml-declaration": "yes"})
SCANNERS = ("python", "kernel") if is_kernel_built() else ("python",)


FUNCTIONS = Functions()


@FUNCTIONS.function("udf:median", "xs:double*", "xs:double")
def median(values: list[float]) -> float:
    """The holistic function of the thesis (example 3.8.12)."""
    return sorted(values)[len(values) // 2] if values else 0.0


@dataclass(frozen=True)
class Outcome:
    """A result as text, or the code of the error that came instead."""

    text: str = ""
    error: str = ""
    message: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and (self.error, self.text) == (other.error, other.text)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"{self.error} {self.message}" if self.error else self.text


def written(items: Iterable[Any]) -> str:
    """Items as text that shows their kind; one line each."""
    return serialize(list(items), ADAPTIVE)


@lru_cache(maxsize=8)
def _compiled(query: str) -> xylem.Query:
    """Compiled once for all documents, which takes longer than to run it over one of them."""
    return xylem.compile(query, functions=FUNCTIONS)


@lru_cache(maxsize=16)
def from_tree(query: str, document: bytes, as_xml: bool = False) -> Outcome:
    """What the reference evaluator says."""
    try:
        items = _compiled(query).run(context=xylem.parse(document)).xdm
        return Outcome(serialize(items, XML if as_xml else ADAPTIVE))
    except XylemError as error:
        return Outcome(error=error.code, message=str(error))


@lru_cache(maxsize=4)
def schema_of(dtd: str) -> Schema:
    return load_schema(dtd)


@lru_cache(maxsize=4)
def stream_program(query: str, dtd: str | None = None) -> StreamProgram | None:
    """The query compiled for a stream; None where it must be answered from the tree."""
    try:
        environment = StaticEnvironment(external_functions=tuple(FUNCTIONS))
        return compile_stream(query, environment, None if dtd is None else schema_of(dtd))
    except NotStreamable:
        return None


def from_stream(
    program: StreamProgram,
    chunks: Sequence[bytes],
    scanner: str = "python",
    statistics: Statistics | None = None,
) -> Outcome:
    """What the stream says."""
    try:
        return Outcome(written(program.run(iter(chunks), FileResources(), scanner=scanner, statistics=statistics)))
    except XylemError as error:
        return Outcome(error=error.code, message=str(error))


def written_as_events(program: StreamProgram, chunks: Sequence[bytes], scanner: str = "python") -> Outcome:
    """The text a stream writes while it runs, with no item ever made."""
    parts: list[str] = []
    writer = EventWriter(XML, parts.append)
    try:
        for _ in program.write(iter(chunks), FileResources(), writer, scanner=scanner):
            pass
        return Outcome("".join(parts))
    except XylemError as error:
        return Outcome(error=error.code, message=str(error))
