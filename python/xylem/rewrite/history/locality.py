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
_COUNTED = {(FN, name) for name in ("count", "exists", "empty")}
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
    """The children of a variable's element that an expression reads; None if it may read all of it.

    Variables that are bound to the element, or to some of several, are followed: `let $m := (for … return $x)`.
    """
    names = {name}
    grows = True
    while grows:
        grows = False
        for node in expr.walk():
            bound = _bound(node)
            if bound is not None and bound[0] not in names and _gives(bound[1], names):
                names.add(bound[0])
                grows = True
    found: set[tuple[str, str]] = set()
    return frozenset(found) if _only_children(expr, names, found) else None


def _bound(node: ast.Node) -> tuple[tuple[str, str], ast.Expr] | None:
    """The variable that a clause binds, and the expression that gives its items."""
    match node:
        case ast.LetClause(name=name, value=value):
            return name.expanded, value
        case ast.ForClause(name=name, collection=value) | ast.QuantifiedBinding(name=name, collection=value):
            return name.expanded, value
    return None


def _gives(expr: ast.Expr, names: set[tuple[str, str]]) -> bool:
    """Whether all that an expression gives are elements in some variables."""
    while isinstance(expr, ast.Flwor):
        expr = expr.result
    return isinstance(expr, ast.VarRef) and expr.name.expanded in names


def _only_children(node: ast.Node, names: set[tuple[str, str]], found: set[tuple[str, str]]) -> bool:
    first = _first_step(node, names)
    if first is not None:
        step, inside = first
        if isinstance(step, ast.AxisStep):
            if step.axis == "attribute":
                pass
            elif step.axis == "child" and isinstance(step.test, ast.NameTest):
                found.add((step.test.name.uri or "", step.test.name.local))
            else:
                return False
            return all(_only_children(part, names, found) for part in (*step.predicates, *inside))
        return False
    bound = _bound(node)
    given = None if bound is None else bound[1]
    match node:
        case ast.FunctionCall(name=called, arguments=(argument,)) if called.expanded in _COUNTED:
            # They are counted, whatever they contain.
            given = argument
    if given is not None and _gives(given, names):
        return _giving(given, names, found)
    if isinstance(node, ast.VarRef) and node.name.expanded in names:
        return False
    return all(_only_children(child, names, found) for child in node.children())


def _giving(expr: ast.Expr, names: set[tuple[str, str]], found: set[tuple[str, str]]) -> bool:
    """The same for an expression whose items are followed."""
    while isinstance(expr, ast.Flwor):
        if not all(_only_children(clause, names, found) for clause in expr.clauses):
            return False
        expr = expr.result
    return True


def _first_step(node: ast.Node, names: set[tuple[str, str]]) -> tuple[ast.Node, list[ast.Node]] | None:
    """The first step of a path that begins at one of some variables, and the rest of the path."""
    inside: list[ast.Node] = []
    while isinstance(node, ast.Path):
        step: ast.Node = node.right
        if isinstance(step, PROJECTIONS):
            # Literal numbers: only the base reads anything of it.
            step = step.base
        if isinstance(node.left, ast.VarRef) and node.left.name.expanded in names:
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
