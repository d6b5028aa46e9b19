"""Types of values, and of the elements of loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.plan.kernel_expression import Call, Constant, IsKind, KernelExpression, Named
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .known_functions import CASTS, XS

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler


def instance(c: ExpressionCompiler, operand: ast.Expr, kind: ast.SequenceTypeNode) -> KernelExpression:
    """Whether atomic values are of a type."""
    match kind:
        case ast.SequenceTypeNode(item=None):
            return Call("empty", (c.value(operand),))
        case ast.SequenceTypeNode(item=ast.AtomicType(name=name), occurrence="" | "?" | "*" | "+" as occurrence):
            if name.uri == XS and name.local in CASTS:
                return Call(f"instance{occurrence} {name.local}", (c.value(operand),))
    raise NoTemplate("a type it does not know", operand)


def type_test(c: ExpressionCompiler, operand: ast.Expr, case: ast.TypeswitchCase) -> KernelExpression:
    """Whether the element of a loop is of one of the types of a case."""
    nodes = c.nodes(operand)
    if nodes.path or nodes.of is not None:
        raise NoTemplate("the type of anything but the element of a loop", operand)
    is_element = c.variables[-1 - nodes.up] not in c.any_kind
    tests = tuple(_type_test(kind, nodes.up, is_element) for kind in case.types)
    return tests[0] if len(tests) == 1 else Call("or", tests)


def _type_test(kind: ast.SequenceTypeNode, up: int, is_element: bool) -> KernelExpression:
    match kind.item:
        case ast.ElementTest(name=None, type=None):
            return Constant(True) if is_element else IsKind("element", up)
        case ast.TextTest() if not is_element:
            return IsKind("text", up)
        case ast.ElementTest(name=ast.Name() as name, type=None):
            return Named(*name.expanded, up)
        case ast.AnyKindTest():
            return Constant(True)
        case ast.TextTest() | ast.AttributeTest() | ast.CommentTest() | ast.DocumentTest():
            return Constant(False)
    raise NoTemplate("a type it does not know")


def type_word(kind: ast.SequenceTypeNode) -> str:
    """The name of the kernel function that lets values of a type pass."""
    match kind:
        case ast.SequenceTypeNode(item=ast.AtomicType(name=name), occurrence="" | "?" as occurrence):
            if name.uri == XS and name.local in CASTS:
                return f"as{occurrence} {name.local}"
    raise NoTemplate("a variable of a type that the kernel does not know")
