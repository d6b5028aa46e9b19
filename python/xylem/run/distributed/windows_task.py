"""Windows over a stream: tasks find its items and tell their keys; where a key has its place, windows are formed.

A row of a task holds items of one bucket, a number that follows from the key; what forms the windows has all rows of
some buckets, in the order of the stream. Without a key there is one bucket.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple
from zlib import crc32

from xylem.functions.context import Context
from xylem.plan.spread import SpreadPart
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.values.node import ELEMENT, Node
from xylem.values.sequence_type import NodeItem

from ..evaluator.program import Program
from ..evaluator.resumed_windows import RESUMED_WINDOWS
from ..windows.resumed import Order, ResumedWindows, WindowState
from .answer_text import AnswerText
from .group_key import group_key
from .map_task import MapTask
from .output_choice import TextChoice
from .packing import pack_items, unpack
from .part_query import PartCompiler, PartQuery, RunOptions
from .part_task import PartTask
from .pruned_copy import unbundled
from .rows import Row

BUCKETS = 64
_ITEMS = 512
"""In one row."""
_WITHIN_BATCH = (1 << 64) - 1
"""The bits of the number of a range that tell it from others of its batch."""
_AS_TEXT, _AS_LIST = b"t", b"l"
_XML = SerializationParameters(omit_xml_declaration=True)


class Arrival(NamedTuple):
    """An item of the stream, still packed."""

    batch: int
    range: int
    ordinal: int

    @property
    def order(self) -> Order:
        return struct.pack(">QQQ", self.batch, self.range, self.ordinal)


class Completed(NamedTuple):
    """Results of windows, with what completed them."""

    order: Order
    value: bytes


@dataclass
class _Bucket:
    ordinals: list[int]
    items: list[Any]


class WindowsTask(PartTask):
    """The items of a range, by bucket; and the windows over them.

    Holds:  in a task, some hundred items of each bucket; where windows are formed, those of a batch, and the state.
    Order:  that in which windows are complete.
    """

    def __init__(self, part: SpreadPart, compiler: PartCompiler, text: TextChoice | None) -> None:
        super().__init__(part, compiler, text)
        assert part.windowed is not None
        self._compiler = compiler
        self._windowed = part.windowed
        self._items = MapTask(part, compiler, TextChoice(_XML, (), compiler) if self._is_plain else None)
        self._query = PartQuery(compiler, part.body)
        self._key = None if part.windowed.key is None else PartQuery(compiler, part.windowed.key)

    @property
    def is_keyed(self) -> bool:
        return self._windowed.key is not None

    @property
    def _is_plain(self) -> bool:
        """Whether the scan can write all that is needed of the items: elements, and nothing else is asked of them."""
        kind = self._compiler.type_of(self.part.body).item
        return not self.is_keyed and isinstance(kind, NodeItem) and kind.kind == ELEMENT

    @cached_property
    def program(self) -> Program:
        """The query over the items; XYST0010 where it waits for an end that does not come."""
        return self._compiler.over_tree(self._windowed.query)

    # --- in tasks

    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        if self._is_plain:
            for row in self._items.make(source, range_number, run, context, False):
                yield row._replace(value=_AS_TEXT + row.value[1:])
            return
        yield from self._bucketed(self._query.items(source, run), range_number, run, context)

    def _bucketed(
        self, items: Iterable[Any], range_number: int, run: RunOptions, context: Context
    ) -> Iterator[Row]:
        key_of = None if self._key is None else self._key.function(run)
        zone = context.run.implicit_timezone_minutes
        buckets: dict[int, _Bucket] = {}
        for ordinal, item in enumerate(items):
            number = 0
            if key_of is not None:
                keys = list(key_of((item,)))
                number = crc32(group_key(keys[:1], [None] * len(keys[:1]), zone)) % BUCKETS if keys else 0
            bucket = buckets.get(number)
            if bucket is None:
                bucket = buckets[number] = _Bucket([], [])
            bucket.ordinals.append(ordinal)
            bucket.items.append(item)
            if len(bucket.items) >= _ITEMS:
                yield self._row(number, range_number, bucket)
                del buckets[number]
        for number, bucket in buckets.items():
            yield self._row(number, range_number, bucket)

    def _row(self, number: int, range_number: int, bucket: _Bucket) -> Row:
        value = _AS_LIST + pickle.dumps((bucket.ordinals, *_packed(bucket.items)), protocol=pickle.HIGHEST_PROTOCOL)
        return Row(self.part.number, bytes((number,)), range_number, bucket.ordinals[0], value)

    # --- where windows are formed

    def completed(
        self,
        state: WindowState,
        rows: Iterable[Row],
        batch: int,
        run: RunOptions,
        *,
        is_end: bool = False,
        each_item: bool = False,
    ) -> Iterator[Completed]:
        """What the items of a batch complete, with rows in the order of the stream; the state is that after them."""
        windows = ResumedWindows(state, _arrivals(rows, batch), is_end, run.limits.held_items)
        own = RunOptions(run.resources, {**run.variables, RESUMED_WINDOWS: windows}, run.environment, run.now)
        results = self.program.run(
            own.resources,
            variables=own.variables,
            environment=own.environment,
            now=own.now,
            held_items=run.limits.held_items,
        )
        writer = None if self.text is None else self.text.writer()
        if each_item:
            for item in results:
                yield Completed(windows.order, self.row_value((item,), writer))
        elif self.is_keyed:
            together = groupby(results, lambda _: windows.order)
            for order, items in together:
                yield Completed(order, self.row_value(list(items), writer))
        else:
            yield from self._in_few_rows(results, windows, writer)

    def _in_few_rows(
        self, results: Iterator[Any], windows: ResumedWindows, writer: AnswerText | None
    ) -> Iterator[Completed]:
        """Some results together: nothing of other places comes between them."""
        held: list[Any] = []
        for item in results:
            held.append(item)
            if len(held) >= _ITEMS:
                yield Completed(windows.order, self.row_value(held, writer))
                held = []
        if held:
            yield Completed(windows.order, self.row_value(held, writer))


def _packed(items: Sequence[Any]) -> tuple[bool, bytes]:
    """Items as bytes, and whether they are elements one after another."""
    if all(type(item) is Node and item.kind == ELEMENT for item in items):
        return True, "".join([serialize((item,), _XML) for item in items]).encode()
    return False, pack_items(items)


def _arrivals(rows: Iterable[Row], batch: int) -> Iterator[tuple[Order, Any]]:
    """The items of some rows in the order of the stream."""
    for number, together in groupby(rows, lambda row: row.range):
        texts: list[bytes] = []
        listed: list[tuple[int, Any]] = []
        for row in together:
            if row.value[:1] == _AS_TEXT:
                texts.append(row.value[1:])
                continue
            ordinals, is_xml, data = pickle.loads(row.value[1:])
            listed += zip(ordinals, unbundled(data) if is_xml else unpack(data), strict=True)
        # The text of an item may end in another row than it began.
        listed += enumerate(unbundled(b"".join(texts))) if texts else ()
        listed.sort(key=lambda entry: entry[0])
        for ordinal, item in listed:
            yield Arrival(batch, number & _WITHIN_BATCH, ordinal).order, item
