"""Node constructors. A direct element and everything nested in it write into one tree builder."""

from __future__ import annotations

from xylem.analysis.resolve_names import declared_namespaces
from xylem.run.runtime import constructors as rt
from xylem.run.runtime import lookups
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.builder import TreeBuilder
from xylem.values.casting import string_of
from xylem.values.qname import QName
from xylem.values.sequence_type import NodeItem

from .code import Code, Shape, one, optional
from .compiler import Compiler, compiles
from .shaped_elements import shaped_element
from .step_texts import joined_text

_NESTED = (ast.DirectElement, ast.ComputedElement, ast.DirectComment, ast.DirectPI)


def _new_builder(c: Compiler) -> str:
    name = c.writer.fresh("b")
    static = c.static
    arguments = f"{c.context()}.static.base_uri, {static.copy_preserve}, {static.copy_inherit}"
    c.writer.line(f"{name} = {c.rt(TreeBuilder)}({arguments})")
    return name


def _qname(c: Compiler, name: ast.Name) -> str:
    value = QName(name.uri or "", name.local, name.prefix or "")
    return c.writer.constant(value, "Q", value.eqname, key=(value.uri, value.local, value.prefix))


# --- direct constructors


@compiles(ast.DirectElement)
def compile_direct_element(c: Compiler, node: ast.DirectElement) -> Code:
    return shaped_element(c, node) or _built(c, node, NodeItem(nk.ELEMENT, node.name.expanded))


def _built(c: Compiler, node: ast.Expr, item: NodeItem) -> Code:
    """A tree of its own, built by a separate function if the element is large."""
    builder = _new_builder(c)
    _write_node(c, node, builder)
    return one(f"{builder}.finish()", item)


def _write_node(c: Compiler, node: ast.Expr, builder: str, literal: bool = False) -> None:
    """Write a constructor's node into an open builder; literal content is part of the open element, not copied."""
    with c.writer.at(node.span):
        match node:
            case ast.DirectElement():
                _write_element(c, node, builder, literal)
            case ast.ComputedElement():
                _write_computed_element(c, node, builder)
            case ast.DirectComment(value=value):
                c.writer.line(f"{builder}.comment({value!r})")
            case ast.DirectPI(target=target, value=value):
                c.writer.line(f"{builder}.processing_instruction({target!r}, {value!r})")


def _write_element(c: Compiler, node: ast.DirectElement, builder: str, literal: bool) -> None:
    declared = declared_namespaces(node)
    around = {} if literal else c.static.element_namespaces
    static = c.static.inside_element(declared) if declared else c.static
    with c.namespaces(static):
        namespaces = f", {declared!r}, {around!r}" if declared or around else ""
        mark = ", literal=True" if literal else ""
        c.writer.line(f"{builder}.start_element({_qname(c, node.name)}{namespaces}{mark})")
        for attribute in node.attributes:
            with c.writer.at(attribute.span):
                name = _qname(c, attribute.name)
                c.writer.line(f"{builder}.attribute({name}, {attribute_value(c, attribute)})")
        for part in node.content:
            _write_content(c, part, builder)
        c.writer.line(f"{builder}.end_element()")


def attribute_value(c: Compiler, attribute: ast.DirectAttribute) -> str:
    parts = []
    for part in attribute.parts:
        parts.append(repr(part) if isinstance(part, str) else _joined(c, part.body))
    if not parts:
        return "''"
    return parts[0] if len(parts) == 1 else f"''.join(({', '.join(parts)}))"


def _joined(c: Compiler, node: ast.Expr) -> str:
    """The atomised value as a string, with a space between the items."""
    code = c.compile(node)
    text = joined_text(c, code)
    if text is not None:
        return text
    if code.is_nodes and code.shape is Shape.SEQUENCE:
        return f"{c.rt(lookups.text_of_nodes)}({code.text})"
    code = c.atomized(code)
    if code.is_empty:
        return "''"
    if code.shape is Shape.ONE:
        if code.atomic in (at.STRING, at.UNTYPED_ATOMIC):
            return code.text
        return f"{c.rt(string_of)}({code.text})"
    if code.shape is Shape.OPTIONAL:
        code = c.bind(code)
        return f"('' if {code.text} is None else {c.rt(string_of)}({code.text}))"
    return f"{c.rt(lookups.spaced)}({c.as_iterable(code)})"


def _write_content(c: Compiler, node: ast.Expr, builder: str) -> None:
    with c.writer.at(node.span):
        match node:
            case ast.DirectText(value=value):
                c.writer.line(f"{builder}.text({value!r})")
            case ast.EnclosedExpr(body=body):
                _write_enclosed(c, body, builder)
            case _:
                _write_node(c, node, builder, literal=True)


