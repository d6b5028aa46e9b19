"""What is decided about one best-match join before code is written for it (thesis, chapter 4).

Where the two loops of the join do not depend on each other, each side is evaluated once by itself and pairs are
found by the values that orders compare (`BestMatchPlan`). Else all tuples are formed first (`BestMatchTuples`).
Both are clauses like any other, so that whatever walks over a FLWOR expression walks over them too.

A **term** is what an order or a test computes of a pair, where that is plain arithmetic, as nested tuples:
`("left", 2)` is leaf 2 of the left side, `("right", 0)` one of the right side, `("constant", 1)` a value that both
share, `("-", a, b)`, `("abs", a)` … an operation on terms.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from xylem.syntax import ast
from xylem.syntax.ast.node import ast_node

Term: TypeAlias = tuple[Any, ...]

UNARY_OPERATIONS = ("abs", "distance", "negate", "sqrt", "double")
BINARY_OPERATIONS = ("+", "-", "*", "div")


@ast_node
class BestMatchSide(ast.Node):
    """One loop of a join: what it binds, the clauses about it alone, and what terms read of each of its items."""

    binding: ast.ForClause
    clauses: tuple[ast.Clause, ...] = ()
    leaves: tuple[ast.Expr, ...] = ()

    @property
    def names(self) -> tuple[ast.Name, ...]:
        """The variables of a tuple of this side."""
        position = () if self.binding.position is None else (self.binding.position,)
        lets = (clause.name for clause in self.clauses if isinstance(clause, ast.LetClause))
        return (self.binding.name, *position, *lets)


@ast_node
class BestMatchCriterion(ast.Node):
    """One order: a value that is least or greatest for the best pairs, or a comparison of pairs by a function."""

    written: ast.BestMatchOrder
    value: ast.Expr | None = None
    """What `min` and `max` are about; None where a function compares."""
    term: Term | None = None
    left: ast.Expr | None = None
    """What a function is given of the left item; None: nothing."""
    right: ast.Expr | None = None


@ast_node
class BestMatchTest(ast.Node):
    """A condition on pairs that stands before the join; where both of its sides are terms, `op` compares them."""

    test: ast.Expr
    op: str = ""
    left: Term = ()
    right: Term = ()
    is_general: bool = True
    """Whether it compares as `=` and `<` do, and not as `eq` and `lt`."""


@ast_node
class BestMatchPlan(ast.Clause):
    """A join whose sides stand by themselves."""

    written: ast.BestMatchClause
    left: BestMatchSide
    right: BestMatchSide
    left_is_first: bool
    criteria: tuple[BestMatchCriterion, ...]
    tests: tuple[BestMatchTest, ...]
    constants: tuple[ast.Expr, ...]
    lets: tuple[ast.LetClause, ...]
    """Of pairs."""
    pads_left: bool = False
    """A left item without partner is kept, for the right variable allows empty."""
    pads_right: bool = False


@ast_node
class BestMatchTuples(ast.Clause):
    """A join over tuples as they come: one loop depends on the other, or more loops or joins stand between them."""

    written: ast.BestMatchClause
    clauses: tuple[ast.Clause, ...]
    """From the first of the two loops to what stands before the join; from further out where an earlier join of other
    loops reaches into them.
    """
    criteria: tuple[BestMatchCriterion, ...]
    loops_around: int = 0
    """How many of these loops come before those of this join: each of their turns is a join of its own."""
