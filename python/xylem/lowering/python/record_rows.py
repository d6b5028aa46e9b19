"""Records of a table, read without the map around them.

    let $car := $cars($vid)           →     car = rows.get(vid)         the items of the record, or None
    $car?seg                          →     car[3]
    set $cars := map:put($cars, $vid, map { … })     →     g.put_row(places, vid, (…))

Gain:   no map is made for a record that is read field by field, and none is kept for it in the table.
Needs:  a prolog variable whose type says that its values are maps of single items. Records put into it most likely have
        the names of one constructor.
Safe:   any other map is returned as a row of its items for these names, and the row remembers the map. Code that needs
        more than an item of these names gets the map (`run/runtime/lookups.py`).
"""

from __future__ import annotations

from dataclasses import replace

from xylem.functions.map_functions import get as map_get
from xylem.functions.registry import PREFIXES
from xylem.run.runtime import lookups
from xylem.syntax import ast
from xylem.values.sequence_type import ONE_ATOMIC, MapItem, Occurrence, SequenceType

from .code import Code, Shape, many, one, optional
from .compiler import Compiler
from .maps import is_plain, places_of, value_at

_GET = (PREFIXES["map"], "get")


def row_or_value(c: Compiler, node: ast.Expr) -> Code:
    """The value of an expression, as a row if it is a record of a table."""
    return _row(c, node) or c.compile(node)


def whole_record(c: Compiler, code: Code) -> Code:
    """The map of a row; any other value unchanged."""
    if not code.row:
        return code
    code = c.bind(code)
    made = f"{c.rt(lookups.record_of_row)}({places_of(c, code.row)}, {code.text})"
    if code.shape is Shape.ONE:
        return replace(one(made, code.item), fields=code.row)
    return replace(optional(f"(None if {code.text} is None else {made})", code.item), fields=code.row)


def matched(c: Compiler, row: Code, expected: SequenceType, what: str) -> Code | None:
    """A row checked against a declared type; None if only the map can decide."""
    if not row.item.within(expected.item):
        return None
    if expected.occurrence is Occurrence.ONE:
        return replace(row, text=c.as_one(row, what), shape=Shape.ONE, type=expected, simple=False)
    return row if expected.occurrence is Occurrence.OPTIONAL else None


def field_of_row(c: Compiler, of: ast.Expr, name: ast.Expr) -> Code | None:
    """`map:get($row, "name")`; None for anything else."""
    if not isinstance(of, ast.VarRef) or not isinstance(name, ast.StringLiteral):
        return None
    row = _row(c, of)
    if row is None:
        return None
    there = replace(row, text=c.as_one(row, "argument 1 of get()"), shape=Shape.ONE, simple=False)
    return value_at(c, there, c.compile(name))


def _row(c: Compiler, node: ast.Expr) -> Code | None:
    match node:
        case ast.VarRef(name=name):
            variable = c.scope.variables.get(name.expanded)
            return None if variable is None or not variable.code.row else c.use(variable)
        case ast.DynamicCall(function=ast.VarRef() as of, arguments=(key,)):
            return _row_of_table(c, of, key)
        case ast.FunctionCall(name=name, arguments=(ast.VarRef() as of, key)) if name.expanded == _GET:
            return _row_of_table(c, of, key)
    return None


def _row_of_table(c: Compiler, of: ast.VarRef, key: ast.Expr) -> Code | None:
    if of.name.expanded in c.scope.variables or isinstance(key, ast.ArgumentPlaceholder):
        return None
    table = c.functions.global_variable(c, of)
    if table is None or not table.is_one or not table.value_fields or not _holds_records(table.item):
        return None
    given = c.bind(c.converted(c.compile(key), ONE_ATOMIC, "argument 2 of get()"))
    if not is_plain(given):
        found = value_at(c, table, given)
        return found or many(f"{c.rt(map_get)}({table.text}, {given.text})", reread=True)
    # The table gets no name of its own: it is changed in place while only its variable refers to it.
    value, places = f"{table.text.removesuffix('()')}._value", places_of(c, table.value_fields)
    quick = f"{value}._rows.get({given.text}) if {value}._row_places is {places}"
    text = f"({quick} else {c.rt(lookups.row_at)}({table.text}, {given.text}, {places}))"
    return replace(optional(text, table.item.value.item), row=table.value_fields)


def _holds_records(kind: object) -> bool:
    """Whether the values of a map are maps to single items."""
    if not isinstance(kind, MapItem) or kind.value is None or kind.value.occurrence is not Occurrence.ONE:
        return False
    inner = kind.value.item
    return isinstance(inner, MapItem) and inner.value is not None and inner.value.occurrence is Occurrence.ONE
