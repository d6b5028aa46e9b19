"""The ways to compute windows that are compared: each takes a task, a size and a number of items."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from shutil import which
from typing import Any

from .windows_tasks import NAMED, WindowTask

Answer = tuple[int, int]
"""How many results, and their sum."""
MOST_TESTS = 2_000_000
"""A way that tests every open window with every item gets fewer items, so that it makes no more tests than this."""
LEAST_ITEMS = 2
"""Times the size of a window: fewer would not show how many are open."""
SCANNING = ("Xylem without rules", "tree, window by window", "Saxon", "BaseX")
STARTED_ANEW = ("BaseX",)
"""The ways that start a process of their own for each answer."""
"""The ways that do."""
ON_A_TREE = ("tree, window by window",)
MOST_ON_A_TREE = 300_000
"""A way that holds the whole document gets no more items."""


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


def _document(items: int) -> Iterator[bytes]:
    """The items as a document, as it comes from a file."""
    yield b"<s>"
    for start in range(1, items + 1, 4096):
        yield "".join(f"<i>{number}</i>" for number in range(start, min(start + 4096, items + 1))).encode()
    yield b"</s>"


def _streamed(task: WindowTask, size: int, items: int) -> Answer:
    """Scanned, given to the windows and forgotten."""
    from xylem.pipeline import StaticEnvironment, compile_stream
    from xylem.source.resources import FileResources

    text = task.query(size).replace("in $s ", "in /s/i/xs:integer(.) ")
    program = compile_stream(text, StaticEnvironment())
    assert program.feeds_windows
    return _summed(program.run(_document(items), FileResources()))


def _iterparse(task: WindowTask, size: int, items: int) -> Answer:
    """The loop by hand over the same document, as it is written with lxml's iterparse."""
    from io import BytesIO

    try:
        from lxml import etree
    except ImportError as missing:
        raise LeftOut("it is not installed") from missing

    def numbers() -> Iterator[int]:
        for _, element in etree.iterparse(BytesIO(b"".join(_document(items))), tag="i"):
            number = int(element.text)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
            yield number

    return _summed(task.loop(numbers(), size))


def _over_a_tree(task: WindowTask, size: int, items: int) -> Answer:
    """As engines do that keep documents as trees: first the tree, then every open window asked for every item."""
    from xylem.pipeline import StaticEnvironment, compile_query
    from xylem.rewrite.windows.rules import RULES
    from xylem.source.resources import FileResources
    from xylem.source.xml_reader import read_document

    document = read_document(b"".join(_document(items)))
    text = task.query(size).replace("in $s ", "in /s/i/xs:integer(.) ")
    environment = StaticEnvironment(without_rules=frozenset(rule.name for rule in RULES))
    return _summed(compile_query(text, environment).run(FileResources(), context=[document]))


def _basex(task: WindowTask, size: int, items: int) -> Answer:
    """BaseX by its command, where there is one; `windows_worker.py` takes away the time of its start."""
    if not task.is_standard:
        raise LeftOut("it has no landmark windows")
    command = which("basex")
    if command is None:
        raise LeftOut("it is not installed")
    text = f"let $s := 1 to {items} let $r := ({task.query(size)}) return string-join((count($r), sum($r)), ' ')"
    ended = subprocess.run([command, text], capture_output=True, text=True, check=True)
    count, total = ended.stdout.split()
    return int(count), int(total)


def items_for(engine: str, task: WindowTask, size: int, items: int) -> int | None:
    """How many items a way is given; None where even the fewest would take too long."""
    if engine in ("Xylem without rules", *ON_A_TREE) and not task.is_standard:
        # It gives all items so far again and again.
        return min(items, 10_000)
    if engine in ON_A_TREE:
        items = min(items, MOST_ON_A_TREE)
    if engine not in SCANNING or not task.opens_many or size * items <= MOST_TESTS:
        return items
    fewer = MOST_TESTS // size
    return fewer if fewer >= LEAST_ITEMS * size else None


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
    elif task.pandas == "time":
        column.index = pandas.to_datetime(column, unit="s")
        found = column.rolling(f"{size + 1}s").count()[size:]
    else:
        found = column.groupby(column.index // size).sum()
    return len(found), int(found.astype("int64").sum())


ENGINES: dict[str, Callable[[WindowTask, int, int], Answer]] = {
    "Xylem": _xylem,
    "Xylem, streamed": _streamed,
    "Xylem without rules": _without_rules,
    "tree, window by window": _over_a_tree,
    "Saxon": _saxon,
    "BaseX": _basex,
    "loop by hand": _by_hand,
    "loop over iterparse": _iterparse,
    "pandas": _pandas,
}


def answer(engine: str, task: str, size: int, items: int) -> Answer:
    """What a way gives; LeftOut where it cannot, or would take too long."""
    return ENGINES[engine](NAMED[task], size, items)
