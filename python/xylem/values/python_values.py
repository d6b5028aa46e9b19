"""Conversion between items and Python values at the public interface.

    None                          ()                    the empty sequence
    str int float Decimal bool    the same              subclasses come back as their base
    datetime date time timedelta  xs:dateTime …         back only where Python can hold the value exactly
    bytes                         xs:base64Binary
    dict                          map                   a value that is a list is a sequence
    list tuple range, iterables   a sequence            inside another one: an array, as in JSON
    nodes, maps, functions …      themselves
    elements of lxml, ElementTree elements              the root of a new document; a tree is that document
    frames of pandas, Polars …    a sequence of maps    one for each row; numbers of NumPy are numbers

Paths are refused: reading a file needs an explicit call (`xylem.parse`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from os import PathLike
from typing import Any, TypeVar

from xylem.errors import InputError

from .array import XArray
from .arriving import Arriving
from .atomic import TYPE_OF_CLASS
from .binary import Base64Binary, HexBinary
from .datetimes import Date, DateTime, Time
from .durations import DayTimeDuration
from .element_trees import is_element_tree, is_foreign_element, node_from_elements
from .frame_rows import is_frame, rows_of
from .function_item import FunctionItem
from .map import XMap
from .node import Node
from .xml_characters import first_illegal

_ITEMS = frozenset({*TYPE_OF_CLASS, Node, XMap, XArray, FunctionItem}) - {Decimal}
_BASES: tuple[type, ...] = (bool, str, int, float)


def sequence_from_python(value: Any) -> Sequence[Any]:
    """The sequence a Python value stands for.

    >>> sequence_from_python([1, "a", None])
    [1, 'a']
    """
    if value is None:
        return ()
    if type(value) is range:
        return value
    if is_frame(value):
        return [item_from_python(row) for row in rows_of(value)]
    if _is_collection(value):
        return [item for member in value for item in _inner(member)]
    return (item_from_python(value),)


def items_from_python(values: Iterable[Any]) -> Iterator[Any]:
    """The items of Python values, one by one as they are read; they may be endless.

    >>> list(items_from_python(iter([1, None, "a"])))
    [1, 'a']
    """
    found = iter(rows_of(values) if is_frame(values) else values)
    if isinstance(found, Arriving):
        return found.changed(lambda piece: [item for value in piece for item in _inner(value)])
    return (item for value in found for item in _inner(value))


def _inner(member: Any) -> Sequence[Any]:
    if member is None:
        return ()
    if _is_collection(member):
        members = rows_of(member) if is_frame(member) else member
        return (XArray([tuple(_inner(inner)) for inner in members]),)
    return (item_from_python(member),)


def _is_collection(value: Any) -> bool:
    if type(value) in _ITEMS or isinstance(value, (str, bytes, bytearray, memoryview, Mapping, XMap, XArray)):
        return False
    return isinstance(value, Iterable) and not isinstance(value, PathLike) and not is_foreign_element(value)


def item_from_python(value: Any) -> Any:
    """The one item a Python value stands for, or XYIN0005.

    >>> item_from_python({"a": [1, 2], "b": None})
    map{'a': [1, 2], 'b': ()}
    """
    cls = type(value)
    if cls in _ITEMS:
        return _of_xml(value) if isinstance(value, str) else value
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise InputError("XYIN0005", f"xs:decimal has no {value}", hint="pass a float for infinity and NaN")
        return Decimal(value)
    if isinstance(value, Mapping):
        return XMap.of((item_from_python(key), sequence_from_python(entry)) for key, entry in value.items())
    if isinstance(value, (bytes, bytearray, memoryview)):
        return Base64Binary(bytes(value))
    if isinstance(value, (dt.datetime, dt.date, dt.time, dt.timedelta)):
        return _moment_from_python(value)
    for base in _BASES:
        if isinstance(value, base):
            return _of_xml(str(value)) if base is str else base(value)
    if is_foreign_element(value) or is_element_tree(value):
        return node_from_elements(value)
    if isinstance(value, PathLike):
        raise InputError("XYIN0005", "a path is not a document", hint="read it first: xylem.parse(path)")
    if hasattr(value, "dtype") and callable(getattr(value, "item", None)):
        # A NumPy number or datetime. Values without a Python equivalent come back unchanged.
        plain = value.item()
        if type(plain) is not cls:
            return item_from_python(plain)
    raise InputError("XYIN0005", f"there is no XQuery type for Python's {cls.__name__}")


T = TypeVar("T", bound=str)


def _of_xml(text: T) -> T:
    """The text, if it has only characters that a string of XQuery may have: others would make XML that no one reads."""
    if not text.isprintable() and (found := first_illegal(text)) is not None:
        raise InputError("XYIN0005", f"the character U+{ord(found):04X} is not allowed in XML")
    return text


def _moment_from_python(value: dt.date | dt.time | dt.timedelta) -> Any:
    if isinstance(value, dt.datetime):
        return DateTime.from_python(value)
    if isinstance(value, dt.date):
        return Date(value.year, value.month, value.day)
    if isinstance(value, dt.timedelta):
        microseconds = (value.days * 86400 + value.seconds) * 1_000_000 + value.microseconds
        return DayTimeDuration(_seconds(microseconds))
    offset = value.utcoffset()
    minutes = None if offset is None else int(offset.total_seconds()) // 60
    return Time(value.hour, value.minute, _seconds(value.second * 1_000_000 + value.microsecond), minutes)


def _seconds(microseconds: int) -> Decimal:
    return Decimal(microseconds // 1_000_000) if microseconds % 1_000_000 == 0 else Decimal(microseconds).scaleb(-6)


def python_from_item(item: Any) -> Any:
    """The Python value of an item; an item without a Python type is returned unchanged.

    >>> python_from_item(XMap.of([("a", (1, 2)), ("b", ())]))
    {'a': [1, 2], 'b': None}
    """
    cls = type(item)
    if cls in (str, int, float, bool, Decimal) or isinstance(item, (Node, FunctionItem)):
        return item
    for base in (str, int, float):
        if isinstance(item, base):
            return base(item)
    if cls is XMap:
        entries = {python_from_item(key): python_from_sequence(value) for key, value in item.items()}
        # Keys that differ in XQuery may be equal in Python (true() and 1): no entry must be dropped silently.
        return entries if len(entries) == len(item) else item
    if cls is XArray:
        return [python_from_sequence(member) for member in item]
    if cls in (Base64Binary, HexBinary):
        return item.value
    return _moment_from_item(item)


def python_from_sequence(sequence: Sequence[Any]) -> Any:
    """None for no item, the value of a single one, else a list.

    >>> [python_from_sequence(s) for s in ((), (1,), (1, 2))]
    [None, 1, [1, 2]]
    """
    if len(sequence) == 1:
        return python_from_item(sequence[0])
    return [python_from_item(item) for item in sequence] if sequence else None


def _moment_from_item(item: Any) -> Any:
    """Python's date, time or duration if it holds the item exactly; else the item."""
    if isinstance(item, DayTimeDuration):
        microseconds = item.seconds.scaleb(6)
        whole = int(microseconds)
        fits = whole == microseconds and abs(whole) < dt.timedelta.max // dt.timedelta(microseconds=1)
        return dt.timedelta(microseconds=whole) if fits else item
    if isinstance(item, Date):
        # Python's date has no timezone: dropping one would change the value.
        plain = item.timezone_minutes is None and 1 <= item.year <= 9999
        return dt.date(item.year, item.month, item.day) if plain else item
    if not isinstance(item, (DateTime, Time)):
        return item
    microseconds = item.second.scaleb(6)
    whole = int(microseconds)
    if whole != microseconds or not 1 <= item.year <= 9999:
        return item
    minutes = item.timezone_minutes
    zone = None if minutes is None else dt.timezone(dt.timedelta(minutes=minutes))
    clock = dt.time(item.hour, item.minute, whole // 1_000_000, whole % 1_000_000, zone)
    if isinstance(item, Time):
        return clock
    return dt.datetime.combine(dt.date(item.year, item.month, item.day), clock)
