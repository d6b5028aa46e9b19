"""Forms windows over a stream, batch by batch: without a key on the driver, with one in tasks.

    tasks of the source    items, by bucket of their key
    windows by key         rows shuffled by bucket; a task for each slot, with the state of its keys
    windows of all items   on the driver, when the rows of the batch have come
    driver                 all results, in the order of the items that completed them

A slot has the keys of some buckets. Its state is a file of the checkpoint, like all other state: the task reads that of
the previous batch, unless it has it in memory, and writes the next with the number of the batch. The driver's commit
names the valid files; so a repeated batch begins with the same state, and overwrites the same files.

Spark's own keyed state (transformWithState on RocksDB) was measured at 5.5 to 8.4 thousand rows a second and one
millisecond of CPU for each key that a batch touches, and makes a batch cost a second and more; a slot reads and writes
one file, and its cursors take some hundred thousand items a second.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from xylem.errors import DynamicError
from xylem.functions.event_order import delay
from xylem.plan.distribution import Part, PartKind
from xylem.run.tasks.rows import Row
from xylem.run.tasks.windows_task import CLOCK, Completed, late_text
from xylem.run.windows.late_arrivals import Clock, LateItem, clock

from ..carried_error import carried
from ..shipped_query import ShippedQuery
from .checkpoint import Commit
from .log_source import record_batches
from .merged_rows import TaskRow
from .task import ABOUT, ERROR, ROW_SCHEMA, STATE
from .window_state import StatePlace, held_items, size_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class WindowPart:
    """The windows of one part of one query; sent to tasks."""

    query_number: int
    query_name: str
    query: ShippedQuery
    part: int
    slots: int
    """The number of places for its keys; 1 without a key."""
    folder: str
    each_item: bool
    keeps_late: bool = False
    """Whether items that come too late are returned."""
    run: str = field(default_factory=lambda: uuid4().hex)
    """Distinguishes this run from others with the same checkpoint."""

    def place(self, slot: int) -> StatePlace:
        """The place of a slot's state."""
        return StatePlace(self.folder, state_name(self.query_name, self.part, slot, self.slots), self.run)

    @property
    def clock_name(self) -> str:
        """The name of its event time."""
        return f"{self.query_name}.windows{self.part}"

    def slot_of(self, bucket: bytes) -> int:
        return bucket[0] % self.slots if bucket else 0


def state_name(query: str, part: int, slot: int, slots: int) -> str:
    """The name of a slot's state; the number of slots is fixed once there is one."""
    return f"{query}.windows{part}.{slot}of{slots}"


@dataclass
class SlotReport:
    """The report of a slot on a batch."""

    name: str
    chain: list[str]
    items: int = 0
    """Items of open windows, and those waiting for their turn."""
    keys: int = 0
    bytes: int = 0
    late: int = 0
    """Items that came too late, in this batch."""
    letters: list[str] = field(default_factory=list)
    """The same, if they are kept: JSON."""


@dataclass
class Advanced:
    """The results that a batch completes in one slot."""

    report: SlotReport
    completed: list[Completed] = field(default_factory=list)


def advance(
    part: WindowPart,
    slot: int,
    chain: Sequence[str],
    rows: Iterable[Row],
    batch: int,
    *,
    clock: Clock | None = None,
    is_end: bool = False,
) -> Advanced:
    """Form the windows of a slot with the rows of a batch, in the order of the stream, and save the open ones."""
    place = part.place(slot)
    state = place.load(chain)
    program, options = part.query.program(), part.query.options()
    waited_too_long: list[LateItem] = []
    letters = _Letters(part.query, keeps=part.keeps_late)
    found = program.completed_windows(
        part.part,
        state,
        rows,
        batch,
        is_end=is_end,
        each_item=part.each_item,
        clock=clock,
        late=waited_too_long,
        **options,
    )
    completed = list(found)
    letters.add(waited_too_long)
    made = list(chain) if is_end else place.save(batch, chain, state)
    held = held_items(state)
    report = SlotReport(place.name, made, held, len(state.keys), size_of(state), letters.count, letters.texts)
    return Advanced(report, completed)


class _Letters:
    """The late items of one slot in one batch."""

    def __init__(self, query: ShippedQuery, *, keeps: bool) -> None:
        self._name = query.name
        self._keeps = keeps
        self.count = 0
        self.texts: list[str] = []
        query.late_items().keep = self._take

    def _take(self, item: Any, why: str) -> None:
        from xylem.sink.serialization_parameters import SerializationParameters
        from xylem.sink.serialize import serialize

        self._add(serialize((item,), SerializationParameters(method="adaptive")) if self._keeps else "", why)

    def add(self, late: Iterable[LateItem]) -> None:
        for item in late:
            self._add(late_text(item.data) if self._keeps else "", delay(item.behind))

    def _add(self, text: str, why: str) -> None:
        self.count += 1
        if self._keeps:
            message = f"an item came too late: {why}"
            letter = {"code": "XYDY0012", "message": message, "query": self._name, "record": text}
            self.texts.append(json.dumps(letter))


