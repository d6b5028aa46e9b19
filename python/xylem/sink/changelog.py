"""The change log of an answer: rows that, replayed in order, give every display.

    {"seq": 1, "commit": 1, "t": 0, "query": "q", "op": "insert", "region": 1, "place": 0, "old": null, "new": "<a/>"}

A region is a part of the answer: an item with its separator from the one before, or, for an element around changing
parts, each of its tags and each of these parts. `place` is its index among all parts when the row is applied. `insert`
puts `new` there, `replace` puts it for `old`, `remove` takes `old` out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Literal

from xylem.values.saved_state import saved

from .display_edits import Edit, Edits, Part
from .display_parts import DisplayParts, Shown

Op = Literal["insert", "replace", "remove"]
Envelope = Literal["append", "upsert", "retract", "debezium"]
Tombstone = Literal["none", "instead", "after"]
"""Whether a message without a value replaces a removal, or follows it, in a topic by key."""


@dataclass(frozen=True)
class ChangeRow:
    """One change of an answer."""

    seq: int
    commit: int
    time: Decimal
    query: str
    op: Op
    region: int
    place: int
    old: str | None
    new: str | None


@saved("change-log", 2, fields=("_state", "_rows", "_last_region"))
class ChangeLog:
    """Reports the change of each region of an answer from one commit to the next.

    Holds:  the parts of the answer, each with the number of its region.
    """

    def __init__(self, query: str) -> None:
        self._query = query
        self._parts = DisplayParts()
        self._rows = 0
        self._last_region = 0

    def rows(self, commit: int, time: Decimal, edits: Edits) -> list[ChangeRow]:
        """The changes for the edits of a commit."""
        found: list[ChangeRow] = []
        for place, old, before, new in self._parts.apply(edits):
            for change in self._changes(place, old, before, new):
                self._rows += 1
                found.append(ChangeRow(self._rows, commit, time, self._query, *change))
        return found

    def _changes(
        self, place: int, old: Sequence[Shown], before: Sequence[str], new: Sequence[Shown]
    ) -> Iterator[tuple[Op, int, int, str | None, str | None]]:
        common = min(len(old), len(new))
        for offset in range(common):
            if before[offset] != new[offset].text:
                yield "replace", old[offset].region, place + offset, before[offset], new[offset].text
        for offset in range(common, len(old)):
            yield "remove", old[offset].region, place + common, before[offset], None
        for offset in range(common, len(new)):
            shown = new[offset]
            self._last_region += 1
            shown.region = self._last_region
            yield "insert", shown.region, place + offset, None, shown.text

    # --- from one run to the next

    @property
    def _state(self) -> list[tuple[str, int, int]]:
        return [(*shown.part, shown.region) for shown in self._parts]

    @_state.setter
    def _state(self, state: Sequence[tuple[str, int, int]]) -> None:
        self._parts = DisplayParts()
        self._parts.apply([Edit(0, 0, [(text, sequence) for text, sequence, _ in state])])
        for shown, (_, _, region) in zip(self._parts, state, strict=True):
            shown.region = region


@saved("append-log", 1, fields=("rows_given", "_sequence"))
class AppendLog:
    """The log of an answer that only grows."""

    def __init__(self, query: str) -> None:
        self._query = query
        self._sequence = 0
        """Sequence number of the last part, whose values are separated."""
        self.rows_given = 0

    def rows(self, commit: int, time: Decimal, parts: Iterable[Part]) -> Iterator[ChangeRow]:
        """The rows for parts appended after all others."""
        for text, sequence in parts:
            shown = f" {text}" if sequence and sequence == self._sequence else text
            self._sequence = sequence
            place, self.rows_given = self.rows_given, self.rows_given + 1
            yield ChangeRow(self.rows_given, commit, time, self._query, "insert", self.rows_given, place, None, shown)


def replayed(parts: list[str], row: ChangeRow) -> None:
    """Apply a row to the parts of a display."""
    if row.op == "insert":
        parts.insert(row.place, row.new or "")
    elif row.op == "remove":
        del parts[row.place]
    else:
        parts[row.place] = row.new or ""


def seconds_text(time: Decimal) -> str:
    """A time as a JSON number, exact."""
    text = format(time, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def commit_line(commit: int, time: Decimal, display: str) -> str:
    """The answer after a commit, as a line of JSON; `display` is a string of JSON."""
    return f'{{"commit": {commit}, "t": {seconds_text(time)}, "display": {display}}}'


def json_text(display: str) -> str:
    return encode_basestring(display)


class ChangeText(str):
    """A row as text. It knows its region: a store by key keeps the last row of each."""

    region: int
    tombstone: Tombstone

    @classmethod
    def of(cls, row: ChangeRow, text: str, tombstone: Tombstone = "none") -> ChangeText:
        made = cls(text)
        made.region = row.region
        made.tombstone = tombstone if row.op == "remove" else "none"
        return made

    def keyed(self) -> list[tuple[str, str | None]]:
        """The row as messages by key. One without a value removes its key from a compacted topic."""
        key = str(self.region)
        if self.tombstone == "instead":
            return [(key, None)]
        return [(key, str(self)), (key, None)] if self.tombstone == "after" else [(key, str(self))]


def change_line(row: ChangeRow) -> ChangeText:
    """A row as a line of JSON."""
    head = f'{{"seq": {row.seq}, "commit": {row.commit}, "t": {seconds_text(row.time)}, "query": {_json(row.query)}, '
    place = f'"op": "{row.op}", "region": {row.region}, "place": {row.place}, '
    return ChangeText.of(row, f'{head}{place}"old": {_json(row.old)}, "new": {_json(row.new)}}}')


def change_lines(row: ChangeRow, envelope: Envelope) -> Iterator[ChangeText]:
    """A row in an envelope for other systems: keyed by region, or in the form of Flink or Debezium.

    append only inserts; the caller must ensure that nothing ever changes
    upsert     the region and its content, null when it is gone
    retract    what was is taken back (-U, -D), what is comes (+I, +U)
    debezium   op c, u or d, with before and after
    """
    tombstone: Tombstone = {"upsert": "instead", "debezium": "after"}.get(envelope, "none")  # type: ignore[assignment]
    for text in _enveloped(row, envelope):
        yield ChangeText.of(row, text, tombstone)


def _enveloped(row: ChangeRow, envelope: Envelope) -> Iterator[str]:
    stamp = f'"seq": {row.seq}, "commit": {row.commit}, "t": {seconds_text(row.time)}'
    old, new = _json(row.old), _json(row.new)
    place = f'"region": {row.region}, "place": {row.place}'
    if envelope == "append":
        yield f'{{{stamp}, {place}, "new": {new}}}'
    elif envelope == "upsert":
        yield f'{{{stamp}, {place}, "value": {new}}}'
    elif envelope == "retract":
        for kind, value in _retracted(row.op, old, new):
            yield f'{{"op": "{kind}", {stamp}, {place}, "value": {value}}}'
    else:
        op = {"insert": "c", "replace": "u", "remove": "d"}[row.op]
        source = f'"source": {{"query": {_json(row.query)}, {stamp}}}'
        values = f'"before": {old}, "after": {new}, {place}'
        yield f'{{"op": "{op}", {values}, {source}, "ts_ms": {_milliseconds(row.time)}}}'


def _retracted(op: Op, old: str, new: str) -> list[tuple[str, str]]:
    if op == "insert":
        return [("+I", new)]
    return [("-D", old)] if op == "remove" else [("-U", old), ("+U", new)]


def _milliseconds(time: Decimal) -> int:
    return int(time * 1000)


def _json(value: str | None) -> str:
    return "null" if value is None else encode_basestring(value)
