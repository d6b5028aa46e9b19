"""Whether the code of a stream may recurse: then it needs a deep stack, and a thread for each batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xylem.analysis.reached_declarations import reached_declarations
from xylem.functions.registry import FN
from xylem.plan.keyed_groups import GROUPS
from xylem.syntax import ast


def may_recurse(parts: Iterable[ast.Node], declared: Iterable[ast.Declaration]) -> bool:
    """Whether a call in some expressions may recurse, by name or through a function passed as a value.

    Functions that have been rewritten to folds are still declared, but never called.
    """
    own, declarations = list(parts), list(declared)
    reached = [d for d in reached_declarations(own, declarations) if isinstance(d, ast.FunctionDecl)]
    bodies = [*own, *(d.body for d in reached if d.body is not None)]
    if any(map(_makes_function, (node for body in bodies for node in _outside_folds(body)))):
        return True
    for declaration in reached:
        if declaration.body is not None and declaration in reached_declarations([declaration.body], declarations):
            return True
    return False


def _makes_function(node: ast.Node) -> bool:
    match node:
        case ast.InlineFunction() | ast.NamedFunctionRef() | ast.ArgumentPlaceholder():
            return True
        case ast.FunctionCall(name=name):
            return name.uri == FN and name.local in ("function-lookup", "load-xquery-module")
    return False


def _outside_folds(node: ast.Node) -> Iterator[ast.Node]:
    """All descendant nodes, without functions that only a fold or a table calls."""
    stack = [node]
    while stack:
        current = stack.pop()
        match current:
            case ast.InlineFunction(body=body) if current is not node:
                yield current
                stack.append(body)
            case ast.FunctionCall(name=ast.Name(local="fold-left", uri=uri), arguments=arguments) if uri == FN:
                stack += [a.body if isinstance(a, ast.InlineFunction) else a for a in arguments]
            case ast.FunctionCall(name=name, arguments=(records, *arrays)) if name.expanded == GROUPS.expanded:
                stack.append(records)
                functions = [n for array in arrays for n in array.walk() if isinstance(n, ast.InlineFunction)]
                stack += [function.body for function in functions]
            case _:
                yield current
                stack += current.children()
