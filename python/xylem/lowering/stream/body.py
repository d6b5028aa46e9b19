"""Writing the body of a handler: FluX expressions become statements that write to the output."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from xylem.analysis.resolve_names import declared_namespaces
from xylem.functions.registry import FN
from xylem.plan.flux import (
    EMPTY,
    CloseWindows,
    Copy,
    Fixed,
    Flux,
    For,
    GiveItem,
    Handler,
    If,
    Leaf,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    Opening,
    OpenWindows,
    ProcessStream,
    Sequence,
    Step,
)
from xylem.run.runtime.data_windows import windows
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.qname import QName
from xylem.values.sequence_type import Occurrence, SequenceType

from ..python.code import Code, Shape, atomic, one
from ..python.code_gap import CodeGap
from ..python.compiler import Compiler, Sink
from ..python.constructors import attribute_value
from ..python.windows import data_window_cursor
from .leaf_joins import joined_loop, with_leaf_joins
from .steps import path_expression
from .whole_elements import with_whole_elements
from .window_code import write_windows

OUTPUT = Sink(CodeGap("out.item(", ")"), CodeGap("for each in ", ": out.item(each)"))
"""Items of one enclosed expression may come from several parts of a body, so they are passed on one by one."""


ITEM = Sink(CodeGap("out.give(", ")"), CodeGap("for each in ", ": out.give(each)"))
"""Sink for the open windows."""


def write_body(c: Compiler, body: Flux) -> None:
    """Write statements for a body. The element is in memory, so streams in the body are plain loops."""
    match body:
        case Fixed():
            _write_fixed(c, body)
        case Opening(element=element, inside=inside, literal=literal):
            with _inside(c, inside):
                _write_start(c, element, literal)
        case Sequence(parts=parts):
            c.writer.line("pass")
            for part in with_whole_elements(c, parts):
                write_body(c, part)
        case For():
            shared = joined_loop(c, body)
            if shared is not None:
                c.push(shared, OUTPUT)
            elif c.writer.frame.blocks > 12 or c.is_indented_far:
                # Python allows twenty nested loops in one function.
                frame = c.lifted("loop", ["out", "env"], "", lambda: _write_for(c, body))
                c.writer.line(c.writer.call(frame, "out", "env"))
            else:
                _write_for(c, body)
        case Copy(variable=variable, path=path):
            c.push(with_leaf_joins(c, path_expression(variable, path)), OUTPUT)
        case If(condition=condition, body=inner):
            with c.writer.at(condition.span):
                c.writer.line(f"if {c.truth(with_leaf_joins(c, condition))}:")
            with c.writer.indented(), c.scoped():
                write_body(c, inner)
        case Leaf(expression=expression, inside=inside):
            with _inside(c, inside):
                c.push(with_leaf_joins(c, expression), OUTPUT)
        case OpenWindows(inside=inside):
            with _inside(c, inside):
                write_windows(c, body)
        case GiveItem(variable=variable, source=source):
            c.push(source or path_expression(variable, ()), ITEM)
        case CloseWindows():
            c.writer.line("out.close_windows()")
            if c.window_rows is not None:
                c.window_rows.cells = None
        case ProcessStream(variable=variable, handlers=handlers):
            c.writer.line("pass")
            for part in with_whole_elements(c, [_in_memory(handler, variable) for handler in handlers]):
                write_body(c, part)


def _in_memory(handler: Handler, variable: str) -> Flux:
    """Write a handler whose stream is in memory."""
    if isinstance(handler, On):
        return loop_of(handler, variable, (*handler.through, handler.step))
    if isinstance(handler, (OnWindow, OnEach)):
        return For(handler.variable, variable, handler.path, handler.body, window=handler.window)
    return handler.body if isinstance(handler, OnFirst) else EMPTY


@contextmanager
def _inside(c: Compiler, elements: tuple[ast.DirectElement, ...]) -> Iterator[None]:
    """The static context inside constructors that declare namespaces."""
    static = c.static
    for element in elements:
        static = static.inside_element(declared_namespaces(element))
    with c.namespaces(static):
        yield


def loop_of(handler: On, variable: str, path: tuple[Step, ...]) -> For:
    """An on-handler as a loop over nodes in memory."""
    outermost = handler.outermost
    return For(handler.variable, variable, path, handler.body, None, handler.position, outermost=outermost)


def _write_for(c: Compiler, loop: For) -> None:
    path = path_expression(loop.source, loop.path)
    if loop.outermost:
        path = ast.FunctionCall(ast.Name("outermost", "fn", FN), (path,))
    code = c.compile(path)
    name = _python_name(c, loop.variable)
    source = c.as_iterable(code)
    bound = one(name, code.item, simple=True)
    if loop.window is not None:
        cursor = data_window_cursor(c, loop.window, code.item)
        source = f"{c.rt(windows)}({source}, {cursor})"
        bound = Code(name, Shape.SEQUENCE, SequenceType(code.item, Occurrence.MANY), simple=True)
    if loop.position is None:
        c.writer.line(f"for {name} in {source}:")
    else:
        position = _python_name(c, loop.position)
        c.writer.line(f"for {position}, {name} in enumerate({source}, 1):")
    with c.writer.indented(block=True), c.scoped():
        c.declare(("", loop.variable), bound, loops=True)
        if loop.position is not None:
            c.declare(("", loop.position), atomic(position, at.INTEGER, simple=True), loops=True)
        write_body(c, loop.body if loop.where is None else If(loop.where, loop.body))


def _python_name(c: Compiler, variable: str) -> str:
    return c.writer.fresh("v_" + "".join(ch if ch.isascii() and ch.isalnum() else "_" for ch in variable))


def _write_fixed(c: Compiler, fixed: Fixed) -> None:
    if fixed.opens is not None and fixed.closes is not None:
        _write_constant(c, fixed.opens, fixed.literal)
    elif fixed.opens is not None:
        _write_start(c, fixed.opens, fixed.literal)
    elif fixed.closes is not None:
        c.writer.line("out.end_element()")
    else:
        c.writer.line(f"out.text({fixed.text!r})")


def _write_constant(c: Compiler, element: ast.DirectElement, literal: bool) -> None:
    """Write a constructor without expressions together with its content."""
    _write_start(c, element, literal)
    for part in element.content:
        match part:
            case ast.DirectText(value=value):
                c.writer.line(f"out.text({value!r})")
            case ast.DirectElement():
                _write_constant(c, part, True)
            case _:
                c.push(part, OUTPUT)
    c.writer.line("out.end_element()")


def _write_start(c: Compiler, element: ast.DirectElement, literal: bool) -> None:
    declared = declared_namespaces(element)
    with c.namespaces(c.static.inside_element(declared)), c.writer.at(element.span):
        c.writer.line(f"out.start_element({_qname(c, element.name)}, {declared!r}, {{}}, {literal})")
        for attribute in element.attributes:
            text = attribute_value(c, replace(attribute, parts=tuple(_joined(c, part) for part in attribute.parts)))
            c.writer.line(f"out.attribute({_qname(c, attribute.name)}, {text})")


def _joined(c: Compiler, part: str | ast.EnclosedExpr) -> str | ast.EnclosedExpr:
    return part if isinstance(part, str) else replace(part, body=with_leaf_joins(c, part.body))


def _qname(c: Compiler, name: ast.Name) -> str:
    value = QName(name.uri or "", name.local, name.prefix or "")
    return c.writer.constant(value, "Q", value.eqname, key=(value.uri, value.local, value.prefix))
