"""Which parts of its elements an expression reads: whether it stays inside, which children, and how far back in
time."""

from __future__ import annotations

from xylem.analysis.focus import reads_focus
from xylem.analysis.history.operands import PROJECTIONS
from xylem.functions.registry import FN, PREFIXES
from xylem.functions.traits import AROUND, UNSTEADY
from xylem.plan.history import Projection
from xylem.syntax import ast

from .input_paths import STREAMS, projection_of

_DOWN = frozenset({"child", "descendant", "descendant-or-self", "self", "attribute"})
_OUTSIDE = (
    AROUND
    | UNSTEADY
    | STREAMS
    | {(FN, name) for name in ("doc", "document", "collection", "uri-collection", "function-lookup", "apply", "put")}
    | {(PREFIXES["xylem"], name) for name in ("as-of", "versions", "begin", "end", "version", "event-order")}
)
_CLOCK = {(FN, name) for name in ("current-dateTime", "current-date", "current-time")}


def reason_to_leave(expr: ast.Node, *, is_alone: bool = False) -> tuple[str, ast.Node] | None:
    """Why an expression reads more than the elements its variables hold; None if it does not.

    `is_alone`: all nodes are those of one element, and so have an identity and an order.
    """
    for node in expr.walk():
        match node:
            case ast.AxisStep(axis=axis) if axis not in _DOWN:
                return f"it follows the axis {axis}", node
            case ast.Root():
                return "it reads a document from its root", node
            case ast.FunctionCall(name=name) if name.expanded in STREAMS:
                return "it reads a stream by a path that no operator follows", node
            case ast.FunctionCall(name=name) | ast.NamedFunctionRef(name=name) if name.expanded in _OUTSIDE:
                return f"{name.local}() looks beyond one element", node
            case ast.FunctionCall(name=name) if name.expanded in _CLOCK:
                return f"{name.local}() differs from commit to commit", node
            case ast.NodeComparison() | ast.SetOperation() if not is_alone:
                return "it asks for identity or order of nodes", node
            case ast.ExtensionNode() if not isinstance(node, PROJECTIONS):
                return "it is an extension that only a whole tree answers", node
            case ast.Validate():
                return "it validates", node
            case ast.VersionProjection(base=ast.ContextItem()) | ast.VersionWindow(base=ast.ContextItem()):
                return "it asks for versions of the context item", node
            case ast.TimeProjection(base=ast.ContextItem()) | ast.TimeWindow(base=ast.ContextItem()):
                return "it asks for versions of the context item", node
    if reads_focus(expr):
        return "it reads the context item", expr
    return None


def children_read(expr: ast.Node, name: tuple[str, str]) -> frozenset[tuple[str, str]] | None:
    """The children of a variable's element that an expression reads; None if it may read all of it."""
    found: set[tuple[str, str]] = set()
    return frozenset(found) if _only_children(expr, name, found) else None


def _only_children(node: ast.Node, name: tuple[str, str], found: set[tuple[str, str]]) -> bool:
    first = _first_step(node, name)
    if first is not None:
        step, inside = first
        if isinstance(step, ast.AxisStep):
            if step.axis == "attribute":
                pass
            elif step.axis == "child" and isinstance(step.test, ast.NameTest):
                found.add((step.test.name.uri or "", step.test.name.local))
            else:
                return False
            return all(_only_children(part, name, found) for part in (*step.predicates, *inside))
        return False
    if isinstance(node, ast.VarRef) and node.name.expanded == name:
        return False
    return all(_only_children(child, name, found) for child in node.children())


def _first_step(node: ast.Node, name: tuple[str, str]) -> tuple[ast.Node, list[ast.Node]] | None:
    """The first step of a path that begins at the variable, and the rest of the path."""
    inside: list[ast.Node] = []
    while isinstance(node, ast.Path):
        step: ast.Node = node.right
        if isinstance(step, PROJECTIONS):
            # Literal numbers: only the base reads anything of it.
            step = step.base
        if isinstance(node.left, ast.VarRef) and node.left.name.expanded == name:
            return step, inside
        inside.append(step)
        node = node.left
    return None


def durations(expr: ast.Node) -> tuple[Projection, ...]:
    """The durations by which an expression looks back in time."""
    found = (projection_of(node) for node in expr.walk())
    return tuple(dict.fromkeys(one for one in found if one is not None and one.sign.startswith("?")))


def looks_back(expr: ast.Node) -> bool:
    """Whether an expression reads versions."""
    return any(isinstance(node, PROJECTIONS) for node in expr.walk())


def may_be_time(node: ast.Node) -> bool:
    """Whether `$x?60` may be a projection; for maps and arrays it is a lookup, which only the value decides."""
    return isinstance(node, ast.Lookup) and isinstance(node.key, (ast.IntegerLiteral, ast.DecimalLiteral))


def is_timeline(node: ast.Node) -> bool:
    """Whether a projection applies to values, and not to a step, a variable or the context item.

    Also true for one applied to another projection: those with the same sign have been merged.
    """
    if not isinstance(node, PROJECTIONS):
        return False
    base = node.base
    if isinstance(base, ast.Path):
        base = base.right
    return not isinstance(base, (ast.AxisStep, ast.VarRef, ast.ContextItem))
