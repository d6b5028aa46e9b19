"""Items as values of columns, by the shapes of `row_shape.py`: Python values for Arrow, JSON and CSV.

An item that does not fit is XYRT0006. No value is changed to fit, except for decimal digits beyond the eighteenth.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import Any

from xylem.errors import DynamicError, XylemError
from xylem.values import atomic_type as at
from xylem.values.array import XArray
from xylem.values.atomize import atomize
from xylem.values.casting import cast
from xylem.values.map import XMap
from xylem.values.node import DOCUMENT, ELEMENT, Node
from xylem.values.python_values import python_from_item
from xylem.values.string_of import string_of

from .row_shape import Field, Many, Record, Scalar, Shape

VALUE = "value"
"""The name of the only column if items are not records."""
Converter = Callable[[Sequence[Any]], Any]
"""Converts the items of one value for Arrow."""
_BITS = ((at.BYTE, 8), (at.SHORT, 16), (at.INT, 32), (at.INTEGER, 64))


def row_of(shape: Shape) -> Callable[[Any], dict[str, Any]]:
    """Converts one item to the values of its row, by column."""
    if isinstance(shape, Record):
        return _record(shape)
    convert = _one(shape, VALUE, optional=False)
    return lambda item: {VALUE: convert((item,))}


def value_of(shape: Shape, *, optional: bool = True) -> Converter:
    """Converts the items of a whole answer to one value."""
    return _value(Field("the answer", shape, optional))


def _value(field: Field) -> Converter:
    shape = field.shape
    if isinstance(shape, Many):
        member = _one(shape.of, field.name, optional=False)
        return lambda items: [member((item,)) for item in _members(items)]
    return _one(shape, field.name, optional=field.optional)


def _members(items: Sequence[Any]) -> Sequence[Any]:
    """The items of a column of several values; a single array stands for its members."""
    if len(items) == 1 and isinstance(items[0], XArray):
        return [_member(member) for member in items[0]]
    return items


def _member(member: Sequence[Any]) -> Any:
    items = list(member)
    if len(items) != 1:
        raise DynamicError("XYRT0006", f"a member of an array has {len(items) or 'no'} items instead of one value")
    return items[0]


def _one(shape: Shape, name: str, *, optional: bool) -> Converter:
    if isinstance(shape, Many):
        return _value(Field(name, shape))
    convert = _record(shape) if isinstance(shape, Record) else _scalar(shape)

    def converted(items: Sequence[Any]) -> Any:
        if len(items) == 1:
            try:
                return convert(items[0])
            except XylemError as error:
                if error.code == "XYRT0006":
                    raise
                raise DynamicError("XYRT0006", f"{name}: {error}") from error
        if items:
            raise DynamicError("XYRT0006", f"{name}: {len(items)} items instead of one value")
        if optional:
            return None
        raise DynamicError("XYRT0006", f"{name}: no item")

    return converted


def _record(record: Record) -> Callable[[Any], dict[str, Any]]:
    fields = [(field.name, _value(field), field) for field in record.fields]

    def of_map(item: Any) -> dict[str, Any]:
        if isinstance(item, Node):
            return of_element(item)
        if not isinstance(item, XMap):
            raise DynamicError("XYRT0006", "an item is neither a map nor an element")
        return {name: convert(item.get(name) or ()) for name, convert, _ in fields}

    def of_element(item: Node) -> dict[str, Any]:
        found = _element_values(item)
        return {name: _parsed(convert, found.get(name, ()), field) for name, convert, field in fields}

    return of_map


def _parsed(convert: Converter, texts: Sequence[str], field: Field) -> Any:
    """The value of an attribute or of children: none, or an empty one, is null unless the column is of text."""
    shape = field.shape
    is_text = isinstance(shape, Scalar) and shape.type.derives_from(at.STRING)
    if len(texts) == 1 and texts[0] == "" and not is_text and not isinstance(shape, Many) and field.optional:
        return None
    return convert(texts)


def _element_values(item: Node) -> dict[str, list[str]]:
    """The texts of attributes and children by name. An attribute wins over a child of the same name."""
    tree, pre = item.tree, item.pre
    values: dict[str, list[str]] = {}
    for child in tree.children(pre):
        node = Node(tree, child)
        if node.kind == ELEMENT and node.name is not None:
            values.setdefault(node.name.local, []).append(node.string_value)
    for attribute in tree.attributes(pre):
        node = Node(tree, attribute)
        if node.name is not None:
            values[node.name.local] = [node.string_value]
    return values


def _scalar(shape: Scalar) -> Callable[[Any], Any]:
    kind = shape.type
    for base, bits in _BITS:
        if kind.derives_from(base):
            return _integer(bits)
    if kind.derives_from(at.DECIMAL):
        return _decimal(*shape.digits)
    if kind in (at.DOUBLE, at.FLOAT, at.NUMERIC):
        return lambda item: float(_cast(item, at.DOUBLE))
    if kind is at.BOOLEAN:
        return lambda item: _cast(item, at.BOOLEAN)
    if kind is at.DATE:
        return lambda item: _date(_cast(item, at.DATE))
    if kind.derives_from(at.DATE_TIME):
        return lambda item: _instant(_cast(item, at.DATE_TIME))
    if kind in (at.HEX_BINARY, at.BASE64_BINARY):
        return lambda item: _cast(item, kind).value
    return text_of


def text_of(item: Any) -> str:
    """An item as text: the XML of an element, the value of anything else."""
    if type(item) is str:
        return item
    if isinstance(item, Node) and item.kind in (ELEMENT, DOCUMENT):
        from xylem.sink.serialization_parameters import SerializationParameters
        from xylem.sink.serialize import serialize

        return serialize([item], SerializationParameters(method="xml", omit_xml_declaration=True))
    if isinstance(item, Node):
        return item.string_value
    if isinstance(item, (XMap, XArray)):
        from xylem.sink.serialization_parameters import SerializationParameters
        from xylem.sink.serialize import serialize

        return serialize([item], SerializationParameters(method="adaptive"))
    return string_of(item)


def _cast(item: Any, target: at.AtomicType) -> Any:
    values = list(atomize((item,)))
    if len(values) != 1:
        raise DynamicError("XYRT0006", f"{len(values)} values instead of one")
    return cast(values[0], target)


def _integer(bits: int) -> Callable[[Any], int]:
    most = 1 << (bits - 1)

    def converted(item: Any) -> int:
        value = item if type(item) is int else int(_cast(item, at.INTEGER))
        if not -most <= value < most:
            raise DynamicError("XYRT0006", f"{value} has more than {bits} bits")
        return value

    return converted


def _decimal(precision: int, scale: int) -> Callable[[Any], Decimal]:
    last_digit = Decimal(1).scaleb(-scale)
    digits = Context(prec=precision, rounding=ROUND_HALF_EVEN)

    def converted(item: Any) -> Decimal:
        value = item if type(item) is Decimal else Decimal(_cast(item, at.DECIMAL))
        try:
            return value.quantize(last_digit, context=digits)
        except InvalidOperation:
            raise DynamicError("XYRT0006", f"{value} has more digits than decimal({precision}, {scale})") from None

    return converted


def _date(value: Any) -> dt.date:
    if not 1 <= value.year <= 9999:
        raise DynamicError("XYRT0006", f"{value} is not in the years 1 to 9999")
    return dt.date(value.year, value.month, value.day)


def _instant(value: Any) -> dt.datetime:
    moment = python_from_item(value)
    if not isinstance(moment, dt.datetime):
        raise DynamicError("XYRT0006", f"{value} is finer than microseconds, or not in the years 1 to 9999")
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=dt.UTC)
