"""The records that feed an aggregate: an expression cut into the path that the scan follows and a rest for each record.

    sum($y//a[b > 3]/@c)                          →     //a,    ITEM[b > 3]/@c
    count(for $x in $y/a/b where χ return γ)      →     a/b,    for $x in ITEM where χ return γ
    max($y/a/string-length(b))                    →     a,      ITEM/string-length(b)
    count(($y/a)[b > 3])                          →     a,      ITEM[b > 3]
    count(for $x in $y/a for $z in doc("b.xml")/z where $x left outer bestmatch join $z …)
                                                  →     a,      for $x in ITEM for $x in $x for $z in …
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from xylem.analysis.bound_names import read_variables
from xylem.analysis.facts.best_match_loops import is_joined
from xylem.analysis.facts.may_be_number import may_be_number
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.focus import reads_focus, uses_position
from xylem.analysis.streamable_paths import is_descend, is_leaf_step, is_test, plain_leaf
from xylem.analysis.types import leaf_kind
from xylem.plan.flux import ROOT
from xylem.rewrite.best_match import one_at_a_time
from xylem.syntax import ast

ITEM = ast.VarRef(ast.Name("streamed item", None, ""))
"""The record that feeds an aggregate; the name cannot be written in a query."""
AROUND = ("self", "descendant-or-self")
"""Axes of a prefix for the stream's own node, or for that and its descendants: the records are their leaves."""
Split = tuple[tuple[ast.AxisStep, ...], ast.Expr]
"""The path of the records from the variable of the stream, and the value taken from each in terms of ITEM."""


def split_records(argument: ast.Expr, variable: str) -> Split | None:
    """The path of the records, and the value taken from each; None if the expression cannot be split in this way."""
    match argument:
        case ast.Flwor():
            return _split_flwor(argument, variable)
        case ast.SimpleMap(left=left, right=right) if not uses_position(right):
            split = split_records(left, variable)
            if split is None or _looks_elsewhere(right, variable):
                return None
            return split[0], replace(argument, left=split[1])
        case ast.Filter(base=base, predicate=predicate) if is_test(predicate) and not uses_position(predicate):
            # (E)[p], where p is tested for each item separately
            split = split_records(base, variable)
            if split is None or _looks_elsewhere(predicate, variable):
                return None
            return split[0], replace(argument, base=split[1])
        case ast.Path(left=left, right=ast.AxisStep(axis="child" | "attribute") as step) if _ends_in_filter(left):
            # (E)[p]/a: the children of the items, one item after the other, if items do not nest
            split = split_records(left, variable)
            if split is None or _looks_elsewhere(step, variable) or any(s.axis != "child" for s in split[0]):
                return None
            return split[0], replace(argument, left=split[1])
    return _split_path(argument, variable)


def _ends_in_filter(expr: ast.Expr) -> bool:
    while isinstance(expr, ast.Path) and isinstance(expr.right, ast.AxisStep):
        expr = expr.left
    return isinstance(expr, ast.Filter)


def is_source(base: ast.Expr, variable: str) -> bool:
    """Whether an expression is the element of the stream itself."""
    if isinstance(base, ast.VarRef):
        return base.name.expanded == ("", variable)
    return variable == ROOT and isinstance(base, (ast.Root, ast.ContextItem))


def gives_itself(taken: ast.Expr) -> bool:
    """Whether the value taken from a record is the record itself, if it passes some tests."""
    match taken:
        case ast.Flwor(clauses=(ast.ForClause(name=name, collection=collection), *rest), result=ast.VarRef(name=read)):
            only_tests = all(isinstance(clause, ast.WhereClause) for clause in rest)
            return only_tests and read.expanded == name.expanded and gives_itself(collection)
        case ast.Filter(base=base):
            return gives_itself(base)
    return taken == ITEM


def leaves_order(prefix: Sequence[ast.AxisStep], taken: ast.Expr) -> bool:
    """Whether the values taken from records in turn may be out of document order.

    If records nest, a child of the outer one may come after nodes of the inner one.
    """
    while isinstance(taken, (ast.Flwor, ast.SimpleMap)):
        first = taken.clauses[0] if isinstance(taken, ast.Flwor) else None
        taken = first.collection if isinstance(first, ast.ForClause) else taken.left  # type: ignore[union-attr]
    if not any(step.axis == "descendant" for step in prefix):
        return False
    while isinstance(taken, ast.Path):
        if isinstance(taken.right, ast.AxisStep) and taken.right.axis != "attribute":
            return True
        taken = taken.left
    return False


class Leaves(NamedTuple):
    """The value taken from each leaf of a record, with ITEM for the leaf."""

    kind: int
    """The kind of nodes: text, comment or processing instruction."""
    taken: ast.Expr


def each_leaf(taken: ast.Expr) -> Leaves | None:
    """The value taken from a record in terms of its leaves, if it treats each leaf separately; otherwise None.

    ITEM/text()[contains(., "x")]/string-length()     →     ITEM[contains(., "x")]/string-length()
    """
    match taken:
        case ast.Path(left=ast.VarRef() as left, right=ast.AxisStep(axis="child") as step) if left == ITEM:
            if not _is_leaf(step):
                return None
            plain = plain_leaf(step)
            made: ast.Expr = ITEM
            for predicate in plain.predicates:
                made = ast.Filter(made, predicate, span=predicate.span)
            return Leaves(leaf_kind(plain.test), made)
        case ast.Filter(base=base, predicate=predicate) if is_test(predicate):
            inner = each_leaf(base)
            return None if inner is None else inner._replace(taken=replace(taken, base=inner.taken))
        case ast.Path(left=left, right=right) | ast.SimpleMap(left=left, right=right):
            inner = each_leaf(left)
            alone = not isinstance(right, ast.AxisStep) and not uses_position(right)
            return inner._replace(taken=replace(taken, left=inner.taken)) if inner is not None and alone else None
        case ast.Flwor(clauses=(ast.ForClause(collection=collection) as first, *rest)):
            inner = each_leaf(collection)
            if inner is None:
                return None
            return inner._replace(taken=replace(taken, clauses=(replace(first, collection=inner.taken), *rest)))
    return None


