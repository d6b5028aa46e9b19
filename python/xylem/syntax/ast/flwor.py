"""FLWOR expressions. Each binding of a `for` or `let` clause is a clause of its own."""

from __future__ import annotations

from .expressions import (
    GENERAL_OPERATORS,
    NODE_ORDERS,
    FunctionCall,
    GeneralComparison,
    NodeComparison,
    ValueComparison,
)
from .node import Expr, Name, Node, ast_node
from .types import SequenceTypeNode


@ast_node
class Clause(Node):
    """One step of a FLWOR expression: it turns one stream of tuples into another."""


@ast_node
class ForClause(Clause):
    name: Name
    type: SequenceTypeNode | None
    collection: Expr
    position: Name | None = None
    allowing_empty: bool = False


@ast_node
class LetClause(Clause):
    name: Name
    type: SequenceTypeNode | None
    value: Expr


@ast_node
class WindowVariables(Node):
    current: Name | None = None
    position: Name | None = None
    previous: Name | None = None
    next: Name | None = None


@ast_node
class WindowCondition(Node):
    variables: WindowVariables
    when: Expr
    only: bool = False
    """`only end`: windows still open when the input ends are dropped."""


@ast_node
class WindowClause(Clause):
    """for tumbling|sliding window: kind is the keyword."""

    kind: str
    name: Name
    type: SequenceTypeNode | None
    collection: Expr
    start: WindowCondition
    end: WindowCondition | None = None


@ast_node
class WhereClause(Clause):
    test: Expr


@ast_node
class CountClause(Clause):
    name: Name


@ast_node
class GroupingSpec(Node):
    name: Name
    type: SequenceTypeNode | None = None
    value: Expr | None = None
    collation: str | None = None


@ast_node
class GroupByClause(Clause):
    specs: tuple[GroupingSpec, ...]


@ast_node
class OrderSpec(Node):
    key: Expr
    descending: bool = False
    empty: str | None = None
    """'greatest', 'least', or None for the prolog's default."""
    collation: str | None = None


@ast_node
class OrderByClause(Clause):
    specs: tuple[OrderSpec, ...]
    stable: bool = False


STARTS_WITH = "starts-with"
BEGINS = "begins"
BEGINNINGS = (STARTS_WITH, BEGINS)
"""For two strings: the key starts with the probe, or the probe starts with the key."""


@ast_node
class JoinTest(Node):
    """key op probe: the key reads the variable of the join, the probe does not.

    `op` is a general or a value comparison, or one of `NODE_ORDERS` or `BEGINNINGS`; with `negated`, it must not be
    true.
    """

    key: Expr
    op: str
    probe: Expr
    negated: bool = False

    @property
    def comparison(self) -> Expr:
        """The condition that must be true, or with `negated` must not."""
        if self.op in NODE_ORDERS:
            return NodeComparison(self.op, self.key, self.probe, span=self.span)
        if self.op in BEGINNINGS:
            sides = (self.key, self.probe) if self.op == STARTS_WITH else (self.probe, self.key)
            return FunctionCall(Name("starts-with", "fn"), sides, span=self.span)
        kind = GeneralComparison if self.op in GENERAL_OPERATORS else ValueComparison
        return kind(self.op, self.key, self.probe, span=self.span)


@ast_node
class JoinClause(Clause):
    """for $name at $position in collection where all tests hold, as one operator: a lookup of probes by keys.

    No text parses to it; rewriting makes it (`rewrite/joins/`), and it prints as the clauses it replaces. If there are
    several tests, all of them are equalities and orders.
    """

    name: Name
    type: SequenceTypeNode | None
    collection: Expr
    position: Name | None
    tests: tuple[JoinTest, ...]
    place: int | None = None
    """For matches that are children of one parent: the one at this position: `line[@id = $x][1]`; -1 is the last."""
    is_of_input: bool = False
    """Whether a leading `/` in the collection is the root of the input, whatever the focus."""
    anchor: Name | None = None
    """A variable in the collection that is rebound at each turn, but often to the same node: each node has an index."""


@ast_node
class Flwor(Expr):
    clauses: tuple[Clause, ...]
    result: Expr
