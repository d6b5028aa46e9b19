"""The change log of an answer: rows that, replayed in order, give every display.

    {"seq": 1, "commit": 1, "t": 0, "query": "q", "op": "insert", "region": 1, "place": 0, "old": null, "new": "<a/>"}

A region is a part of the answer, an item with what separates it from the one before. `place` is where it stands among
all parts when the row is applied. `insert` puts `new` there, `replace` puts it for `old`, `remove` takes `old` out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import SequenceMatcher
from typing import Any, Literal

from xylem.values.saved_state import saved

Op = Literal["insert", "replace", "remove"]
Envelope = Literal["append", "upsert", "retract", "debezium"]
ENVELOPES: tuple[Envelope, ...] = ("append", "upsert", "retract", "debezium")


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


@saved("change-log", 1, fields=("_parts", "_regions", "_rows", "_last_region"))
class ChangeLog:
    """Tells answers apart: what became of each region from one commit to the next."""

    def __init__(self, query: str) -> None:
        self._query = query
        self._parts: list[str] = []
        self._regions: list[int] = []
        self._rows = 0
        self._last_region = 0

    def rows(self, commit: int, time: Decimal, parts: Sequence[str]) -> list[ChangeRow]:
        """The changes that lead to an answer of these parts."""
        return [
            ChangeRow(self._next_row(), commit, time, self._query, *change) for change in self._changes(list(parts))
        ]

    def _next_row(self) -> int:
        self._rows += 1
        return self._rows

    def _changes(self, parts: list[str]) -> Iterator[tuple[Op, int, int, str | None, str | None]]:
        before, after = self._parts, parts
        # Most of an answer stays: only what is between the first and the last change is compared.
        start, shorter = 0, min(len(before), len(after))
        while start < shorter and before[start] == after[start]:
            start += 1
        end = 0
        while end < shorter - start and before[-1 - end] == after[-1 - end]:
            end += 1
        old_end, new_end = len(before) - end, len(after) - end
        matcher = SequenceMatcher(None, before[start:old_end], after[start:new_end], autojunk=False)
        regions: list[int] = self._regions[:start]
        for tag, a, b, c, d in matcher.get_opcodes():
            old, new = before[start + a : start + b], after[start + c : start + d]
            same = self._regions[start + a : start + b]
            if tag == "equal":
                regions += same
                continue
            common = min(len(old), len(new))
            for offset in range(common):
                yield "replace", same[offset], len(regions), old[offset], new[offset]
                regions.append(same[offset])
            for offset in range(common, len(old)):
                yield "remove", same[offset], len(regions), old[offset], None
            for offset in range(common, len(new)):
                self._last_region += 1
                yield "insert", self._last_region, len(regions), None, new[offset]
                regions.append(self._last_region)
        self._parts, self._regions = parts, regions + self._regions[old_end:]


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
    """The answer after a commit, as a line of JSON."""
    shown = json.dumps(display, ensure_ascii=False)
    return f'{{"commit": {commit}, "t": {seconds_text(time)}, "display": {shown}}}'


def change_line(row: ChangeRow) -> str:
    """A row as a line of JSON."""
    head = f'{{"seq": {row.seq}, "commit": {row.commit}, "t": {seconds_text(row.time)}, "query": {_json(row.query)}, '
    place = f'"op": "{row.op}", "region": {row.region}, "place": {row.place}, '
    return f'{head}{place}"old": {_json(row.old)}, "new": {_json(row.new)}}}'


def change_lines(row: ChangeRow, envelope: Envelope) -> Iterator[str]:
    """A row in an envelope that others read: keyed by region, or as Flink and Debezium tell changes.

    append     inserts alone; whoever asks for it must know that nothing is ever changed
    upsert     the region and its content, null when it is gone
    retract    what was is taken back (-U, -D), what is comes (+I, +U)
    debezium   op c, u or d, with before and after
    """
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


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
