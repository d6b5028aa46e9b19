"""Casting between atomic types (F&O 3.1 §19).

`cast` finds the function for the target type; each family of targets has a file of its own. A function for a target
takes a value of any atomic class and returns the cast value, or raises FORG0001 for a text outside the lexical space,
XPTY0004 for a pair of types the table of §19.1 forbids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xylem.errors import DynamicError

from . import atomic_type as at
from .atomic import CLASS_OF, TYPE_OF_CLASS
from .atomic_type import AtomicType
from .casting_binary import BINARY_CASTS
from .casting_names import NAME_TARGETS, to_qname
from .casting_numbers import NUMBER_CASTS
from .casting_strings import STRING_CASTS
from .casting_temporal import TEMPORAL_CASTS
from .remade import remade
from .string_of import string_of

__all__ = ["cast", "castable", "caster", "string_of"]

Cast = Callable[[Any], Any]

_CASTS: dict[AtomicType, Cast] = {**STRING_CASTS, **NUMBER_CASTS, **TEMPORAL_CASTS, **BINARY_CASTS}


def cast(value: Any, target: AtomicType, namespaces: Mapping[str, str] | None = None) -> Any:
    """The value as the target type. Namespaces resolve the prefix of a string cast to xs:QName."""
    if CLASS_OF.get(target) is type(value):
        return value
    found = _CASTS.get(target)
    if found is not None:
        return found(value)
    return _cast_otherwise(value, target, namespaces)


def castable(value: Any, target: AtomicType, namespaces: Mapping[str, str] | None = None) -> bool:
    """Whether `cast` would succeed. Targets without values remain an error."""
    try:
        cast(value, target, namespaces)
    except DynamicError as error:
        if error.code == "XPST0080":
            raise
        return False
    return True


@remade
def caster(target: AtomicType, namespaces: Mapping[str, str] | None = None) -> Cast:
    """`cast` with the target looked up once, for code that casts many values."""
    found = _CASTS.get(target)
    if found is None:
        return lambda value: _cast_otherwise(value, target, namespaces)
    return found


def _cast_otherwise(value: Any, target: AtomicType, namespaces: Mapping[str, str] | None) -> Any:
    if target in NAME_TARGETS:
        return to_qname(value, target, namespaces)
    if target.members is not None:
        return _cast_to_union(value, target, namespaces)
    raise DynamicError("XPST0080", f"{target!r} cannot be the target of a cast")


def _cast_to_union(value: Any, target: AtomicType, namespaces: Mapping[str, str] | None) -> Any:
    """A member's value stays unchanged; anything else takes the first member that accepts it (F&O 3.1 §19.3.5)."""
    actual = TYPE_OF_CLASS[type(value)]
    if actual.derives_from(target):
        return value
    members = _UNION_ORDER.get(target, target.members or ())
    for member in members:
        if castable(value, member, namespaces):
            return cast(value, member, namespaces)
    raise DynamicError("FORG0001", f'"{string_of(value)}" is not a value of {target!r}')


# xs:numeric lists its members from xs:double on: a text becomes a double (F&O 3.1 §1.6.2).
_UNION_ORDER: dict[AtomicType, tuple[AtomicType, ...]] = {at.NUMERIC: (at.DOUBLE, at.FLOAT, at.DECIMAL)}
