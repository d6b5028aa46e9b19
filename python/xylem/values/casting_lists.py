"""Casts to the list types xs:NMTOKENS, xs:IDREFS and xs:ENTITIES (F&O 3.1 §19.3.4)."""

from __future__ import annotations

from typing import Any

from xylem.errors import DynamicError

from . import atomic_type as at
from .atomic import STRING_CLASSES
from .atomic_type import AtomicType
from .cast_errors import not_castable
from .casting import cast
from .strings import AnyURI
from .white_space import collapse

LIST_TYPES: dict[str, AtomicType] = {"NMTOKENS": at.NMTOKEN, "IDREFS": at.IDREF, "ENTITIES": at.ENTITY}
"""The item type of each list type, by local name in the XML Schema namespace."""


def cast_to_list(value: Any, list_type: str) -> list[Any]:
    """The items of a text, split at white space; the three list types have at least one."""
    item_type = LIST_TYPES[list_type]
    if type(value) not in STRING_CLASSES or type(value) is AnyURI:
        raise not_castable(value, item_type)
    parts = collapse(value).split(" ")
    if parts == [""]:
        raise DynamicError("FORG0001", f"xs:{list_type} needs at least one item")
    return [cast(part, item_type) for part in parts]


def castable_to_list(value: Any, list_type: str) -> bool:
    try:
        cast_to_list(value, list_type)
    except DynamicError:
        return False
    return True
