"""Sorts: a row for each tuple, with the bytes that order it as its key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from xylem.errors import DynamicError, XylemError
from xylem.functions.context import Context
from xylem.plan.spread import SpreadPart
from xylem.syntax import ast
from xylem.values.collations import CODEPOINT, Collation, collation

from .answer_text import AnswerText
from .order_key import key_writer, one_value, order_family
from .output_choice import TextChoice
from .part_query import PartCompiler, PartQuery, RunOptions
from .part_task import PartTask, raise_error
from .rows import Row

_TOGETHER = 256
"""How many texts are one, at most: an answer is written as it comes."""


class TupleOrder:
    """The order that `order by` puts tuples in. Keys of mixed families are refused where all rows come together."""

    def __init__(self, specs: Sequence[ast.OrderSpec]) -> None:
        self._specs = specs
        self._known: tuple[Context, list[Callable[[Any], bytes]]] | None = None
        self._families: dict[tuple[type, ...], tuple[str, ...]] = {}
        """By the classes of the values."""

    def key(self, keys: Sequence[Sequence[Any]], context: Context) -> tuple[bytes, tuple[str, ...]]:
        """The bytes that order a tuple, and the families of its keys."""
        known = self._known
        if known is None or known[0] is not context:
            known = self._known = context, self._writers(context)
        values = [sequence[0] if len(sequence) == 1 else one_value(sequence) for sequence in keys]
        # The class of a value tells its family.
        kinds = tuple(map(type, values))
        families = self._families.get(kinds)
        if families is None:
            families = self._families[kinds] = tuple(map(order_family, values))
        return b"".join([write(value) for write, value in zip(known[1], values, strict=True)]), families

    def _writers(self, context: Context) -> list[Callable[[Any], bytes]]:
        """Of each key, what makes bytes of its values."""
        return [
            key_writer(
                chosen_collation(spec.collation, context),
                context.run.implicit_timezone_minutes,
                descending=spec.descending,
                empty_greatest=spec.empty == "greatest",
            )
            for spec in self._specs
        ]

    def check(self, seen: list[str], families: Sequence[str]) -> None:
        """XPTY0004 where a key has no order with those seen before."""
        for index, family in enumerate(families):
            if family and seen[index] and seen[index] != family:
                raise DynamicError("XPTY0004", "keys of one `order by` cannot be compared with each other")
            seen[index] = seen[index] or family

    @property
    def size(self) -> int:
        return len(self._specs)


def chosen_collation(uri: str | None, context: Context) -> Collation | None:
    """A collation by its URI, or the default one; None is the codepoint collation."""
    found = collation(uri or context.static.default_collation, context.static.base_uri)
    return None if found is CODEPOINT else found


class OrderedRows:
    """Rows of ordered tuples: families of the keys, then the items as they are in other rows.

    The value of a row: a byte for an error, the length of what tells the families, that, then the value of the tuple.
    """

    def __init__(self, task: PartTask, order: TupleOrder) -> None:
        self._task = task
        self._order = order
        self._starts: dict[tuple[str, ...], bytes] = {}
        """What values begin with, by the families of the keys."""

    def rows(
        self,
        array: Any,
        range_number: int,
        ordinal: int,
        writer: AnswerText | None,
        context: Context,
        each_item: bool = False,
    ) -> list[Row]:
        """The row of an array [items, keys…], or one for each of its items."""
        items, *keys = array
        key, families = self._order.key(keys, context)
        start = self._starts.get(families)
        if start is None:
            told = "\0".join(families).encode()
            start = self._starts[families] = b"\0" + bytes((len(told),)) + told
        task = self._task
        # A tuple without items has a place in the order too: its key may have none with the others.
        if not each_item or (writer is None and not items):
            return [Row(task.part.number, key, range_number, ordinal, start + task.row_value(items, writer))]
        return [
            Row(task.part.number, key, range_number, number, start + task.row_value([item], writer))
            for number, item in enumerate(items, ordinal)
        ]

    def plain(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows without what tells the families, which is checked."""
        for row, start in self._checked(rows):
            yield row._replace(value=row.value[start:]) if start else row

    def texts(self, rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
        """How the text of each row begins and ends, and the text, as `PartTask.texts` gives it."""
        for row, start in self._checked(rows):
            if not start:
                raise_error(row)
            yield row.value[start], row.value[start + 1 :].decode()

    def texts_together(self, rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
        """The same, elements that follow each other in one text: most answers are made of nothing else."""
        elements: list[bytes] = []
        error: XylemError | None = None
        try:
            for row, start in self._checked(rows):
                if start and not row.value[start] and len(elements) < _TOGETHER:
                    elements.append(row.value[start + 1 :])
                    continue
                if elements:
                    yield 0, b"".join(elements).decode()
                    elements.clear()
                if not start:
                    raise_error(row)
                yield row.value[start], row.value[start + 1 :].decode()
        except XylemError as found:
            error = found
        if elements:
            yield 0, b"".join(elements).decode()
        if error is not None:
            raise error

    def _checked(self, rows: Iterable[Row]) -> Iterator[tuple[Row, int]]:
        """Each row with the place where its own value begins; 0 where it carries an error."""
        seen = self.nothing_seen()
        before = b""
        for row in rows:
            value = row.value
            if value[0]:
                yield row, 0
                continue
            start = 2 + value[1]
            if value[:start] != before:
                before = value[:start]
                self.check(row, seen)
            yield row, start

    def nothing_seen(self) -> list[str]:
        """The families of the keys, before any row."""
        return [""] * self._order.size

    def check(self, row: Row, seen: list[str]) -> None:
        """XPTY0004 where the keys of a row have no order with those before it."""
        self.check_families(self.families(row), seen)

    def families(self, row: Row) -> bytes:
        """What tells the families of a row's keys."""
        return b"" if row.value[0] else row.value[2 : 2 + row.value[1]]

    def check_families(self, families: bytes, seen: list[str]) -> None:
        """Likewise, by what tells the families."""
        if seen:
            self._order.check(seen, families.decode().split("\0"))


class OrderedTask(PartTask):
    """A part whose rows are ordered by key."""

    def __init__(self, part: SpreadPart, compiler: PartCompiler, text: TextChoice | None) -> None:
        super().__init__(part, compiler, text)
        self.ordered = OrderedRows(self, TupleOrder(part.orders))

    def items(self, rows: Iterable[Row], run: RunOptions, context: Context) -> Iterator[Any]:
        plain = self.ordered.plain(rows)
        yield from super().items(plain, run, context)
        for _ in plain:
            pass  # Rows beyond the limit: their keys are checked all the same.

    def texts(self, rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
        if self.part.limit is None:
            return self.ordered.texts_together(rows)
        return islice(self.ordered.texts(rows), self.part.limit)

    def order_families(self, row: Row) -> bytes:
        return self.ordered.families(row)

    def check_families(self, all_families: Iterable[bytes]) -> None:
        seen = self.ordered.nothing_seen()
        for families in all_families:
            self.ordered.check_families(families, seen)

    def items_of(self, row: Row) -> Sequence[Any]:
        return self.plain_items(next(self.ordered.plain((row,))))

    def text_of(self, row: Row) -> str:
        return super().text_of(next(self.ordered.plain((row,))))


class SortTask(OrderedTask):
    """One loop with `order by`.

    Holds:  one tuple; where only the first items are wanted, about four times as many.
    Order:  rows come in the order of the input; the transport sorts them by their keys.
    """

    def __init__(self, part: SpreadPart, compiler: PartCompiler, text: TextChoice | None) -> None:
        super().__init__(part, compiler, text)
        self._query = PartQuery(compiler, part.body)

    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        writer = None if self.text is None else self.text.writer()
        ordinal = 0
        first = None if self.part.limit is None else FirstRows(self.part.limit)
        seen = self.ordered.nothing_seen()
        for array in self._query.items(source, run):
            for row in self.ordered.rows(array, range_number, ordinal, writer, context, each_item):
                if first is None:
                    yield row
                else:
                    # Rows that are left out may be those that have no order with the others.
                    self.ordered.check(row, seen)
                    first.add(row, 1 if each_item else len(next(iter(array))))
                ordinal += 1
        yield from () if first is None else first.rows()


class FirstRows:
    """Of the rows of one range, those that can be among the first items of all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rows: list[tuple[Row, int]] = []

    def add(self, row: Row, items: int) -> None:
        self._rows.append((row, items))
        if len(self._rows) > 4 * self._limit + 1024:
            self._cut()

    def rows(self) -> Iterator[Row]:
        self._cut()
        return (row for row, _ in self._rows)

    def _cut(self) -> None:
        self._rows.sort(key=lambda entry: (entry[0].key, entry[0].ordinal))
        taken = 0
        for index, (_, items) in enumerate(self._rows):
            if taken >= self._limit:
                del self._rows[index:]
                return
            taken += items
