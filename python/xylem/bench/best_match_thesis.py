"""The evaluation of the thesis (4.4): four algorithms over sizes, dimensions and distributions, and how results come.

Left outer joins of two inputs of d attributes in [0;1], each attribute an order by its distance with the limit 0.1.
The answers of all algorithms are compared. The first two try pairs in Python, the others in the kernel: compare the
first with the second, and the others with each other. Both ways to materialise windows are compared, too.
"""

from __future__ import annotations

import random
import tempfile
import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import Any

from xylem.values.paged_tree import TreePages

LIMIT = 0.1
SIZES = (250, 500, 1000, 2000, 4000)
DIMENSIONS = (1, 2, 3, 4, 5, 6)
DISTRIBUTIONS = ("uniform", "correlated", "anti-correlated", "normal")
FIXED_SIZE, FIXED_DIMENSIONS = 1000, 2
BLOCK_ROWS = 64
"""Rows of the first input that meet one window of the second."""

Columns = list["array[float]"]
Pairs = list[tuple[int, int]]
Algorithm = Callable[[Columns, Columns], Pairs]


def attributes(size: int, dimensions: int, distribution: str, seed: int) -> Columns:
    """Columns of one input, in the order of the first."""
    chance = random.Random(f"{size} {dimensions} {distribution} {seed}")
    rows = sorted(_row_within(chance, dimensions, distribution) for _ in range(size))
    return [array("d", column) for column in zip(*rows, strict=True)]


def _row_within(chance: random.Random, dimensions: int, distribution: str) -> list[float]:
    """Attributes in [0;1]. Others are drawn again: moved to the border, many items would be equal there."""
    while True:
        found = _row(chance, dimensions, distribution)
        if min(found) >= 0 and max(found) <= 1:
            return found


def _row(chance: random.Random, dimensions: int, distribution: str) -> list[float]:
    match distribution:
        case "normal":
            return [chance.gauss(0.5, 0.15) for _ in range(dimensions)]
        case "correlated":
            centre = chance.random()
            return [centre + chance.gauss(0, 0.05) for _ in range(dimensions)]
        case "anti-correlated":
            # On a plane, so that what is near in one attribute is far in others.
            found = [chance.random() for _ in range(dimensions)]
            off = sum(found) / dimensions - chance.gauss(0.5, 0.05)
            return [value - off for value in found]
    return [chance.random() for _ in range(dimensions)]


# --- the algorithms


def _orders(dimensions: int) -> list[tuple[tuple[Any, ...], bool, float | None]]:
    return [(("abs", ("-", ("left", n), ("right", n))), False, LIMIT) for n in range(dimensions)]


def nested_loops(left: Columns, right: Columns) -> Pairs:
    """All pairs are tried (thesis, figure 4.2)."""
    from xylem.run.best_match.reference import reference_pairs

    found = reference_pairs("left", 1, _orders(len(left)), [], left, len(left[0]), right, len(right[0]))
    return list(zip(*found, strict=True))


def in_kernel(by: str) -> Algorithm:
    """A search among all items of the second input: in nested boxes, or in ε-grid order (4.3.4.1)."""

    def joined(left: Columns, right: Columns) -> Pairs:
        from xylem.source.kernel import kernel_pairs

        found = kernel_pairs("left", 1, _orders(len(left)), [], left, len(left[0]), right, len(right[0]), None, by)
        if found is None:
            raise ImportError("the kernel is not built")
        return list(zip(*found, strict=True))

    return joined


def by_windows(inner: Algorithm) -> Algorithm:
    """Some items of the first input at a time meet the window of the second (figure 4.6)."""

    def joined(left: Columns, right: Columns) -> Pairs:
        found: Pairs = []
        for start in range(0, len(left[0]), BLOCK_ROWS):
            own = [column[start : start + BLOCK_ROWS] for column in left]
            # Rounding keeps the order of values: a little more than the limit loses nothing.
            low = bisect_left(right[0], own[0][0] - LIMIT - 1e-9)
            high = bisect_right(right[0], own[0][-1] + LIMIT + 1e-9)
            window = [column[low:high] for column in right]
            found += [(start + one, low + other) for one, other in inner(own, window)] if low < high else []
        return found

    return joined


ALGORITHMS: dict[str, Algorithm] = {
    "nested loops": nested_loops,
    "windows": by_windows(nested_loops),
    "windows and grid": by_windows(in_kernel("grid")),
    "windows and boxes": by_windows(in_kernel("boxes")),
    "grid": in_kernel("grid"),
    "boxes": in_kernel("boxes"),
}


def measured(size: int, dimensions: int, distribution: str, seed: int = 0) -> dict[str, Any]:
    """CPU seconds by algorithm, and how many pairs there are; None where an answer is another one."""
    left, right = (attributes(size, dimensions, distribution, 2 * seed + side) for side in range(2))
    seconds: dict[str, float] = {}
    answers: list[Pairs] = []
    for name, algorithm in ALGORITHMS.items():
        start = time.process_time()
        answers.append(algorithm(left, right))
        seconds[name] = round(time.process_time() - start, 4)
    is_same = all(answer == answers[0] for answer in answers)
    return {"seconds": seconds, "pairs": len(answers[0]) if is_same else None}


