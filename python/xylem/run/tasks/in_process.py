"""A distributed run in one process: every range one after another, rows kept in memory.

Tests use this transport, and so does the driver if the input is too small for another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from xylem.plan.distribution import PartKind
from xylem.source.byte_source import ByteSource, Source

from ..program import current_time
from .keyed_join import ASKS, SideFigures
from .program import DistributedProgram
from .rows import Row

_SEEN_BY_QUERIES = ("resources", "variables", "environment", "now")


def run_in_process(
    program: DistributedProgram,
    ranges: Iterable[Source | ByteSource],
    broadcast_bytes: int | None = None,
    **options: Any,
) -> str:
    """The text of the answer over ranges in the order of the input; options as for `DistributedProgram.task`.

    Sides of joins larger than `broadcast_bytes` are shuffled by key; None means that no side is.
    """
    return "".join(program.pieces(rows_in_process(program, ranges, options, broadcast_bytes), **_seen(options)))


def rows_in_process(
    program: DistributedProgram,
    ranges: Iterable[Source | ByteSource],
    options: dict[str, Any],
    broadcast_bytes: int | None = None,
) -> dict[int, list[Row]]:
    """The rows of every part, reduced, and in the order that `pieces` needs."""
    options.setdefault("now", current_time())
    kept = list(ranges)
    if not program.distribution.is_parallel:
        return {1: list(program.sequential(kept, **options))}
    bound: dict[int, bytes] = {}
    keyed = set(program.keyed_parts) if broadcast_bytes is not None else set()
    joins = None
    if keyed:
        joins = JoinInProcess(program, kept, broadcast_bytes or 0, options)
        bound.update(joins.broadcast)
    found: dict[int, list[Row]] = {}
    for stage in range(program.stages):
        own = [part for part in program.parts_of(stage) if part not in keyed]
        matches = {} if joins is None else joins.given(stage)
        rows = [
            row
            for number, source in enumerate(kept)
            for row in program.task(stage, source, number, {**bound, **matches.get(number, {})}, parts=own, **options)
        ]
        for part in own:
            found[part] = _gathered(program, part, [row for row in rows if row.part == part], bound, options)
        in_order = [row for part in own for row in found[part]]
        bound.update({n: v for n, v in program.bind(stage, in_order, **_seen(options)).items() if n not in keyed})
    return found


class JoinInProcess:
    """Joins by key over ranges in memory: the simplest transport of them."""

    def __init__(
        self, program: DistributedProgram, ranges: list[Any], broadcast_bytes: int, options: dict[str, Any]
    ) -> None:
        self._program = program
        self._ranges = len(ranges)
        self._options = options
        measured = SideFigures()
        sides = program.sides(measured, **options)
        self._sides = [row for number, source in enumerate(ranges) for row in sides.rows(source, number, number)]
        is_small = measured.item_bytes <= broadcast_bytes or not measured.is_decided_by_keys()
        self.broadcast = program.given(self._sides, **_seen(options)) if is_small else {}
        """The rows that every task gets; empty if keys are shuffled."""

    def given(self, stage: int) -> dict[int, dict[int, bytes]]:
        """The values passed to each range in a stage."""
        rounds = 0 if self.broadcast else self._program.join_rounds(stage)
        found: dict[int, list[Row]] = {number: [] for number in range(self._ranges)}
        rows = self._sides
        for _ in range(rounds):
            asked: list[Row] = []
            rows = sorted(rows, key=lambda row: row.key)
            for _, together in groupby(rows, lambda row: row.key):
                matches, more = self._program.matched(list(together), stage, **_seen(self._options))
                asked += more
                for asker, row in matches:
                    found[asker].append(row)
            rows = [row for row in self._sides if row.part != ASKS] + asked
        if not rounds:
            return {}
        return {number: self._program.given(own, stage, **_seen(self._options)) for number, own in found.items()}


def _gathered(
    program: DistributedProgram, number: int, rows: list[Row], bound: Mapping[int, bytes], options: dict[str, Any]
) -> list[Row]:
    """The rows of one part, as a shuffle would bring them."""
    kind = program.distribution.parts[number - 1].kind
    if kind is PartKind.GROUP:
        rows.sort(key=lambda row: (row.key, row.range, row.ordinal))
        reduce = program.reducer(number, bound, **_seen(options))
        rows = [reduced for _, group in groupby(rows, lambda row: row.key) for reduced in reduce(group)]
    return sorted(rows, key=lambda row: (row.key, row.range, row.ordinal))


def _seen(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in _SEEN_BY_QUERIES if name in options}
