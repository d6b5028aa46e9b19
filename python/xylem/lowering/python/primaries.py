"""Literals, variables, the context item, sequences and string constructors."""

from __future__ import annotations

import re
from collections.abc import Callable

from xylem.analysis.facts.literals import LITERALS
from xylem.errors import StaticError
from xylem.run.runtime import lookups
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.atomic_type import AtomicType
from xylem.values.sequence_type import AtomicItem, ItemType, Occurrence, SequenceType

from .code import ANY_ITEM, EMPTY, Code, Shape, atomic, one, union_item
from .code_gap import CodeGap
from .compiler import NO_ITEM, Compiler, Sink, compiles, pushes, tails

_BOUND = re.compile(r"(?:for|let|,|window|group by|at|some|every|count)\s+\$([\w.-]+)")
"""Patterns for names of variables that a text binds."""


@compiles(ast.StringLiteral)
def compile_string(c: Compiler, node: ast.StringLiteral) -> Code:
    return atomic(repr(node.value), at.STRING, simple=True)


@compiles(ast.IntegerLiteral)
def compile_integer(c: Compiler, node: ast.IntegerLiteral) -> Code:
    # Python refuses to read integer literals of more than 4,300 digits.
    if node.value.bit_length() > 1000:
        return _constant(c, node.value, at.INTEGER)
    return atomic(repr(node.value), at.INTEGER, simple=True)


@compiles(ast.DecimalLiteral)
def compile_decimal(c: Compiler, node: ast.DecimalLiteral) -> Code:
    return _constant(c, node.value, at.DECIMAL)


@compiles(ast.DoubleLiteral)
def compile_double(c: Compiler, node: ast.DoubleLiteral) -> Code:
    return _constant(c, node.value, at.DOUBLE)


def _constant(c: Compiler, value: object, kind: AtomicType) -> Code:
    return atomic(c.writer.constant(value, "K", f"{value!r:.60}", key=(kind, value)), kind, simple=True)


@compiles(ast.VarRef)
def compile_variable(c: Compiler, node: ast.VarRef) -> Code:
    variable = c.scope.variables.get(node.name.expanded)
    if variable is not None:
        code = c.use(variable)
        if not code.row:
            return code
        from .record_rows import whole_record

        return whole_record(c, code)
    found = c.functions.global_variable(c, node)
    if found is None:
        raise StaticError("XPST0008", f"${node.name}", span=node.span, hint=_nearest(c, node.name))
    return found  # type: ignore[no-any-return]


def _nearest(c: Compiler, name: ast.Name) -> str:
    from difflib import get_close_matches

    known = {local for _, local in (*c.scope.variables, *c.functions.variable_names(c))}
    # After `order by`, the scope has only the variables used there: the other bindings of the query count too.
    bound = set(_BOUND.findall(name.span.source.text)) - {name.local}
    near = get_close_matches(name.local, known, 1, 0.6) or get_close_matches(name.local, bound, 1, 0.6)
    if near:
        return f"did you mean ${near[0]}?"
    for words, names in (("in scope", known), ("bound in this query", bound)):
        if names:
            return f"{words}: {', '.join(f'${one}' for one in sorted(names)[:8])}"
    return "no variable is in scope here"


@compiles(ast.ContextItem)
def compile_context_item(c: Compiler, node: ast.ContextItem) -> Code:
    focus = c.scope.focus
    if focus.item is not None:
        return c.use(focus.item)
    return one(f"{c.rt(lookups.no_context_item)}({focus.absent_reason!r})", SequenceType(AtomicItem(at.ERROR)).item)


@compiles(ast.SequenceExpr)
def compile_sequence(c: Compiler, node: ast.SequenceExpr) -> Code:
    if not node.items:
        return EMPTY
    if all(isinstance(item, (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral)) for item in node.items):
        codes = [c.compile(item) for item in node.items]
        item = codes[0].item if all(code.item == codes[0].item for code in codes) else AtomicItem(at.ANY_ATOMIC)
        if len(codes) > 50:
            # A long list of constants is built once.
            values = tuple(getattr(item, "value") for item in node.items)  # noqa: B009
            return Code(
                c.writer.constant(values, "K"), Shape.SEQUENCE, SequenceType(item, Occurrence.SOME), simple=True
            )
        text = f"({', '.join(code.text for code in codes)},)"
        return Code(text, Shape.SEQUENCE, SequenceType(item, Occurrence.SOME))
    # A generator: each member is computed only on request.
    return c.generator(node, "comma")


@tails(ast.SequenceExpr)
def tail_sequence(c: Compiler, node: ast.SequenceExpr, finish: Callable[[Code], None]) -> None:
    """At the end of a function all members are needed: they are gathered without a generator."""
    if len(node.items) < 2 or c.is_endless(node) or all(isinstance(item, LITERALS) for item in node.items):
        finish(c.compile(node))
        return
    items = c.writer.fresh("items")
    c.writer.line(f"{items} = []")
    item = c.push(node, Sink(CodeGap(f"{items}.append(", ")"), CodeGap(f"{items}.extend(", ")")))
    kind = SequenceType(ANY_ITEM if item == NO_ITEM else item, Occurrence.MANY)
    finish(Code(items, Shape.SEQUENCE, kind, simple=True))


@pushes(ast.SequenceExpr)
def push_sequence(c: Compiler, node: ast.SequenceExpr, sink: Sink) -> ItemType:
    if not node.items:
        c.writer.line("pass")
    pushed: ItemType = NO_ITEM
    for item in node.items:
        pushed = union_item(pushed, c.push(item, sink))
    return pushed


@compiles(ast.StringConstructor)
def compile_string_constructor(c: Compiler, node: ast.StringConstructor) -> Code:
    parts = []
    for part in node.parts:
        if isinstance(part, str):
            parts.append(repr(part))
        else:
            code = c.atomized(c.compile(part))
            parts.append(f"{c.rt(lookups.spaced)}({c.as_iterable(code)})")
    return atomic(f"''.join(({''.join(p + ', ' for p in parts)}))", at.STRING)
