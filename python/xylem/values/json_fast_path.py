"""JSON texts by the standard library's parser, which is written in C: many times as fast as our own.

It takes only what means the same to both: no escapes of characters that XML does not have, no options. Whatever it does
not take, or finds wrong, goes to `json_parser.py`, which knows the errors and their places.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any, NoReturn

from .array import XArray
from .map import XMap

_NOT_TAKEN = ("\\u", "\\b", "\\f")
"""Escapes that may stand for a character XML does not have."""


class NotTaken(Exception):
    """The text is for the other parser."""


def fast_json_value(text: str, *, use_last: bool) -> Any:
    """The item a JSON text stands for, None for null; of keys that occur twice the first counts, or the last."""
    if any(escape in text for escape in _NOT_TAKEN):
        raise NotTaken

    def new_map(pairs: list[tuple[str, Any]]) -> XMap:
        entries: dict[Hashable, tuple[Any, Any]] = {}
        for key, value in pairs:
            if use_last or key not in entries:
                entries[key] = key, _sequence(value)
        return XMap(entries)

    try:
        found = json.loads(text, object_pairs_hook=new_map, parse_int=float, parse_constant=_refuse)
    except (ValueError, RecursionError) as reason:
        raise NotTaken from reason
    value = _sequence(found)
    return value[0] if value else None


def _sequence(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    if type(value) is list:
        return (XArray([_sequence(member) for member in value]),)
    return (value,)


def _refuse(name: str) -> NoReturn:
    """NaN and Infinity are Python's own."""
    raise ValueError(name)
