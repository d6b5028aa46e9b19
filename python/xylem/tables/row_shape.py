"""The columns of a query's answer, derived from the query, never from the data.

    //book ! map { "title": string(title), "year": xs:integer(@year) }      title string, year bigint
    for $b in //book return <b id="{ $b/@id }"><n>{ count($b/author) }</n></b>      id string, n bigint
    //book/title                                                            value string: the XML of each item

Wherever the body of a query may end (`return`, both branches of `if`, each member of a sequence), it must construct a
map with literal keys, or a flat element: attributes and children that hold one value each. Static types say
the types of the columns. Anything else is one column of serialised items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xylem.functions.registry import FN
from xylem.pipeline import static_types
from xylem.query.compiled_query import CompiledQuery
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.sequence_type import ANY_SEQUENCE, AtomicItem, NodeItem, Occurrence, SequenceType

Types = Mapping[int, SequenceType]
_DATA = (FN, "data")
_VALUES = (_DATA, (FN, "string"))
_PARTS = frozenset((FN, name) for name in ("head", "tail", "subsequence", "reverse", "remove", "unordered", "sort"))
"""Functions that return items of their first argument."""


@dataclass(frozen=True)
class Scalar:
    """One value: of an atomic type, or text."""

    type: at.AtomicType = at.STRING
    digits: tuple[int, int] = (38, 18)
    """Digits of a decimal: in all, and after the point."""


@dataclass(frozen=True)
class Many:
    """Any number of values."""

    of: Shape


@dataclass(frozen=True)
class Record:
    """Named values, of a map or of a flat element."""

    fields: tuple[Field, ...]
    is_element: bool = False


@dataclass(frozen=True)
class Field:
    """One value of a record."""

    name: str
    shape: Shape
    optional: bool = True
    is_attribute: bool = False


Shape = Scalar | Many | Record
TEXT = Scalar()


@dataclass(frozen=True)
class AnswerShape:
    """The shape of each item of an answer, and their number."""

    item: Shape
    occurrence: Occurrence


def answer_shape(query: CompiledQuery) -> AnswerShape:
    """The shape of a query's items; a Record if it returns maps or flat elements."""
    return query.once("shape", _answer_shape)


def _answer_shape(query: CompiledQuery) -> AnswerShape:
    resolved, types = static_types(query.module, query.environment)
    if not isinstance(resolved, ast.MainModule):
        return AnswerShape(TEXT, Occurrence.NONE)
    whole = types.get(id(resolved.body), ANY_SEQUENCE)
    ends = list(_ends(resolved.body))
    return AnswerShape(_record_of(ends, types) or _atomic(whole, ends, types), whole.occurrence)


def _atomic(whole: SequenceType, ends: Sequence[ast.Expr], types: Types) -> Shape:
    """The type of items that are not records: of the whole expression, or one that holds all its ends."""
    if isinstance(whole.item, AtomicItem):
        return Scalar(whole.item.type)
    items = [types.get(id(end), ANY_SEQUENCE).item for end in ends]
    known = [Scalar(item.type) for item in items if isinstance(item, AtomicItem)]
    return _united(known) if known and len(known) == len(items) else TEXT


def _ends(expr: ast.Expr) -> Iterator[ast.Expr]:
    """The expressions whose values are the items of an expression."""
    match expr:
        case ast.Flwor(result=end) | ast.SimpleMap(right=end) | ast.OrderingExpr(body=end):
            yield from _ends(end)
        case ast.Filter(base=base):
            yield from _ends(base)
        case ast.FunctionCall(name=name, arguments=(first, *_)) if name.expanded in _PARTS:
            yield from _ends(first)
        case ast.Path(right=end) if not isinstance(end, ast.AxisStep):
            yield from _ends(end)
        case ast.SequenceExpr(items=members):
            for member in members:
                yield from _ends(member)
        case ast.If(then=then, otherwise=otherwise):
            yield from _ends(then)
            yield from _ends(otherwise)
        case ast.Switch(cases=cases, default=default) | ast.Typeswitch(cases=cases, default=default):
            for case in cases:
                yield from _ends(case.result)
            yield from _ends(default)
        case _:
            yield expr


