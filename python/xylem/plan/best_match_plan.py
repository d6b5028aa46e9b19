"""Decisions about a best-match join before code is written for it (thesis, chapter 4).

If the two loops of the join do not depend on each other, each side is evaluated once on its own and pairs are found by
the compared values (`BestMatchPlan`). Otherwise all tuples are formed first (`BestMatchTuples`). Both are clauses like
any other, so traversals of FLWOR expressions handle them too.

A **term** is a computation of an order or a test on a pair, if it is plain arithmetic, as nested tuples: `("left", 2)`
is leaf 2 of the left side, `("right", 0)` one of the right side, `("constant", 1)` a value that both share, `("-", a,
b)`, `("abs", a)` … an operation on terms.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from xylem.syntax import ast
from xylem.syntax.ast.node import ast_node

Term: TypeAlias = tuple[Any, ...]


@ast_node
class BestMatchSide(ast.Node):
    """One loop of a join: its bindings, its own clauses, and the values that terms read from each of its items."""

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
    """The operand of `min` and `max`; None if a function compares."""
    term: Term | None = None
    left: ast.Expr | None = None
    """The function's arguments from the left item; None: none."""
    right: ast.Expr | None = None


@ast_node
class BestMatchTest(ast.Node):
    """A condition on pairs before the join; if both of its sides are terms, `op` compares them."""

    test: ast.Expr
    op: str = ""
    left: Term = ()
    right: Term = ()
    is_general: bool = True
    """Whether it is a general comparison (`=`, `<`) and not a value comparison (`eq`, `lt`)."""


@ast_node
class BestMatchPlan(ast.Clause):
    """A join whose sides are independent."""

    written: ast.BestMatchClause
    left: BestMatchSide
    right: BestMatchSide
    left_is_first: bool
    criteria: tuple[BestMatchCriterion, ...]
    tests: tuple[BestMatchTest, ...]
    constants: tuple[ast.Expr, ...]
    lets: tuple[ast.LetClause, ...]
    """Bindings that depend on a pair."""
    pads_left: bool = False
    """Whether a left item without partner is kept, because the right variable allows empty."""
    pads_right: bool = False


@ast_node
class BestMatchTuples(ast.Clause):
    """A join over collected tuples: one loop depends on the other, or there are more loops or joins between them."""

    written: ast.BestMatchClause
    clauses: tuple[ast.Clause, ...]
    """From the first of the two loops to just before the join; from further out if an earlier join of other loops
    overlaps them.
    """
    criteria: tuple[BestMatchCriterion, ...]
    loops_around: int = 0
    """Number of these loops before those of this join: each of their turns is a separate join."""
