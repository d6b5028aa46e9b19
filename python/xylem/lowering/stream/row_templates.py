"""Rows that the scan can write: maps and flat elements as cells of a table (`plan/result_template.py`).

        map { "id": xs:integer($o/@id), "name": string($o/name) }   →   Row((Cell(@id, "integer"), Cell(name)))

Gain:   a record needs no tree, no map and no Python value per cell; columns are parsed from text at C speed.
Needs:  values at the ends of child paths (plain, cast, counted, or as numbers), constants, and expressions that the
        kernel supports (`kernel_expressions/`).
Safe:   the handler remains, and takes the records with a value of another type, or with two values where one is
        expected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xylem.functions.registry import FN
from xylem.plan.kernel_expression import Call, KernelExpression, Tests
from xylem.plan.result_template import (
    END_OF_CELL,
    END_OF_MEMBER,
    NULL,
    Cell,
    Characters,
    Column,
    Computed,
    Construct,
    Each,
    Part,
    Row,
    Template,
    ValueOf,
    Values,
    When,
)
from xylem.plan.scan_plan import EXISTS, ValueTest
from xylem.syntax import ast
from xylem.values.atomic_type import XS
from xylem.values.string_of import string_of

from .kernel_expressions.as_loops import is_atomic
from .template_paths import NoTemplate, taken_by

Up = Callable[[str], int]
"""The number of loops outwards to the binding of a variable; NoTemplate for an unknown one."""
Compile = Callable[[ast.Expr], KernelExpression]
"""The kernel expression for an expression of the query."""
_COMPUTED = tuple((reading, 64) for reading in ("text", "integer", "double", "decimal", "date", "dateTime", "boolean"))
"""The columns whose values the kernel can compute, with their bits."""
_CASTS = {
    "string": ("text", 64),
    "untypedAtomic": ("text", 64),
    "integer": ("integer", 64),
    "long": ("integer", 64),
    "int": ("integer", 32),
    "short": ("integer", 16),
    "byte": ("integer", 8),
    "double": ("double", 64),
    "decimal": ("decimal", 64),
    "date": ("date", 64),
    "dateTime": ("dateTime", 64),
    "boolean": ("boolean", 64),
}
_TEXTS = ((FN, "string"), (FN, "data"))
_NARROWER = {
    "double": ("number", "integer", "decimal", "count"),
    "decimal": ("integer", "count"),
    "integer": ("count",),
}


def row_of_map(expression: ast.MapConstructor, columns: tuple[Column, ...], up: Up, compiled: Compile) -> Row:
    """The row of a map with literal keys."""
    values = {entry.key.value: entry.value for entry in expression.entries if isinstance(entry.key, ast.StringLiteral)}
    if len(values) < len(expression.entries) or values.keys() - {column.name for column in columns}:
        raise NoTemplate
    return Row(tuple(_cell(column, values.get(column.name), up, compiled) for column in columns))


def row_of_value(expression: ast.Expr, columns: tuple[Column, ...], up: Up, compiled: Compile) -> Part:
    """The row of an item that is a value; none without a value."""
    return _row_where_it_is(_cell(columns[0], expression, up, compiled), columns)


def rows_of_values(values: Values, columns: tuple[Column, ...]) -> Part:
    """A row for each value, in its input form."""
    each = Cell(replace(values, path=(), separator="", at_most_one=True, up=0))
    if values.of is ValueOf.TEXT or not _fits(_Read(values), columns[0]):
        raise NoTemplate
    return Each(values.path, (_row_where_it_is(each, columns),), values.up)


def _row_where_it_is(cell: Cell, columns: tuple[Column, ...]) -> Part:
    values = cell.content
    if isinstance(values, Computed):
        return When(Call("exists", (values.value,)), (Row((cell,)),))
    if len(columns) > 1 or columns[0].is_list or not isinstance(values, Values):
        raise NoTemplate
    if cell.missing is not None or cell.reading == "count" or (values.of is ValueOf.STRING and not values.path):
        return Row((cell,))
    if values.up or any(step.descends for step in values.path):
        raise NoTemplate
    path = tuple((step.uri, step.local) for step in values.path)
    there = ValueTest(path, EXISTS, "", text=values.of is ValueOf.TEXT, attribute=values.attribute)
    return When(Tests((there,)), (Row((cell,)),))


def is_text(expression: ast.Expr) -> bool:
    """Whether a value is copied from the input unchanged."""
    return not isinstance(expression, ast.CastAs) and not (
        isinstance(expression, ast.FunctionCall) and expression.name.expanded not in _TEXTS
    )


def cell_of_value(expression: ast.Expr, up: Up) -> Cell:
    """A non-text value in an element."""
    found = _read(expression, up)
    if isinstance(found.content, Characters):
        raise NoTemplate
    return Cell(replace(found.content, at_most_one=True), found.reading, found.bits, missing=found.missing)


def rows_alone(template: Template, columns: tuple[Column, ...]) -> Template:
    """A template of rows and flat elements only; NoTemplate if it has anything else."""
    return tuple(_as_row(part, columns) for part in template)


def _as_row(part: Part, columns: tuple[Column, ...]) -> Part:
    match part:
        case Row():
            return part
        case When(parts=parts, otherwise=otherwise):
            return replace(part, parts=rows_alone(parts, columns), otherwise=rows_alone(otherwise, columns))
        case Each(parts=parts):
            return replace(part, parts=rows_alone(parts, columns))
        case Construct():
            return _row_of_element(part, columns)
    raise NoTemplate


# --- maps


@dataclass(frozen=True)
class _Read:
    """The texts that an expression reads from a record, and how it parses them."""

    content: Characters | Values
    reading: str = "text"
    bits: int = 64
    missing: str | None = None


def _cell(column: Column, expression: ast.Expr | None, up: Up, compiled: Compile) -> Cell:
    if expression is None:
        # A map without this key, among others that have it.
        return Cell(Characters("") if column.is_list else None)
    try:
        return _read_cell(column, expression, up)
    except NoTemplate:
        if not is_atomic(expression) or (column.reading, column.bits) not in _COMPUTED:
            raise
        return Cell(Computed(compiled(expression)), column.reading, column.bits, column.is_list)


def _read_cell(column: Column, expression: ast.Expr, up: Up) -> Cell:
    """A value in its input form."""
    found = _read(expression, up)
    if not _fits(found, column) or (column.is_list and found.missing is not None):
        raise NoTemplate
    content, reading = found.content, found.reading
    if isinstance(content, Values):
        content = replace(content, separator="", at_most_one=content.at_most_one or not column.is_list)
    elif column.is_list:
        raise NoTemplate
    return Cell(content, reading, found.bits, column.is_list, found.missing)


def _fits(found: _Read, column: Column) -> bool:
    if found.reading == column.reading:
        return found.bits == column.bits
    return found.reading in _NARROWER.get(column.reading, ())


def _read(expression: ast.Expr, up: Up) -> _Read:
    match expression:
        case ast.StringLiteral(value=text):
            if {END_OF_CELL, NULL, END_OF_MEMBER} & set(text):
                raise NoTemplate
            return _Read(Characters(text))
        case ast.IntegerLiteral(value=number) if abs(number) < 1 << 63:
            return _Read(Characters(str(number)), "integer")
        case ast.DoubleLiteral(value=double):
            return _Read(Characters(string_of(double)), "double")
        case ast.CastAs(operand=operand, type=type_) if (type_.name.uri or "") == XS and type_.name.local in _CASTS:
            found = _cast(operand, type_.name.local, up)
            if type_.optional or found.missing is not None:
                return found
            if found.reading == "text":
                raise NoTemplate
            # A missing value is no error, but an empty text is.
            return replace(found, missing="")
        case ast.FunctionCall(name=name, arguments=(operand,)) if name.uri == XS and name.local in _CASTS:
            return _cast(operand, name.local, up)
        case ast.FunctionCall(name=name, arguments=(operand,)) if name.uri == FN:
            return _function(name.local, operand, up)
        case ast.Path(left=left, right=ast.FunctionCall(name=name, arguments=())):
            if name.expanded not in _TEXTS:
                raise NoTemplate
            return _Read(_values(left, up))
        case ast.Path():
            return _Read(_values(expression, up, ends_in_element=False))
    raise NoTemplate


def _cast(operand: ast.Expr, target: str, up: Up) -> _Read:
    found = _read(_node_or_value(operand), up)
    reading, bits = _CASTS[target]
    if found.reading != "text" or isinstance(found.content, Characters):
        raise NoTemplate
    return replace(found, content=replace(found.content, at_most_one=True), reading=reading, bits=bits)


def _node_or_value(operand: ast.Expr) -> ast.Expr:
    """The operand of a cast: the value of a node."""
    match operand:
        case ast.Path(right=ast.AxisStep()) | ast.VarRef():
            return ast.FunctionCall(ast.Name("data", None, FN), (operand,))
    return operand


def _function(name: str, operand: ast.Expr, up: Up) -> _Read:
    match name:
        case "string":
            return _Read(replace(_values(operand, up), at_most_one=True), missing="")
        case "data":
            return _Read(_values(operand, up))
        case "number":
            found = _cast(operand, "double", up)
            # Also for an empty string.
            return replace(found, reading="number", missing="NaN")
        case "count":
            return _Read(_values(operand, up), "count")
    raise NoTemplate


def _values(expression: ast.Expr, up: Up, *, ends_in_element: bool = True) -> Values:
    variable, (path, of, attribute) = taken_by(expression)
    if of is None and not ends_in_element:
        # The XML of elements.
        raise NoTemplate
    return Values(path, ValueOf.STRING if of is None else of, attribute, up=up(variable))


# --- flat elements


def _row_of_element(element: Construct, columns: tuple[Column, ...]) -> Row:
    """The row of an element whose attributes and children hold one value each."""
    children: dict[str, tuple[Part, ...]] = {}
    if element.copied:
        raise NoTemplate
    for part in element.content:
        if isinstance(part, Characters) and not part.text.strip():
            continue
        if not isinstance(part, Construct) or not isinstance(part.name, str):
            raise NoTemplate
        if part.attributes or part.name in children:
            raise NoTemplate
        children[part.name] = part.content
    attributes = dict(element.attributes)
    if {*children, *attributes} - {column.name for column in columns}:
        raise NoTemplate

    def cell(column: Column) -> Cell:
        if column.name in attributes:
            return _held_cell(column, attributes[column.name], may_be_null=False)
        if column.name in children:
            return _held_cell(column, children[column.name], may_be_null=True)
        return Cell(None)

    return Row(tuple(map(cell, columns)))


def _held_cell(column: Column, parts: tuple[Part, ...], *, may_be_null: bool) -> Cell:
    """The value that an attribute or a child holds. A missing value is an empty text: null, except in text columns."""
    if column.is_list:
        raise NoTemplate
    is_text = column.reading == "text"
    match _flat(parts):
        case () if is_text:
            return Cell(Characters(""))
        case (Values() as values,) if is_text:
            return Cell(values, missing="")
        case (Computed(value=value),) if is_text:
            return Cell(Computed(Call("string", (value,))))
        case (Computed() as computed,) if (column.reading, column.bits) in _COMPUTED:
            return Cell(computed, column.reading, column.bits, missing=None if may_be_null else "")
        case (Cell(content=Values() as values) as cell,) if _fits(_Read(values, cell.reading, cell.bits), column):
            missing = cell.missing
            if missing is None and (is_text or not may_be_null):
                missing = ""
            return replace(cell, missing=missing)
    raise NoTemplate


def _flat(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The values of a loop as those of a longer path."""
    match parts:
        case (Each(path=path, parts=inner, up=up, counting=None),):
            match _flat(inner):
                case (Values(up=0) as values,) if not any(step.descends for step in path):
                    return (replace(values, path=(*path, *values.path), up=up),)
    return parts
