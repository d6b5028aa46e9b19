"""Operators that take many items before they return one: aggregates, sorts, folds, windows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from xylem.functions.registry import FN
from xylem.functions.traits import GROWS

from .operator import Operator, shortened


class KeysOf(StrEnum):
    """The keys that have a state."""

    GROUPS = "those that are found, each of which is asked for"
    TURNS = "those that a loop will ask for"
    RECORDS = "all of them, though not each is asked for"


@dataclass(frozen=True, kw_only=True)
class Aggregate(Operator):
    """Items folded into values of functions: one in total, or one for each value of the keys.

    Holds:  a state for each function, by key; with `keeps_items` the items themselves.
    """

    kind: ClassVar[str] = "aggregate"
    functions: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    keys_of: KeysOf = KeysOf.GROUPS
    keeps_items: bool = False
    """Whether the items of a group, or all items, are the result."""

    @property
    def grows(self) -> bool:
        """Whether the state of a function grows with its input."""
        return any((FN, function) in GROWS for function in self.functions)

    @property
    def about(self) -> str:
        functions = ", ".join(self.functions) or ("items" if self.keeps_items else "")
        by = f"by {shortened(', '.join(self.keys))}" if self.keys else ""
        return " ".join(filter(None, [functions, by]))


@dataclass(frozen=True, kw_only=True)
class Sort(Operator):
    """Items in the order of their keys; with a limit, only the first or last of them.

    Holds:  all of them, or as many as the limit. No output before the last one has arrived.
    """

    kind: ClassVar[str] = "sort"
    keys: tuple[str, ...] = ()
    limit: str = ""
    """The number, in words: `3 tuples`, `$n tuples`."""
    is_last: bool = False

    @property
    def about(self) -> str:
        keys = f"by {shortened(', '.join(self.keys))}" if self.keys else ""
        which = "last" if self.is_last else "first"
        return " ".join(filter(None, [keys, f"the {which} {self.limit}" if self.limit else ""]))


@dataclass(frozen=True, kw_only=True)
class Fold(Operator):
    """A value that is updated with each item, in order.

    Holds:  the value.
    """

    kind: ClassVar[str] = "fold"
    function: str
    grows: bool = False
    """Whether the value becomes larger with each item."""

    @property
    def about(self) -> str:
        return shortened(self.function)


@dataclass(frozen=True, kw_only=True)
class Window(Operator):
    """Runs of items, each returned when its end has arrived.

    Holds:  the items of open windows, or only their aggregates; all items if a window may begin again.
    """

    kind: ClassVar[str] = "window"
    variable: str
    form: str
    """tumbling, sliding, landmark, data; every sub-sequence."""
    holds_items: bool = True
    holds_all: bool = False
    """Whether an item may be in a future window, however long ago it arrived."""
    aggregates: tuple[str, ...] = ()
    key: str = ""
    """The key that partitions its items, with separate windows for each value."""
    forgets_keys: bool = False

    @property
    def about(self) -> str:
        folded = f", {', '.join(self.aggregates)}" if self.aggregates else ""
        return f"{self.form} ${self.variable}{f' by {shortened(self.key)}' if self.key else ''}{folded}"
