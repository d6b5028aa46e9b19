"""For what kind of distributed run a query is compiled: each kind has a program of its own."""

from __future__ import annotations

from dataclasses import dataclass

from xylem.plan.distribution import InputOf
from xylem.schema.constraints import Schema


@dataclass(frozen=True)
class Spreading:
    """What `pipeline.compile_distributed` is told besides the query, which says what each of it means."""

    several_documents: bool = False
    keeps_windows: bool = False
    divides: bool = False
    input_of: InputOf = InputOf.NAMED
    output: tuple[tuple[str, str], ...] = ()
    """Serialization parameters that go before those of the query."""
    schema: Schema | None = None
    """One is the same as another only if it is that very object."""
