"""How the work of a query grows with its input: counted, not timed.

What is counted are calls of functions, of Python and of C, over trees and by the scanner that are written in Python:
the kernel follows the same plan where nobody can count. Reading XML is left out, which grows with the input whatever
the query is. A loop inside of one function of C (`x in list`) is one call.
"""

from __future__ import annotations

import cProfile
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Protocol, cast

import xylem.source

SIZES = (((3, 12, 48), 3_000), ((2, 8, 32), 10_000), ((1, 4, 16), 0))
"""With how many calls at the middle size smaller ones are enough: they tell of loops in loops as well, sooner."""
_SOURCE = str(Path(xylem.source.__file__).parent)
_CLASSES = ((1.25, "linear"), (1.49, "between"), (6.0, "quadratic"))
"""Up to which ratio of costs (`costs_of_items`); the limits lie where few queries have theirs."""


class _Entry(Protocol):
    """What a profiler tells of one function."""

    code: CodeType | str
    callcount: int
    calls: list[_Entry] | None


def growth(run_of: Callable[[int], Callable[[], object]]) -> str:
    """The class of a query, by its runs over inputs of any size."""
    return class_of(costs_of_items(run_of))


def costs_of_items(run_of: Callable[[int], Callable[[], object]]) -> float:
    """What an item costs at the largest size, against what it costs at the middle one: 1 if linear, 4 if quadratic."""
    run_of(2)()  # What is made at the first run only is not counted.
    for sizes, many_calls in SIZES:
        found = [calls(run_of(size)) for size in sizes[:2]]
        if found[1] <= many_calls:
            break
    found.append(calls(run_of(sizes[2])))
    before, after = ((found[i + 1] - found[i]) / (sizes[i + 1] - sizes[i]) for i in (0, 1))
    return after / before if before else 1.0


def class_of(ratio: float) -> str:
    return next((name for limit, name in _CLASSES if ratio < limit), "cubic")


def calls(run: Callable[[], object]) -> int:
    """How many functions are called outside of the reading of XML.

    The collector of garbage waits: what it calls (finalizers of other tests, callbacks that Hypothesis registers) is
    not work of this query, and comes when it likes.
    """
    profile = cProfile.Profile()
    gc.disable()
    profile.enable()
    try:
        run()
    finally:
        profile.disable()
        gc.enable()
    return sum(_counted(cast("list[_Entry]", profile.getstats())))


def _counted(entries: list[_Entry]) -> Iterator[int]:
    for entry in entries:
        if not isinstance(entry.code, str) and not entry.code.co_filename.startswith(_SOURCE):
            yield entry.callcount
            yield sum(inner.callcount for inner in entry.calls or () if isinstance(inner.code, str))
