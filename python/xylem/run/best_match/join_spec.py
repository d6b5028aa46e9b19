"""The clause of a best-match join as plain data: the compiler makes it and the run reads it."""

from __future__ import annotations

from typing import NamedTuple

from xylem.plan.best_match_plan import Term
from xylem.plan.best_match_window import MovingWindow


class OrderSpec(NamedTuple):
    """One order: `direction` is min or max, or '' if a function compares pairs."""

    direction: str
    term: Term | None
    text: str
    """The text in the query, for errors."""


class ConditionSpec(NamedTuple):
    """A condition on pairs that compares two terms; `op` is '' for any other kind of condition."""

    op: str
    left: Term
    right: Term
    is_general: bool


class JoinSpec(NamedTuple):
    """The kind of a join, its orders and its conditions."""

    kind: str
    best: int
    left_is_first: bool
    orders: tuple[OrderSpec, ...]
    tests: tuple[ConditionSpec, ...] = ()
    pads_left: bool = False
    pads_right: bool = False
    reads_left: bool = True
    """Whether anything after the join reads the left item, or a variable bound with it."""
    reads_right: bool = True
    names: tuple[str, str] = ("", "")
    """Variable names of both sides."""
    window: MovingWindow | None = None
    """The value that windows may move along."""
