"""What XQuery⁻ and FluX expressions need of the stream's variables, as projections.

This is the thesis' Π (Def. 3.7.4) and its `dep` (Def. 3.4.17) in one: the projection of a variable says which paths
below it are read, and its first level which of its children must have passed before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.projection import NotProjectable, Projection, Use, project
from xylem.analysis.streamable_paths import is_leaf_test
from xylem.syntax import ast

from .flux import (
    ITEMS,
    ROOT,
    Copy,
    Flux,
    For,
    GiveItem,
    Handler,
    If,
    Leaf,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    Opening,
    OpenWindows,
    ProcessStream,
    Sequence,
    Step,
)

Scope = dict[str, Projection]


def needs(body: Flux, variables: Iterable[str]) -> dict[str, Projection]:
    """The projections of the free variables of a body."""
    found = {name: Projection() for name in variables}
    add_needs(body, found)
    return found


def predicate_needs(path: tuple[Step, ...], variable: str) -> Projection:
    """What the predicates of a path need of a variable, besides the nodes of the path."""
    found = Projection()
    _follow("", path, {variable: found})
    return found


def add_needs(body: Flux, scope: Mapping[str, Projection]) -> None:
    """Add the reads of a body to the projections of the variables."""
    _add(body, dict(scope))


def _add(body: Flux, scope: Scope) -> None:
    match body:
        case Sequence(parts=parts):
            for part in parts:
                _add(part, scope)
        case Opening(element=element):
            for attribute in element.attributes:
                for value in attribute.parts:
                    if not isinstance(value, str):
                        add_expression(value.body, scope, Use.STRING)
        case For(variable=variable, source=source, path=path, body=inner, where=where, window=window):
            reached = _follow(source, path, scope)
            if window is not None and window.reference is not None:
                project(window.reference, _named(scope), focus=reached, root=scope.get(ROOT), use=Use.STRING)
            within = {**scope, variable: reached}
            if where is not None:
                add_expression(where, within, Use.PRESENCE)
            _add(inner, within)
        case Copy(variable=variable, path=path):
            _follow(variable, path, scope).need(Use.SUBTREE)
        case If(condition=condition, body=inner):
            add_expression(condition, scope, Use.PRESENCE)
            _add(inner, scope)
        case Leaf(expression=expression, is_global=is_global):
            add_expression(expression, scope, Use.SUBTREE)
            if is_global and ROOT in scope:
                scope[ROOT].subtree = True
        case OpenWindows(expression=expression):
            add_expression(expression, scope, Use.SUBTREE)
        case GiveItem(variable=variable):
            if variable in scope:
                _add_item(body, scope[variable])
        case ProcessStream(variable=variable, handlers=handlers):
            for handler in handlers:
                _add_handler(handler, variable, scope)


def _add_item(item: GiveItem, kept: Projection) -> None:
    """Add what windows read of an item, or of the items' descendants."""
    if item.source is None:
        project(item.expression, {ITEMS.expanded: kept}, use=Use.SUBTREE)
        return
    items = item.source
    read = replaced(item.expression, lambda node: items if node == ast.VarRef(ITEMS) else None)
    project(read, {("", item.variable): kept}, use=Use.SUBTREE)


def _add_handler(handler: Handler, variable: str, scope: Scope) -> None:
    match handler:
        case On(step=step, variable=bound, body=body, through=through):
            _add(body, {**scope, bound: _follow(variable, (*through, step), scope)})
        case OnFirst(body=body):
            _add(body, scope)
        case OnWindow(path=path, window=window, variable=bound, body=body):
            _add(For(bound, variable, path, body, window=window), scope)
        case OnEach(path=path, window=window, variable=bound, body=body):
            _add(For(bound, variable, path, body, window=window), scope)


def add_expression(expression: ast.Expr, scope: Mapping[str, Projection], use: Use) -> None:
    """Add the reads of an expression. One that cannot be projected reads the whole document."""
    root = scope.get(ROOT)
    try:
        project(expression, _named(scope), focus=root, root=root, use=use)
    except NotProjectable:
        if root is not None:
            root.subtree = True


def _named(scope: Mapping[str, Projection]) -> dict[tuple[str, str], Projection]:
    return {("", name): projection for name, projection in scope.items()}


def _follow(source: str, path: tuple[Step, ...], scope: Scope) -> Projection:
    """The projection of the nodes of a path; a dummy one if the source is not of interest."""
    found = scope.get(source)
    if found is None:
        found = Projection()
    for step in path:
        for predicate in step.predicates:
            project(ast.AxisStep(step.axis, node_test(step), (predicate,)), _named(scope), focus=found)
        if step.axis == "attribute" or is_leaf_test(node_test(step)):
            # Attributes, text and the like are whole as soon as they are kept.
            project(ast.AxisStep(step.axis, node_test(step)), {}, focus=found, use=Use.STRING)
            return Projection(parent=found, via="child")
        found = found.child(step.axis, *element_names(step))
    return found


_LEAVES: dict[str, ast.NodeTest] = {
    "text()": ast.TextTest(),
    "comment()": ast.CommentTest(),
    "processing-instruction()": ast.PITest(),
}


def node_test(step: Step) -> ast.NodeTest:
    """The test of a step, even if a program written by hand leaves it out."""
    if step.test is not None:
        return step.test
    if step.name == "*":
        return ast.Wildcard()
    leaf = _LEAVES.get(step.name)
    if leaf is not None:
        return leaf
    return ast.NameTest(ast.Name(step.name.removeprefix("@"), None, ""))


def element_names(step: Step) -> tuple[str | None, str | None]:
    """(uri, local) of the elements a step reaches, None for any."""
    match node_test(step):
        case ast.NameTest(name=name):
            return name.expanded
        case ast.Wildcard(uri=uri, local=local):
            return uri, local
        case ast.ElementTest(name=name) if name is not None:
            return name.expanded
    return None, None
