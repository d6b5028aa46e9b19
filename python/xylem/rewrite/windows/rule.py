"""The interface of a rule for windows, and the facts that it may use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from xylem.plan.window_plan import WindowPlan
from xylem.schema.constraints import Schema
from xylem.syntax import ast


@dataclass(frozen=True)
class WindowFacts:
    """The facts known around a FLWOR expression."""

    without: frozenset[str] = frozenset()
    """Rules that are switched off."""
    schema: Schema | None = None
    """The schema of the document behind the context item."""
    fed_from: ast.Expr | None = None
    """The source of the items that a stream gives to windows: a path from its document."""
    is_sequential: bool = False
    """Whether variables may change while the query runs: then conditions stay in place."""
    by_code_points: bool = True
    """Whether strings are compared by the code point collation."""
    is_infinite: Callable[[ast.Expr], bool] = lambda expr: False
    """Whether an expression may be infinite at this place."""
    user_aggregates: frozenset[tuple[str, str]] = frozenset()
    """The registered functions that fold their argument value by value."""


@dataclass(frozen=True)
class WindowPlace:
    """A window clause with the clauses after it, the scope of its variables."""

    window: WindowPlan
    rest: tuple[ast.Clause, ...]
    result: ast.Expr
    before: tuple[ast.Clause, ...] = ()

    def with_window(self, **changes: object) -> WindowPlace:
        return replace(self, window=replace(self.window, **changes))  # type: ignore[arg-type]

    @property
    def is_grouped(self) -> bool:
        """Whether a `group by` follows: after it the variables hold the values of all tuples of a group."""
        return any(isinstance(clause, ast.GroupByClause) for clause in self.rest)

    @property
    def followers(self) -> tuple[ast.Node, ...]:
        """Everything that may read the variables of the clause, except its own conditions."""
        return (*self.rest, self.result)


class WindowRule(ABC):
    """Looks at one window clause and returns an equal place, or the very same object."""

    name: ClassVar[str]
    paper: ClassVar[str] = ""
    """Its section in the windows paper."""

    @abstractmethod
    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace: ...
