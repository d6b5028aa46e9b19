"""Maps and arrays of known keys in variables: each of their values has a slot.

        let $m := map { "id": string($o/@id), "total": number($o/total) } return <r>{ $m?id, $m?total * 2 }</r>

Needs:  keys that are written as strings, each once. The map itself is not used, except as JSON.
Safe:   all values are computed where the variable is bound: if one of them cannot be, the record is left to the query.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from xylem.analysis.ast_replacement import replaced
from xylem.functions.registry import PREFIXES
from xylem.plan.kernel_expression import (
    NOTHING,
    Call,
    Constant,
    EachItem,
    JsonArray,
    JsonMap,
    JsonPath,
    JsonValue,
    KernelExpression,
    LetValue,
    Members,
    SlotValue,
)
from xylem.syntax import ast

from ..template_paths import NoTemplate, key_of
from .item_kinds import JSON, VALUES

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler

_CONSTANTS = (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)
_MAP, _ARRAY = PREFIXES["map"], PREFIXES["array"]


@dataclass(frozen=True)
class Record:
    """The slots of the values, by key or position."""

    slots: dict[str | int, int]
    is_map: bool
    has_members: bool = False
    """Whether it is `array { E }`: its only slot has the members, which are single values."""


def entries_of(value: ast.Expr) -> dict[str | int, ast.Expr] | None:
    """The values of a map or array of known keys; None for any other expression."""
    match value:
        case ast.MapConstructor(entries=entries):
            found: dict[str | int, ast.Expr] = {}
            for entry in entries:
                if not isinstance(entry.key, ast.StringLiteral) or entry.key.value in found:
                    raise NoTemplate("keys that are computed, or there twice", value)
                found[entry.key.value] = entry.value
            return found
        case ast.SquareArray(members=members):
            return dict(enumerate(members, 1))
        case ast.CurlyArray(body=body):
            return {0: body}
    return None


def of_one_map(clause: ast.ForClause) -> ast.LetClause | None:
    """A loop over one map or array, as `map { … } ! F` is."""
    is_one = isinstance(clause.collection, (ast.MapConstructor, ast.SquareArray, ast.CurlyArray))
    if not is_one or clause.type is not None or clause.position is not None:
        return None
    return ast.LetClause(clause.name, None, clause.collection)


def value_of(c: ExpressionCompiler, slot: int) -> KernelExpression:
    """The items of a slot."""
    found = SlotValue(slot)
    return JsonPath(found) if c.kinds_of(found) == JSON else found


def looked_up(c: ExpressionCompiler, expr: ast.Expr) -> KernelExpression | None:
    """What is looked up in a variable for a map or array, or in one written there; None for any other expression."""
    match expr:
        case ast.Lookup(base=base) | ast.DynamicCall(function=base) if _is_computed(base):
            return _looked_up_in(c, expr, base)
        case ast.FunctionCall(name=name, arguments=(base, *_)) if name.uri in (_MAP, _ARRAY) and _is_computed(base):
            return _looked_up_in(c, expr, base)
        case ast.Lookup(base=ast.VarRef(name=name), key=None) if key_of(name) in c.records:
            return Call(",", tuple(value_of(c, slot) for slot in c.records[key_of(name)].slots.values()))
        case ast.Lookup(base=ast.VarRef(name=name), key=ast.Expr() as key) if key_of(name) in c.records:
            if not isinstance(key, (ast.StringLiteral, ast.IntegerLiteral)):
                raise NoTemplate("keys that are computed", expr)
            return _of_key(c, c.records[key_of(name)], key)
        case ast.DynamicCall(function=ast.VarRef(name=name), arguments=(key,)) if key_of(name) in c.records:
            return _of_key(c, c.records[key_of(name)], key)
        case ast.FunctionCall(name=function, arguments=(ast.VarRef(name=name), *keys)) if key_of(name) in c.records:
            return _called(c, function.expanded, c.records[key_of(name)], keys)
    return None


def _is_computed(base: ast.Expr) -> bool:
    """Whether an expression is a map or an array whose values are no constants."""
    match base:
        case ast.MapConstructor(entries=entries):
            return not all(_is_constant(entry.value) for entry in entries)
    return isinstance(base, (ast.SquareArray, ast.CurlyArray))


def _is_constant(value: ast.Expr) -> bool:
    if isinstance(value, ast.SequenceExpr):
        return all(map(_is_constant, value.items))
    return isinstance(value, _CONSTANTS)


def _looked_up_in(c: ExpressionCompiler, expr: ast.Expr, base: ast.Expr) -> KernelExpression | None:
    """The same with a variable for the map or array."""
    if not c.keeps_nodes:
        return None
    with c.scope():
        name = c.fresh()
        bound = c.bind(ast.LetClause(name, None, base))
        by_name = replaced(expr, lambda node: ast.VarRef(name) if node is base else None)
        assert isinstance(by_name, ast.Expr)
        found = looked_up(c, by_name)
    if found is None:
        return None
    for slot, value in reversed(bound):
        found = LetValue(slot, value, found)
    return found


def _called(
    c: ExpressionCompiler, function: tuple[str, str], record: Record, keys: list[ast.Expr]
) -> KernelExpression | None:
    uri, local = function
    if uri != (_MAP if record.is_map else _ARRAY):
        return None
    match local, keys:
        case "size", [] if record.has_members:
            return Call("count", (SlotValue(record.slots[0]),))
        case "size", []:
            return Constant(len(record.slots))
        case "get", [key]:
            return _of_key(c, record, key)
        case "contains", [ast.StringLiteral(value=key)]:
            return Constant(key in record.slots)
    return None


def _member(c: ExpressionCompiler, slot: int, place: int) -> KernelExpression:
    """The value at a position, which must be there."""
    with c.scope():
        item, position = c.new_slot(c.fresh()), c.new_slot(c.fresh())
        is_it = Call("eq", (SlotValue(position), Constant(place)))
        return Call("one", (EachItem(item, SlotValue(slot), Call("if", (is_it, SlotValue(item), NOTHING)), position),))


def _of_key(c: ExpressionCompiler, record: Record, key: ast.Expr) -> KernelExpression:
    match key:
        case ast.IntegerLiteral(value=place) if record.has_members:
            return _member(c, record.slots[0], place)
        case ast.StringLiteral(value=text) if record.is_map:
            return value_of(c, record.slots[text]) if text in record.slots else NOTHING
        case ast.IntegerLiteral(value=place) if not record.is_map and place in record.slots:
            return value_of(c, record.slots[place])
    if not record.is_map or isinstance(key, ast.ArgumentPlaceholder):
        raise NoTemplate("a position that is computed", key)
    wanted = Call("one", (c.value(key),))
    with c.scope():
        slot = c.new_slot(c.fresh())
        tests = [(Call("eq", (SlotValue(slot), Constant(str(each)))), place) for each, place in record.slots.items()]
        found: KernelExpression = NOTHING
        found = reduce(lambda rest, one: Call("if", (one[0], value_of(c, one[1]), rest)), reversed(tests), found)
        return LetValue(slot, wanted, found)


def record_as_json(c: ExpressionCompiler, name: ast.Name) -> JsonValue | None:
    """The JSON of a variable for a map or array; None for any other."""
    record = c.records.get(key_of(name))
    if record is None:
        return None
    if any(c.kinds_of(SlotValue(slot)) != VALUES for slot in record.slots.values()):
        raise NoTemplate("the XML of nodes in JSON")
    if record.has_members:
        return JsonArray((Members(SlotValue(record.slots[0])),))
    values = [(str(key), SlotValue(slot)) for key, slot in record.slots.items()]
    return JsonMap(tuple(values)) if record.is_map else JsonArray(tuple(value for _, value in values))
