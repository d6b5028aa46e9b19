"""A name with a number, `quote#1`, as a projection of a step where it can be no function.

    //ticker[quote#1 < quote]      →      //ticker[child::quote#1 < quote]

The standard reads `name#1` as a function, and so does Xylem wherever there is one of that name: `name#1` stays
`fn:name#1`. Over update streams a name that names no function is a child, as it would be without the number. What is
called, or given to a parameter that takes a function, was meant as one, and stays an error.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from xylem.functions.library import look_up, named
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..ast_replacement import replaced

M = TypeVar("M", bound=ast.Module)


def with_bare_steps(module: M, external: Collection[str] = ()) -> M:
    """The module as written, with projections for names that no function has; `external`: of functions given."""
    if any(isinstance(one, ast.DefaultNamespaceDecl) and one.kind == "function" for one in module.prolog):
        return module
    declared = {one.name.local for one in module.prolog if isinstance(one, ast.FunctionDecl)}
    return _BareSteps(declared | {*external}).apply(module)


class _BareSteps:
    def __init__(self, declared: Collection[str]) -> None:
        self._declared = declared

    def apply(self, node: M) -> M:
        return replaced(node, self._by)

    def _by(self, node: ast.Node) -> ast.Node | None:
        match node:
            case ast.NamedFunctionRef(name=name, arity=arity) if self._is_step(name):
                step = ast.AxisStep("child", ast.NameTest(name, span=name.span), span=name.span)
                return ast.VersionProjection(step, ast.IntegerLiteral(arity, span=node.span), span=node.span)
            case ast.DynamicCall(function=ast.NamedFunctionRef()):
                return replace(node, arguments=tuple(replaced(one, self._by) for one in node.arguments))
            case ast.FunctionCall(arguments=given) if any(isinstance(one, ast.NamedFunctionRef) for one in given):
                return replace(node, arguments=tuple(self._argument(node, place) for place in range(len(given))))
        return None

    def _argument(self, call: ast.FunctionCall, place: int) -> ast.Expr:
        given = call.arguments[place]
        builtin = look_up(FN, call.name.local, len(call.arguments)) if call.name.prefix in (None, "fn") else None
        if isinstance(given, ast.NamedFunctionRef) and builtin is not None:
            wanted = builtin.parameter_types(len(call.arguments))[place]
            if wanted.startswith("function("):
                return given
        return replaced(given, self._by)

    def _is_step(self, name: ast.Name) -> bool:
        is_plain = not name.prefix and name.uri is None
        return is_plain and name.local not in self._declared and named(FN, name.local) is None
