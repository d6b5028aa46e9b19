"""JSON texts by the standard library's parser, which is written in C: many times as fast as our own.

It takes only texts that mean the same to both parsers: no options, and no escape of a character that XML does not have.
All other texts, including those with errors, go to `json_parser.py`, which reports errors with their places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from typing import Any, NoReturn

from .array import XArray
from .cycle_search import no_cycle_search
from .map import XMap

_NOT_TAKEN = re.compile(
    r"""\\(?:[bf]
          |u00(?:0[^9aAdD]|1)                                       # control characters
          |u[fF]{3}[eEfF]
          |u[dD][89abAB]..(?!\\u[dD][c-fC-F])                       # half of a surrogate pair
          |(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\)u[dD][c-fC-F])""",
    re.VERBOSE,
)
"""Escapes of characters that XML does not have. After an escaped backslash this may match needlessly."""


class NotTaken(Exception):
    """The text must go to the other parser."""


def fast_json_value(text: str, *, use_last: bool) -> Any:
    """The item of a JSON text, None for null; of duplicate keys the first or the last counts."""
    if "\\" in text and _NOT_TAKEN.search(text):
        raise NotTaken

    known: dict[tuple[str, ...], dict[str, int]] = {}

    def new_map(pairs: list[tuple[str, Any]]) -> XMap:
        if not pairs:
            return XMap()
        keys, values = zip(*pairs, strict=True)
        places = known.get(keys)
        if places is None:
            places = known[keys] = {key: place for place, key in enumerate(keys)}
        if len(places) < len(keys) or None in values:
            return _map_of_sequences(pairs, use_last=use_last)
        # Objects with the same keys share their table.
        return XMap.record(places, tuple([_array(value) if type(value) is list else value for value in values]))

    try:
        with no_cycle_search():
            found = json.loads(text, object_pairs_hook=new_map, parse_int=float, parse_constant=_refuse)
            return _array(found) if type(found) is list else found
    except (ValueError, RecursionError) as reason:
        raise NotTaken from reason


def _map_of_sequences(pairs: list[tuple[str, Any]], *, use_last: bool) -> XMap:
    entries: dict[Hashable, tuple[Any, Any]] = {}
    for key, value in pairs:
        if use_last or key not in entries:
            entries[key] = key, _sequence(value)
    return XMap(entries)


def _array(members: list[Any]) -> XArray:
    # Most members are single values: no call for those.
    return XArray([_sequence(one) if one is None or type(one) is list else (one,) for one in members])


def _sequence(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return (_array(value),) if type(value) is list else (value,)


def _refuse(name: str) -> NoReturn:
    """NaN and Infinity are Python extensions."""
    raise ValueError(name)
