"""cast, castable, instance of, treat as, validate."""

from __future__ import annotations

from xylem.analysis.static_context import XS
from xylem.analysis.types import LIST_TYPES, atomic_type, sequence_type
from xylem.errors import StaticError
from xylem.run.runtime import types as rt
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.atomic_type import AtomicType
from xylem.values.casting import caster
from xylem.values.sequence_type import AtomicItem, ItemType, Occurrence, SequenceType

from .code import Code, Shape, atomic, boolean, many, optional, shape_of
from .compiler import Compiler, compiles


def cast_target(c: Compiler, name: ast.Name) -> AtomicType | str:
    """An atomic type, or the local name of a list type."""
    if name.uri == XS and name.local in LIST_TYPES:
        return name.local
    is_any_simple = name.uri == XS and name.local == "anySimpleType"
    target = at.ANY_ATOMIC if is_any_simple else atomic_type(name, "XQST0052")
    if target in (at.NOTATION, at.ANY_ATOMIC):
        raise StaticError("XPST0080", str(name), span=name.span)
    return target


@compiles(ast.CastAs)
def compile_cast(c: Compiler, node: ast.CastAs) -> Code:
    return cast_code(c, c.compile(node.operand), cast_target(c, node.type.name), node.type.optional)


def cast_code(c: Compiler, value: Code, target: AtomicType | str, allows_empty: bool) -> Code:
    """A cast of a value to a type."""
    value = c.atomized(value)
    if isinstance(target, str):
        operand = c.as_sequence(value)
        return many(f"{c.called(rt.cast_to_list)}({operand}, {target!r}, {allows_empty})", AtomicItem(at.ANY_ATOMIC))
    namespaces = "None"
    if target.derives_from(at.QNAME) or target is at.NOTATION:
        namespaces = f"{c.context()}.static.namespaces"
    kind = c.writer.constant(target, "T", repr(target), key=target)
    if value.shape is Shape.ONE:
        if value.atomic is target:
            return value
        if target is at.STRING and value.atomic is at.UNTYPED_ATOMIC:
            return atomic(f"str({value.text})", at.STRING)
        if target is at.DOUBLE and value.atomic is not None and value.atomic.derives_from(at.INTEGER):
            return atomic(f"{c.called(rt.cast)}({value.text}, {kind})", target)
        if value.atomic in (at.STRING, at.UNTYPED_ATOMIC) and namespaces == "None":
            to = c.writer.constant(caster(target), f"to_{target.name}")
            return atomic(f"{to}({value.text})", target)
        return atomic(f"{c.called(rt.cast)}({value.text}, {kind}, {namespaces})", target)
    function = c.called(rt.cast_optional if allows_empty else rt.cast_one)
    if value.shape is Shape.OPTIONAL:
        text = f"{function}({value.text}, {kind}, {namespaces})"
    else:
        text = f"{function}({c.as_optional(value, 'the operand of a cast')}, {kind}, {namespaces})"
    return optional(text, AtomicItem(target)) if allows_empty else atomic(text, target)


@compiles(ast.CastableAs)
def compile_castable(c: Compiler, node: ast.CastableAs) -> Code:
    target = cast_target(c, node.type.name)
    operand = c.as_iterable(c.compile(node.operand))
    kind = repr(target) if isinstance(target, str) else c.writer.constant(target, "T", repr(target), key=target)
    namespaces = f"{c.context()}.static.namespaces"
    return boolean(f"{c.rt(rt.is_castable)}({operand}, {kind}, {node.type.optional}, {namespaces})")


@compiles(ast.InstanceOf)
def compile_instance_of(c: Compiler, node: ast.InstanceOf) -> Code:
    return boolean(instance_test(c, c.compile(node.operand), sequence_type(node.type)))


def instance_test(c: Compiler, value: Code, expected: SequenceType) -> str:
    """A Python test whether a value is of a type."""
    if value.type.within(expected) and value.simple:
        return "True"
    if value.shape is Shape.ONE:
        if expected.occurrence is Occurrence.NONE:
            return "False"
        if type(expected.item) is ItemType:
            return "True"
        return f"{c.type_constant(expected.item)}.accepts({value.text})"
    return f"{c.type_constant(expected)}.matches({c.as_sequence(value)})"


@compiles(ast.TreatAs)
def compile_treat(c: Compiler, node: ast.TreatAs) -> Code:
    value = c.compile(node.operand)
    expected = sequence_type(node.type)
    if value.type.within(expected):
        return value
    shape = shape_of(expected.occurrence)
    text = f"{c.called(rt.treat)}({c.as_sequence(value)}, {c.type_constant(expected)})"
    if shape is Shape.ONE:
        text += "[0]"
    elif shape is Shape.OPTIONAL:
        text = f"next(iter({text}), None)"
    return Code(text, shape, expected, ordered=value.ordered)


@compiles(ast.Validate)
def compile_validate(c: Compiler, node: ast.Validate) -> Code:
    raise StaticError("XQST0075", span=node.span)
