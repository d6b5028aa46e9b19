"""Which task computes which kind of part."""

from __future__ import annotations

from xylem.plan.distribution import PartKind
from xylem.plan.spread import SpreadPart

from .aggregate_task import AggregateTask
from .divided_task import DividedTask
from .folded_windows import FoldedWindowsTask
from .group_task import GroupTask
from .map_task import MapTask
from .output_choice import TextChoice
from .part_query import PartCompiler
from .part_task import PartTask
from .sequential_task import SequentialTask
from .sort_task import SortTask
from .table_task import TableTask
from .windows_task import WindowsTask


def part_task(part: SpreadPart, compiler: PartCompiler, text: TextChoice | None) -> PartTask:
    """The task of one part; `text` says how its text is written; None means that its rows hold packed items."""
    match part.kind:
        case PartKind.AGGREGATE:
            if part.function == "groups":
                return TableTask(part, compiler)
            return AggregateTask(part, compiler) if part.grouping is None else DividedTask(part, compiler)
        case PartKind.SORT:
            return SortTask(part, compiler, text)
        case PartKind.GROUP:
            return GroupTask(part, compiler, text)
        case PartKind.WINDOWS:
            return FoldedWindowsTask(part, compiler) if part.function else WindowsTask(part, compiler, text)
        case PartKind.SEQUENTIAL:
            return SequentialTask(part, compiler, text)
    return MapTask(part, compiler, text)
