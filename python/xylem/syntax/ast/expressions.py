"""Expressions other than FLWOR and constructors."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from .node import Expr, Name, Node
from .types import Annotation, NameTest, NodeTest, SequenceTypeNode, SingleType, Wildcard

# --- primaries


@dataclass(frozen=True)
class StringLiteral(Expr):
    value: str


@dataclass(frozen=True)
class IntegerLiteral(Expr):
    value: int


@dataclass(frozen=True)
class DecimalLiteral(Expr):
    value: Decimal


@dataclass(frozen=True)
class DoubleLiteral(Expr):
    value: float


@dataclass(frozen=True)
class VarRef(Expr):
    name: Name


@dataclass(frozen=True)
class ContextItem(Expr):
    """`.`"""


@dataclass(frozen=True)
class SequenceExpr(Expr):
    """`E, E, …` with two or more members, or the empty sequence `()`."""

    items: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class ArgumentPlaceholder(Expr):
    """`?` in an argument list."""


@dataclass(frozen=True)
class FunctionCall(Expr):
    """A static call; placeholders among the arguments make it a partial application."""

    name: Name
    arguments: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class NamedFunctionRef(Expr):
    """name#arity"""

    name: Name
    arity: int


@dataclass(frozen=True)
class Parameter(Node):
    name: Name
    type: SequenceTypeNode | None = None


@dataclass(frozen=True)
class InlineFunction(Expr):
    annotations: tuple[Annotation, ...]
    parameters: tuple[Parameter, ...]
    returns: SequenceTypeNode | None
    body: Expr


@dataclass(frozen=True)
class StringConstructor(Expr):
    """``[…`{E}`…]``: strings and expressions in turn."""

    parts: tuple[str | Expr, ...] = ()


@dataclass(frozen=True)
class MapEntry(Node):
    key: Expr
    value: Expr


@dataclass(frozen=True)
class MapConstructor(Expr):
    entries: tuple[MapEntry, ...] = ()


@dataclass(frozen=True)
class SquareArray(Expr):
    """[E, E, …]: one member per expression."""

    members: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class CurlyArray(Expr):
    """array { E }: one member per item."""

    body: Expr


# --- postfix forms


@dataclass(frozen=True)
class Filter(Expr):
    """A primary expression with one predicate. `E[a][b]` is Filter(Filter(E, a), b)."""

    base: Expr
    predicate: Expr


@dataclass(frozen=True)
class DynamicCall(Expr):
    """E(args)"""

    function: Expr
    arguments: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Lookup(Expr):
    """E?key; `?*` has no key. `?name` and `?1` hold literals."""

    base: Expr
    key: Expr | None


@dataclass(frozen=True)
class UnaryLookup(Expr):
    """?key, on the context item."""

    key: Expr | None


# --- paths


@dataclass(frozen=True)
class Root(Expr):
    """A leading `/`: the root of the context node's tree, which must be a document node."""


@dataclass(frozen=True)
class Path(Expr):
    """left / right. `a//b` is Path(Path(a, descendant-or-self::node()), b)."""

    left: Expr
    right: Expr


@dataclass(frozen=True)
class AxisStep(Expr):
    """axis::test[p]…; the axis by its full name, such as 'child' or 'descendant-or-self'."""

    axis: str
    test: NodeTest
    predicates: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class SimpleMap(Expr):
    """left ! right"""

    left: Expr
    right: Expr


# --- operators


@dataclass(frozen=True)
class Or(Expr):
    left: Expr
    right: Expr


@dataclass(frozen=True)
class And(Expr):
    left: Expr
    right: Expr


@dataclass(frozen=True)
class ValueComparison(Expr):
    """op is eq, ne, lt, le, gt or ge."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class GeneralComparison(Expr):
    """op is =, !=, <, <=, > or >=."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class NodeComparison(Expr):
    """op is `is`, << or >>."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class StringConcat(Expr):
    """left || right"""

    left: Expr
    right: Expr


@dataclass(frozen=True)
class Range(Expr):
    """left to right"""

    left: Expr
    right: Expr


@dataclass(frozen=True)
class Arithmetic(Expr):
    """op is +, -, *, div, idiv or mod."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Unary(Expr):
    """op is + or -."""

    op: str
    operand: Expr


@dataclass(frozen=True)
class SetOperation(Expr):
    """op is union, intersect or except (`|` is union)."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class InstanceOf(Expr):
    operand: Expr
    type: SequenceTypeNode


@dataclass(frozen=True)
class TreatAs(Expr):
    operand: Expr
    type: SequenceTypeNode


@dataclass(frozen=True)
class CastableAs(Expr):
    operand: Expr
    type: SingleType


@dataclass(frozen=True)
class CastAs(Expr):
    operand: Expr
    type: SingleType


@dataclass(frozen=True)
class Arrow(Expr):
    """operand => function(arguments): the function is a Name, or an expression that gives a function."""

    operand: Expr
    function: Name | Expr
    arguments: tuple[Expr, ...] = ()


# --- control


@dataclass(frozen=True)
class If(Expr):
    test: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True)
class QuantifiedBinding(Node):
    name: Name
    type: SequenceTypeNode | None
    collection: Expr


@dataclass(frozen=True)
class Quantified(Expr):
    """kind is some or every."""

    kind: str
    bindings: tuple[QuantifiedBinding, ...]
    satisfies: Expr


@dataclass(frozen=True)
class SwitchCase(Node):
    operands: tuple[Expr, ...]
    result: Expr


@dataclass(frozen=True)
class Switch(Expr):
    operand: Expr
    cases: tuple[SwitchCase, ...]
    default: Expr


@dataclass(frozen=True)
class TypeswitchCase(Node):
    types: tuple[SequenceTypeNode, ...]
    variable: Name | None
    result: Expr


@dataclass(frozen=True)
class Typeswitch(Expr):
    operand: Expr
    cases: tuple[TypeswitchCase, ...]
    default_variable: Name | None
    default: Expr


@dataclass(frozen=True)
class CatchClause(Node):
    tests: tuple[NameTest | Wildcard, ...]
    body: Expr


@dataclass(frozen=True)
class TryCatch(Expr):
    body: Expr
    catches: tuple[CatchClause, ...]


@dataclass(frozen=True)
class OrderingExpr(Expr):
    """ordered { E } or unordered { E }: mode is the keyword."""

    mode: str
    body: Expr


@dataclass(frozen=True)
class Validate(Expr):
    """validate lax|strict|type T { E }"""

    mode: str
    type: Name | None
    body: Expr


@dataclass(frozen=True)
class Pragma(Node):
    name: Name
    content: str


@dataclass(frozen=True)
class ExtensionExpr(Expr):
    """(# pragma #)+ { E? }"""

    pragmas: tuple[Pragma, ...]
    body: Expr | None