class FormWindows:
    """The task of a slot: rows of items in, rows of results out; all other rows pass."""

    def __init__(
        self,
        parts: Sequence[WindowPart],
        chains: dict[str, list[str]],
        batch: int,
        clocks: dict[tuple[int, int], Clock] | None = None,
    ) -> None:
        """`clocks`: the event time of the batch, by query and part."""
        self._parts = {(part.query_number, part.part): part for part in parts}
        self._chains = chains
        self._batch = batch
        self._clocks = clocks or {}

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return record_batches(self._rows(batches))

    def _rows(self, batches: Iterator[pa.RecordBatch]) -> Iterator[TaskRow]:
        # Time passes everywhere, with or without items.
        waiting: dict[tuple[int, int, int], list[Row]] = {(*place, _own_slot()): [] for place in self._clocks}
        for batch in batches:
            columns = (batch.column(name).to_pylist() for name in _COLUMNS)
            for query, part, key, number, ordinal, value in zip(*columns, strict=True):
                own = self._parts.get((query, part))
                if own is None:
                    yield query, part, key, number, ordinal, value
                elif key != CLOCK:
                    row = Row(part, key, number, ordinal, value)
                    waiting.setdefault((query, part, own.slot_of(key)), []).append(row)
        for (query, part, slot), rows in waiting.items():
            yield from self._advanced(self._parts[query, part], slot, rows)

    def _advanced(self, part: WindowPart, slot: int, rows: list[Row]) -> Iterator[TaskRow]:
        rows.sort(key=in_stream_order)
        chain = self._chains.get(part.place(slot).name, ())
        clock = self._clocks.get((part.query_number, part.part))
        if not rows and not chain:
            return
        try:
            made = advance(part, slot, chain, rows, self._batch, clock=clock)
        except Exception as error:
            # Spark would retry, and then report it in its own way.
            yield ABOUT, ERROR, b"", 0, part.query_number, carried(error, part.query.text)
            return
        for ordinal, one in enumerate(made.completed):
            yield part.query_number, part.part, one.order, slot, ordinal, one.value
        yield ABOUT, STATE, b"", slot, part.query_number, json.dumps(vars(made.report)).encode()


