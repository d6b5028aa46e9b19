"""The values that can be saved besides plain data: atomic values, maps, arrays, and types of Python.

Nodes are not among them: the caller decides how to save one. The names are part of the format on disk and must not
change.
"""

from __future__ import annotations

import datetime as dt
from array import array
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

from . import datetimes, durations
from .array import XArray
from .atomic import TYPE_OF_CLASS
from .binary import Base64Binary, HexBinary
from .comparison_keys import NumberKey
from .map import XMap
from .numbers import Float
from .qname import QName
from .state_codec import CannotSave, DamagedState, decoded, encoded, register

_PLAIN_CLASSES: tuple[type, ...] = (int, float, str, bool, bytes, Decimal, list, dict, set, tuple, type(None))
_CLASS_NAMES: dict[type, str] = {cls: cls.__name__ for cls in _PLAIN_CLASSES}
_CALENDAR = ("year", "month", "day", "hour", "minute", "second", "timezone_minutes")


def _checked(fields: tuple[Any, ...], *kinds: tuple[type, ...]) -> tuple[Any, ...]:
    if len(fields) != len(kinds) or any(type(one) not in kind for one, kind in zip(fields, kinds, strict=True)):
        raise DamagedState("fields of other types")
    return fields


def _filled(cls: type, names: tuple[str, ...], *kinds: tuple[type, ...]) -> Callable[..., Any]:
    """Builds a value whose attributes are its fields, each of one of some types."""

    def make(*fields: Any) -> Any:
        made: Any = object.__new__(cls)
        for name, field in zip(names, _checked(fields, *kinds), strict=True):
            setattr(made, name, field)
        return made

    return make


def _of(make: Callable[..., Any], *kinds: type) -> Callable[..., Any]:
    """Builds a value from fields of these types."""
    accepted = tuple((kind,) for kind in kinds)

    def made(*fields: Any) -> Any:
        return make(*_checked(fields, *accepted))

    def made_of_one(field: Any) -> Any:
        if type(field) is not kinds[0]:
            raise DamagedState("a field of another type")
        return make(field)

    # Most are texts and numbers of their own types, of which there are many.
    return made_of_one if len(kinds) == 1 else made


def _plain(kind: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda value: (kind(value),)


def _register_attributes(cls: type, name: str, names: tuple[str, ...], *kinds: tuple[type, ...]) -> None:
    register(cls, name, lambda value: tuple([getattr(value, one) for one in names]), _filled(cls, names, *kinds))


def _register_atomic() -> None:
    for cls, type_ in TYPE_OF_CLASS.items():
        _CLASS_NAMES.setdefault(cls, repr(type_))
        if cls in _PLAIN_CLASSES:
            continue
        for plain in (str, int, float):
            if issubclass(cls, plain):
                register(cls, repr(type_), _plain(plain), _of(cls, plain))
        if issubclass(cls, datetimes.CalendarValue):
            whole = ((int,),) * 5
            _register_attributes(cls, repr(type_), _CALENDAR, *whole, (Decimal,), (int, type(None)))
        if issubclass(cls, durations.Duration):
            _register_attributes(cls, repr(type_), ("months", "seconds"), (int,), (Decimal,))
    register(Float, "xs:float", lambda value: (float(value),), _of(Float, float))
    for binary, name in ((HexBinary, "xs:hexBinary"), (Base64Binary, "xs:base64Binary")):
        register(binary, name, lambda value: (value.value,), _of(binary, bytes))
    _register_attributes(QName, "xs:QName", ("uri", "local", "prefix"), (str,), (str,), (str,))
    register(NumberKey, "number-key", lambda value: (value.value,), NumberKey)
    register(XMap, "map", lambda value: ([(key, _sequence(some)) for key, some in value.items()],), _of(XMap.of, list))
    register(XArray, "array", lambda value: ([_sequence(some) for some in value],), _of(XArray, list))


def _sequence(items: Any) -> Any:
    return items if type(items) in (tuple, list, range) else tuple(items)


def _register_python() -> None:
    register(type, "class", lambda cls: (_class_name(cls),), _of(_class, str))
    register(range, "range", lambda value: (value.start, value.stop, value.step), _of(range, int, int, int))
    register(complex, "complex", lambda value: (value.real, value.imag), _of(complex, float, float))
    register(bytearray, "bytearray", lambda value: (bytes(value),), _of(bytearray, bytes))
    register(Fraction, "fraction", lambda value: (value.numerator, value.denominator), _of(Fraction, int, int))
    register(array, "array-of", lambda value: (value.typecode, value.tobytes()), _of(array, str, bytes))
    register(UUID, "uuid", lambda value: (value.hex,), _of(UUID, str))
    register(Counter, "counter", lambda value: (dict(value),), _of(Counter, dict))
    register(OrderedDict, "ordered-dict", lambda value: (list(value.items()),), _of(OrderedDict, list))
    register(defaultdict, "default-dict", lambda value: (value.default_factory, dict(value)), defaultdict)
    register(dt.date, "date", _day, dt.date)
    register(dt.time, "time", lambda value: (*_clock(value), value.tzinfo), _time)
    register(dt.datetime, "datetime", lambda value: (*_day(value), *_clock(value), value.tzinfo), _moment)
    register(dt.timedelta, "timedelta", lambda value: (value.days, value.seconds, value.microseconds), dt.timedelta)
    register(dt.timezone, "timezone", lambda value: value.__getinitargs__(), dt.timezone)


def _day(value: dt.date) -> tuple[int, ...]:
    return value.year, value.month, value.day


def _clock(value: dt.time | dt.datetime) -> tuple[int, ...]:
    return value.hour, value.minute, value.second, value.microsecond, value.fold


def _time(hour: int, minute: int, second: int, microsecond: int, fold: int, zone: dt.tzinfo | None) -> dt.time:
    return dt.time(hour, minute, second, microsecond, zone, fold=fold)


def _moment(year: int, month: int, day: int, *rest: Any) -> dt.datetime:
    hour, minute, second, microsecond, fold, zone = rest
    return dt.datetime(year, month, day, hour, minute, second, microsecond, zone, fold=fold)


def _class_name(cls: type) -> str:
    name = _CLASS_NAMES.get(cls)
    if name is None:
        raise CannotSave(f"the Python class {cls.__module__}.{cls.__qualname__}")
    return name


def _class(name: str) -> type:
    return _CLASSES[name]


_register_atomic()
_register_python()
_CLASSES = {name: cls for cls, name in _CLASS_NAMES.items()}

__all__ = ["decoded", "encoded"]
