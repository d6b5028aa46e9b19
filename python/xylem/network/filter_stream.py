"""The stream that a query leaves for others, written as a query: records where σ holds, with only the paths of π.

A record may pass one test although another fails with an error, in either order: each test is separate, and a test with
an error does not hold. Elements keep their order, so a query that reads several paths of a record finds their nodes in
document order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar
from xml.sax.saxutils import quoteattr

from xylem.analysis.ast_replacement import replaced, with_values
from xylem.analysis.projection import Projection, Test
from xylem.functions.registry import FN
from xylem.plan.flux import ROOT
from xylem.rewrite.negation import negated
from xylem.rewrite.substitution import Substitution
from xylem.schema.symbols import element_symbol
from xylem.syntax import ast, print_query

from .item_conditions import ItemCondition, item_condition
from .properties import Properties
from .record_facts import RECORD, RecordFacts, is_path
from .record_reads import THE_RECORD

N = TypeVar("N", bound=ast.Node)


def opening_of(properties: Properties) -> str:
    """The start tags before the records of the stream."""
    found = ""
    for uri, local in properties.record[:-1]:
        found += f"<{local} xmlns={quoteattr(uri)}>" if uri or "xmlns" in found else f"<{local}>"
    return found


def filter_query(properties: Properties, *, around: bool = True) -> str:
    """The query that produces the stream, as one document with the elements around the records.

    Without `around` it returns only the records.
    """
    clauses: list[ast.Clause] = [ast.ForClause(RECORD, None, records_path(properties))]
    clauses += [ast.WhereClause(guarded(condition, properties.facts)) for condition in properties.conditions]
    made: ast.Expr = ast.Flwor(tuple(clauses), kept_of(THE_RECORD, properties.projection))
    for uri, local in reversed(properties.record[:-1] if around else ()):
        name = ast.StringLiteral(local)
        qname = ast.FunctionCall(ast.Name("QName", "fn", FN), (ast.StringLiteral(uri), name))
        made = ast.ComputedElement(qname, made)
    return readable_query(made)


def plain_filter_query(properties: Properties, *, around: bool = True) -> str | None:
    """The filter as conditions and copies that a scan makes without Python; None if it needs anything else.

    This query fails on a value that cannot be tested; its caller then runs `filter_query` instead.
    """
    projection = properties.projection
    kept = _in_order(properties)
    if kept is None or any(isinstance(node, (ast.Or, ast.If)) for one in properties.conditions for node in one.walk()):
        return None
    if not projection.subtree and (projection.attributes or projection.all_attributes or projection.leaves):
        return None
    clauses: list[ast.Clause] = [ast.ForClause(RECORD, None, records_path(properties))]
    clauses += [ast.WhereClause(condition) for condition in properties.conditions]
    uri, local = properties.record[-1]
    copies = [ast.EnclosedExpr(ast.Path(THE_RECORD, step)) for step in kept]
    result: ast.Expr = THE_RECORD if projection.subtree else ast.DirectElement(ast.Name(local), content=tuple(copies))
    made: ast.Expr = ast.Flwor(tuple(clauses), result)
    for outer, name in reversed(properties.record[:-1] if around else ()):
        if outer:
            return None
        made = ast.DirectElement(ast.Name(name), content=(ast.EnclosedExpr(made),))
    return None if uri else readable_query(made)


def _in_order(properties: Properties) -> list[ast.AxisStep] | None:
    """Steps to the kept children, in the order of the schema; None if the schema fixes no order.

    Children whose text is kept are copied whole.
    """
    constraints = properties.facts.constraints
    steps: list[tuple[str, ast.AxisStep]] = []
    if properties.projection.subtree:
        return []
    for (axis, uri, local), below in properties.projection.children.items():
        if axis != "child" or uri is None or local is None or not (below.subtree or below.string):
            return None
        step = ast.AxisStep("child", ast.NameTest(ast.Name(local, None, uri)))
        at = 0
        for symbol, _ in steps:
            if constraints is None or not constraints.ordered(symbol, element_symbol(local, uri)):
                break
            at += 1
        if any(constraints is None or not constraints.ordered(element_symbol(local, uri), s) for s, _ in steps[at:]):
            return None
        steps.insert(at, (element_symbol(local, uri), step))
    return [step for _, step in steps]


def residual_query(properties: Properties, dropped: Iterable[ast.Expr]) -> str:
    """A query over a stream in which some of its conditions hold for every record: it does not test them again."""

    def from_document(node: ast.Node) -> ast.Node | None:
        return ast.Root() if isinstance(node, ast.VarRef) and node.name.expanded == ("", ROOT) else None

    body = replaced(properties.without(dropped), from_document)
    return print_query(_printable(replace(properties.module, body=body)))


def _printable(node: N) -> N:
    """The expression with constructor names as written: a tag cannot hold a namespace URI."""
    made = with_values(node, _printable_value)
    if isinstance(made, (ast.DirectElement, ast.DirectAttribute)) and made.name.uri is not None:
        return replace(made, name=replace(made.name, uri=None))
    return made


def readable_query(query: ast.Expr) -> str:
    """A generated query as text: names in no namespace, and the record, in readable words."""

    def plain(node: ast.Node) -> ast.Node | None:
        if isinstance(node, ast.Name):
            if node == RECORD and not takes_record:
                return ast.Name("record")
            return ast.Name(node.local) if node.uri == "" and node.prefix is None else node
        return None

    names = [node for node in query.walk() if isinstance(node, ast.Name)]
    takes_record = any(name.local == "record" and name != RECORD for name in names)
    return print_query(replaced(query, plain))


def _printable_value(value: Any) -> Any:
    if isinstance(value, ast.Node):
        return _printable(value)
    return tuple(map(_printable_value, value)) if type(value) is tuple else value


def records_path(properties: Properties) -> ast.Expr:
    """The path to the records of a stream."""
    path: ast.Expr = ast.Root()
    for uri, local in properties.record:
        path = ast.Path(path, ast.AxisStep("child", ast.NameTest(ast.Name(local, None, uri))))
    return path


def guarded(condition: ast.Expr, facts: RecordFacts, holds: bool = True) -> ast.Expr:
    """A condition, or its negation, in which a test that fails with an error does not hold, and nothing else fails.

    Several items are tested separately: one that cannot be tested hides no other.
    """
    match condition:
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            sides = guarded(left, facts, holds), guarded(right, facts, holds)
            return ast.And(*sides) if isinstance(condition, ast.And) == holds else ast.Or(*sides)
        case ast.FunctionCall(name=ast.Name(local="not" | "boolean" as local, uri=uri), arguments=(argument,)) if (
            uri == FN and (local == "not" or not is_path(argument))
        ):
            return guarded(argument, facts, holds == (local == "boolean"))
        case ast.If(test=test, then=then, otherwise=otherwise):
            first = ast.And(guarded(test, facts), guarded(then, facts, holds))
            return ast.Or(first, ast.And(guarded(test, facts, False), guarded(otherwise, facts, holds)))
    of_items = item_condition(condition)
    if of_items is not None and of_items.test is not None and not facts.is_at_most_one(of_items.path):
        return _each_guarded(of_items, of_items.test, facts, holds)
    tested = condition if holds else negated(condition)
    no = ast.FunctionCall(ast.Name("false", "fn", FN))
    truth = ast.FunctionCall(ast.Name("boolean", "fn", FN), (tested,))
    return ast.TryCatch(truth, (ast.CatchClause((ast.Wildcard(),), no),))


def _each_guarded(condition: ItemCondition, test: ast.Expr, facts: RecordFacts, holds: bool) -> ast.Expr:
    holds = condition.holds == holds
    inside = guarded(test, facts.inside(condition.path), holds)
    item = ast.Name("item", None, f"{RECORD.uri}:{len(repr(condition.path))}")
    satisfies = Substitution({RECORD.expanded: ast.VarRef(item)}).apply(inside)
    binding = ast.QuantifiedBinding(item, None, condition.path)
    return ast.Quantified("some" if holds else "every", (binding,), satisfies)


def kept_of(element: ast.Expr, projection: Projection) -> ast.Expr:
    """An element reduced to the parts that a projection keeps."""
    if projection.subtree:
        return element
    content: list[ast.Expr] = [_attributes(element, projection)]
    if projection.string:
        # All text in it, as one node: inner elements are kept only for their text.
        content.append(ast.ComputedText(ast.FunctionCall(ast.Name("string", "fn", FN), (element,))))
        if projection.children or projection.leaves:
            return element
    else:
        content += _children(element, projection)
    name = ast.FunctionCall(ast.Name("node-name", "fn", FN), (element,))
    return ast.ComputedElement(name, ast.SequenceExpr(tuple(content)))


def _attributes(element: ast.Expr, projection: Projection) -> ast.Expr:
    if projection.all_attributes:
        return ast.Path(element, ast.AxisStep("attribute", ast.Wildcard()))
    steps = [
        ast.Path(element, ast.AxisStep("attribute", ast.NameTest(ast.Name(local, None, uri))))
        for uri, local in sorted(projection.attributes)
    ]
    return ast.SequenceExpr(tuple(steps))


def _children(element: ast.Expr, projection: Projection) -> list[ast.Expr]:
    steps: list[tuple[ast.Expr, Test]] = []
    for test in projection.children:
        axis, uri, local = test
        if axis != "child" or local is None or uri is None:
            # Elements of any name or at any depth: the kept parts of each would have to be distinguished.
            return [ast.Path(element, ast.AxisStep("child", ast.AnyKindTest()))]
        steps.append((ast.AxisStep("child", ast.NameTest(ast.Name(local, None, uri))), test))
    if projection.leaves:
        return [ast.Path(element, ast.AxisStep("child", ast.AnyKindTest()))]
    if not steps:
        return []
    union = _union(step for step, _ in steps)
    child = ast.Name("child", None, f"{RECORD.uri}:{len(repr(element))}")
    kept: ast.Expr = ast.VarRef(child)
    for step, test in steps:
        below = projection.children[test]
        if not below.subtree:
            assert isinstance(step, ast.AxisStep)
            is_it = ast.Path(ast.VarRef(child), ast.AxisStep("self", step.test))
            kept = ast.If(is_it, kept_of(ast.VarRef(child), below), kept)
    path = ast.Path(element, union)
    if isinstance(kept, ast.VarRef):
        return [path]
    return [ast.Flwor((ast.ForClause(child, None, path),), kept)]


def _union(steps: Iterable[ast.Expr]) -> ast.Expr:
    made: ast.Expr | None = None
    for step in steps:
        made = step if made is None else ast.SetOperation("union", made, step)
    assert made is not None
    return made