def table(sizes: Sequence[int] = SIZES, seed: int = 0) -> list[dict[str, Any]]:
    """All rows: sizes, dimensions, distributions."""
    asked = [(size, FIXED_DIMENSIONS, "uniform") for size in sizes]
    asked += [(min(FIXED_SIZE, sizes[-1]), dimensions, "uniform") for dimensions in DIMENSIONS]
    asked += [(min(FIXED_SIZE, sizes[-1]), FIXED_DIMENSIONS, distribution) for distribution in DISTRIBUTIONS[1:]]
    return [
        {"size": size, "dimensions": dimensions, "distribution": distribution}
        | measured(size, dimensions, distribution, seed)
        for size, dimensions, distribution in dict.fromkeys(asked)
    ]


# --- windows on disk

MATERIALISED_ITEMS, MATERIALISED_BYTES = 100_000, 1 << 20
"""Of each input, and what of it may be in memory."""
REACHES = (1e-3, 1e-2, 0.1, 0.3)
"""Limits of the first attribute: the greater, the more ranges an item is within reach of."""


def materialised(size: int = MATERIALISED_ITEMS) -> list[dict[str, Any]]:
    """CPU seconds of one window after the other, by reach, for cells (grid materialisation) and runs (standard)."""
    from xylem.run.best_match.spilled_ranges import window_bounds

    keys = attributes(size, 1, "uniform", 0)[0]
    random.Random(0).shuffle(keys)
    bounds = [number / 64 for number in range(1, 64)]
    rows = []
    for reach in REACHES:
        windows = [window_bounds(low, high, (-reach, reach)) for low, high in pairwise((-inf, *bounds, inf))]
        seconds, answers = {}, []
        for name, way in (("cells", _by_cells), ("runs", _by_runs)):
            start = time.process_time()
            answers.append(way(keys, bounds, windows, reach))
            seconds[name] = round(time.process_time() - start, 4)
        rows.append({"reach": reach, "seconds": seconds, "rows": sum(answers[0]) if answers[0] == answers[1] else None})
    return rows


Windows = Sequence[tuple[float, float]]


def _by_cells(keys: array[float], bounds: Sequence[float], windows: Windows, reach: float) -> list[int]:
    from xylem.run.best_match.bucket_file import BucketFile
    from xylem.source.kernel import number_column

    with tempfile.TemporaryDirectory(prefix="xylem-best-match-") as folder:
        made = BucketFile(TreePages(folder, MATERIALISED_BYTES, 1 << 40), len(windows), "d", MATERIALISED_BYTES)
        for start in range(0, len(keys), 1 << 13):
            column = number_column()
            column.extend(keys[start : start + (1 << 13)].tobytes())
            for cell, places in column.ranges(bounds, -reach, reach):
                made.append(cell, [column.picked(places)])
        return [len(made.taken(number)[0]) for number in range(len(windows))]


def _by_runs(keys: array[float], bounds: Sequence[float], windows: Windows, reach: float) -> list[int]:
    from xylem.run.best_match.sorted_runs import SortedRuns

    with tempfile.TemporaryDirectory(prefix="xylem-best-match-") as folder:
        made = SortedRuns(TreePages(folder, MATERIALISED_BYTES, 1 << 40), windows, "d", 0, MATERIALISED_BYTES)
        for start in range(0, len(keys), 1 << 13):
            made.append([keys[start : start + (1 << 13)].tobytes()])
        return [len(made.taken(number)[0]) for number in range(len(windows))]


# --- how results come

DELIVERED = (*DISTRIBUTIONS, "uniform, in steps")
_QUERY = f"""for $r in stream("r") for $s in stream("s")
where $r left outer bestmatch join $s on (abs($r - $s)) min {LIMIT} return 1"""


def delivered(size: int = FIXED_SIZE, seed: int = 0) -> dict[str, list[tuple[float, float]]]:
    """For each distribution, how many percent of the results have come after how many percent of the input."""
    return {name: _curve(size, name, seed) for name in DELIVERED}


def _curve(size: int, distribution: str, seed: int) -> list[tuple[float, float]]:
    import xylem

    read = 0

    def items(side: int) -> Iterator[float]:
        nonlocal read
        for value in attributes(size, 1, distribution.partition(",")[0], 2 * seed + side)[0]:
            read += 1
            yield LIMIT * int(value / LIMIT) if "," in distribution else value

    came: list[int] = []
    for _ in xylem.compile(_QUERY).run(streams={"r": items(0), "s": items(1)}):
        came.append(read)
    total = max(len(came), 1)
    points = [(100 * at / (2 * size), 100 * number / total) for number, at in enumerate(came, 1)]
    # One point for each percent of the input is enough for a curve.
    thinned = {int(x): (x, y) for x, y in points}
    return [(0.0, 0.0), *(thinned[x] for x in sorted(thinned))]
