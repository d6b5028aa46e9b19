"""A name with a number, `quote#1`, as a projection of a step, over update streams.

    /ticker/name#1                 →      /ticker/child::name#1
    //ticker[quote#1 < quote]      →      //ticker[child::quote#1 < quote]

The standard reads `name#1` as a function, and so does the parser. Over update streams, a name after a slash is a step,
whether or not a function has that name. Elsewhere a name without a function is a child, as it would be without the
number. A name that is called, or passed as a function, stays a function.
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
    """The module as written, with projections of steps; `external`: names of functions given."""
    has_own_default = any(isinstance(one, ast.DefaultNamespaceDecl) and one.kind == "function" for one in module.prolog)
    declared = {one.name.local for one in module.prolog if isinstance(one, ast.FunctionDecl)}
    return _BareSteps(declared | {*external}, has_own_default).apply(module)


class _BareSteps:
    def __init__(self, declared: Collection[str], has_own_default: bool) -> None:
        self._declared = declared
        self._has_own_default = has_own_default

    def apply(self, node: M) -> M:
        return replaced(node, self._by)

    def _by(self, node: ast.Node) -> ast.Node | None:
        match node:
            case ast.Path(left=left, right=right):
                return replace(node, left=replaced(left, self._by), right=self._behind_slash(right))
            case ast.NamedFunctionRef(name=name) if self._is_step(name):
                return _step(node)
            case ast.DynamicCall(function=ast.NamedFunctionRef()):
                return replace(node, arguments=tuple(replaced(one, self._by) for one in node.arguments))
            case ast.FunctionCall(arguments=given) if any(isinstance(one, ast.NamedFunctionRef) for one in given):
                return replace(node, arguments=tuple(self._argument(node, place) for place in range(len(given))))
        return None

    def _behind_slash(self, node: ast.Expr) -> ast.Expr:
        match node:
            case ast.NamedFunctionRef():
                return _step(node)
            case ast.Filter(base=base, predicate=predicate):
                return replace(node, base=self._behind_slash(base), predicate=replaced(predicate, self._by))
            case ast.VersionProjection(base=base) | ast.VersionWindow(base=base):
                return replace(node, base=self._behind_slash(base))
            case ast.TimeProjection(base=base) | ast.TimeWindow(base=base) | ast.Lookup(base=base):
                return replace(node, base=self._behind_slash(base))
        return replaced(node, self._by)

    def _argument(self, call: ast.FunctionCall, place: int) -> ast.Expr:
        given = call.arguments[place]
        builtin = look_up(FN, call.name.local, len(call.arguments)) if call.name.prefix in (None, "fn") else None
        if isinstance(given, ast.NamedFunctionRef) and builtin is not None:
            wanted = builtin.parameter_types(len(call.arguments))[place]
            if wanted.startswith("function("):
                return given
        return replaced(given, self._by)

    def _is_step(self, name: ast.Name) -> bool:
        is_plain = not name.prefix and name.uri is None and not self._has_own_default
        return is_plain and name.local not in self._declared and named(FN, name.local) is None


def _step(node: ast.NamedFunctionRef) -> ast.VersionProjection:
    name = node.name
    step = ast.AxisStep("child", ast.NameTest(name, span=name.span), span=name.span)
    return ast.VersionProjection(step, ast.IntegerLiteral(node.arity, span=node.span), span=node.span)
