"""Expressions other than FLWOR and constructors."""

from __future__ import annotations

from decimal import Decimal

from .node import Expr, Name, Node, ast_node
from .types import Annotation, NameTest, NodeTest, SequenceTypeNode, SingleType, Wildcard

# --- primaries


@ast_node
class StringLiteral(Expr):
    value: str


@ast_node
class IntegerLiteral(Expr):
    value: int


@ast_node
class DecimalLiteral(Expr):
    value: Decimal


@ast_node
class DoubleLiteral(Expr):
    value: float


@ast_node
class VarRef(Expr):
    name: Name


@ast_node
class ContextItem(Expr):
    """`.`"""


@ast_node
class SequenceExpr(Expr):
    """`E, E, …` with two or more members, or the empty sequence `()`."""

    items: tuple[Expr, ...] = ()


@ast_node
class ArgumentPlaceholder(Expr):
    """`?` in an argument list."""


@ast_node
class FunctionCall(Expr):
    """A static call; placeholders among the arguments make it a partial application."""

    name: Name
    arguments: tuple[Expr, ...] = ()


@ast_node
class NamedFunctionRef(Expr):
    """name#arity"""

    name: Name
    arity: int


@ast_node
class Parameter(Node):
    name: Name
    type: SequenceTypeNode | None = None


@ast_node
class InlineFunction(Expr):
    annotations: tuple[Annotation, ...]
    parameters: tuple[Parameter, ...]
    returns: SequenceTypeNode | None
    body: Expr


@ast_node
class StringConstructor(Expr):
    """``[…`{E}`…]``: strings and expressions in turn."""

    parts: tuple[str | Expr, ...] = ()


@ast_node
class MapEntry(Node):
    key: Expr
    value: Expr


@ast_node
class MapConstructor(Expr):
    entries: tuple[MapEntry, ...] = ()


@ast_node
class SquareArray(Expr):
    """[E, E, …]: one member per expression."""

    members: tuple[Expr, ...] = ()


@ast_node
class CurlyArray(Expr):
    """array { E }: one member per item."""

    body: Expr


# --- postfix forms


@ast_node
class Filter(Expr):
    """A primary expression with one predicate. `E[a][b]` is Filter(Filter(E, a), b)."""

    base: Expr
    predicate: Expr


@ast_node
class DynamicCall(Expr):
    """E(args)"""

    function: Expr
    arguments: tuple[Expr, ...] = ()


@ast_node
class Lookup(Expr):
    """E?key; `?*` has no key. `?name` and `?1` hold literals."""

    base: Expr
    key: Expr | None


@ast_node
class UnaryLookup(Expr):
    """?key, on the context item."""

    key: Expr | None


# --- paths


@ast_node
class Root(Expr):
    """A leading `/`: the root of the context node's tree, which must be a document node.

    With `is_any_node` it stands for root(), and may be any node.
    """

    is_any_node: bool = False


@ast_node
class Path(Expr):
    """left / right. `a//b` is Path(Path(a, descendant-or-self::node()), b)."""

    left: Expr
    right: Expr


UPWARDS = frozenset({"parent", "ancestor", "ancestor-or-self"})
"""Axes that lead to ancestors."""


@ast_node
class AxisStep(Expr):
    """axis::test[p]…; the axis by its full name, such as 'child' or 'descendant-or-self'."""

    axis: str
    test: NodeTest
    predicates: tuple[Expr, ...] = ()


@ast_node
class SimpleMap(Expr):
    """left ! right"""

    left: Expr
    right: Expr


# --- operators


@ast_node
class Or(Expr):
    left: Expr
    right: Expr


@ast_node
class And(Expr):
    left: Expr
    right: Expr


@ast_node
class ValueComparison(Expr):
    """op is eq, ne, lt, le, gt or ge."""

    op: str
    left: Expr
    right: Expr


GENERAL_OPERATORS = frozenset({"=", "!=", "<", "<=", ">", ">="})
NODE_ORDERS = frozenset({"<<", ">>"})


@ast_node
class GeneralComparison(Expr):
    """op is =, !=, <, <=, > or >=."""

    op: str
    left: Expr
    right: Expr


@ast_node
class NodeComparison(Expr):
    """op is `is`, << or >>."""

    op: str
    left: Expr
    right: Expr


@ast_node
class StringConcat(Expr):
    """left || right"""

    left: Expr
    right: Expr


@ast_node
class Range(Expr):
    """left to right"""

    left: Expr
    right: Expr


@ast_node
class Arithmetic(Expr):
    """op is +, -, *, div, idiv or mod."""

    op: str
    left: Expr
    right: Expr


@ast_node
class Unary(Expr):
    """op is + or -."""

    op: str
    operand: Expr


@ast_node
class SetOperation(Expr):
    """op is union, intersect or except (`|` is union)."""

    op: str
    left: Expr
    right: Expr


@ast_node
class InstanceOf(Expr):
    operand: Expr
    type: SequenceTypeNode


@ast_node
class TreatAs(Expr):
    operand: Expr
    type: SequenceTypeNode


@ast_node
class CastableAs(Expr):
    operand: Expr
    type: SingleType


@ast_node
class CastAs(Expr):
    operand: Expr
    type: SingleType


@ast_node
class Arrow(Expr):
    """operand => function(arguments): the function is a Name, or an expression that gives a function."""

    operand: Expr
    function: Name | Expr
    arguments: tuple[Expr, ...] = ()


# --- control


@ast_node
class If(Expr):
    test: Expr
    then: Expr
    otherwise: Expr


@ast_node
class QuantifiedBinding(Node):
    name: Name
    type: SequenceTypeNode | None
    collection: Expr


@ast_node
class Quantified(Expr):
    """kind is some or every."""

    kind: str
    bindings: tuple[QuantifiedBinding, ...]
    satisfies: Expr


@ast_node
class SwitchCase(Node):
    operands: tuple[Expr, ...]
    result: Expr


@ast_node
class Switch(Expr):
    operand: Expr
    cases: tuple[SwitchCase, ...]
    default: Expr


@ast_node
class TypeswitchCase(Node):
    types: tuple[SequenceTypeNode, ...]
    variable: Name | None
    result: Expr


@ast_node
class Typeswitch(Expr):
    operand: Expr
    cases: tuple[TypeswitchCase, ...]
    default_variable: Name | None
    default: Expr


@ast_node
class CatchClause(Node):
    tests: tuple[NameTest | Wildcard, ...]
    body: Expr


@ast_node
class TryCatch(Expr):
    body: Expr
    catches: tuple[CatchClause, ...]


@ast_node
class OrderingExpr(Expr):
    """ordered { E } or unordered { E }: mode is the keyword."""

    mode: str
    body: Expr


@ast_node
class Validate(Expr):
    """validate lax|strict|type T { E }"""

    mode: str
    type: Name | None
    body: Expr


@ast_node
class Pragma(Node):
    name: Name
    content: str


@ast_node
class ExtensionExpr(Expr):
    """(# pragma #)+ { E? }"""

    pragmas: tuple[Pragma, ...]
    body: Expr | None


@ast_node
class Shared(Expr):
    """A value that is the same at each turn of the outer loops: computed on first use, then kept.

    No text parses to it; rewriting makes it (`rewrite/joins/`), and it prints as its value.
    """

    value: Expr
    is_of_input: bool = False
    """As for `JoinClause`."""
    is_by_parent: bool = False
    """Whether a filter of it is the predicate of a step: it counts positions among the items of each parent."""
    anchor: Name | None = None
    """A variable that holds the same node at many turns: the value is cached for each of its nodes."""
