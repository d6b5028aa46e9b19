"""JSON as XDM values: objects become maps, arrays arrays, null the empty sequence (F&O 3.1 §17.5.1)."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from typing import Any

from xylem.errors import DynamicError

from .array import XArray
from .json_fast_path import NotTaken, fast_json_value
from .json_parser import Fallback, parse_json
from .map import XMap


class Duplicates(Enum):
    """The treatment of duplicate keys of an object."""

    REJECT = "reject"
    USE_FIRST = "use-first"
    USE_LAST = "use-last"
    RETAIN = "retain"


class JsonValues:
    """A receiver of JSON events that makes maps and arrays; the outermost value ends up in `result`."""

    __slots__ = ("_duplicates", "_holders", "_keys", "_members", "result")

    def __init__(self, duplicates: Duplicates = Duplicates.USE_FIRST) -> None:
        self._duplicates = duplicates
        self._members: list[Any] = []
        self._keys: list[str] = []
        self._holders: list[tuple[list[Any], list[str]]] = []
        self.result: Any = None
        """The item; None for null."""

    def start_map(self) -> None:
        self._holders.append((self._members, self._keys))
        self._members, self._keys = [], []

    start_array = start_map

    def key(self, name: str) -> None:
        self._keys.append(name)

    def end_map(self) -> None:
        # A string is its own `same_key`.
        entries: dict[Hashable, tuple[Any, Any]] = {}
        policy = self._duplicates
        for entry in zip(self._keys, self._members, strict=True):
            if entry[0] in entries and policy is not Duplicates.USE_LAST:
                if policy is Duplicates.REJECT:
                    raise DynamicError("FOJS0003", f"the key {entry[0]!r} occurs twice")
                continue
            entries[entry[0]] = entry
        self._close(XMap(entries))

    def end_array(self) -> None:
        self._close(XArray(self._members))

    def _close(self, item: Any) -> None:
        self._members, self._keys = self._holders.pop()
        self._add((item,))

    def string(self, value: str) -> None:
        self._add((value,))

    def number(self, lexical: str) -> None:
        self._add((float(lexical),))

    def boolean(self, value: bool) -> None:
        self._add((value,))

    def null(self) -> None:
        self._add(())

    def _add(self, value: tuple[Any, ...]) -> None:
        if self._holders:
            self._members.append(value)
        else:
            self.result = value[0] if value else None


def json_value(
    text: str,
    *,
    duplicates: Duplicates = Duplicates.USE_FIRST,
    escape: bool = False,
    liberal: bool = False,
    fallback: Fallback | None = None,
) -> Any:
    """The item of a JSON text, None for null.

    >>> json_value('[1, null, "a"]')
    array{(1.0,), (), ('a',)}
    """
    if not escape and not liberal and fallback is None and duplicates in (Duplicates.USE_FIRST, Duplicates.USE_LAST):
        try:
            return fast_json_value(text, use_last=duplicates is Duplicates.USE_LAST)
        except NotTaken:
            pass
    values = JsonValues(duplicates)
    parse_json(text, values, escape=escape, liberal=liberal, fallback=fallback)
    return values.result
