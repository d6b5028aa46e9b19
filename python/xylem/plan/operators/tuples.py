"""Operators on tuples: variables bound in turn, tuples that pass a test, numbers, and pairs that match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .operator import Operator, shortened


@dataclass(frozen=True, kw_only=True)
class Bind(Operator):
    """A variable bound to each item of its input in turn (`for`), or to all of them (`let`).

    Holds:  what `held` says of each item, while it is at hand; a `let` whose value is `kept` holds that.
    """

    kind: ClassVar[str] = "bind"
    variable: str
    how: str = "for"
    source: str = ""
    """Where the items come from, if no input of its own gives them."""
    held: tuple[str, ...] = ()
    """What is kept of an item until it is complete."""
    until: str = ""
    is_all: bool = False
    """Whether one item may have the whole input inside: what is kept of it grows as that does."""
    is_kept: bool = False
    """Of a `let`: whether its items are kept, and not a value folded from them."""
    limit: int | None = None
    """So many items are taken, and none after them."""

    @property
    def about(self) -> str:
        variable = "." if self.variable == "." else f"${self.variable}"
        sign = ":=" if self.how == "let" else "in"
        source = f" {sign} {shortened(self.source)}" if self.source else ""
        limit = "" if self.limit is None else f", up to number {self.limit}"
        return f"{self.how} {variable}{source}{limit}"


@dataclass(frozen=True, kw_only=True)
class Select(Operator):
    """The items, or the tuples, for which a condition holds.

    Holds:  items that wait for the decision, where `waiting` says so.
    """

    kind: ClassVar[str] = "select"
    condition: str
    waiting: tuple[str, ...] = ()
    """What is kept of an item until its condition is decided by what follows it."""
    until: str = ""
    is_all: bool = False
    """As for `Bind`."""

    @property
    def about(self) -> str:
        return shortened(self.condition)


@dataclass(frozen=True, kw_only=True)
class Number(Operator):
    """Items or tuples by their numbers: a variable that has them, or a test of the position.

    Holds:  the last items, where they are counted from the end.
    """

    kind: ClassVar[str] = "number"
    variable: str = ""
    test: str = ""
    last: int | None = None
    """How many of the last ones are kept until the end tells that they are."""

    @property
    def about(self) -> str:
        return f"${self.variable}" if self.variable else shortened(self.test)


@dataclass(frozen=True, kw_only=True)
class Join(Operator):
    """For each tuple, the items of its input whose keys compare so with the probes; by an index.

    Holds:  its input, with the keys: one side of the join.
    """

    kind: ClassVar[str] = "join"
    variable: str
    how: str = "inner"
    """inner; semi or anti, where only whether there is a match counts; group, where an aggregate takes the matches;
    by key, where tasks are given what may match."""
    equalities: tuple[str, ...] = ()
    band: tuple[str, ...] = ()
    """Comparisons by an order."""
    rest: tuple[str, ...] = ()
    """Comparisons that are not true of what is looked for."""
    orders: tuple[str, ...] = ()
    """Of best matches, what is least or greatest for them."""

    @property
    def about(self) -> str:
        tests = [*self.equalities, *self.band, *(f"not({test})" for test in self.rest), *self.orders]
        return f"{self.how} ${self.variable} by {shortened(' and '.join(tests))}"
