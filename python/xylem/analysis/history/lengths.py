"""The required length of the histories of slots, path by path, for an expression over an element.

    $q/quote - $q/quote#1       2 versions of quote, a child of the element
    $q/a#1/b#2                  2 versions of a, and in each of them 3 of b
    $q//b?[60]                  of every b inside the element, versions of the last 60 seconds

A variable is followed to the path it is bound to, from one of the variables that hold elements. If that is not a path,
every slot inside all of these elements keeps as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xylem.syntax import ast

from ..free_variables import ExpandedName
from .operands import PROJECTIONS, choice_of

Location = tuple["PathStep", ...]


@dataclass(frozen=True)
class PathStep:
    """A step from an element: to children of a name, None for any, or with `is_deep` to descendants."""

    name: ExpandedName | None
    is_deep: bool = False


@dataclass(frozen=True)
class Length:
    """The retention of slots with elements at a path from the variable."""

    variable: ExpandedName
    path: Location
    sign: str
    amount: ast.Expr
    projection: ast.Expr


ANYWHERE: Location = (PathStep(None, True),)
Place = tuple[ExpandedName, Location]
"""A variable that holds elements, and a path from these."""


def lengths(expr: ast.Node, starts: Sequence[ExpandedName]) -> list[Length]:
    """The history lengths that an expression needs of the elements in some variables."""
    walk = _Walk(starts)
    walk.visit(expr, {name: (name, ()) for name in starts}, None)
    return walk.found


class _Walk:
    def __init__(self, starts: Sequence[ExpandedName]) -> None:
        self._starts = starts
        self.found: list[Length] = []

    def visit(self, node: ast.Node, here: Mapping[ExpandedName, Place | None], focus: Place | None) -> Place | None:
        """The place of the nodes of an expression; None if they are anywhere, or there are none."""
        match node:
            case ast.VarRef(name=name):
                return here.get(name.expanded)
            case ast.ContextItem():
                return focus
            case ast.Path(left=left, right=right):
                return self.visit(right, here, self.visit(left, here, focus))
            case ast.SimpleMap(left=left, right=right):
                return self.visit(right, here, self.visit(left, here, focus))
            case ast.Filter(base=base, predicate=predicate):
                at = self.visit(base, here, focus)
                self.visit(predicate, here, at)
                return at
            case ast.AxisStep():
                return self._step(node, here, focus)
            case ast.Flwor(clauses=clauses, result=result):
                for clause in clauses:
                    here = self._clause(clause, here, focus)
                return self.visit(result, here, focus)
            case ast.Quantified(bindings=bindings, satisfies=satisfies):
                for binding in bindings:
                    here = self._bound(binding.name, binding.collection, here, focus)
                self.visit(satisfies, here, focus)
                return None
        if isinstance(node, PROJECTIONS):
            chosen = choice_of(node)
            assert chosen is not None
            base, choice = chosen
            at = self.visit(base, here, focus)
            for start, path in [at] if at is not None else [(name, ANYWHERE) for name in self._starts]:
                self.found.append(Length(start, path, choice.sign, choice.amount, node))
            return at
        for child in node.children():
            self.visit(child, here, focus)
        return None

    def _step(self, step: ast.AxisStep, here: Mapping[ExpandedName, Place | None], focus: Place | None) -> Place | None:
        path = None if focus is None else _stepped(step, focus[1])
        at = None if focus is None or path is None else (focus[0], path)
        for predicate in step.predicates:
            self.visit(predicate, here, at)
        return at

    def _clause(
        self, clause: ast.Clause, here: Mapping[ExpandedName, Place | None], focus: Place | None
    ) -> Mapping[ExpandedName, Place | None]:
        match clause:
            case ast.ForClause(name=name, collection=value) | ast.LetClause(name=name, value=value):
                return self._bound(name, value, here, focus)
        for child in clause.children():
            self.visit(child, here, focus)
        return here

    def _bound(
        self, name: ast.Name, value: ast.Expr, here: Mapping[ExpandedName, Place | None], focus: Place | None
    ) -> Mapping[ExpandedName, Place | None]:
        at = self.visit(value, here, focus)
        if at is None and name.expanded in self._starts:
            # The result of a lookup is bound here.
            return here
        return {**here, name.expanded: at}


def _stepped(step: ast.AxisStep, focus: Location) -> Location | None:
    match step.axis, step.test:
        case "self", _:
            return focus
        case "descendant-or-self", ast.AnyKindTest():
            return (*focus, PathStep(None, True)) if not focus or focus[-1] != PathStep(None, True) else focus
        case "child" | "descendant" as axis, test:
            name = (test.name.uri or "", test.name.local) if isinstance(test, ast.NameTest) else None
            if focus and focus[-1] == PathStep(None, True):
                # `//b`: b at any depth.
                return (*focus[:-1], PathStep(name, True))
            return (*focus, PathStep(name, axis == "descendant"))
    return None
