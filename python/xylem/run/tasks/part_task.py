"""One part of a distributed query: tasks turn ranges into rows, and the driver turns all rows into a value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from xylem.errors import InputError, XylemError
from xylem.functions.context import Context
from xylem.plan.spread import PART_NAMESPACE, SpreadPart, part_variable
from xylem.source.byte_ranges import ByteRange

from ..aggregates.state import Failed
from ..packing import pack_error, pack_items, unpack, unpack_error
from ..pruned_copy import bundled, unbundled
from .answer_text import HAS_ERROR, IS_BUNDLE, AnswerText
from .lookup import LookupTable
from .output_choice import TextChoice
from .part_query import PartCompiler, PartQuery, RunOptions
from .rows import Reducer, Row
from .source_place import noted

PACKED_ITEMS = 256
"""Number of items in one row of packed items."""


class PartTask(ABC):
    """One part. It holds no state of a run."""

    def __init__(self, part: SpreadPart, compiler: PartCompiler, text: TextChoice | None) -> None:
        self.part = part
        self._keys = {lookup.number: PartQuery(compiler, lookup.key) for lookup in part.lookups}
        self.text = text
        """How the text of the answer is written; None if rows hold packed items."""

    def prepare(self) -> None:
        """Compile everything that tasks need before they are sent to other processes, which then compile nothing."""
        for key in self._keys.values():
            key.prepare_value()
        if self.text is not None:
            self.text.prepare()

    def with_lookups(self, run: RunOptions) -> RunOptions:
        """A run with the lookup tables of the part's joins."""
        if not self.part.lookups:
            return run
        tables = {
            (PART_NAMESPACE, f"lookup{lookup.number}"): LookupTable(
                run.variables[part_variable(lookup.part).name.expanded],
                partial(self._keys[lookup.number].function, run),
            )
            for lookup in self.part.lookups
        }
        return replace(run, variables={**run.variables, **tables})

    @property
    def is_text(self) -> bool:
        return self.text is not None

    def rows(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        """The rows of one range. An error of a part that may never be read becomes a row itself."""
        if self.part.is_first_only and range_number:
            return
        rows = self.make(source, range_number, run, context, each_item)
        ordinal = 0
        try:
            for row in rows:
                yield row
                ordinal = row.ordinal + 1
        except XylemError as error:
            noted(self.placed(error), source)
            yield self.error_row(error, range_number, ordinal)

    def error_row(self, error: XylemError, range_number: int, ordinal: int) -> Row:
        """An error as a row, raised when the value of the part is read; raised here if that is certain."""
        if not self.keeps_errors or isinstance(error, InputError):
            raise error
        return Row(self.part.number, b"", range_number, ordinal, bytes((HAS_ERROR,)) + pack_error(error))

    def placed(self, error: XylemError) -> XylemError:
        """An error without a place of its own, placed at the part."""
        return error if isinstance(error, InputError) else error.at(self.part.source.span)

    @property
    def keeps_errors(self) -> bool:
        """Whether an error of a range waits until the value of the part is read, which may never happen."""
        return self.part.is_guarded

    @abstractmethod
    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        """The rows of one range."""

    def reducer(self, run: RunOptions, context: Context) -> Reducer:
        """Reduces all rows of one key to one group; other kinds of parts have no keys."""
        raise ValueError(f"part {self.part.number} is not grouped or joined")

    def merged(self, states: Sequence[bytes], run: RunOptions, context: Context) -> bytes:
        raise ValueError(f"part {self.part.number} is no aggregate")

    def begun(self, state: bytes, run: RunOptions, context: Context) -> bytes:
        raise ValueError(f"part {self.part.number} is no aggregate")

    def combined(self, rows: Iterable[Row], run: RunOptions, context: Context, *, from_first: bool) -> Iterator[Row]:
        """Reduce the number of rows of one key before the final step."""
        return iter(rows)

    def value(self, state: bytes, run: RunOptions, context: Context) -> Sequence[Any]:
        raise ValueError(f"part {self.part.number} is no aggregate")

    # --- all rows

    def items(self, rows: Iterable[Row], run: RunOptions, context: Context) -> Iterator[Any]:
        """The items of the part's value, from rows with packed items."""
        found = (item for row in rows for item in self.plain_items(row))
        return found if self.part.limit is None else islice(found, self.part.limit)

    def texts(self, rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
        """The flags and the text of each row."""
        limited = rows if self.part.limit is None else islice(rows, self.part.limit)
        for row in limited:
            raise_error(row)
            yield row.value[0], row.value[1:].decode()

    def frame_value(self, rows: Iterable[Row], run: RunOptions, context: Context) -> Sequence[Any]:
        """The value of the part's variable; an error in it is raised when it is read.

        An error that ends the rows themselves (input not well formed, task lost) belongs to the run: the query cannot
        catch it or leave it unread.
        """
        coming = _Coming(rows)
        try:
            return list(self.items(coming, run, context))
        except XylemError as error:
            if not self.part.is_guarded or error is coming.error:
                raise
            return Failed.with_error(error)

    # --- values for later stages

    def bound(self, rows: Iterable[Row], run: RunOptions, context: Context) -> bytes:
        """The value of the part, for tasks of later stages."""
        kept = list(rows)
        if kept and self.part.limit is None and all(row.value[0] & IS_BUNDLE for row in kept):
            return bytes((IS_BUNDLE,)) + b"".join(row.value[1:] for row in kept)
        try:
            return b"\0" + pack_items(self.items(kept, run, context))
        except XylemError as error:
            return b"\1" + pack_error(error)

    def bound_value(self, data: bytes, range_number: int) -> Sequence[Any]:
        if data[0] & IS_BUNDLE:
            return unbundled(data[1:])
        if data[0]:
            return Failed.with_error(unpack_error(data[1:]))
        found: Sequence[Any] = unpack(data[1:])
        return found

    # --- order

    def order_families(self, row: Row) -> bytes:
        """The type families of a row's order keys; empty if rows have no order of their own."""
        return b""

    def check_families(self, all_families: Iterable[bytes]) -> None:
        """XPTY0004 if keys of these families cannot all be compared."""
        assert not any(all_families), "rows without an order of their own"

    # --- one row

    def items_of(self, row: Row) -> Sequence[Any]:
        return self.plain_items(row)

    def plain_items(self, row: Row) -> Sequence[Any]:
        """The items of a row with nothing else in its value."""
        raise_error(row)
        found: Sequence[Any] = unbundled(row.value[1:]) if row.value[0] & IS_BUNDLE else unpack(row.value[1:])
        return found

    def text_of(self, row: Row) -> str:
        raise_error(row)
        return row.value[1:].decode()

    # --- for subclasses

    def items_around(self, query: PartQuery, source: Any, run: RunOptions) -> int:
        """The number of items in a range that belong to another: those of elements open at its start come first."""
        around = source.around if self.part.cuts_anywhere and isinstance(source, ByteRange) else None
        if around is None:
            return 0
        # Not counted: they were read in the range where they begin.
        return sum(1 for _ in query.items(around, replace(run, statistics=None)))

    def packed_rows(self, items: Iterable[Any], range_number: int, size: int = PACKED_ITEMS) -> Iterator[Row]:
        """Rows of packed items."""
        rest = iter(items)
        ordinal = 0
        while chunk := list(islice(rest, size)):
            yield self.packed_row(chunk, range_number, ordinal)
            ordinal += 1

    def packed_row(self, items: Sequence[Any], range_number: int, ordinal: int) -> Row:
        """Some items as one row."""
        bundle = bundled(items)
        value = b"\0" + pack_items(items) if bundle is None else bytes((IS_BUNDLE,)) + bundle
        return Row(self.part.number, b"", range_number, ordinal, value)

    def row_value(self, items: Sequence[Any], writer: AnswerText | None) -> bytes:
        """Some adjacent items as the value of a row."""
        if writer is None:
            return b"\0" + pack_items(items)
        flags, text = writer.alone(items)
        return bytes((flags,)) + text.encode()


class _Coming:
    """Rows as they arrive, and the error that ended them."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = rows
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[Row]:
        try:
            yield from self._rows
        except Exception as error:
            self.error = error
            raise


def raise_error(row: Row) -> None:
    """Raise the error that a row carries instead of a value."""
    if row.value[0] & HAS_ERROR:
        raise unpack_error(row.value[1:])
