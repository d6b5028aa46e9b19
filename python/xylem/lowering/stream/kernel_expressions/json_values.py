"""Maps, arrays and values that are serialized as JSON: the kernel writes their text.

        serialize(map { "id": string($o/@id), "lines": array { $o/line ! xs:integer(.) } }, map { "method": "json" })

Needs:  literal keys and parameters, and atomic values: JSON serializes nodes as XML text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.plan.kernel_expression import (
    EachMember,
    JsonArray,
    JsonChoice,
    JsonMap,
    JsonMember,
    JsonValue,
    Members,
    SomeMembers,
)
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .as_loops import is_atomic
from .item_kinds import VALUES
from .records import record_as_json

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler


def is_plain_json(parameters: ast.Expr) -> bool:
    """Whether parameters of fn:serialize ask for JSON and nothing else."""
    match parameters:
        case ast.MapConstructor(entries=(entry,)):
            match entry.key, entry.value:
                case ast.StringLiteral(value="method"), ast.StringLiteral(value="json"):
                    return True
    return False


def json_value(c: ExpressionCompiler, expr: ast.Expr) -> JsonValue:
    """One JSON value."""
    match expr:
        case ast.MapConstructor(entries=entries):
            keys = [entry.key.value for entry in entries if isinstance(entry.key, ast.StringLiteral)]
            if len(set(keys)) < len(entries):
                raise NoTemplate("keys that are computed, or there twice", expr)
            return JsonMap(tuple((key, json_value(c, entry.value)) for key, entry in zip(keys, entries, strict=True)))
        case ast.VarRef(name=name) if (record := record_as_json(c, name)) is not None:
            return record
        case ast.SquareArray(members=members):
            return JsonArray(tuple(json_value(c, member) for member in members))
        case ast.CurlyArray(body=body):
            return JsonArray(_members(c, body))
        case ast.SequenceExpr(items=(only,)):
            return json_value(c, only)
        case ast.If(test=test, then=then, otherwise=otherwise) if not is_atomic(expr):
            return JsonChoice(c.condition(test), json_value(c, then), json_value(c, otherwise))
    if not _is_atomic(c, expr):
        raise NoTemplate("the XML of nodes in JSON", expr)
    return c.value(expr)


def _is_atomic(c: ExpressionCompiler, expr: ast.Expr) -> bool:
    if isinstance(expr, ast.VarRef) and expr.name.local in c.slots and not expr.name.uri:
        return c.kinds_of(c.value(expr)) == VALUES
    return is_atomic(expr)


def _members(c: ExpressionCompiler, expr: ast.Expr) -> tuple[JsonMember, ...]:
    """Each item of an expression as a member of an array."""
    if _is_atomic(c, expr):
        return (Members(c.value(expr)),)
    match expr:
        case ast.SequenceExpr(items=items):
            return tuple(member for item in items for member in _members(c, item))
        case ast.If(test=test, then=then, otherwise=otherwise):
            return (SomeMembers(c.condition(test), _members(c, then), _members(c, otherwise)),)
        case ast.Flwor(clauses=clauses, result=result):
            with c.scope():
                return _of_clauses(c, clauses, result)
        case ast.MapConstructor() | ast.SquareArray() | ast.CurlyArray():
            return (json_value(c, expr),)
    loop = c.as_loop(expr)
    if loop is None:
        raise NoTemplate("the XML of nodes in JSON", expr)
    return _members(c, loop)


def _of_clauses(c: ExpressionCompiler, clauses: tuple[ast.Clause, ...], result: ast.Expr) -> tuple[JsonMember, ...]:
    if not clauses:
        return _members(c, result)
    clause, rest = clauses[0], clauses[1:]
    match clause:
        case ast.LetClause() if not c.bind(clause):
            return _of_clauses(c, rest, result)
        case ast.WhereClause(test=test):
            return (SomeMembers(c.condition(test), _of_clauses(c, rest, result)),)
        case ast.ForClause(type=None, position=None, allowing_empty=False):
            first, *more = c.flat(clause)
            if more:
                return _of_clauses(c, (first, *more, *rest), result)
            if c.is_path(clause.collection):
                nodes = c.nodes(clause.collection)
                if nodes.of is not None:
                    raise NoTemplate("a loop over text nodes or attributes", result)
                with c.turn(clause.name):
                    return (EachMember(nodes.path, _of_clauses(c, rest, result), nodes.up),)
    raise NoTemplate("a clause of a FLWOR expression in JSON", result)
