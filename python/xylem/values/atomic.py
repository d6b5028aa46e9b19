"""The atomic type of a Python value, and the class for a type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from . import atomic_type as at
from . import numbers as n
from . import strings as s
from .atomic_type import AtomicType
from .binary import Base64Binary, HexBinary
from .datetimes import Date, DateTime, DateTimeStamp, GDay, GMonth, GMonthDay, GYear, GYearMonth, Time
from .durations import DayTimeDuration, Duration, YearMonthDuration
from .qname import QName

CLASS_OF: dict[AtomicType, type] = {
    at.UNTYPED_ATOMIC: s.UntypedAtomic,
    at.STRING: str,
    at.NORMALIZED_STRING: s.NormalizedString,
    at.TOKEN: s.Token,
    at.LANGUAGE: s.Language,
    at.NMTOKEN: s.NMToken,
    at.NAME: s.XsName,
    at.NCNAME: s.NCName,
    at.ID: s.Id,
    at.IDREF: s.IdRef,
    at.ENTITY: s.Entity,
    at.BOOLEAN: bool,
    at.DECIMAL: Decimal,
    at.INTEGER: int,
    at.NON_POSITIVE_INTEGER: n.NonPositiveInteger,
    at.NEGATIVE_INTEGER: n.NegativeInteger,
    at.LONG: n.Long,
    at.INT: n.Int,
    at.SHORT: n.Short,
    at.BYTE: n.Byte,
    at.NON_NEGATIVE_INTEGER: n.NonNegativeInteger,
    at.UNSIGNED_LONG: n.UnsignedLong,
    at.UNSIGNED_INT: n.UnsignedInt,
    at.UNSIGNED_SHORT: n.UnsignedShort,
    at.UNSIGNED_BYTE: n.UnsignedByte,
    at.POSITIVE_INTEGER: n.PositiveInteger,
    at.DOUBLE: float,
    at.FLOAT: n.Float,
    at.DURATION: Duration,
    at.YEAR_MONTH_DURATION: YearMonthDuration,
    at.DAY_TIME_DURATION: DayTimeDuration,
    at.DATE_TIME: DateTime,
    at.DATE_TIME_STAMP: DateTimeStamp,
    at.DATE: Date,
    at.TIME: Time,
    at.G_YEAR_MONTH: GYearMonth,
    at.G_YEAR: GYear,
    at.G_MONTH_DAY: GMonthDay,
    at.G_DAY: GDay,
    at.G_MONTH: GMonth,
    at.HEX_BINARY: HexBinary,
    at.BASE64_BINARY: Base64Binary,
    at.ANY_URI: s.AnyURI,
    at.QNAME: QName,
}
"""The class of each type that has values. xs:NOTATION has none without a schema."""

TYPE_OF_CLASS: dict[type, AtomicType] = {cls: type_ for type_, cls in CLASS_OF.items()}

STRING_CLASSES = frozenset(cls for cls in TYPE_OF_CLASS if issubclass(cls, str))
"""xs:string and what derives from it, with xs:untypedAtomic and xs:anyURI."""
INTEGER_CLASSES = frozenset(cls for cls in TYPE_OF_CLASS if issubclass(cls, int) and cls is not bool)
NUMERIC_CLASSES = INTEGER_CLASSES | {Decimal, float, n.Float}


def type_of(value: object) -> AtomicType | None:
    """The type of an atomic value; None for nodes, maps, arrays and functions."""
    return TYPE_OF_CLASS.get(type(value))


def type_name(value: object) -> str:
    """The type of any item, as an error message shows it."""
    type_ = TYPE_OF_CLASS.get(type(value))
    return repr(type_) if type_ is not None else _OTHER_NAMES.get(type(value).__name__, "item()")


_OTHER_NAMES = {"Node": "node()", "XMap": "map(*)", "XArray": "array(*)", "FunctionItem": "function(*)"}

NOT_PROMOTABLE: Any = object()
"""Result of `promote` if the target cannot be reached."""


def promote(value: Any, target: AtomicType) -> Any:
    """Numeric and URI promotion (XQuery 3.1 §B.1): the value as the target type, or NOT_PROMOTABLE.

    A value that already has the target type, or a derived one, is returned unchanged.
    """
    cls = type(value)
    actual = TYPE_OF_CLASS.get(cls)
    if actual is None:
        return NOT_PROMOTABLE
    if actual is target or actual.derives_from(target):
        return value
    if target is at.DOUBLE:
        return n.to_double(value) if cls in NUMERIC_CLASSES else NOT_PROMOTABLE
    if target is at.FLOAT:
        return n.Float(n.to_double(value)) if cls in NUMERIC_CLASSES and cls is not float else NOT_PROMOTABLE
    if target is at.STRING and cls is s.AnyURI:
        return str(value)
    return NOT_PROMOTABLE