def _record_of(ends: Sequence[ast.Expr], types: Types) -> Record | None:
    """The record that all ends construct, if they all do."""
    records = [_map_record(end, types) or _element_record(end, types) for end in ends]
    if not records or not all(records):
        return None
    found = [record for record in records if record is not None]
    if len({record.is_element for record in found}) > 1:
        return None
    return _united_records(found)


def _map_record(expr: ast.Expr, types: Types) -> Record | None:
    if not isinstance(expr, ast.MapConstructor) or not expr.entries:
        return None
    fields = []
    for entry in expr.entries:
        if not isinstance(entry.key, ast.StringLiteral):
            return None
        fields.append(_field(entry.key.value, entry.value, types))
    return Record(tuple(fields)) if len({field.name for field in fields}) == len(fields) else None


def _field(name: str, value: ast.Expr, types: Types) -> Field:
    static = types.get(id(value), ANY_SEQUENCE)
    shape = _shape_of(value, static, types)
    optional = static.occurrence.least == 0
    is_many = static.occurrence.allows_many and not _is_attribute(value, types)
    return Field(name, Many(shape) if is_many else shape, optional)


def _is_attribute(expr: ast.Expr, types: Types) -> bool:
    """Whether an expression is one attribute of one element, or its value: `@id`, `$b/@id`, `$b/@id/data()`."""
    match expr:
        case ast.AxisStep(axis="attribute", test=ast.NameTest()):
            return True
        case ast.Path(left=left, right=ast.AxisStep(axis="attribute", test=ast.NameTest())):
            return not types.get(id(left), ANY_SEQUENCE).occurrence.allows_many
        case ast.Path(left=left, right=ast.FunctionCall(name=name)) if name.expanded in _VALUES:
            return _is_attribute(left, types)
        case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == _DATA:
            return _is_attribute(argument, types)
    return False


def _shape_of(expr: ast.Expr, static: SequenceType, types: Types) -> Shape:
    """The shape of each item of an expression."""
    match expr:
        case ast.CurlyArray(body=body):
            inner = types.get(id(body), ANY_SEQUENCE)
            return Many(_shape_of(body, inner, types))
        case ast.SquareArray(members=members):
            shapes = [_shape_of(member, types.get(id(member), ANY_SEQUENCE), types) for member in members]
            return Many(_united(shapes)) if shapes else TEXT
    record = _record_of(list(_ends(expr)), types)
    if record is not None and not record.is_element:
        return record
    return Scalar(static.item.type) if isinstance(static.item, AtomicItem) else TEXT


# --- flat elements


def _element_record(expr: ast.Expr, types: Types) -> Record | None:
    """A constructor whose attributes and children each hold one value, direct or computed."""
    if not isinstance(expr, (ast.DirectElement, ast.ComputedElement)):
        return None
    fields = []
    for part in _content(expr):
        copied = _copied_attribute(part, types)
        if copied is not None:
            fields.append(Field(copied, TEXT, True, True))
            continue
        name, values, is_attribute = _named(part)
        if name is None or not (is_attribute or _is_value(values, types)):
            return None
        fields.append(Field(name, _held(values, types), not is_attribute, is_attribute))
    names = {field.name for field in fields}
    return Record(tuple(fields), True) if fields and len(names) == len(fields) else None


def _copied_attribute(part: ast.Node, types: Types) -> str | None:
    """The name of the attribute that is copied into a constructor, if there is one: `{ @id }`, `{ $b/@id }`."""
    match part:
        case ast.AxisStep(axis="attribute", test=ast.NameTest(name=name)):
            return name.local
        case ast.Path(left=left, right=right) if not types.get(id(left), ANY_SEQUENCE).occurrence.allows_many:
            return _copied_attribute(right, types)
    return None


