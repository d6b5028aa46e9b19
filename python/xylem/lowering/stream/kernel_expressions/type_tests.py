"""Types of values, and of the elements of loops."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.plan.kernel_expression import (
    NOTHING,
    Call,
    Constant,
    EachOf,
    IsKind,
    KernelExpression,
    LetValue,
    Named,
    NodesOf,
    SlotValue,
)
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .as_loops import is_atomic
from .item_kinds import ATTRIBUTES, ELEMENTS, TEXTS, Kinds, are_nodes
from .known_functions import CASTS, XS

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler


_NUMBERS = {"": ("eq", 1), "?": ("le", 1), "+": ("ge", 1)}


def instance(c: ExpressionCompiler, operand: ast.Expr, kind: ast.SequenceTypeNode) -> KernelExpression:
    """Whether the items of an expression are of a type."""
    match kind:
        case ast.SequenceTypeNode(item=None):
            return Call("empty", (c.value(operand),))
        case _ if not is_atomic(operand):
            return _instance_of_nodes(c, c.value(operand), kind, operand)
        case ast.SequenceTypeNode(item=ast.AtomicType(name=name), occurrence="" | "?" | "*" | "+" as occurrence):
            if name.uri == XS and name.local in CASTS:
                return Call(f"instance{occurrence} {name.local}", (c.value(operand),))
    raise NoTemplate("a type it does not know", operand)


def _instance_of_nodes(
    c: ExpressionCompiler, nodes: KernelExpression, kind: ast.SequenceTypeNode, operand: ast.Expr
) -> KernelExpression:
    if isinstance(nodes, NodesOf) and not nodes.path and nodes.of is None:
        return type_test(c, operand, ast.TypeswitchCase((kind,), None, operand))
    kinds = c.kinds_of(nodes)
    if not c.keeps_nodes or not are_nodes(kinds) or len(kinds) != 1:
        raise NoTemplate("the type of anything but nodes of a kind", operand)
    slot = SlotValue(c.new_slot(c.fresh(), kinds))
    tests = [_fit(kind, slot, kinds)]
    if kind.occurrence in _NUMBERS:
        word, number = _NUMBERS[kind.occurrence]
        tests.append(Call(word, (Call("count", (slot,)), Constant(number))))
    return LetValue(slot.slot, nodes, Call("and", tuple(tests)))


def _fit(kind: ast.SequenceTypeNode, nodes: SlotValue, kinds: Kinds) -> KernelExpression:
    """Whether all of some nodes fit the item type."""
    match kind.item:
        case ast.AnyItemType() | ast.AnyKindTest():
            return Constant(True)
        case ast.ElementTest(name=None, type=None) if kinds == ELEMENTS:
            return Constant(True)
        case ast.ElementTest(name=ast.Name() as name, type=None) if kinds == ELEMENTS:
            other = Call("if", (Named(*name.expanded), NOTHING, NodesOf(())))
            return Call("empty", (EachOf(nodes, other),))
        case ast.TextTest() if kinds == TEXTS:
            return Constant(True)
        case ast.AttributeTest(name=None, type=None) if kinds == ATTRIBUTES:
            return Constant(True)
        case ast.ElementTest(type=None) | ast.TextTest() | ast.CommentTest() | ast.DocumentTest():
            return Call("empty", (nodes,))
    raise NoTemplate("a type it does not know")


def treated(c: ExpressionCompiler, operand: ast.Expr, kind: ast.SequenceTypeNode) -> KernelExpression:
    """E treat as T: the nodes if they are of the type, and otherwise an error of the query."""
    nodes = c.value(operand)
    if not are_nodes(c.kinds_of(nodes)):
        raise NoTemplate("values of a type", operand)
    slot = c.new_slot(c.fresh(), c.kinds_of(nodes))
    name = ast.Name(f"treated {slot}", None, "")
    c.slots[name.local] = slot
    fits = instance(c, ast.VarRef(name), kind)
    # Of no items there is not exactly one.
    error = Call("exactly-one", (NOTHING,))
    return LetValue(slot, nodes, Call("if", (fits, SlotValue(slot), error)))


def with_named_operand(switch: ast.Typeswitch, name: ast.Name) -> ast.Flwor:
    """typeswitch (E) … as let $x := E return typeswitch ($x) …"""
    return ast.Flwor((ast.LetClause(name, None, switch.operand),), replace(switch, operand=ast.VarRef(name)))


def type_test(c: ExpressionCompiler, operand: ast.Expr, case: ast.TypeswitchCase) -> KernelExpression:
    """Whether the element of a loop, or what a variable has, is of one of the types of a case."""
    nodes = c.value(operand)
    if not isinstance(nodes, NodesOf) or nodes.path or nodes.of is not None:
        of_value = tuple(instance(c, operand, kind) for kind in case.types)
        return of_value[0] if len(of_value) == 1 else Call("or", of_value)
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
