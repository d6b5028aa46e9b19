"""How an expression uses the values of its operands: writes, atomises, tests, or anything else."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.plan.spread import Use
from xylem.syntax import ast

_ATOMISING = (
    ast.Arithmetic,
    ast.Unary,
    ast.ValueComparison,
    ast.GeneralComparison,
    ast.StringConcat,
    ast.StringConstructor,
    ast.Range,
    ast.CastAs,
    ast.CastableAs,
    ast.DirectAttribute,
    ast.ComputedAttribute,
    ast.ComputedComment,
    ast.ComputedPI,
    ast.ComputedText,
    ast.ComputedNamespace,
    ast.GroupingSpec,
    ast.OrderSpec,
)


def children_in_use(node: ast.Node) -> Iterator[tuple[ast.Node, Use]]:
    """The child nodes, each with the use of its value."""
    match node:
        case ast.If(test=test, then=then, otherwise=otherwise):
            yield test, Use.TRUTH
            yield then, Use.ITEMS
            yield otherwise, Use.ITEMS
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            yield left, Use.TRUTH
            yield right, Use.TRUTH
        case ast.WhereClause(test=test):
            yield test, Use.TRUTH
        case ast.Quantified(bindings=bindings, satisfies=satisfies):
            for binding in bindings:
                yield binding, Use.ITEMS
            yield satisfies, Use.TRUTH
        case ast.Switch(operand=operand, cases=cases, default=default):
            yield operand, Use.VALUE
            for case in cases:
                yield case, Use.ITEMS
            yield default, Use.ITEMS
        case ast.FunctionCall(name=name, arguments=arguments):
            for index, argument in enumerate(arguments):
                yield argument, _argument_use(name, len(arguments), index)
        case _:
            use = Use.VALUE if isinstance(node, _ATOMISING) else Use.ITEMS
            for child in node.children():
                # `{ E }` in an attribute is used like its attribute.
                yield child, use


def _argument_use(name: ast.Name, arity: int, index: int) -> Use:
    if name.uri == FN and name.local in ("not", "boolean"):
        return Use.TRUTH
    builtin = look_up(*name.expanded, arity)
    if builtin is None:
        return Use.ITEMS
    kind = builtin.parameter_types(arity)[index]
    if name.uri == FN and name.local in ("data", "string", "number", "deep-equal"):
        return Use.VALUE if name.local != "deep-equal" else Use.ITEMS
    return Use.VALUE if kind.startswith("xs:") else Use.ITEMS