def _content(expr: ast.DirectElement | ast.ComputedElement) -> Iterator[ast.Node]:
    """The attributes and the content of a constructor, without the space between children."""
    if isinstance(expr, ast.ComputedElement):
        yield from _members(expr.body)
        return
    yield from expr.attributes
    for part in expr.content:
        if isinstance(part, ast.EnclosedExpr):
            yield from _members(part.body)
        elif not isinstance(part, ast.DirectText) or part.value.strip():
            yield part


def _members(expr: ast.Expr) -> Sequence[ast.Expr]:
    return expr.items if isinstance(expr, ast.SequenceExpr) else (expr,)


def _named(part: ast.Node) -> tuple[str | None, Sequence[str | ast.Expr], bool]:
    """The name of an attribute or a child, what it holds, and whether it is an attribute; no name for anything else."""
    match part:
        case ast.DirectAttribute(name=name, parts=parts):
            return name.local, _unwrapped(parts), True
        case ast.ComputedAttribute(name=ast.Name(local=local), body=body):
            return local, _members(body), True
        case ast.DirectElement(name=name, attributes=(), content=content):
            return name.local, _unwrapped(content), False
        case ast.ComputedElement(name=ast.Name(local=local), body=body):
            return local, _members(body), False
    return None, (), False


def _unwrapped(parts: Iterable[str | ast.Expr]) -> list[str | ast.Expr]:
    """The parts of an attribute or an element, with the expressions that its braces hold."""
    return [part.body if isinstance(part, ast.EnclosedExpr) else part for part in parts]


def _is_value(parts: Iterable[str | ast.Expr], types: Types) -> bool:
    """Whether content is text or atomic values: no elements, and nothing of unknown kind."""
    for part in parts:
        if isinstance(part, ast.DirectText):
            continue
        item = types.get(id(part), ANY_SEQUENCE).item
        if not isinstance(item, AtomicItem) and not (isinstance(item, NodeItem) and item.kind == nk.TEXT):
            return False
    return True


def _held(parts: Sequence[str | ast.Expr], types: Types) -> Shape:
    """The type of an attribute's or child's value: that of its only expression, if it gives one value."""
    if len(parts) == 1 and isinstance(parts[0], ast.Expr):
        static = types.get(id(parts[0]), ANY_SEQUENCE)
        if isinstance(static.item, AtomicItem) and not static.occurrence.allows_many:
            return Scalar(static.item.type)
    return TEXT


# --- several ends


def _united_records(records: Sequence[Record]) -> Record:
    """One record for rows of several: every field of any, each of a type that holds all."""
    fields: dict[str, Field] = {}
    for record in records:
        for field in record.fields:
            known = fields.get(field.name)
            fields[field.name] = field if known is None else _united_field(known, field)
    everywhere = set.intersection(*({field.name for field in record.fields} for record in records))
    united = (field if field.name in everywhere else replace(field, optional=True) for field in fields.values())
    return Record(tuple(united), records[0].is_element)


def _united_field(one: Field, two: Field) -> Field:
    shapes = [one.shape, two.shape]
    if any(isinstance(shape, Many) for shape in shapes):
        inner = [shape.of if isinstance(shape, Many) else shape for shape in shapes]
        shape: Shape = Many(_united(inner))
    else:
        shape = _united(shapes)
    return Field(one.name, shape, one.optional or two.optional, one.is_attribute and two.is_attribute)


_WIDER = (at.INTEGER, at.DECIMAL, at.DOUBLE)


def _united(shapes: Sequence[Shape]) -> Shape:
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    if all(isinstance(shape, Record) for shape in shapes):
        return _united_records([shape for shape in shapes if isinstance(shape, Record)])
    for wide in _WIDER:
        if all(isinstance(shape, Scalar) and _fits(shape.type, wide) for shape in shapes):
            return Scalar(wide)
    return TEXT


def _fits(narrow: at.AtomicType, wide: at.AtomicType) -> bool:
    if wide is at.DOUBLE:
        return narrow.derives_from(at.DECIMAL) or narrow in (at.DOUBLE, at.FLOAT)
    return narrow.derives_from(wide)
