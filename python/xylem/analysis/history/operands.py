"""The operands of projections, and their function calls: the signs, and separate functions for each kind."""

from __future__ import annotations

from dataclasses import dataclass

from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast
from xylem.values.version_choice import Sign

HISTORY = PREFIXES["_history"]
XYLEM = PREFIXES["xylem"]
AS_OF = (XYLEM, "as-of")
VERSIONS = (XYLEM, "versions")
PROJECTIONS = (ast.VersionProjection, ast.TimeProjection, ast.VersionWindow, ast.TimeWindow)

_NEVER_CONTAINERS = (
    ast.Path,
    ast.AxisStep,
    ast.Root,
    ast.StringLiteral,
    ast.IntegerLiteral,
    ast.DecimalLiteral,
    ast.DoubleLiteral,
    ast.Arithmetic,
    ast.Unary,
    ast.Range,
    ast.StringConcat,
    ast.StringConstructor,
    ast.GeneralComparison,
    ast.ValueComparison,
    ast.NodeComparison,
    ast.And,
    ast.Or,
    ast.Quantified,
    ast.InstanceOf,
    ast.CastableAs,
    ast.CastAs,
    ast.SetOperation,
    ast.DirectElement,
    ast.ComputedElement,
    *PROJECTIONS,
)
_CONTAINERS = (ast.MapConstructor, ast.SquareArray, ast.CurlyArray)


@dataclass(frozen=True)
class Choice:
    """A projection without its operand: the sign and its argument."""

    sign: Sign
    amount: ast.Expr
    until: ast.Expr = ast.SequenceExpr()  # noqa: RUF009 - nodes never change

    def arguments(self) -> tuple[ast.Expr, ...]:
        return ast.StringLiteral(self.sign), self.amount, self.until


def choice_of(node: ast.Expr) -> tuple[ast.Expr, Choice] | None:
    """The operand and the choice of a projection; None for anything else."""
    match node:
        case ast.VersionProjection(base=base, version=version):
            return base, Choice("#", version)
        case ast.VersionWindow(base=base, version=version):
            return base, Choice("#[]", version)
        case ast.TimeProjection(base=base, seconds=seconds):
            return base, Choice("?", seconds)
        case ast.TimeWindow(base=base, seconds=seconds):
            return base, Choice("?[]", seconds)
    return None


def combined(outer: Choice, inner: Choice) -> Choice | None:
    """(E#v)#w = E#(v+w) and (E?s)?t = E?(s+t); None for other mixtures."""
    if outer.sign != inner.sign or outer.sign not in ("#", "?"):
        return None
    left, right = inner.amount, outer.amount
    if isinstance(left, ast.IntegerLiteral) and isinstance(right, ast.IntegerLiteral):
        return Choice(outer.sign, ast.IntegerLiteral(left.value + right.value, span=right.span))
    return Choice(outer.sign, ast.Arithmetic("+", left, right, span=right.span))


def is_container(base: ast.Expr) -> bool | None:
    """Whether `base?1` is a lookup: None if only its value decides."""
    if isinstance(base, _NEVER_CONTAINERS):
        return False
    if isinstance(base, _CONTAINERS):
        return True
    if isinstance(base, ast.FunctionCall):
        from xylem.functions.library import look_up

        builtin = look_up(*base.name.expanded, len(base.arguments))
        returns = "item()" if builtin is None else builtin.returns
        return None if returns.startswith(("item()", "map(", "array(", "function(")) else False
    return None


def history_call(local: str, arguments: tuple[ast.Expr, ...], of: ast.Node) -> ast.FunctionCall:
    return ast.FunctionCall(ast.Name(local, None, HISTORY, span=of.span), arguments, span=of.span)


def is_stream_call(node: ast.Node) -> bool:
    return (
        isinstance(node, ast.FunctionCall)
        and len(node.arguments) == 1
        and node.name.expanded in ((FN, "stream"), (XYLEM, "stream"))
    )


def mentions_history(module: ast.Node) -> bool:
    """Whether a module reads versions anywhere."""
    return any(
        isinstance(node, PROJECTIONS)
        or (isinstance(node, ast.FunctionCall) and node.name.expanded in (AS_OF, VERSIONS))
        or _is_time_by_number(node)
        for node in module.walk()
    )


def _is_time_by_number(node: ast.Node) -> bool:
    return (
        isinstance(node, ast.Lookup)
        and isinstance(node.key, ast.IntegerLiteral)
        and isinstance(node.base, _NEVER_CONTAINERS)
    )
