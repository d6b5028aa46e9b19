"""Aggregates taken out of expressions, to be computed while the stream passes (§3.8.1), conditions among them (§3.7.2).

        count($y/a/b[c > 3]) + 1     →     $aggregate_1 + 1,  with a counter fed by each $y/a/b
        if ($y/a = "x") then …       →     if ($aggregate_2) then …,  which is exists($y/a[. = "x"])

Gain:   nothing of a/b is kept, only a number.
Needs:  the argument is a path of elements from the variable, or a `for` over one without `order by`, `group by` or
        positions; it reads no other variable of the program, none bound around it inside the expression, and no other
        focus. A comparison has a constant on its other side.
Safe:   the functions depend on the values alone, in their order, which the stream keeps. An error waits until the
        value is asked for.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import Any

from xylem.analysis.focus import read_variables, reads_focus, uses_position
from xylem.analysis.projection import NotProjectable, Projection, is_descend, project
from xylem.functions.registry import FN
from xylem.plan.flux import ROOT
from xylem.rewrite.substitution import Substitution
from xylem.syntax import ast

from ..evaluator.static_types import may_be_number

FUNCTIONS = ("count", "exists", "empty", "sum", "min", "max", "avg")
AGGREGATE = "aggregate "
"""How the variables of aggregates are called; no query can call one so."""
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


    @property
    def of_item(self) -> Aggregate:
        """The same aggregate, fed with the nodes the variable itself stands for."""
        start: ast.Expr = ITEM
        for step in self.prefix:
            start = ast.Path(start, step, span=step.span)
        return replace(self, prefix=(), taken=Substitution({ITEM.name.expanded: start}).apply(self.taken))


class Extraction:
    """Takes the aggregates over one stream variable out of an expression."""

    def __init__(self, variable: str, first_number: int, others: Collection[str] = ()) -> None:
        """`others` are the other variables of the program: what they hold when a record comes is not known."""
        self.variable = variable
        self.number = first_number
        self.others = frozenset(("", name) for name in others if name != variable)
        self.found: list[Aggregate] = []

    def condition(self, node: ast.Expr) -> ast.Expr:
        """A condition with its aggregates taken out; a path in it asks whether there is any."""
        match node:
            case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
                return replace(node, left=self.condition(left), right=self.condition(right))
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in ((FN, "not"), (FN, "boolean")):
                return replace(node, arguments=(self.condition(argument),))
            case ast.Path():
                made = self._extracted("exists", node, frozenset(), True, node)
                if made is not None:
                    return made
        made = self.apply(node)
        assert isinstance(made, ast.Expr)
        return made

    def apply(self, node: Any, bound: frozenset[tuple[str, str]] = frozenset(), own_focus: bool = True) -> Any:
        """The expression with variables for its aggregates; the very same object where there are none."""
        taken = None
        if isinstance(node, ast.FunctionCall):
            taken = self._aggregate(node, bound, own_focus)
        elif isinstance(node, ast.GeneralComparison):
            taken = self._comparison(node, bound, own_focus)
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
        return self._extracted(call.name.local, call.arguments[0], bound, own_focus, call)

    def _comparison(
        self, node: ast.GeneralComparison, bound: frozenset[tuple[str, str]], own_focus: bool
    ) -> ast.Expr | None:
        """$y/a = "x" as exists($y/a[. = "x"])"""
        for path, constant in ((node.left, node.right), (node.right, node.left)):
            if isinstance(path, ast.Path) and _is_constant(constant):
                sides = (ast.ContextItem(), constant) if path is node.left else (constant, ast.ContextItem())
                test = ast.GeneralComparison(node.op, *sides, span=node.span)
                return self._extracted("exists", path, bound, own_focus, node, test)
        return None

    def _extracted(
        self,
        function: str,
        argument: ast.Expr,
        bound: frozenset[tuple[str, str]],
        own_focus: bool,
        whole: ast.Expr,
        test: ast.Expr | None = None,
    ) -> ast.Expr | None:
        """The variable for an aggregate, of those items that pass the test if there is one; None where it stays."""
        if read_variables(argument) & (bound | self.others) or (not own_focus and reads_focus(argument)):
            return None
        split = self._split(argument)
        if split is None or not _stays_below(split[1]):
            return None
        prefix, taken = split
        if test is not None:
            taken = ast.Filter(taken, test, span=test.span)
        name = next((a.name for a in self.found if (a.function, a.prefix, a.taken) == (function, prefix, taken)), None)
        if name is None:
            name = f"{AGGREGATE}{self.number}"
            self.number += 1
            self.found.append(Aggregate(name, function, prefix, taken))
        return ast.VarRef(ast.Name(name, None, ""), span=whole.span)

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


def _is_constant(node: ast.Expr) -> bool:
    if isinstance(node, ast.Unary):
        return _is_constant(node.operand)
    return isinstance(node, (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral))


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
