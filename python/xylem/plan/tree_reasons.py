"""The place where a query needs more than a stream can show, to point at if it needs the whole tree."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.functions.registry import FN
from xylem.syntax import ast

_BACK = {"parent", "ancestor", "ancestor-or-self", "preceding", "preceding-sibling"}
_AHEAD = {"following", "following-sibling"}
_AROUND = {"root", "path", "id", "idref", "element-with-id", "generate-id", "innermost", "outermost"}


def tree_reason(module: ast.Module) -> tuple[str, ast.Node] | None:
    """The first construct of a module with resolved names that looks around in the document, and its effect.

    Rewriting removes some of these; the others are reported by name and place.
    """
    return next(_reasons(module), None)


def _reasons(module: ast.Module) -> Iterator[tuple[str, ast.Node]]:
    parts = [declaration for declaration in module.prolog if isinstance(declaration, ast.FunctionDecl)]
    bodies: list[ast.Node] = [module.body] if isinstance(module, ast.MainModule) else []
    for part in [*bodies, *parts]:
        for node in part.walk():
            match node:
                case ast.AxisStep(axis=axis) if axis in _BACK:
                    yield f"the axis {axis} looks back at what has passed", node
                case ast.AxisStep(axis=axis) if axis in _AHEAD:
                    yield f"the axis {axis} looks beyond the element at hand", node
                case ast.FunctionCall(name=name) if name.uri == FN and name.local in _AROUND:
                    yield f"{name.local}() looks around in the document", node
    for body in bodies:
        for node in _whole_documents(body):
            yield "the document itself is asked for, not parts of it", node


def _whole_documents(node: ast.Node) -> Iterator[ast.Node]:
    """`/` and `.` without a following step."""
    if isinstance(node, (ast.Root, ast.ContextItem)):
        yield node
    elif isinstance(node, ast.Path) and isinstance(node.left, (ast.Root, ast.ContextItem)):
        return
    elif not isinstance(node, (ast.Filter, ast.AxisStep, ast.InlineFunction)):
        for child in node.children():
            yield from _whole_documents(child)
    elif isinstance(node, ast.Filter):
        yield from _whole_documents(node.base)
