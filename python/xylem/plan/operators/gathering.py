"""Operators that take many items before they give one: aggregates, sorts, folds, windows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from xylem.functions.registry import FN
from xylem.functions.traits import GROWS

from .operator import Operator, shortened


class KeysOf(StrEnum):
    """Which keys have a state."""

    GROUPS = "those that are found, each of which is asked for"
    TURNS = "those that a loop will ask for"
    RECORDS = "all of them, though not each is asked for"


@dataclass(frozen=True, kw_only=True)
class Aggregate(Operator):
    """Items folded into values of functions: one of all of them, or one for each value of the keys.

    Holds:  a state for each function, by key; the items themselves where `keeps_items`.
    """

    kind: ClassVar[str] = "aggregate"
    functions: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    keys_of: KeysOf = KeysOf.GROUPS
    keeps_items: bool = False
    """Whether the items of a group, or of all, are what is asked for."""

    @property
    def grows(self) -> bool:
        """Whether the state of a function grows with what it takes."""
        return any((FN, function) in GROWS for function in self.functions)

    @property
    def about(self) -> str:
        functions = ", ".join(self.functions) or ("items" if self.keeps_items else "")
        by = f"by {shortened(', '.join(self.keys))}" if self.keys else ""
        return " ".join(filter(None, [functions, by]))


@dataclass(frozen=True, kw_only=True)
class Sort(Operator):
    """Items in the order of their keys; with a limit, the first of them alone, or the last.

    Holds:  all of them, or as many as the limit says. Gives nothing before the last one has come.
    """

    kind: ClassVar[str] = "sort"
    keys: tuple[str, ...] = ()
    limit: str = ""
    """How many: `3 tuples`, `$n tuples`."""
    is_last: bool = False

    @property
    def about(self) -> str:
        keys = f"by {shortened(', '.join(self.keys))}" if self.keys else ""
        which = "last" if self.is_last else "first"
        return " ".join(filter(None, [keys, f"the {which} {self.limit}" if self.limit else ""]))


@dataclass(frozen=True, kw_only=True)
class Fold(Operator):
    """A value that each item takes one step further, in their order.

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
    """Runs of items, each given when its end has come.

    Holds:  the items of the windows that are open, or only their aggregates; all items where a window may begin again.
    """

    kind: ClassVar[str] = "window"
    variable: str
    form: str
    """tumbling, sliding, landmark, data; every sub-sequence."""
    holds_items: bool = True
    holds_all: bool = False
    """Whether an item may be in a window that is still to come, however long ago it came."""
    aggregates: tuple[str, ...] = ()
    key: str = ""
    """By which its items are taken apart, each value with windows of its own."""
    forgets_keys: bool = False

    @property
    def about(self) -> str:
        folded = f", {', '.join(self.aggregates)}" if self.aggregates else ""
        return f"{self.form} ${self.variable}{f' by {shortened(self.key)}' if self.key else ''}{folded}"
