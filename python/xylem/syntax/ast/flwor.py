"""FLWOR expressions. Each binding of a `for` or `let` clause is a clause of its own."""

from __future__ import annotations

from dataclasses import dataclass

from .node import Expr, Name, Node
from .types import SequenceTypeNode


@dataclass(frozen=True)
class Clause(Node):
    """One step of a FLWOR expression: takes a stream of tuples, gives one."""


@dataclass(frozen=True)
class ForClause(Clause):
    name: Name
    type: SequenceTypeNode | None
    collection: Expr
    position: Name | None = None
    allowing_empty: bool = False


@dataclass(frozen=True)
class LetClause(Clause):
    name: Name
    type: SequenceTypeNode | None
    value: Expr


@dataclass(frozen=True)
class WindowVariables(Node):
    current: Name | None = None
    position: Name | None = None
    previous: Name | None = None
    next: Name | None = None


@dataclass(frozen=True)
class WindowCondition(Node):
    variables: WindowVariables
    when: Expr
    only: bool = False
    """`only end`: windows still open when the input ends are dropped."""


@dataclass(frozen=True)
class WindowClause(Clause):
    """for tumbling|sliding window: kind is the keyword."""

    kind: str
    name: Name
    type: SequenceTypeNode | None
    collection: Expr
    start: WindowCondition
    end: WindowCondition | None = None


@dataclass(frozen=True)
class WhereClause(Clause):
    test: Expr


@dataclass(frozen=True)
class CountClause(Clause):
    name: Name


@dataclass(frozen=True)
class GroupingSpec(Node):
    name: Name
    type: SequenceTypeNode | None = None
    value: Expr | None = None
    collation: str | None = None


@dataclass(frozen=True)
class GroupByClause(Clause):
    specs: tuple[GroupingSpec, ...]


@dataclass(frozen=True)
class OrderSpec(Node):
    key: Expr
    descending: bool = False
    empty: str | None = None
    """'greatest', 'least', or None for the prolog's default."""
    collation: str | None = None


@dataclass(frozen=True)
class OrderByClause(Clause):
    specs: tuple[OrderSpec, ...]
    stable: bool = False


@dataclass(frozen=True)
class Flwor(Expr):
    clauses: tuple[Clause, ...]
    result: Expr
