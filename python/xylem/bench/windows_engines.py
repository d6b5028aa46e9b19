"""The ways to compute windows that are compared: each takes a task, a size and a number of items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .windows_tasks import NAMED, WindowTask

Answer = tuple[int, int]
"""How many results, and their sum."""
MOST_TESTS = 10_000_000
"""A way that tests every open window with every item gets fewer items, so that it makes no more tests than this."""
SCANNING = ("Xylem without rules", "Saxon")
"""The ways that do."""


class LeftOut(Exception):
    """Why a way is not measured."""


def _summed(results: Iterable[Any]) -> Answer:
    count = total = 0
    for result in results:
        count += 1
        total += int(result)
    return count, total


def _numbers(items: int) -> Iterator[int]:
    yield from range(1, items + 1)


def _xylem(task: WindowTask, size: int, items: int, without: frozenset[str] = frozenset()) -> Answer:
    from xylem.pipeline import StaticEnvironment, compile_query
    from xylem.source.resources import FileResources

    text = f"declare variable $s as xs:integer** external; {task.query(size)}"
    program = compile_query(text, StaticEnvironment(without_rules=without))
    return _summed(program.run(FileResources(), variables={("", "s"): _numbers(items)}))


def _without_rules(task: WindowTask, size: int, items: int) -> Answer:
    from xylem.rewrite.windows.rules import RULES

    return _xylem(task, size, items, frozenset(rule.name for rule in RULES))


def items_for(engine: str, task: WindowTask, size: int, items: int) -> int | None:
    """How many items a way is given; None where even the fewest would take too long."""
    if engine == "Xylem without rules" and not task.is_standard:
        # It gives all items so far again and again.
        return min(items, 10_000)
    if engine not in SCANNING or not task.opens_many or size * items <= MOST_TESTS:
        return items
    fewer = MOST_TESTS // size
    return fewer if fewer >= 3 * size else None


def by_hand(task: WindowTask, size: int, items: int) -> Answer:
    """The right answer."""
    return _by_hand(task, size, items)


def _by_hand(task: WindowTask, size: int, items: int) -> Answer:
    return _summed(task.loop(_numbers(items), size))


def _saxon(task: WindowTask, size: int, items: int) -> Answer:
    if not task.is_standard:
        raise LeftOut("it has no landmark windows")
    try:
        from saxonche import PySaxonProcessor
    except ImportError as missing:
        raise LeftOut("it is not installed") from missing
    processor = PySaxonProcessor(license=False)
    query = processor.new_xquery_processor()
    text = f"let $s := 1 to {items} let $r := ({task.query(size)}) return (count($r), sum($r))"
    query.set_query_content(text)
    found = query.run_query_to_value()
    return int(found.item_at(0).string_value), int(found.item_at(1).string_value)


def _pandas(task: WindowTask, size: int, items: int) -> Answer:
    if not task.pandas:
        raise LeftOut("it has no such window")
    try:
        import pandas
    except ImportError as missing:
        raise LeftOut("it is not installed") from missing
    column = pandas.Series(range(1, items + 1), dtype="int64")
    if task.pandas == "rolling":
        found = column.rolling(size).sum().dropna()
    else:
        found = column.groupby(column.index // size).sum()
    return len(found), int(found.astype("int64").sum())


ENGINES: dict[str, Callable[[WindowTask, int, int], Answer]] = {
    "Xylem": _xylem,
    "Xylem without rules": _without_rules,
    "Saxon": _saxon,
    "loop by hand": _by_hand,
    "pandas": _pandas,
}


def answer(engine: str, task: str, size: int, items: int) -> Answer:
    """What a way gives; LeftOut where it cannot, or would take too long."""
    return ENGINES[engine](NAMED[task], size, items)
