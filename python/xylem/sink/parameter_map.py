"""Serialisation parameters given as a map (F&O 3.1 §14.1.3), by the option parameter conventions (F&O 3.1 §1.5)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from xylem.errors import DynamicError
from xylem.values import atomic_type as at
from xylem.values.atomic import type_of
from xylem.values.conversion import convert
from xylem.values.description import describe
from xylem.values.map import XMap
from xylem.values.qname import QName
from xylem.values.sequence_type import AtomicItem, Occurrence, SequenceType

from .parameter_values import READERS
from .serialization_parameters import field_of

_BOOLEAN = SequenceType(AtomicItem(at.BOOLEAN), Occurrence.OPTIONAL)
_STRING = SequenceType(AtomicItem(at.STRING), Occurrence.OPTIONAL)
_DECIMAL = SequenceType(AtomicItem(at.DECIMAL), Occurrence.OPTIONAL)
_NAMES = SequenceType(AtomicItem(at.QNAME), Occurrence.MANY)

_TYPES: dict[str, SequenceType] = {
    "allow-duplicate-names": _BOOLEAN,
    "byte-order-mark": _BOOLEAN,
    "cdata-section-elements": _NAMES,
    "doctype-public": _STRING,
    "doctype-system": _STRING,
    "encoding": _STRING,
    "escape-uri-attributes": _BOOLEAN,
    "html-version": _DECIMAL,
    "include-content-type": _BOOLEAN,
    "indent": _BOOLEAN,
    "item-separator": _STRING,
    "media-type": _STRING,
    "normalization-form": _STRING,
    "omit-xml-declaration": _BOOLEAN,
    "standalone": _BOOLEAN,
    "suppress-indentation": _NAMES,
    "undeclare-prefixes": _BOOLEAN,
    "version": _STRING,
}


def read_map(options: XMap) -> dict[str, Any]:
    """The parameters a map gives, by field of the record; XPTY0004 for a wrong type, SEPM0016 for a bad value.

    Keys that are not strings, or name no parameter, are ignored; an empty sequence means the default.
    """
    values: dict[str, Any] = {}
    for key, value in options.items():
        if not isinstance(key, str):
            continue
        name = str(key)
        if name == "use-character-maps":
            read: Any = _character_map(value)
        elif name in ("method", "json-node-output-method"):
            read = _method(name, value)
        elif name in _TYPES:
            read = _typed(name, value)
        else:
            continue
        if read is not None:
            values[field_of(name)] = read
    return values


def _typed(name: str, value: Sequence[Any]) -> Any:
    expected = _TYPES[name]
    converted = convert(value, expected, f"the serialisation parameter {name}")
    if expected is _NAMES:
        return frozenset((qname.uri, qname.local) for qname in converted)
    if expected is _DECIMAL and converted is not None:
        return Decimal(converted)
    return _read(name, str(converted)) if isinstance(converted, str) else converted


def _method(name: str, value: Sequence[Any]) -> str | None:
    if len(value) == 1 and isinstance(value[0], QName):
        return str(_read(name, value[0].eqname))
    converted = convert(value, _STRING, f"the serialisation parameter {name}")
    return None if converted is None else str(_read(name, converted))


def _read(name: str, text: str) -> Any:
    try:
        return READERS[name](text, {})
    except ValueError as reason:
        raise DynamicError("SEPM0016", f"{name}={text!r}: {reason}") from None


def _character_map(value: Sequence[Any]) -> dict[str, str] | None:
    """A map(xs:string, xs:string), which is matched and not converted."""
    if not value:
        return None
    if len(value) != 1 or not isinstance(value[0], XMap):
        raise DynamicError("XPTY0004", f"use-character-maps: expected a map, found {describe(value)}")
    mapping: dict[str, str] = {}
    for character, replacement in value[0].items():
        if not _is_string(character) or len(replacement) != 1 or not _is_string(replacement[0]):
            raise DynamicError("XPTY0004", "use-character-maps: expected a map from strings to strings")
        if len(character) != 1:
            raise DynamicError("SEPM0016", f"use-character-maps: {character!r} is not one character")
        mapping[str(character)] = str(replacement[0])
    return mapping


def _is_string(value: object) -> bool:
    actual = type_of(value)
    return actual is not None and actual.derives_from(at.STRING)
