"""Change events of databases as Debezium writes them: lines of JSON with `op`, `before`, `after` and `ts_ms`.

A row is an element `<row>` with an element for each column that is not null. The base is `<table/>`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from xylem.errors import InputError, InputPlace
from xylem.values.qname import QName

from ..limits import DEFAULT_LIMITS, Limits
from .keyed import ANCHOR, NO_KEY, KeyedFeed
from .operations import End, Event, Operation, Start, Text, Where
from .records import Record

NO_CHANGE = "XYIN0047"
_CHANGES = frozenset("crudmt")
"""Created, read by a snapshot, updated, deleted; a message, a truncation."""
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]").search
_NOT_IN_NAMES = re.compile(r"[^\w.-]")


@dataclass
class DebeziumFeed(KeyedFeed):
    """Rows by the columns that are their key."""

    def operations(self, chunks: Iterable[bytes], limits: Limits = DEFAULT_LIMITS) -> Iterator[Operation]:
        if not self.has_base:
            yield self.base([Start(QName("", "table"))])
        for number, (offset, line) in enumerate(_lines(chunks, limits), 1):
            where = offset, number, 1
            try:
                told = json.loads(line, parse_float=Decimal)
            except ValueError as error:
                yield Operation("updates", where=where, data=line, error=InputError(NO_CHANGE, str(error)))
                continue
            yield from self._changes(told, where, line)

    def _changes(self, told: Any, where: Where, line: bytes) -> Iterator[Operation]:
        if isinstance(told, dict) and "op" not in told and "payload" in told:
            told = told["payload"]
        if told is None:
            return  # A tombstone: the removal has come before it.
        try:
            time = _time_of(told)
        except InputError as refused:
            yield Operation("updates", where=where, data=line, error=refused)
            return
        if told["op"] in ("m", "t"):
            # A message does not change the table; a truncation removes every row of it.
            keys = sorted(self.known - {ANCHOR}) if told["op"] == "t" else ()
            gone = [event for key in keys for event in self.removal(key)]
            yield Operation("updates" if gone else "clock", gone, time, where=where, data=line)
            return
        row = told.get("before") if told["op"] == "d" else told.get("after")
        columns = [step.removeprefix("@") for step in self.key]
        if not isinstance(row, dict) or any(row.get(column) is None for column in columns):
            error = InputError(NO_KEY, f"a row has no {'/'.join(columns)}")
            yield Operation("updates", where=where, data=line, error=error)
            return
        key = _key_of(row, columns)
        written = tuple(_row(row))
        if any(isinstance(event, Text) and _NOT_XML(event.value) for event in written):
            error = InputError(NO_CHANGE, "it has a character that XML does not have")
            yield Operation("updates", where=where, data=line, error=error)
            return
        if told["op"] == "d":
            events = self.removal(key)
        else:
            events = [*self._moved(told, columns, key), *self.put(key, Record(written))]
        yield Operation("updates" if events else "clock", events, time, where=where, data=line)


    def _moved(self, told: dict[str, Any], columns: list[str], key: str) -> list[Event]:
        """The removal of the old row of an update that changes the key."""
        before = told.get("before")
        if told["op"] != "u" or not isinstance(before, dict) or any(before.get(one) is None for one in columns):
            return []
        old = _key_of(before, columns)
        return [] if old == key else self.removal(old)


def _key_of(row: dict[str, Any], columns: list[str]) -> str:
    # The separator of columns occurs in no text: a, b/c is a different key from a/b, c.
    return "\0".join(str(row[column]) for column in columns)


def _time_of(told: Any) -> Decimal | None:
    """The time of a change; None if it has none. XYIN0047 for anything but a change."""
    if not isinstance(told, dict) or "op" not in told:
        raise InputError(NO_CHANGE, "it has no op")
    if not isinstance(told["op"], str) or told["op"] not in _CHANGES:
        raise InputError(NO_CHANGE, f"op is {told['op']!r}")
    stamp = told.get("ts_ms")
    if stamp is None:
        return None
    if isinstance(stamp, bool) or not isinstance(stamp, (int, Decimal)):
        raise InputError(NO_CHANGE, f"ts_ms is {stamp!r}")
    return Decimal(stamp) / 1000


def _row(row: dict[str, Any]) -> Iterator[Event]:
    yield Start(QName("", "row"))
    for column, value in row.items():
        if value is None:
            continue
        yield Start(QName("", _name(column)))
        yield Text(_text(value))
        yield End()
    yield End()


def _name(column: str) -> str:
    name = _NOT_IN_NAMES.sub("_", column)
    return name if name[:1].isalpha() or name[:1] == "_" else f"_{name}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _json(value) if isinstance(value, (dict, list)) else str(value)


def _json(value: Any) -> str:
    """As JSON, with numbers as they were written."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_json(key)}: {_json(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_json, value))}]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)


def _lines(chunks: Iterable[bytes], limits: Limits) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty, with their offsets."""
    rest, start = b"", 0
    for chunk in chunks:
        rest += chunk
        *lines, rest = rest.split(b"\n")
        for line in lines:
            if line.strip():
                yield start, line
            start += len(line) + 1
        if len(rest) > limits.item_bytes:
            raise InputError(
                "XYIN0004", f"item bytes: a line of more than {limits.item_bytes}", place=InputPlace(start)
            )
    if rest.strip():
        yield start, rest
