"""The kinds of distributed runs; a query has a separate program for each."""

from __future__ import annotations

from dataclasses import dataclass

from xylem.plan.distribution import InputOf
from xylem.schema.constraints import Schema


@dataclass(frozen=True)
class Spreading:
    """The arguments of `pipeline.compile_distributed` besides the query; see there."""

    several_documents: bool = False
    keeps_windows: bool = False
    divides: bool = False
    input_of: InputOf = InputOf.NAMED
    output: tuple[tuple[str, str], ...] = ()
    """Serialization parameters that override those of the query."""
    schema: Schema | None = None
    """Compared by identity."""
