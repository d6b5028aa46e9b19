"""The state of fn:string-join: the text so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from xylem.values.saved_state import saved
from xylem.values.string_of import string_of

from .state import AggregateState

_JOIN_AT = 1024


@saved("joiner", 1, fields=("_parts", "_joined", "held_bytes"))
class JoinState(AggregateState):
    """Holds:  the text, which is the answer."""

    __slots__ = ("_joined", "_parts", "_separator")

    def __init__(self, separator: str) -> None:
        super().__init__()
        self._separator = separator
        self._parts: list[str] = []
        self._joined = 0
        """Number of leading parts that are already joined, each of many values: no text is copied repeatedly."""

    def add(self, values: Iterable[Any]) -> None:
        for value in values:
            text = string_of(value)
            self._parts.append(text)
            self.held_bytes += len(text) + len(self._separator)
        self._join_many()

    def _join_many(self) -> None:
        if len(self._parts) - self._joined > _JOIN_AT:
            self._parts[self._joined :] = [self._separator.join(self._parts[self._joined :])]
            self._joined += 1

    def settle(self) -> None:
        if len(self._parts) > 1:
            self._parts = [self._separator.join(self._parts)]
            self._joined = 1

    def value(self) -> Sequence[Any]:
        return (self._separator.join(self._parts),)

    def _merge(self, following: JoinState) -> None:
        self._parts += following._parts
        self.held_bytes += following.held_bytes
        self._join_many()