def _write_enclosed(c: Compiler, body: ast.Expr, builder: str) -> None:
    """An enclosed expression: a constructor writes directly into the builder, other values through `items`."""
    if isinstance(body, _NESTED):
        _write_node(c, body, builder)
        return
    code = c.compile(body)
    if code.is_empty and code.simple:
        return
    if code.shape is Shape.ONE and code.atomic in (at.STRING, at.UNTYPED_ATOMIC):
        c.writer.line(f"{builder}.text({code.text})")
    else:
        c.writer.line(f"{builder}.items({c.as_iterable(code)})")


@compiles(ast.DirectComment)
def compile_direct_comment(c: Compiler, node: ast.DirectComment) -> Code:
    return one(f"{c.rt(TreeBuilder)}.comment_node({node.value!r})", NodeItem(nk.COMMENT))


@compiles(ast.DirectPI)
def compile_direct_pi(c: Compiler, node: ast.DirectPI) -> Code:
    text = f"{c.rt(TreeBuilder)}.pi_node({node.target!r}, {node.value!r})"
    return one(text, NodeItem(nk.PROCESSING_INSTRUCTION))


@compiles(ast.DirectText)
def compile_direct_text(c: Compiler, node: ast.DirectText) -> Code:
    return one(f"{c.rt(TreeBuilder)}.text_node({node.value!r})", NodeItem(nk.TEXT))


# --- computed constructors


@compiles(ast.ComputedElement)
def compile_computed_element(c: Compiler, node: ast.ComputedElement) -> Code:
    name = node.name.expanded if isinstance(node.name, ast.Name) else None
    return _built(c, node, NodeItem(nk.ELEMENT, name))


def _write_computed_element(c: Compiler, node: ast.ComputedElement, builder: str) -> None:
    name = _computed_name(c, node.name, rt.element_name)
    around = c.static.element_namespaces
    c.writer.line(f"{builder}.start_element({name}{f', {{}}, {around!r}' if around else ''})")
    _write_enclosed(c, node.body, builder)
    c.writer.line(f"{builder}.end_element()")


def _computed_name(c: Compiler, name: ast.Name | ast.Expr, convert: object) -> str:
    if isinstance(name, ast.Name):
        return _qname(c, name)
    value = c.as_one(c.atomic_operand(name, "a node name"), "a node name")
    return f"{c.rt(convert)}({value}, {c.context()}.static.namespaces)"


@compiles(ast.ComputedAttribute)
def compile_computed_attribute(c: Compiler, node: ast.ComputedAttribute) -> Code:
    name = _computed_name(c, node.name, rt.attribute_name)
    expanded = node.name.expanded if isinstance(node.name, ast.Name) else None
    text = f"{c.rt(TreeBuilder)}.attribute_node({name}, {_joined(c, node.body)})"
    return one(text, NodeItem(nk.ATTRIBUTE, expanded))


@compiles(ast.ComputedDocument)
def compile_computed_document(c: Compiler, node: ast.ComputedDocument) -> Code:
    builder = _new_builder(c)
    c.writer.line(f"{builder}.start_document()")
    _write_enclosed(c, node.body, builder)
    c.writer.line(f"{builder}.end_document()")
    return one(f"{builder}.finish()", NodeItem(nk.DOCUMENT))


@compiles(ast.ComputedText)
def compile_computed_text(c: Compiler, node: ast.ComputedText) -> Code:
    code = c.atomized(c.compile(node.body))
    if code.is_empty:
        return optional("None", NodeItem(nk.TEXT), simple=True)
    return optional(f"{c.rt(rt.text_node)}({c.as_sequence(code)})", NodeItem(nk.TEXT))


@compiles(ast.ComputedComment)
def compile_computed_comment(c: Compiler, node: ast.ComputedComment) -> Code:
    return one(f"{c.rt(TreeBuilder)}.comment_node({_joined(c, node.body)})", NodeItem(nk.COMMENT))


@compiles(ast.ComputedPI)
def compile_computed_pi(c: Compiler, node: ast.ComputedPI) -> Code:
    if isinstance(node.target, str):
        target = repr(node.target)
    else:
        value = c.as_one(c.atomic_operand(node.target, "a target"), "the target of a processing instruction")
        target = f"{c.rt(rt.pi_target)}({value})"
    text = f"{c.rt(TreeBuilder)}.pi_node({target}, {_joined(c, node.body)})"
    return one(text, NodeItem(nk.PROCESSING_INSTRUCTION))


@compiles(ast.ComputedNamespace)
def compile_computed_namespace(c: Compiler, node: ast.ComputedNamespace) -> Code:
    if isinstance(node.prefix, str):
        prefix = repr(node.prefix)
    else:
        prefix = f"{c.rt(rt.namespace_prefix)}({c.atomic_operand(node.prefix, 'a prefix').text})"
    text = f"{c.rt(TreeBuilder)}.namespace_node({prefix}, {_joined(c, node.body)})"
    return one(text, NodeItem(nk.NAMESPACE))
