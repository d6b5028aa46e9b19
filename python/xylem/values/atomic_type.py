"""The atomic types of XDM and how they derive from each other (XDM 3.1 §2.7, XSD 1.1 part 2)."""

from __future__ import annotations

from collections.abc import Callable

XS = "http://www.w3.org/2001/XMLSchema"


class AtomicType:
    """One atomic type. `members` is set for union types (xs:numeric, xs:error) only."""

    __slots__ = ("ancestors", "members", "name", "parent", "primitive")

    def __init__(self, name: str, parent: AtomicType | None, members: tuple[AtomicType, ...] | None = None) -> None:
        self.name = name
        self.parent = parent
        self.members = members
        self.ancestors: frozenset[AtomicType] = (parent.ancestors if parent else frozenset()) | {self}
        # The primitive type is the ancestor just below xs:anyAtomicType; xs:integer keeps its own arithmetic
        # but is primitive-ly a decimal.
        self.primitive: AtomicType = self if parent is None or parent.parent is None else parent.primitive

    def derives_from(self, other: AtomicType) -> bool:
        """True for the type itself, for its descendants, and for members of a union."""
        if self is other:
            return True
        if other.members is not None:
            return any(self.derives_from(member) for member in other.members)
        if self.members is not None:
            return all(member.derives_from(other) for member in self.members)
        return other in self.ancestors

    def __repr__(self) -> str:
        return f"xs:{self.name}"

    def __reduce__(self) -> tuple[Callable[[str], AtomicType], tuple[str]]:
        # There is one of each in a process: they are compared by identity.
        return _named, (self.name,)


def _named(name: str) -> AtomicType:
    return ATOMIC_TYPES[name]


ATOMIC_TYPES: dict[str, AtomicType] = {}
"""Every atomic type by its local name in the XML Schema namespace."""


def _define(name: str, parent: AtomicType | None, members: tuple[AtomicType, ...] | None = None) -> AtomicType:
    ATOMIC_TYPES[name] = made = AtomicType(name, parent, members)
    return made


ANY_ATOMIC = _define("anyAtomicType", None)
UNTYPED_ATOMIC = _define("untypedAtomic", ANY_ATOMIC)
STRING = _define("string", ANY_ATOMIC)
NORMALIZED_STRING = _define("normalizedString", STRING)
TOKEN = _define("token", NORMALIZED_STRING)
LANGUAGE = _define("language", TOKEN)
NMTOKEN = _define("NMTOKEN", TOKEN)
NAME = _define("Name", TOKEN)
NCNAME = _define("NCName", NAME)
ID = _define("ID", NCNAME)
IDREF = _define("IDREF", NCNAME)
ENTITY = _define("ENTITY", NCNAME)
BOOLEAN = _define("boolean", ANY_ATOMIC)
DECIMAL = _define("decimal", ANY_ATOMIC)
INTEGER = _define("integer", DECIMAL)
NON_POSITIVE_INTEGER = _define("nonPositiveInteger", INTEGER)
NEGATIVE_INTEGER = _define("negativeInteger", NON_POSITIVE_INTEGER)
LONG = _define("long", INTEGER)
INT = _define("int", LONG)
SHORT = _define("short", INT)
BYTE = _define("byte", SHORT)
NON_NEGATIVE_INTEGER = _define("nonNegativeInteger", INTEGER)
UNSIGNED_LONG = _define("unsignedLong", NON_NEGATIVE_INTEGER)
UNSIGNED_INT = _define("unsignedInt", UNSIGNED_LONG)
UNSIGNED_SHORT = _define("unsignedShort", UNSIGNED_INT)
UNSIGNED_BYTE = _define("unsignedByte", UNSIGNED_SHORT)
POSITIVE_INTEGER = _define("positiveInteger", NON_NEGATIVE_INTEGER)
DOUBLE = _define("double", ANY_ATOMIC)
FLOAT = _define("float", ANY_ATOMIC)
DURATION = _define("duration", ANY_ATOMIC)
YEAR_MONTH_DURATION = _define("yearMonthDuration", DURATION)
DAY_TIME_DURATION = _define("dayTimeDuration", DURATION)
DATE_TIME = _define("dateTime", ANY_ATOMIC)
DATE_TIME_STAMP = _define("dateTimeStamp", DATE_TIME)
DATE = _define("date", ANY_ATOMIC)
TIME = _define("time", ANY_ATOMIC)
G_YEAR_MONTH = _define("gYearMonth", ANY_ATOMIC)
G_YEAR = _define("gYear", ANY_ATOMIC)
G_MONTH_DAY = _define("gMonthDay", ANY_ATOMIC)
G_DAY = _define("gDay", ANY_ATOMIC)
G_MONTH = _define("gMonth", ANY_ATOMIC)
HEX_BINARY = _define("hexBinary", ANY_ATOMIC)
BASE64_BINARY = _define("base64Binary", ANY_ATOMIC)
ANY_URI = _define("anyURI", ANY_ATOMIC)
QNAME = _define("QName", ANY_ATOMIC)
NOTATION = _define("NOTATION", ANY_ATOMIC)
NUMERIC = _define("numeric", ANY_ATOMIC, (DECIMAL, DOUBLE, FLOAT))
ERROR = _define("error", ANY_ATOMIC, ())
