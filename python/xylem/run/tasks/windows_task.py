"""Windows over a stream: some tasks find the items and their keys, others form the windows of each key.

A row holds items of one bucket, a number computed from the key. A task that forms windows gets all rows of some
buckets, in the order of the stream. Without a key there is one bucket.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple
from zlib import crc32

from xylem.errors import DynamicError
from xylem.functions.context import Context
from xylem.functions.event_order import Late, bound_of, event_time, policy_of, refuse
from xylem.plan.part_names import RESUMED_WINDOWS
from xylem.plan.spread import KEY_OF_SENT, SENT, SpreadPart
from xylem.sink.character_expansion import unescaped
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.values.atomize import atomize
from xylem.values.node import ELEMENT, Node
from xylem.values.sequence_type import NodeItem

from ..packing import pack, pack_items, unpack
from ..program import Program
from ..pruned_copy import unbundled
from ..windows.kept_items import xml_of
from ..windows.late_arrivals import Clock, LateItem, TimedItem, WaitingItems, stream_order
from ..windows.resumed import Order, ResumedWindows, WindowState
from .answer_text import AnswerText
from .group_key import group_key
from .map_task import MapTask
from .output_choice import TextChoice
from .part_query import PartCompiler, PartQuery, RunOptions
from .part_task import PartTask
from .rows import Row

BUCKETS = 64
CLOCK = b"\xff"
"""The key of rows that report the latest event time of a range."""
_ITEMS = 512
"""Number of items in one row."""
_WITHIN_BATCH = (1 << 64) - 1
"""Number of low bits of a range number that distinguish ranges of one batch."""
_AS_TEXT, _AS_LIST = b"t", b"l"
_XML = SerializationParameters(omit_xml_declaration=True)
_BEGIN_LENGTH = len(f'<{SENT} {KEY_OF_SENT}="')
_END_OF_SENT = f"</{SENT}>"


class Completed(NamedTuple):
    """Results of windows, with their order."""

    order: Order
    value: bytes


@dataclass
class _Bucket:
    """Items collected for one bucket; with event time also their times, and the latest time before each."""

    ordinals: list[int] = field(default_factory=list)
    items: list[Any] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    before: list[int | None] = field(default_factory=list)


class WindowsTask(PartTask):
    """The items of a range, by bucket; and the windows over them.

    Holds:  in a task that finds items, some hundred items of each bucket; in one that forms windows, the items of a
            batch, and the state.
    Order:  that in which windows become complete.
    """

    def __init__(self, part: SpreadPart, compiler: PartCompiler, text: TextChoice | None) -> None:
        super().__init__(part, compiler, text)
        assert part.windowed is not None
        self._compiler = compiler
        self._windowed = part.windowed
        self._items = self._written_items()
        self._query = PartQuery(compiler, part.body)
        self._key = None if part.windowed.key is None else PartQuery(compiler, part.windowed.key)
        self._time = None if part.windowed.time is None else PartQuery(compiler, part.windowed.time)

    @property
    def is_keyed(self) -> bool:
        return self._windowed.key is not None

    @property
    def goes_on_by_batches(self) -> bool:
        """Whether window results kept batch by batch equal those of one process at the end.

        Windows by key give results in another order than over a finite input, and an expression over all results would
        show it.
        """
        return self.is_text or not self.is_keyed

    @property
    def has_clock(self) -> bool:
        """Whether the tasks that form windows need the event time of a batch."""
        return self._time is not None

    def _written_items(self) -> MapTask | None:
        """The items in the form that the scan can write: elements without a key, or with a text key."""
        kind = self._compiler.type_of(self.part.body).item
        if not isinstance(kind, NodeItem) or kind.kind != ELEMENT:
            return None
        text = TextChoice(_XML, (), self._compiler)
        if self._windowed.sent is not None:
            sent = MapTask(replace(self.part, body=self._windowed.sent), self._compiler, text)
            if sent.query.is_streamed and sent.query.copy_namespaces == (True, True):
                return sent
        return None if self.is_keyed else MapTask(self.part, self._compiler, text)

    @cached_property
    def program(self) -> Program:
        """The query over the items; XYST0010 if it waits for an end that never comes."""
        return self._compiler.over_tree(self._windowed.query)

    # --- in tasks

    def prepare(self) -> None:
        super().prepare()
        if self._items is not None:
            self._items.prepare()
        else:
            self._query.prepare_items()
        for query in (self._key, self._time):
            if query is not None:
                query.prepare_value()
        self.program  # noqa: B018 - compiled here, if it is not yet

    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        if self._items is not None:
            rows = self._items.make(source, range_number, run, context, False)
            if self.is_keyed:
                yield from self._sent_by_key(rows, range_number, context)
            else:
                for row in rows:
                    yield row._replace(value=_AS_TEXT + row.value[1:])
            return
        yield from self._bucketed(self._query.items(source, run), range_number, run, context)

    def _sent_by_key(self, rows: Iterable[Row], range_number: int, context: Context) -> Iterator[Row]:
        """The items that the scan has written, by bucket."""
        zone = context.run.implicit_timezone_minutes
        numbers: dict[str, int] = {}
        buckets: dict[int, _Bucket] = {}
        ordinal, rest = 0, ""
        for row in rows:
            # The text of an item may span several rows.
            *written, rest = f"{rest}{row.value[1:].decode()}".split(_END_OF_SENT)
            for text in written:
                told, _, item = text[_BEGIN_LENGTH:].partition('">')
                number = numbers.get(told)
                if number is None:
                    number = numbers[told] = _bucket(unescaped(told[1:]), zone) if told else 0
                bucket = buckets.get(number)
                if bucket is None:
                    bucket = buckets[number] = _Bucket()
                bucket.ordinals.append(ordinal)
                bucket.items.append(item)
                ordinal += 1
                if len(bucket.items) >= _ITEMS:
                    yield self._sent_row(number, range_number, buckets.pop(number))
        for number, bucket in buckets.items():
            yield self._sent_row(number, range_number, bucket)

    def _sent_row(self, number: int, range_number: int, bucket: _Bucket) -> Row:
        value = _AS_LIST + pack((bucket.ordinals, True, "".join(bucket.items).encode()))
        return Row(self.part.number, bytes((number,)), range_number, bucket.ordinals[0], value)

    def _bucketed(self, items: Iterable[Any], range_number: int, run: RunOptions, context: Context) -> Iterator[Row]:
        key_of = None if self._key is None else self._key.function(run)
        time_of = None if self._time is None else self._time.function(run)
        latest: int | None = None
        zone = context.run.implicit_timezone_minutes
        buckets: dict[int, _Bucket] = {}
        for ordinal, item in enumerate(items):
            number = 0
            if key_of is not None:
                keys = list(key_of((item,)))
                number = _bucket(keys[0], zone) if keys else 0
            bucket = buckets.get(number)
            if bucket is None:
                bucket = buckets[number] = _Bucket()
            if time_of is not None:
                time = event_time(_only(time_of((item,))), zone)
                bucket.times.append(time)
                bucket.before.append(latest)
                latest = time if latest is None else max(latest, time)
            bucket.ordinals.append(ordinal)
            bucket.items.append(item)
            if len(bucket.items) >= _ITEMS:
                yield self._row(number, range_number, bucket)
                del buckets[number]
        for number, bucket in buckets.items():
            yield self._row(number, range_number, bucket)
        if latest is not None:
            yield Row(self.part.number, CLOCK, range_number, 0, str(latest).encode())

    def _row(self, number: int, range_number: int, bucket: _Bucket) -> Row:
        if self._time is not None:
            content: tuple[Any, ...] = bucket.ordinals, bucket.times, bucket.before, _each_packed(bucket.items)
        else:
            content = bucket.ordinals, *_packed(bucket.items)
        value = _AS_LIST + pack(content)
        return Row(self.part.number, bytes((number,)), range_number, bucket.ordinals[0], value)

    # --- where windows are formed

    def completed(
        self,
        state: WindowState,
        rows: Iterable[Row],
        batch: int,
        run: RunOptions,
        context: Context,
        *,
        is_end: bool = False,
        each_item: bool = False,
        clock: Clock | None = None,
        late: list[LateItem] | None = None,
    ) -> Iterator[Completed]:
        """The results that the items of a batch complete, with rows in stream order, and the state after them.

        `clock`: the event time of the batch, for windows by key; `late` receives the items that came too late.
        """
        arrivals = _arrivals(rows, batch)
        if self._time is not None:
            arrivals = self._in_time(state, rows, batch, clock, late if late is not None else [])
        windows = ResumedWindows(state, arrivals, is_end, run.limits.held_items)
        own = RunOptions(run.resources, {**run.variables, RESUMED_WINDOWS: windows}, run.environment, run.now)
        results = self.program.run(
            own.resources,
            variables=own.variables,
            environment=own.environment,
            now=own.now,
            held_items=run.limits.held_items,
        )
        yield from self._given(results, windows, run, context, each_item)

    def _given(
        self, results: Iterator[Any], windows: ResumedWindows, run: RunOptions, context: Context, each_item: bool
    ) -> Iterator[Completed]:
        """Results in the form sent between processes."""
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

    def _in_time(
        self, state: WindowState, rows: Iterable[Row], batch: int, clock: Clock | None, late: list[LateItem]
    ) -> Iterator[tuple[Order, Any]]:
        """The items whose turn has come; without a clock, at the end of the stream, all waiting items."""
        if state.event_time is None:
            state.event_time = WaitingItems()
        waiting: WaitingItems = state.event_time
        bound, policy = bound_of(self._windowed.watermark), policy_of(self._windowed.late)
        watermark = None
        if clock is not None:
            late += waiting.take(_timed(rows, batch), clock, bound, policy)
            if late and policy is Late.STOP:
                refuse(None, late[0].behind, policy, None)
            watermark = None if clock.latest is None else clock.latest - bound
            if watermark is None:
                return
        released = list(waiting.released(watermark))
        for is_xml, run in groupby(released, lambda entry: entry[1][:1] == _AS_TEXT):
            some = list(run)
            data = [entry[1][1:] for entry in some]
            items = unbundled(b"".join(data)) if is_xml else [item for one in data for item in unpack(one)]
            yield from zip((entry[0] for entry in some), items, strict=True)

    def _in_few_rows(
        self, results: Iterator[Any], windows: ResumedWindows, writer: AnswerText | None
    ) -> Iterator[Completed]:
        """Merge results into few rows, since nothing from other places comes between them."""
        held: list[Any] = []
        for item in results:
            held.append(item)
            if len(held) >= _ITEMS:
                yield Completed(windows.order, self.row_value(held, writer))
                held = []
        if held:
            yield Completed(windows.order, self.row_value(held, writer))


def _bucket(key: Any, zone: int) -> int:
    return crc32(group_key((key,), (None,), zone)) % BUCKETS


def _packed(items: Sequence[Any]) -> tuple[bool, bytes]:
    """Items as bytes, and whether they are concatenated elements."""
    if all(type(item) is Node and item.kind == ELEMENT for item in items):
        return True, serialize(items, _XML).encode()
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
            ordinals, is_xml, data = unpack(row.value[1:])
            listed += zip(ordinals, unbundled(data) if is_xml else unpack(data), strict=True)
        # The text of an item may span several rows.
        listed += enumerate(unbundled(b"".join(texts))) if texts else ()
        listed.sort(key=lambda entry: entry[0])
        for ordinal, item in listed:
            yield stream_order(batch, number & _WITHIN_BATCH, ordinal), item


def _timed(rows: Iterable[Row], batch: int) -> Iterator[tuple[int, TimedItem]]:
    """The items of some rows with their times, and the numbers of their ranges."""
    for row in rows:
        number = row.range & _WITHIN_BATCH
        for ordinal, time, before, data in zip(*unpack(row.value[1:]), strict=True):
            yield number, TimedItem(time, stream_order(batch, number, ordinal), before, data)


def _each_packed(items: Sequence[Any]) -> list[bytes]:
    if all(type(item) is Node and item.kind == ELEMENT for item in items):
        return [_AS_TEXT + text.encode() for text in xml_of(items)]
    return [_AS_LIST + pack_items((item,)) for item in items]


def late_text(data: bytes) -> str:
    """A readable form of an item that came too late."""
    if data[:1] == _AS_TEXT:
        return data[1:].decode()
    return " ".join(serialize((item,), SerializationParameters(method="adaptive")) for item in unpack(data[1:]))


def _only(values: Any) -> Any:
    found = list(atomize(values))
    if len(found) > 1:
        raise DynamicError("XYDY0011", "there are several values")
    return found[0] if found else None
