"""A distributed run in one process: every range one after another, rows kept in memory.

The tests' transport, and the driver's own where the input is too small to be worth another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from xylem.plan.distribution import PartKind
from xylem.source.byte_source import ByteSource, Source

from ..evaluator.program import current_time
from .program import DistributedProgram
from .rows import Row

_SEEN_BY_QUERIES = ("resources", "variables", "environment", "now")


def run_in_process(program: DistributedProgram, ranges: Iterable[Source | ByteSource], **options: Any) -> str:
    """The text of the answer over ranges in the order of the input; options as for `DistributedProgram.task`."""
    return "".join(program.pieces(rows_in_process(program, ranges, options), **_seen(options)))


def rows_in_process(
    program: DistributedProgram, ranges: Iterable[Source | ByteSource], options: dict[str, Any]
) -> dict[int, list[Row]]:
    """The rows of every part, reduced and in the order `pieces` wants."""
    options.setdefault("now", current_time())
    kept = list(ranges)
    if not program.distribution.is_parallel:
        return {1: list(program.sequential(kept, **options))}
    bound: dict[int, bytes] = {}
    found: dict[int, list[Row]] = {}
    for stage in range(program.stages):
        rows = [
            row for number, source in enumerate(kept) for row in program.task(stage, source, number, bound, **options)
        ]
        for number in program.parts_of(stage):
            own = [row for row in rows if row.part == number]
            found[number] = _gathered(program, number, own, bound, options)
        in_order = [row for number in program.parts_of(stage) for row in found[number]]
        bound.update(program.bind(stage, in_order, **_seen(options)))
    return found


def _gathered(
    program: DistributedProgram, number: int, rows: list[Row], bound: Mapping[int, bytes], options: dict[str, Any]
) -> list[Row]:
    """The rows of one part, as a shuffle would bring them."""
    kind = program.distribution.parts[number - 1].kind
    if kind in (PartKind.GROUP, PartKind.JOIN):
        rows.sort(key=lambda row: (row.key, row.range, row.ordinal))
        rows = [
            reduced
            for key, group in groupby(rows, lambda row: row.key)
            for reduced in program.reduce(number, key, group, bound, **_seen(options))
        ]
    return sorted(rows, key=lambda row: (row.key, row.range, row.ordinal))


def _seen(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in _SEEN_BY_QUERIES if name in options}
