"""Casts to xs:hexBinary and xs:base64Binary (F&O 3.1 §19.1.8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import atomic_type as at
from .atomic import STRING_CLASSES
from .atomic_type import AtomicType
from .binary import Base64Binary, HexBinary
from .cast_errors import not_castable, not_lexical
from .strings import AnyURI
from .white_space import trim


def _to_binary(target: AtomicType, cls: type[HexBinary] | type[Base64Binary]) -> Callable[[Any], Any]:
    def to_binary(value: Any) -> Any:
        source = type(value)
        if source in STRING_CLASSES and source is not AnyURI:
            made = cls.parse(trim(value))
            if made is None:
                raise not_lexical(value, target)
            return made
        if source is HexBinary or source is Base64Binary:
            return value if source is cls else cls(value.value)
        raise not_castable(value, target)

    return to_binary


BINARY_CASTS: dict[AtomicType, Callable[[Any], Any]] = {
    at.HEX_BINARY: _to_binary(at.HEX_BINARY, HexBinary),
    at.BASE64_BINARY: _to_binary(at.BASE64_BINARY, Base64Binary),
}
