"""Operations as plain values, and back: those that wait for another stream are saved with the state of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xylem.errors import InputError, InputPlace
from xylem.values.qname import QName

from .operations import (
    BeginRegion,
    BeginUpdate,
    End,
    EndRegion,
    EndUpdate,
    Event,
    Freeze,
    Leaf,
    Operation,
    Start,
    Text,
    WrittenContent,
    WrittenUpdate,
)

_EVENTS: tuple[type[Any], ...] = (
    Start, End, Text, Leaf, BeginRegion, EndRegion, BeginUpdate, EndUpdate, Freeze,
)  # fmt: skip
"""A number in this list is part of the format."""
_NUMBERS = {kind: number for number, kind in enumerate(_EVENTS)}
Plain = tuple[Any, ...]


@dataclass(frozen=True)
class _Names:
    """Implements `WrittenNames` for one update."""

    elements: Mapping[str, QName]
    attributes: Mapping[str, QName]
    declared: Mapping[str, str] | None


def plain_operation(operation: Operation) -> Plain:
    """An operation as values of `values/state_codec.py`."""
    error = operation.error
    told = None if error is None else (error.code, error.detail, error.source, _plain_place(error.place))
    update = None if operation.update is None else _plain_update(operation.update)
    events = [_plain_event(event) for event in operation.events]
    return operation.kind, events, operation.time, operation.commits, operation.where, operation.data, told, update


def operation_of(plain: Plain) -> Operation:
    """The operation from the output of `plain_operation`."""
    kind, events, time, commits, where, data, told, update = plain
    error = None
    if told is not None:
        code, detail, source, place = told
        error = InputError(code, detail, source=source, place=None if place is None else InputPlace(*place))
    made = [_event(*one) for one in events]
    return Operation(kind, made, time, commits, where, data, error, None if update is None else _update(*update))


def _plain_place(place: InputPlace | None) -> Plain | None:
    return None if place is None else (place.byte_offset, place.line, place.column, place.path)


def _plain_event(event: Event) -> Plain:
    if isinstance(event, Start):
        attributes = [(_name(name), value) for name, value in event.attributes]
        declared = None if event.declared is None else dict(event.declared)
        return _NUMBERS[Start], _name(event.name), attributes, declared, event.id
    return _NUMBERS[type(event)], *event


def _event(number: int, *fields: Any) -> Event:
    kind = _EVENTS[number]
    if kind is Start:
        name, attributes, declared, id = fields
        return Start(QName(*name), tuple([(QName(*one), value) for one, value in attributes]), declared, id)
    event: Event = kind(*fields)
    return event


def _plain_update(update: WrittenUpdate) -> Plain:
    names = update.names
    elements = {written: _name(names.elements[written]) for written, _ in _written(update.content)}
    attributes = {one: _name(names.attributes[one]) for _, some in _written(update.content) for one in some}
    declared = None if names.declared is None else dict(names.declared)
    return update.kind, update.of, update.id, update.content, elements, attributes, declared


def _update(
    kind: str,
    of: str,
    id: str | None,
    content: WrittenContent,
    elements: Mapping[str, Plain],
    attributes: Mapping[str, Plain],
    declared: Mapping[str, str] | None,
) -> WrittenUpdate:
    named = [{written: QName(*name) for written, name in some.items()} for some in (elements, attributes)]
    return WrittenUpdate(kind, of, id, content, _Names(named[0], named[1], declared))


def _written(content: WrittenContent) -> Iterator[tuple[str, list[str]]]:
    """The names of elements in some content, each with those of its attributes."""
    for item in content:
        if not isinstance(item, str):
            name, attributes, _, inner = item
            yield name, [one for one, _ in attributes]
            yield from _written(inner)


def _name(name: QName) -> Plain:
    return name.uri, name.local, name.prefix
