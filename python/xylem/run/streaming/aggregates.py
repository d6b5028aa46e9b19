"""Aggregates taken out of expressions, to be computed while the stream passes (§3.8.1).

        count($y/a/b[c > 3]) + 1     →     $aggregate_1 + 1,  with a counter fed by each $y/a/b

Gain:   nothing of a/b is kept, only a number.
Needs:  the argument is a path of elements from the variable, or a `for` over one without `order by`, `group by` or
        positions; it reads no variable bound around it inside the expression, and no other focus.
Safe:   the functions depend on the values alone, in their order, which the stream keeps.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from xylem.analysis.focus import read_variables, reads_focus, uses_position
from xylem.analysis.projection import NotProjectable, Projection, is_descend, project
from xylem.functions.registry import FN
from xylem.plan.flux import ROOT
from xylem.syntax import ast

from ..evaluator.static_types import may_be_number

FUNCTIONS = ("count", "exists", "empty", "sum", "min", "max", "avg")
ITEM = ast.VarRef(ast.Name("streamed item", None, ""))
"""Stands for the record an aggregate is fed with; the name cannot be written in a query."""


@dataclass(frozen=True)
class Aggregate:
    """An aggregate over a stream: the records that feed it, and what it takes of each."""

    name: str
    """The variable that stands for its value."""
    function: str
    prefix: tuple[ast.AxisStep, ...]
    """The path of the records, from the variable of the stream."""
    taken: ast.Expr
    """What is added for each record, in terms of ITEM."""

    @property
    def counts(self) -> bool:
        """Whether only the number of items matters."""
        return self.function in ("count", "exists", "empty")


class Extraction:
    """Takes the aggregates over one stream variable out of an expression."""

    def __init__(self, variable: str, first_number: int) -> None:
        self.variable = variable
        self.number = first_number
        self.found: list[Aggregate] = []

    def apply(self, node: Any, bound: frozenset[tuple[str, str]] = frozenset(), own_focus: bool = True) -> Any:
        """The expression with variables for its aggregates; the very same object where there are none."""
        if isinstance(node, ast.FunctionCall):
            taken = self._aggregate(node, bound, own_focus)
            if taken is not None:
                return taken
        if not isinstance(node, ast.Node):
            return node
        changed: dict[str, Any] = {}
        for entry in fields(node):
            value = getattr(node, entry.name)
            within, focus = bound, own_focus
            if isinstance(value, (ast.Node, tuple)):
                if isinstance(node, (ast.Flwor, ast.Quantified, ast.InlineFunction, ast.Typeswitch, ast.TryCatch)):
                    within = bound | _bound_in(node)
                if _changes_focus(node, entry.name):
                    focus = False
            made = self._below(value, within, focus)
            if made is not value:
                changed[entry.name] = made
        return replace(node, **changed) if changed else node

    def _below(self, value: Any, bound: frozenset[tuple[str, str]], own_focus: bool) -> Any:
        if isinstance(value, tuple):
            made = tuple(self._below(member, bound, own_focus) for member in value)
            return value if all(a is b for a, b in zip(value, made, strict=True)) else made
        return self.apply(value, bound, own_focus) if isinstance(value, ast.Node) else value

    def _aggregate(self, call: ast.FunctionCall, bound: frozenset[tuple[str, str]], own_focus: bool) -> ast.Expr | None:
        if call.name.uri != FN or call.name.local not in FUNCTIONS or len(call.arguments) != 1:
            return None
        argument = call.arguments[0]
        if read_variables(argument) & bound or (not own_focus and reads_focus(argument)):
            return None
        split = self._split(argument)
        if split is None or not _stays_below(split[1]):
            return None
        name = f"aggregate {self.number}"
        self.number += 1
        self.found.append(Aggregate(name, call.name.local, *split))
        return ast.VarRef(ast.Name(name, None, ""), span=call.span)

    def _split(self, argument: ast.Expr) -> tuple[tuple[ast.AxisStep, ...], ast.Expr] | None:
        """The path of the records, and what is taken of each."""
        if isinstance(argument, ast.Flwor):
            return self._split_flwor(argument)
        return self._split_path(argument)

    def _split_flwor(self, flwor: ast.Flwor) -> tuple[tuple[ast.AxisStep, ...], ast.Expr] | None:
        first = flwor.clauses[0]
        if not isinstance(first, ast.ForClause) or first.position or first.allowing_empty:
            return None
        if not all(isinstance(cl, (ast.ForClause, ast.LetClause, ast.WhereClause)) for cl in flwor.clauses):
            return None
        split = self._split_path(first.collection)
        rest = (*flwor.clauses[1:], flwor.result)
        if split is None or any(reads_focus(part) or self._reads_stream(part) for part in rest):
            return None
        prefix, taken = split
        return prefix, replace(flwor, clauses=(replace(first, collection=taken), *flwor.clauses[1:]))

    def _reads_stream(self, node: ast.Node) -> bool:
        return ("", self.variable) in read_variables(node)

    def _split_path(self, argument: ast.Expr) -> tuple[tuple[ast.AxisStep, ...], ast.Expr] | None:
        steps: list[ast.Expr] = []
        base = argument
        while isinstance(base, ast.Path):
            steps.append(base.right)
            base = base.left
        if not steps or not self._is_source(base):
            return None
        steps.reverse()
        prefix: list[ast.AxisStep] = []
        taken: ast.Expr = ITEM
        descends = False
        index = 0
        while index < len(steps):
            step = steps[index]
            if is_descend(step):
                descends = True
                index += 1
                continue
            if not isinstance(step, ast.AxisStep) or step.axis not in ("child", "descendant"):
                break
            if not isinstance(step.test, (ast.NameTest, ast.Wildcard, ast.ElementTest)):
                break
            axis = "descendant" if descends else step.axis
            descends = False
            prefix.append(ast.AxisStep(axis, step.test, span=step.span))
            index += 1
            if step.predicates:
                if any(uses_position(p) or may_be_number(None, p) or self._reads_stream(p) for p in step.predicates):
                    return None
                if any(isinstance(n, ast.Root) for p in step.predicates for n in p.walk()):
                    return None
                for predicate in step.predicates:
                    taken = ast.Filter(taken, predicate, span=predicate.span)
                break
        rest = steps[index:]
        if descends or not prefix or any(self._reads_stream(step) for step in rest):
            return None
        if any(isinstance(n, ast.Root) for step in rest for n in step.walk()):
            return None
        recursive = any(step.axis == "descendant" for step in prefix)
        for step in rest:
            if recursive and not _stays(step):
                # Nested records could lead to the same node twice.
                return None
            taken = ast.Path(taken, step, span=step.span)
        return tuple(prefix), taken

    def _is_source(self, base: ast.Expr) -> bool:
        if isinstance(base, ast.VarRef):
            return base.name.expanded == ("", self.variable)
        return self.variable == ROOT and isinstance(base, (ast.Root, ast.ContextItem))


def _stays_below(taken: ast.Expr) -> bool:
    """Whether what is taken of a record is found in it: no step leads out of it."""
    try:
        project(taken, {ITEM.name.expanded: Projection()})
    except NotProjectable:
        return False
    return True


def _stays(step: ast.Expr) -> bool:
    """A step to attributes or to the element's own text: no two elements share them."""
    if not isinstance(step, ast.AxisStep):
        return False
    return step.axis == "attribute" or (step.axis == "child" and isinstance(step.test, ast.TextTest))


def _bound_in(node: ast.Node) -> frozenset[tuple[str, str]]:
    """The variables a node binds for what is below it; all names found below, to be sure."""
    names: set[tuple[str, str]] = set()
    for part in node.walk():
        for attribute in ("name", "position", "variable", "default_variable", "current", "previous", "next"):
            name = getattr(part, attribute, None)
            if isinstance(name, ast.Name) and not isinstance(part, (ast.VarRef, ast.FunctionCall, ast.NameTest)):
                names.add(name.expanded)
    return frozenset(names)


def _changes_focus(node: ast.Node, field_name: str) -> bool:
    if isinstance(node, (ast.Path, ast.SimpleMap)):
        return field_name == "right"
    return isinstance(node, (ast.Filter, ast.AxisStep)) and field_name in ("predicate", "predicates")
