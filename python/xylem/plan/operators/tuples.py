"""Operators on tuples: variables bound in turn, tuples that pass a test, numbers, and pairs that match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .operator import Operator, shortened


@dataclass(frozen=True, kw_only=True)
class Bind(Operator):
    """A variable bound to each item of its input in turn (`for`), or to all of them (`let`).

    Holds:  the `held` part of each current item; a `let` with `kept` holds its value.
    """

    kind: ClassVar[str] = "bind"
    variable: str
    how: str = "for"
    source: str = ""
    """The origin of the items, if it has no input."""
    held: tuple[str, ...] = ()
    """The part of an item that is kept until it is complete."""
    until: str = ""
    is_all: bool = False
    """Whether one item may contain the whole input: then its kept part grows with the input."""
    is_kept: bool = False
    """For a `let`: whether its items are kept, and not a value folded from them."""
    limit: int | None = None
    """Number of items to take; later ones are ignored."""

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

    Holds:  items that wait for the decision, if `waiting` is set.
    """

    kind: ClassVar[str] = "select"
    condition: str
    waiting: tuple[str, ...] = ()
    """The part of an item that is kept until its condition is decided by later input."""
    until: str = ""
    is_all: bool = False
    """As for `Bind`."""

    @property
    def about(self) -> str:
        return shortened(self.condition)


@dataclass(frozen=True, kw_only=True)
class Number(Operator):
    """Numbers items or tuples: a variable for the numbers, or a test of the position.

    Holds:  the last items, if they are counted from the end.
    """

    kind: ClassVar[str] = "number"
    variable: str = ""
    test: str = ""
    last: int | None = None
    """Number of last items kept until the end confirms that they are the last."""

    @property
    def about(self) -> str:
        return f"${self.variable}" if self.variable else shortened(self.test)


@dataclass(frozen=True, kw_only=True)
class Join(Operator):
    """For each tuple, the items of its input whose keys match the probes, found by an index.

    Holds:  its input, with the keys: one side of the join.
    """

    kind: ClassVar[str] = "join"
    variable: str
    how: str = "inner"
    """inner; semi or anti, if only the existence of a match counts; group, if an aggregate takes the matches; by key,
    if tasks receive only possible matches."""
    equalities: tuple[str, ...] = ()
    band: tuple[str, ...] = ()
    """Order comparisons."""
    rest: tuple[str, ...] = ()
    """Comparisons that must not hold."""
    orders: tuple[str, ...] = ()
    """The optimised values of best matches."""

    @property
    def about(self) -> str:
        tests = [*self.equalities, *self.band, *(f"not({test})" for test in self.rest), *self.orders]
        return f"{self.how} ${self.variable} by {shortened(' and '.join(tests))}"
