"""Decide which sides of a best-match join a scan can read from their files, and which parts of each item it must keep.

    for $t in doc("trades.xml")/trades/trade …     return <m>{ $t/price }</m>

Needs:  the query names the document once, child steps without predicates lead to the items, no expression looks
        outside them, and the result consists of new nodes and values. Then the query cannot tell whether the items
        are still part of their document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.projection import NotProjectable, Projection, project
from xylem.functions.registry import FN
from xylem.plan.best_match_plan import BestMatchPlan, BestMatchSide
from xylem.plan.kept_steps import add_kept_steps, kept_step
from xylem.plan.scan_plan import Report, ScanPlan, ScanStep
from xylem.run.best_match.scanned_side import ScannedPath
from xylem.syntax import ast

_DOCUMENTS = ((FN, "doc"), (FN, "document"))
_NEW = (ast.DirectElement, ast.ComputedElement, ast.ComputedText, ast.ComputedAttribute, ast.ComputedComment)
_HOLDERS = (ast.MapConstructor, ast.SquareArray, ast.CurlyArray, ast.InlineFunction)


def scanned_sides(
    plan: BestMatchPlan, rest: Sequence[ast.Clause], result: ast.Expr, module: ast.Module
) -> list[ScannedPath | None]:
    """The scans of the left and the right side; None for a side without one."""
    if not _gives_new_items(result):
        return [None, None]
    sides = (plan.left, plan.right)
    needed = [Projection(), Projection()]
    clauses = (*plan.left.clauses, *plan.right.clauses, *plan.lets, *_wheres(plan), plan.written, *rest)
    variables = {side.binding.name.expanded: found for side, found in zip(sides, needed, strict=True)}
    try:
        project(ast.Flwor(clauses, result, span=result.span), variables)
    except NotProjectable:
        return [None, None]
    named = [node for node in module.walk() if _document_of(node) is not None]
    return [_scanned(side, found, named) for side, found in zip(sides, needed, strict=True)]


def _wheres(plan: BestMatchPlan) -> Iterable[ast.Clause]:
    return (ast.WhereClause(test.test, span=test.span) for test in plan.tests)


def _gives_new_items(result: ast.Expr) -> bool:
    if any(isinstance(node, _HOLDERS) for node in result.walk()):
        return False
    match result:
        case ast.SequenceExpr(items=items):
            return all(map(_gives_new_items, items))
        case ast.If(then=then, otherwise=otherwise):
            return _gives_new_items(then) and _gives_new_items(otherwise)
    return isinstance(result, _NEW) or gives_values(result)


def _document_of(node: ast.Node) -> str | None:
    match node:
        case ast.FunctionCall(name=name, arguments=(ast.StringLiteral(value=value),)) if name.expanded in _DOCUMENTS:
            return value
    return None


def _scanned(side: BestMatchSide, needed: Projection, named: Sequence[ast.Node]) -> ScannedPath | None:
    steps: list[tuple[str, str]] = []
    start: ast.Expr = side.binding.collection
    while isinstance(start, ast.Path):
        match start.right:
            case ast.AxisStep(axis="child", test=ast.NameTest(name=name), predicates=()):
                steps.insert(0, name.expanded)
            case _:
                return None
        start = start.left
    document = _document_of(start)
    if document is None or not steps or needed.above is not None or side.binding.allowing_empty:
        return None
    if sum(_document_of(node) == document for node in named) != 1:
        return None
    made = [ScanStep(-1)]
    for number, (uri, local) in enumerate(steps[:-1]):
        made.append(ScanStep(number, "child", uri, local))
    made.append(kept_step(len(steps) - 1, "child", *steps[-1], Report.ITEM, needed))
    add_kept_steps(made, len(steps), needed)
    return ScannedPath(document, tuple(steps), ScanPlan(tuple(made)))
