"""A part of a query that no operator maintains: it is evaluated from scratch and compared with its last result."""

from __future__ import annotations

from typing import Any

from .commits import Commit
from .evaluation import Reevaluation
from .loops import Compared
from .parts import ItemWriter

__all__ = ["LiveScope"]


class LiveScope(Compared):
    """Implements `plan.Scope`.

    Holds:  its last value, and the text of it.
    """

    def __init__(self, run: Reevaluation, writer: ItemWriter) -> None:
        self._run = run
        self.writer = writer
        self._value: list[Any] | None = None
        self._written: Any = None

    def update(self, commit: Commit) -> bool:
        """Follow a commit; return whether the value may have changed."""
        value = list(self._run.items(commit.number))
        # Nothing navigates from its nodes: only their text counts.
        written = [type(item) for item in value], self.writer.parts(value, 1)
        is_same = self._value is not None and written == self._written
        self._value, self._written = value, written
        if is_same:
            return False
        self.changed_at = commit.number
        return True

    def values(self) -> list[Any]:
        assert self._value is not None
        return self._value
