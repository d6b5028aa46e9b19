"""`xylem bench windows`: the cost of an item, by kind of window, by how many are open, and by way to compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

from .windows_engines import LEAST_ITEMS, by_hand, items_for
from .windows_tasks import NAMED, WindowTask
from .worker_process import Limit, best_of

MOST_GROWTH = 2.0
"""The cost of an item with the most open windows may be so many times that with the fewest."""
MOST_MORE_BYTES = 8_000_000
"""How much more memory a hundred times as many items may take: what the runtime keeps for itself."""
MOST_FOR_ALL = 100_000
"""Beyond so many items, the ways that get fewer of them, or hold all, would show nothing new."""
UNHURT = ("Xylem", "Xylem, streamed", "loop by hand", "pandas")
MEMORY_SIZE = 1_000
"""The size of the windows for the measurement of memory."""
MOST_SECONDS = 60.0
"""For one measurement, if nothing else is said."""
INDEXED = ("sliding", "time", "keyed")


@dataclass(frozen=True)
class Measured:
    items: int
    cpu_seconds: float
    peak_rss_bytes: int
    answer: tuple[int, ...]


@dataclass
class SizeFigures:
    """One kind of window of one size."""

    task: WindowTask
    size: int
    items: int
    figures: dict[str, Measured] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def microseconds(self, engine: str) -> float | None:
        """The CPU time for one item."""
        found = self.figures.get(engine)
        return None if found is None else 1e6 * found.cpu_seconds / found.items

    @cached_property
    def agree(self) -> bool:
        """Whether all answers are those of the loop by hand."""
        loop = self.figures.get("loop by hand")
        right = {} if loop is None else {loop.items: loop.answer}
        for count in {found.items for found in self.figures.values()}.difference(right):
            right[count] = by_hand(self.task, self.size, count)
        return all(figures.answer == right[figures.items] for figures in self.figures.values())


@dataclass
class WindowResults:
    sizes: list[SizeFigures]
    memory: dict[str, dict[int, int]]
    """Peak memory of Xylem by kind of window and number of items."""


@dataclass(frozen=True)
class Row:
    """What is to be measured: one kind of window, of one size, over so many items."""

    task: str
    size: int
    items: int


def rows(tasks: Sequence[str], sizes: Sequence[int], lengths: Sequence[int]) -> list[Row]:
    """All combinations. Windows are never longer than a third of the input."""
    return [
        Row(task, size, max(items, LEAST_ITEMS * size)) for items in sorted(lengths) for task in tasks for size in sizes
    ]


def full_rows(tasks: Sequence[str]) -> list[Row]:
    """10⁵ items and windows of every size; 10⁶ with few, some and many open; 10⁷ with some."""
    return [
        *rows(tasks, (10, 100, 1_000, 10_000, 100_000), (100_000,)),
        *rows(tasks, (10, 1_000, 100_000), (1_000_000,)),
        *rows(tasks, (MEMORY_SIZE,), (10_000_000,)),
    ]


def run(
    wanted: Sequence[Row],
    memory_items: Sequence[int],
    engines: Sequence[str],
    repetitions: int,
    progress: Callable[[str], None],
    seconds: float = MOST_SECONDS,
) -> WindowResults:
    """Measure every row by every way; then memory over inputs of several lengths, as far as rows have not told it."""
    found = []
    for number, row in enumerate(wanted, 1):
        left = _for_length(engines, row)

        def told(text: str, number: int = number) -> None:
            progress(f"{number}/{len(wanted)}: {text}")

        found.append(_measure_size(NAMED[row.task], row.size, row.items, left, repetitions, told, seconds))
    tasks = list(dict.fromkeys(row.task for row in wanted))
    return WindowResults(found, _memory(tasks, memory_items, engines, found, progress, seconds))


def _memory(
    tasks: Sequence[str],
    lengths: Sequence[int],
    engines: Sequence[str],
    found: Sequence[SizeFigures],
    progress: Callable[[str], None],
    seconds: float,
) -> dict[str, dict[int, int]]:
    """Peak memory by kind of window, way and number of items; two at a time, since no time is taken."""
    known = {
        (engine, row.task.name, measured.items): measured
        for row in found
        if row.size == MEMORY_SIZE
        for engine, measured in row.figures.items()
    }
    ways = [name for name in engines if name in ("Xylem", "Xylem, streamed")]
    asked = [(way, task, number) for task in tasks for number in lengths for way in ways]

    def one(what: tuple[str, str, int]) -> Measured | str:
        way, task, number = what
        if what in known:
            return known[what]
        progress(f"memory of {task} over {number:,} items, {way}")
        return measure(way, task, MEMORY_SIZE, number, 1, seconds)

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(one, asked))
    memory: dict[str, dict[int, int]] = {}
    for (way, task, number), measured in zip(asked, answers, strict=True):
        if isinstance(measured, Measured):
            told = task if way == "Xylem" else f"{task}, streamed"
            memory.setdefault(told, {})[number] = measured.peak_rss_bytes
    return memory


def _for_length(engines: Sequence[str], row: Row) -> list[str]:
    short = max(MOST_FOR_ALL, LEAST_ITEMS * row.size)
    return [name for name in engines if row.items <= short or name in UNHURT]


def _measure_size(
    task: WindowTask,
    size: int,
    items: int,
    engines: Sequence[str],
    repetitions: int,
    progress: Callable[[str], None],
    seconds: float,
) -> SizeFigures:
    found = SizeFigures(task, size, items)
    for engine in engines:
        progress(f"{task.name} of {size:,} by {engine}")
        given = items_for(engine, task, size, items)
        if given is None:
            found.reasons[engine] = f"it tests each of {size:,} open windows with every item"
            continue
        measured = measure(engine, task.name, size, given, repetitions, seconds)
        if isinstance(measured, Measured):
            found.figures[engine] = measured
        else:
            found.reasons[engine] = measured
    return found


def measure(
    engine: str, task: str, size: int, items: int, repetitions: int, seconds: float = MOST_SECONDS
) -> Measured | str:
    """The best of several runs, each in a process of its own; a reason where there is none."""
    found = best_of(repetitions, "windows_worker", [engine, task, str(size), str(items)], Limit(seconds))
    if not isinstance(found, dict):
        return str(found)
    return Measured(items, found["cpu_seconds"], found["peak_rss_bytes"], tuple(found["answer"]))
