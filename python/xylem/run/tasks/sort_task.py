"""Sorts: a row for each tuple, with the bytes that order it as its key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice, repeat
from operator import add
from typing import Any

from xylem.errors import DynamicError
from xylem.errors.source_text import Span
from xylem.functions.context import Context
from xylem.plan.spread import SpreadPart
from xylem.syntax import ast
from xylem.values.collations import CODEPOINT, Collation, collation

from .answer_text import AnswerText
from .order_key import column_writer, one_value, order_family
from .output_choice import TextChoice
from .part_query import PartCompiler, PartQuery, RunOptions
from .part_task import PartTask, raise_error
from .rows import Row

_TOGETHER = 256
"""Most keys written at once, and most texts joined into one: an answer is written while it is computed."""


class TupleOrder:
    """The order of tuples under `order by`. Keys of mixed families are refused where all rows come together."""

    def __init__(self, specs: Sequence[ast.OrderSpec], span: Span | None) -> None:
        self._specs = specs
        self._span = span
        """The place of the loop."""
        self._known: tuple[Context, list[Callable[[Sequence[Any]], list[bytes]]]] | None = None

    def keys(self, tuples: Sequence[Sequence[Any]], context: Context) -> Sequence[bytes]:
        """The bytes that order tuples, from the values of their keys."""
        known = self._known
        if known is None or known[0] is not context:
            known = self._known = context, self._writers(context)
        if not self._specs:
            return [b""] * len(tuples)
        columns = [write(values) for write, values in zip(known[1], zip(*tuples, strict=True), strict=True)]
        return columns[0] if len(columns) == 1 else list(map(b"".join, zip(*columns, strict=True)))

    def _writers(self, context: Context) -> list[Callable[[Sequence[Any]], list[bytes]]]:
        """For each key, the function that turns its values into bytes."""
        return [
            column_writer(
                chosen_collation(spec.collation, context),
                context.run.implicit_timezone_minutes,
                descending=spec.descending,
                empty_greatest=spec.empty == "greatest",
            )
            for spec in self._specs
        ]

    def check(self, seen: list[str], families: Sequence[str]) -> None:
        """XPTY0004 if a key cannot be compared with earlier ones."""
        for index, family in enumerate(families):
            if family and seen[index] and seen[index] != family:
                told = "keys of one `order by` cannot be compared with each other"
                raise DynamicError("XPTY0004", told, span=self._span)
            seen[index] = seen[index] or family

    @property
    def size(self) -> int:
        return len(self._specs)


def chosen_collation(uri: str | None, context: Context) -> Collation | None:
    """A collation by its URI, or the default one; None is the codepoint collation."""
    found = collation(uri or context.static.default_collation, context.static.base_uri)
    return None if found is CODEPOINT else found


class OrderedRows:
    """Rows of ordered tuples: families of the keys, then the items as in other rows.

    The value of a row: a byte for an error, the length of the families, the families, then the value of the tuple.
    """

    def __init__(self, task: PartTask, order: TupleOrder) -> None:
        self._task = task
        self._order = order
        self._starts: dict[tuple[type, ...], bytes] = {}
        """The beginnings of row values, by the classes of the keys, which determine their families."""

    def rows(
        self,
        arrays: Iterable[Any],
        range_number: int,
        ordinals: Iterator[int],
        writer: AnswerText | None,
        context: Context,
        each_item: bool = False,
    ) -> Iterator[Row]:
        """The rows of arrays [items, keys…]: one for each of them, or for each of their items.

        Holds:  keys and texts of `_TOGETHER` arrays, but no more than the items of one.
        """
        part, row_value = self._task.part.number, self._task.row_value
        tuples: list[list[Any]] = []
        texts: list[bytes] = []

        def made() -> Iterator[Row]:
            keys = self._order.keys(tuples, context)
            values = map(add, self._starts_of(tuples), texts)
            return map(Row, repeat(part), keys, repeat(range_number), ordinals, values)

        for items, *keys in arrays:
            values = [sequence[0] if len(sequence) == 1 else one_value(sequence) for sequence in keys]
            # A tuple without items has a place in the order too: its key may not be comparable with the others.
            if not each_item or (writer is None and not items):
                tuples.append(values)
                texts.append(row_value(items, writer))
            else:
                tuples += [values] * len(items)
                texts += [row_value([item], writer) for item in items]
            if len(tuples) >= _TOGETHER:
                yield from made()
                tuples, texts = [], []
        if tuples:
            yield from made()

    def _starts_of(self, tuples: Sequence[Sequence[Any]]) -> Iterator[bytes]:
        """The beginnings of row values, by the keys."""
        for values in tuples:
            kinds = tuple(map(type, values))
            start = self._starts.get(kinds)
            if start is None:
                told = "\0".join(map(order_family, values)).encode()
                start = self._starts[kinds] = b"\0" + bytes((len(told),)) + told
            yield start

    def plain(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows without their type families, which are checked."""
        for row, start in self._checked(rows, self.nothing_seen()):
            yield row._replace(value=row.value[start:]) if start else row

    def texts(self, rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
        """The flags and the text of each row, like `PartTask.texts`."""
        return self._texts(self._checked(rows, self.nothing_seen()))

    def _texts(self, checked: Iterable[tuple[Row, int]]) -> Iterator[tuple[int, str]]:
        for row, start in checked:
            if not start:
                raise_error(row)
            yield row.value[start], row.value[start + 1 :].decode()

    def texts_together(self, rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
        """Like `texts`, with adjacent elements in one text, since most answers consist only of elements."""
        rest = iter(rows)
        seen = self.nothing_seen()
        while together := list(islice(rest, _TOGETHER)):
            values = [row.value for row in together]
            first = values[0]
            start = first[: 3 + first[1]]
            if first[0] or start[-1] or not all(map(bytes.startswith, values, repeat(start))):
                yield from self._texts(self._checked(together, seen))
                continue
            self.check(together[0], seen)
            size = len(start)
            yield 0, b"".join([value[size:] for value in values]).decode()

    def _checked(self, rows: Iterable[Row], seen: list[str]) -> Iterator[tuple[Row, int]]:
        """Each row with the position where its own value begins; 0 if it carries an error."""
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
        """The families before the first row."""
        return [""] * self._order.size

    def check(self, row: Row, seen: list[str]) -> None:
        """XPTY0004 if the keys of a row cannot be compared with those of earlier rows."""
        self.check_families(self.families(row), seen)

    def families(self, row: Row) -> bytes:
        """The encoded type families of a row's keys."""
        return b"" if row.value[0] else row.value[2 : 2 + row.value[1]]

    def check_families(self, families: bytes, seen: list[str]) -> None:
        """Check encoded families."""
        if seen:
            self._order.check(seen, families.decode().split("\0"))


class OrderedTask(PartTask):
    """A part whose rows are ordered by key."""

    def __init__(self, part: SpreadPart, compiler: PartCompiler, text: TextChoice | None) -> None:
        super().__init__(part, compiler, text)
        self.ordered = OrderedRows(self, TupleOrder(part.orders, part.source.span))

    def items(self, rows: Iterable[Row], run: RunOptions, context: Context) -> Iterator[Any]:
        plain = self.ordered.plain(rows)
        yield from super().items(plain, run, context)
        for _ in plain:
            pass  # Rows beyond the limit: their keys are still checked.

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

    Holds:  one tuple; if only the first items are wanted, about four times as many tuples as items.
    Order:  rows come in the order of the input; the transport sorts them by their keys.
    """

    def __init__(self, part: SpreadPart, compiler: PartCompiler, text: TextChoice | None) -> None:
        super().__init__(part, compiler, text)
        self._query = PartQuery(compiler, part.body)

    def prepare(self) -> None:
        super().prepare()
        self._query.prepare_items()

    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        writer = None if self.text is None else self.text.writer()
        ordinals = count()
        arrays = self._query.items(source, run)
        if self.part.limit is None:
            yield from self.ordered.rows(arrays, range_number, ordinals, writer, context, each_item)
            return
        first = FirstRows(self.part.limit)
        seen = self.ordered.nothing_seen()
        for array in arrays:
            for row in self.ordered.rows((array,), range_number, ordinals, writer, context, each_item):
                # Rows that are left out may have keys that cannot be compared with the others.
                self.ordered.check(row, seen)
                first.add(row, 1 if each_item else len(next(iter(array))))
        yield from first.rows()


class FirstRows:
    """Keeps the rows of one range that can be among the first items of all ranges."""

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