def _own_slot() -> int:
    """The slot of this task: rows are sent to the task with their slot's number."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    return context.partitionId()


_STATE_NAME = re.compile(r"\.windows\d+\.\d+of(\d+)$")
_COLUMNS = ("query", "part", "key", "range", "ordinal", "value")


def in_stream_order(row: Row) -> tuple[int, int]:
    return row.range, row.ordinal


class WindowStage:
    """The driver's side: sends rows to their slots, and puts results in order."""

    def __init__(self, parts: Sequence[WindowPart], *, state_limit_bytes: int) -> None:
        self._parts = parts
        self._by_key = [part for part in parts if _is_keyed(part)]
        self._here = [part for part in parts if not _is_keyed(part)]
        self._state_limit_bytes = state_limit_bytes
        self._reports: dict[str, SlotReport] = {}
        """The latest report of each slot."""
        self._clocks: dict[str, int] = {}
        self._kept: DataFrame | None = None
        self.late = 0
        """In the last batch."""
        self.letters: list[str] = []
        """Late items of the last batch, if they are kept."""

    # --- one batch

    def formed_by_tasks(self, frame: DataFrame, batch: int, commit: Commit) -> DataFrame:
        """The rows of a batch, with the results of windows by key in place of their items."""
        self._clocks = dict(commit.clocks)
        if not self._by_key:
            return frame
        clocks: dict[tuple[int, int], Clock] = {}
        if any(map(_has_clock, self._by_key)):
            # Read twice: first for the time.
            frame = self._kept = frame.persist()
            clocks = self._told_clocks(frame)
        chains = commit.states
        from pyspark.sql import functions as f

        slots = self._by_key[0].slots
        is_keyed = [(f.col("query") == part.query_number) & (f.col("part") == part.part) for part in self._by_key]
        test = is_keyed[0]
        for other in is_keyed[1:]:
            test = test | other
        # A bucket is one byte; other rows need no slot.
        bucket = f.conv(f.hex(f.col("key")), 16, 10).cast("int")
        slot = f.when(test, bucket % slots).otherwise(f.lit(0))
        own = {name: chain for name, chain in chains.items() if name in self._names(self._by_key)}
        formed = frame.repartitionById(slots, slot)
        return formed.mapInArrow(FormWindows(self._by_key, own, batch, clocks), ROW_SCHEMA)

    def _told_clocks(self, frame: DataFrame) -> dict[tuple[int, int], Clock]:
        """The time before each range of a batch, and after all of them."""
        from pyspark.sql import functions as f

        found = frame.where(f.col("key") == f.lit(CLOCK)).select("query", "part", "range", "value").toArrow()
        ranges: dict[tuple[int, int], dict[int, int]] = {}
        for query, part, number, value in zip(*(column.to_pylist() for column in found.columns), strict=True):
            if query != ABOUT:
                ranges.setdefault((query, part), {})[number] = int(value)
        clocks: dict[tuple[int, int], Clock] = {}
        for part in self._by_key:
            if _has_clock(part):
                place = part.query_number, part.part
                made = clocks[place] = clock(self._clocks.get(part.clock_name), ranges.get(place, {}))
                if made.latest is not None:
                    self._clocks[part.clock_name] = made.latest
        return clocks

    def take(
        self,
        rows: dict[int, dict[int, list[Row]]],
        told: Sequence[bytes],
        batch: int,
        chains: dict[str, list[str]],
    ) -> None:
        """Replace items by results, for windows that are formed here; and return those of all slots in order."""
        if self._kept is not None:
            self._kept.unpersist()
            self._kept = None
        self.late, self.letters = 0, []
        for data in told:
            self._note(SlotReport(**json.loads(data)))
        for part in self._here:
            own = rows.get(part.query_number, {}).pop(part.part, [])
            if own:
                made = advance(part, 0, chains.get(part.place(0).name, ()), own, batch)
                self._note(made.report)
                rows.setdefault(part.query_number, {})[part.part] = _as_rows(part.part, made.completed, batch)
        for part in self._by_key:
            own = rows.get(part.query_number, {}).get(part.part, [])
            if own:
                found = [Completed(row.key, row.value) for row in own]
                rows[part.query_number][part.part] = _as_rows(part.part, found, batch)
        if self.state_bytes > self._state_limit_bytes:
            allowed = f"{self.state_bytes:,} bytes where {self._state_limit_bytes:,} are allowed"
            raise DynamicError("XYRT0023", f"{allowed}, for open windows")

    def at_end(self, chains: dict[str, list[str]], batch: int) -> dict[int, dict[int, list[Row]]]:
        """The results completed by the end of the stream, by query and part."""
        rows: dict[int, dict[int, list[Row]]] = {}
        for part in self._parts:
            found: list[Completed] = []
            for slot in range(part.slots):
                chain = chains.get(part.place(slot).name, ())
                if chain:
                    found += advance(part, slot, chain, (), batch + 1, is_end=True).completed
            rows.setdefault(part.query_number, {})[part.part] = _as_rows(part.part, found, batch + 1)
        self._reports.clear()
        return rows

    # --- state

    def chains(self, before: dict[str, list[str]]) -> dict[str, list[str]]:
        """The files that make up all states, as of the last batch taken."""
        known = {name: chain for name, chain in before.items() if name in self._names(self._parts)}
        return known | {report.name: report.chain for report in self._reports.values()}

    @property
    def clocks(self) -> dict[str, int]:
        """The latest event times, as of the last batch taken."""
        return self._clocks

    @property
    def state_bytes(self) -> int:
        return sum(report.bytes for report in self._reports.values())

    @property
    def held_items(self) -> int:
        return sum(report.items for report in self._reports.values())

    @property
    def keys(self) -> int:
        """The number of keys."""
        names = self._names(self._by_key)
        return sum(report.keys for report in self._reports.values() if report.name in names)

    def _note(self, report: SlotReport) -> None:
        self._reports[report.name] = report
        self.late += report.late
        self.letters += report.letters

    def _names(self, parts: Sequence[WindowPart]) -> set[str]:
        return {part.place(slot).name for part in parts for slot in range(part.slots)}


def _is_keyed(part: WindowPart) -> bool:
    windows = part.query.program().windows(part.part)
    return windows is not None and windows.is_keyed


def _has_clock(part: WindowPart) -> bool:
    windows = part.query.program().windows(part.part)
    return windows is not None and windows.has_clock


def _as_rows(part: int, completed: Iterable[Completed], batch: int) -> list[Row]:
    """Results in the order of the items that completed them, as rows of a batch."""
    in_order = sorted(completed, key=lambda one: one.order)
    return [Row(part, b"", batch << 64, ordinal, one.value) for ordinal, one in enumerate(in_order)]


def fixed_slots(states: Iterable[str]) -> int | None:
    """The number of slots for windows by key, if an existing state fixes it."""
    counts = [int(found[1]) for name in states if (found := _STATE_NAME.search(name)) is not None]
    return max(counts, default=None)


def windows_of(query: ShippedQuery) -> list[Part]:
    """The parts of a query that are windows."""
    return [part for part in query.program().distribution.parts if part.kind is PartKind.WINDOWS]


def window_parts(
    queries: Sequence[tuple[int, str, ShippedQuery]],
    folder: str,
    slots: int,
    *,
    each_item: bool,
    keeps_late: bool = False,
) -> list[WindowPart]:
    """The windows of some queries, by the numbers and names of the queries."""
    found: list[WindowPart] = []
    for number, name, query in queries:
        for part in windows_of(query):
            made = WindowPart(number, name, query, part.number, slots, folder, each_item, keeps_late)
            found.append(made if _is_keyed(made) else replace(made, slots=1))
    return found