def _reads(variable: str, node: ast.Node) -> bool:
    return ("", variable) in read_variables(node)


def _looks_elsewhere(node: ast.Node, variable: str) -> bool:
    """Whether an expression reads nodes of the stream outside the record."""
    return _reads(variable, node) or any(isinstance(part, ast.Root) for part in node.walk())


def _split_flwor(flwor: ast.Flwor, variable: str) -> Split | None:
    first = flwor.clauses[0]
    if not isinstance(first, ast.ForClause) or first.position or first.allowing_empty:
        return None
    clauses: Sequence[ast.Clause] = flwor.clauses
    if is_joined(clauses, 0):
        alone = one_at_a_time(clauses)
        if alone is None:
            return None
        clauses = [alone[0], *alone[1]]
    if not all(map(_is_of_each, clauses)):
        return None
    split = _split_path(first.collection, variable)
    rest = (*clauses[1:], flwor.result)
    if split is None or any(reads_focus(part) or _reads(variable, part) for part in rest):
        return None
    prefix, taken = split
    return prefix, replace(flwor, clauses=(replace(first, collection=taken), *clauses[1:]))


def _is_of_each(clause: ast.Clause) -> bool:
    """Whether the tuples that a clause makes from one tuple depend on no other."""
    match clause:
        case ast.JoinClause(collection=collection, anchor=anchor):
            return anchor is None and not any(isinstance(part, ast.Root) for part in collection.walk())
        case ast.BestMatchClause():
            # The loops of the join follow the loop over the records.
            return True
    return isinstance(clause, (ast.ForClause, ast.LetClause, ast.WhereClause))


def _split_path(argument: ast.Expr, variable: str) -> Split | None:
    parts: list[ast.Expr] = []
    base = argument
    while isinstance(base, ast.Path):
        parts.append(base.right)
        base = base.left
    if not parts or not is_source(base, variable):
        return None
    parts.reverse()
    cut = _prefix(parts, starts_at_document=variable == ROOT)
    if cut is None or any(_looks_elsewhere(part, variable) for part in (*cut.predicates, *parts[cut.length :])):
        return None
    taken: ast.Expr = ITEM
    for predicate in cut.predicates:
        taken = ast.Filter(taken, predicate, span=predicate.span)
    for number, part in enumerate(parts[cut.length :], cut.length + 1):
        if isinstance(part, ast.AxisStep):
            if cut.is_recursive and part.axis not in ("attribute", "child"):
                # Nested records could lead to the same node twice.
                return None
        elif number < len(parts) or not gives_values(part) or uses_position(part):
            return None
        taken = ast.Path(taken, part, span=part.span)
    return tuple(cut.steps), taken


def _is_leaf(step: ast.AxisStep) -> bool:
    return step.axis == "child" and is_leaf_step(step) and all(map(is_test, step.predicates))


def _is_remark(step: ast.AxisStep) -> bool:
    """Whether a step selects comments or processing instructions, which the document itself may have."""
    return _is_leaf(step) and not isinstance(step.test, ast.TextTest)


class _Cut:
    """The first parts of a path: plain steps to elements, and the predicates of the last one."""

    def __init__(self) -> None:
        self.steps: list[ast.AxisStep] = []
        self.predicates: tuple[ast.Expr, ...] = ()
        self.length = 0

    @property
    def is_recursive(self) -> bool:
        return any(step.axis == "descendant" for step in self.steps)


def _prefix(parts: Sequence[ast.Expr], starts_at_document: bool) -> _Cut | None:
    """As many parts as the scan can follow; None if there are none."""
    cut, descends = _Cut(), False
    for part in parts:
        if is_descend(part):
            descends = True
            cut.length += 1
            continue
        if descends and isinstance(part, ast.AxisStep) and (part.axis == "attribute" or _is_leaf(part)):
            if not cut.steps and starts_at_document and _is_remark(part):
                cut.steps.append(ast.AxisStep("descendant-or-self", ast.AnyKindTest(), span=part.span))
            elif not cut.steps and starts_at_document:
                # //@id is //*/@id: the document has no attributes and no text.
                cut.steps.append(ast.AxisStep("descendant", ast.Wildcard(), span=part.span))
            elif part.axis == "child" and not cut.is_recursive:
                cut.steps.append(ast.AxisStep("descendant-or-self", ast.Wildcard(), span=part.span))
            else:
                return None
            return cut
        if not isinstance(part, ast.AxisStep) or part.axis not in ("child", "descendant"):
            break
        if not cut.steps and starts_at_document and not descends and _is_remark(part):
            cut.steps.append(ast.AxisStep("self", ast.AnyKindTest(), span=part.span))
            return cut
        if not isinstance(part.test, (ast.NameTest, ast.Wildcard, ast.ElementTest)):
            break
        cut.steps.append(ast.AxisStep("descendant" if descends else part.axis, part.test, span=part.span))
        cut.length += 1
        descends = False
        if part.predicates:
            if any(uses_position(p) or may_be_number(p) for p in part.predicates):
                return None
            cut.predicates = part.predicates
            break
    return None if descends or not cut.steps else cut
