"""Literals, variables, the context item, sequences, string constructors, maps and arrays."""

from __future__ import annotations

import re

from xylem.errors import StaticError
from xylem.run.runtime import lookups
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.array import XArray
from xylem.values.atomic_type import AtomicType
from xylem.values.sequence_type import ArrayItem, AtomicItem, ItemType, MapItem, Occurrence, SequenceType

from .code import EMPTY, Code, Shape, atomic, many, one, union_item
from .compiler import NO_ITEM, Compiler, Sink, compiles, pushes

_BOUND = re.compile(r"(?:for|let|,|window|group by|at|some|every|count)\s+\$([\w.-]+)")
"""Names of variables where a text binds them."""


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
        return c.use(variable)
    found = c.functions.global_variable(c, node)
    if found is None:
        raise StaticError("XPST0008", f"${node.name}", span=node.span, hint=_nearest(c, node.name))
    return found  # type: ignore[no-any-return]


def _nearest(c: Compiler, name: ast.Name) -> str:
    from difflib import get_close_matches

    known = {local for _, local in (*c.scope.variables, *c.functions.variable_names(c))}
    # Behind `order by` the scope has what is used there alone: what else the query binds is asked too.
    bound = set(_BOUND.findall(name.span.source.text)) - {name.local}
    near = get_close_matches(name.local, known, 1, 0.6) or get_close_matches(name.local, bound, 1, 0.6)
    if near:
        return f"did you mean ${near[0]}?"
    return f"in scope: {', '.join('$' + n for n in sorted(known)[:8])}" if known else "no variable is in scope here"


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
    # A generator: no member is computed before it is asked for.
    return c.generator(node, "comma")


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


# --- maps and arrays


@compiles(ast.MapConstructor)
def compile_map(c: Compiler, node: ast.MapConstructor) -> Code:
    pairs = []
    for entry in node.entries:
        key = c.as_one(c.atomic_operand(entry.key, "a map key"), "a map key")
        value = c.as_sequence(c.compile(entry.value))
        pair = c.writer.fresh("pair")
        c.writer.line(f"{pair} = ({key}, {value})")
        pairs.append(pair)
    return one(f"{c.rt(lookups.new_map)}(({''.join(p + ', ' for p in pairs)}))", MapItem())


@compiles(ast.SquareArray)
def compile_square_array(c: Compiler, node: ast.SquareArray) -> Code:
    members = []
    for member in node.members:
        name = c.writer.fresh("member")
        c.writer.line(f"{name} = {c.as_sequence(c.compile(member))}")
        members.append(name)
    return one(f"{c.rt(XArray)}(({''.join(m + ', ' for m in members)}))", ArrayItem())


@compiles(ast.CurlyArray)
def compile_curly_array(c: Compiler, node: ast.CurlyArray) -> Code:
    code = c.compile(node.body)
    return one(f"{c.rt(XArray)}([(item,) for item in {c.as_iterable(code)}])", ArrayItem())


@compiles(ast.Lookup)
def compile_lookup(c: Compiler, node: ast.Lookup) -> Code:
    base = c.as_iterable(c.compile(node.base))
    return _lookup(c, base, node.key)


@compiles(ast.UnaryLookup)
def compile_unary_lookup(c: Compiler, node: ast.UnaryLookup) -> Code:
    base = c.as_iterable(compile_context_item(c, ast.ContextItem(span=node.span)))
    return _lookup(c, base, node.key)


def _lookup(c: Compiler, base: str, key: ast.Expr | None) -> Code:
    if key is None:
        return many(f"{c.rt(lookups.look_up_all)}({base})")
    keys = c.as_sequence(c.atomized(c.compile(key)))
    return many(f"{c.rt(lookups.look_up)}({base}, {keys})")
