"""Code for possibly infinite values: bindings shared by several readers, and steps and tests item by item."""

from __future__ import annotations

from xylem.analysis.boundedness.check import global_readers
from xylem.functions.registry import FN, PREFIXES
from xylem.run.runtime import endless as rt
from xylem.syntax import ast
from xylem.values.sequence_type import Occurrence, SequenceType

from .code import Code, Shape, many
from .compiler import Compiler

STREAM_NAMES = ((FN, "stream"), (PREFIXES["xylem"], "stream"))


def shared(c: Compiler, code: Code, readers: int | None, what: str) -> Code:
    """An infinite value as its readers see it: every use starts at the beginning."""
    text = f"{c.rt(rt.SharedItems)}({code.text}, {readers}, run.held_items, {what!r})"
    return Code(text, Shape.ITERABLE, SequenceType(code.item, Occurrence.MANY), endless=True)


def checked_lazily(c: Compiler, code: Code, expected: SequenceType, what: str) -> Code:
    """A declared type, matched item by item."""
    if code.type.item.within(expected.item):
        return code
    text = f"{c.rt(rt.checked_items)}({code.text}, {c.type_constant(expected)}, {what!r})"
    return Code(text, Shape.ITERABLE, expected, endless=True)


def stream_call(c: Compiler, argument: ast.Expr) -> Code:
    """stream("name")."""
    readers = None
    if isinstance(argument, ast.StringLiteral):
        readers = stream_readers(c, argument.value)
    name = c.as_one(c.atomic_operand(argument, "the name of a stream"), "the name of a stream")
    found = many(f"{c.rt(rt.stream_items)}(run, {name}, {readers})")
    return Code(found.text, Shape.ITERABLE, found.type, endless=True)


def stream_readers(c: Compiler, name: str) -> int | None:
    """The number of places that read a stream: one for a call outside all loops, otherwise unknown."""
    bounds = c.writer.bounds
    assert bounds is not None
    return bounds.stream_readers.get(name)


def count_readers(c: Compiler, name: tuple[str, str]) -> int | None:
    """The number of readers of an infinite global variable."""
    bounds = c.writer.bounds
    assert bounds is not None
    return global_readers(name, bounds.modules)
