"""Steps that paths of a template do not have: to parents, ancestors and siblings, and below nested elements.

        $o/note/preceding-sibling::*[1]   →   for each $o/note: of the nodes on the axis, in its order, the first
        $o//line[qty > 2]/price           →   document order(EachOf($o//line[qty > 2], price))

Needs:  steps to elements, text nodes or attributes.
Safe:   predicates count in the order of the axis; the nodes of a step are sorted, and each is there once. The scan
        leaves what lies outside the record to the query.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.analysis.streamable_paths import is_descend, is_test
from xylem.plan.kernel_expression import NOTHING, AxisOf, Call, EachOf, KernelExpression, LetValue, NodesOf
from xylem.syntax import ast

from ..template_paths import NoTemplate, taken_by
from .as_loops import of_item, placed
from .item_kinds import are_nodes

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler

_DOWN = ("child", "descendant", "descendant-or-self")
_UP = ("parent", "ancestor")


def has_general_steps(path: ast.Expr) -> bool:
    """Whether a path needs more than children and descendants by name."""
    steps: list[ast.AxisStep] = []
    while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        steps.append(path.right)
        path = path.left
    descends = nests = False
    for place, step in enumerate(reversed(steps)):
        is_last = place == len(steps) - 1
        if is_descend(step):
            descends = True
            continue
        if nests and step.axis != "attribute":
            return True
        if not _is_plain(step, is_last):
            return True
        if descends and (step.axis != "child" or _is_of_text(step) or not all(map(is_test, step.predicates))):
            # Positions count below each parent.
            return True
        nests = nests or descends or step.axis == "descendant"
        descends = False
    return descends


def _is_of_text(step: ast.AxisStep) -> bool:
    return isinstance(step.test, ast.TextTest)


def _is_plain(step: ast.AxisStep, is_last: bool) -> bool:
    match step.axis, step.test:
        case "child", ast.NameTest() | ast.Wildcard():
            return True
        case "descendant", ast.NameTest() | ast.Wildcard():
            return True
        case "child", ast.TextTest() | ast.AnyKindTest():
            return is_last and not step.predicates
        case "attribute", ast.NameTest() | ast.Wildcard():
            return is_last and not step.predicates
    return False


def general_path(c: ExpressionCompiler, path: ast.Path) -> KernelExpression:
    """The nodes of the last step of a path, from those of the steps before it."""
    step = path.right
    assert isinstance(step, ast.AxisStep)
    start = c.value(path.left)
    kinds = c.kinds_of(start)
    if not are_nodes(kinds) or (kinds != frozenset({"element"}) and step.axis not in _UP):
        raise NoTemplate("a path from anything but elements", path)
    item = c.fresh()
    if isinstance(start, NodesOf) and not start.path and start.of is None:
        # One node: the element of a loop.
        found = _with_predicates(c, _bare(step, start.up, path), step)
        return Call("document order", (found,)) if step.axis not in _DOWN else found
    with c.scope(), c.turn(item) as turn:
        inner = _with_predicates(c, _bare(step, 0, path), step)
    return Call("document order", (turn.around(EachOf(start, inner)),))


def _bare(step: ast.AxisStep, up: int, path: ast.Expr) -> KernelExpression:
    """The nodes of a step without its predicates, in the order of the axis."""
    match step.axis, step.test:
        case "child" | "descendant" | "attribute", ast.NameTest() | ast.TextTest() if not (
            step.axis == "descendant" and _is_of_text(step)
        ):
            element = ast.VarRef(ast.Name("element", None, ""))
            _, (names, of, attribute) = taken_by(ast.Path(element, replace(step, predicates=())))
            return NodesOf(names, of, attribute, up)
        case "attribute", ast.Wildcard(uri=None, local=None):
            return AxisOf("attribute", "attribute", up=up)
        case axis, ast.TextTest() if axis not in ("attribute", *_UP, "ancestor-or-self", "self"):
            return AxisOf(axis, "text", up=up)
        case axis, ast.NameTest(name=name) if axis != "attribute":
            return AxisOf(axis, "element", *name.expanded, up)
        case axis, ast.Wildcard(uri=uri, local=local) if axis != "attribute":
            return AxisOf(axis, "element", uri, local, up)
        case axis, ast.ElementTest(name=ast.Name() as name, type=None) if axis != "attribute":
            return AxisOf(axis, "element", *name.expanded, up)
        case axis, ast.ElementTest(name=None, type=None) if axis != "attribute":
            return AxisOf(axis, "element", up=up)
        case "parent", ast.AnyKindTest():
            return AxisOf("parent", "element", up=up)
        case "descendant-or-self", ast.AnyKindTest() if is_descend(step):
            # What is no element has nothing below it, and no attributes.
            return AxisOf("descendant-or-self", "element", up=up)
    raise NoTemplate("a step to nodes of any kind", path)


def _with_predicates(c: ExpressionCompiler, nodes: KernelExpression, step: ast.AxisStep) -> KernelExpression:
    for predicate in step.predicates:
        nodes = _filtered(c, nodes, predicate)
    return nodes


def _filtered(c: ExpressionCompiler, nodes: KernelExpression, predicate: ast.Expr) -> KernelExpression:
    """The nodes that pass a predicate, which may count them in their order."""
    if c.kinds_of(nodes) != frozenset({"element"}):
        raise NoTemplate("a predicate on anything but elements", predicate)
    item, place, last = c.fresh(), c.fresh(), c.fresh()
    with c.scope():
        place_slot, last_slot = c.new_slot(place), c.new_slot(last)
        with c.turn(item) as turn:
            test = predicate if is_test(predicate) else placed(predicate, place, last)
            kept = Call("if", (c.condition(of_item(test, item)), NodesOf(()), NOTHING))
        found = turn.around(EachOf(nodes, kept, place_slot))
        counts = any(isinstance(node, ast.VarRef) and node.name == last for node in test.walk())
        return LetValue(last_slot, Call("count", (nodes,)), found) if counts else found
