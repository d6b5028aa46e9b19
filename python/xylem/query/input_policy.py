"""How a run treats its input: how often it reads the input, what it keeps of it, and where.

A run reads a file as often as the query needs. It keeps an input that can be read only once (a pipe, a socket, standard
input) for the later passes: on disk, if a directory is given, otherwise in memory within the limit for buffers. If
growing state is forbidden, a query that needs it is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from xylem.errors import Span, StaticError
from xylem.lowering.stream.account import account_of
from xylem.run.stream.passes import StreamPasses
from xylem.run.stream.statistics import Statistics
from xylem.source.byte_source import ByteSource
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.malformed import MalformedTally
from xylem.source.spooled_input import KeptInMemory, KeptOnDisk, SpooledInput

from .stream_query import Validation, validated

if TYPE_CHECKING:
    from xylem.analysis.dataflow import Verdict
    from xylem.schema import Schema
    from xylem.source.byte_ranges import Scope

Why = Callable[[], "Verdict"]
"""The reason why one pass is not enough."""


INPUT = "input"
"""The name under which a kept input is counted."""


def readable_input(
    passes: StreamPasses,
    source: ByteSource,
    spill: str | PathLike[str] | None,
    limits: Limits,
    measured: Statistics,
    why: Why,
) -> ByteSource:
    """The input as the passes read it; XYST0012 if it would have to be kept beyond the limit."""
    if limits.buffered_bytes == 0 and not all(account_of(p).is_bounded for p in passes.answering):
        raise refused("one pass would keep what grows with the input", why)
    if passes.number == 1 or source.can_be_read_again:
        return source
    if spill is not None:
        return SpooledInput(source, KeptOnDisk(Path(spill), limits.spilled_bytes)).reading()
    if limits.buffered_bytes == 0:
        raise refused(f"it takes {passes.number} passes, and the input can be read only once", why)
    measured.limit_bytes = limits.buffered_bytes
    return SpooledInput(source, KeptInMemory(lambda size: measured.hold(INPUT, size))).reading()


def limits_within(limits: Limits) -> Limits:
    """The limits of a run. A buffer limit of 0 forbids growing buffers; a single item may still be large."""
    return limits if limits.buffered_bytes else replace(limits, buffered_bytes=DEFAULT_LIMITS.buffered_bytes)


def refused(what: str, why: Why) -> StaticError:
    """XYST0012 with the reason."""
    told, span = reason_of(why())
    return StaticError("XYST0012", f"{what}: {told}" if told else what, span=span)


def reason_of(verdict: Verdict) -> tuple[str, Span | None]:
    """The first reason of a verdict, and its place."""
    for reason in verdict.reasons:
        return reason.text, reason.spans[0] if reason.spans else None
    return "", None


class Readings:
    """An input as each pass of a run reads it: without malformed records, and validated, if so asked."""

    def __init__(
        self,
        passes: StreamPasses,
        record_scopes: Callable[[], tuple[Scope, ...]],
        *,
        limits: Limits,
        scanner: str,
        schema: Schema | None,
        validate: Validation | None,
    ) -> None:
        self._passes = passes
        self._record_scopes = record_scopes
        self._limits = limits
        self._scanner = scanner
        self._schema = schema
        self._validate: Validation | None = validate

    def last(self, source: ByteSource, tally: MalformedTally | None) -> ByteSource:
        """The input for the last pass, which counts skipped records."""
        return self._prepared(source, tally)

    def earlier(self, source: ByteSource, tally: MalformedTally | None) -> ByteSource:
        """The input for an earlier pass, which skips the same records."""
        return self._prepared(source.again(), None if tally is None else MalformedTally())

    def _prepared(self, source: ByteSource, tally: MalformedTally | None) -> ByteSource:
        if tally is not None:
            from xylem.source.sound_records import SoundRecords

            scopes = self._record_scopes()
            # A pass may find a record malformed that another one does not read: all passes skip the union.
            programs = [*(earlier.program for earlier in self._passes.earlier), *self._passes.answering]
            for program in programs:
                source = SoundRecords(
                    source, scopes, program.scan, self._limits, tally.tell, scanner=self._scanner, close=tally.close
                )
        return validated(source, self._passes.last, self._schema, self._validate)
