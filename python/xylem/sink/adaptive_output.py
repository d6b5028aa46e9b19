"""The adaptive output method (Serialization 3.1 §10): any value, in a form a person can read.

Atomic values, maps and arrays look nearly like XQuery, so that types can be distinguished.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any

from xylem.values import atomic_type as at
from xylem.values.array import XArray
from xylem.values.atomic import TYPE_OF_CLASS
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.node import ATTRIBUTE, NAMESPACE, Node
from xylem.values.string_of import string_of

from .character_expansion import CharacterExpansion, escape_attribute
from .output_buffer import CHUNK_PIECES, OutputBuffer
from .serialization_parameters import SerializationParameters

_FN = "http://www.w3.org/2005/xpath-functions"
_PREFIXES = {
    _FN: "fn",
    _FN + "/math": "math",
    _FN + "/map": "map",
    _FN + "/array": "array",
    at.XS: "xs",
}
_IN_QUOTES = (at.STRING, at.UNTYPED_ATOMIC, at.ANY_URI)


def write_adaptive(items: Iterable[Any], parameters: SerializationParameters, buffer: OutputBuffer) -> None:
    """Write items one after the other, on separate lines unless there is an item separator."""
    writer = AdaptiveWriter(parameters, buffer)
    separator = "\n" if parameters.item_separator is None else parameters.item_separator
    is_first = True
    for item in items:
        if not is_first:
            buffer.parts.append(separator)
        is_first = False
        writer.item(item)


def adaptive_double(value: float) -> str:
    """xs:double with one digit before the point and an exponent, as format-number's "0.0…e0" gives it.

    >>> adaptive_double(1500.0), adaptive_double(0.0)
    ('1.5e3', '0.0e0')
    """
    if not isfinite(value) or value == 0:
        text = string_of(value)
        return f"{text}.0e0" if value == 0 else text
    sign, digit_tuple, exponent = Decimal(float.__repr__(value)).as_tuple()
    digits = "".join(map(str, digit_tuple))
    power = len(digits) - 1 + int(exponent)
    return f"{'-' if sign else ''}{digits[0]}.{digits[1:].rstrip('0') or '0'}e{power}"


class AdaptiveWriter:
    """Writes items without recursion: open maps and arrays stand on a list."""

    def __init__(self, parameters: SerializationParameters, buffer: OutputBuffer) -> None:
        expansion = CharacterExpansion(parameters)
        self.buffer = buffer
        self.expand = expansion.verbatim("a string")
        self.attribute = expansion.through(escape_attribute)
        omits = parameters.omit_xml_declaration is not False
        self.node_parameters = parameters.with_values(
            method="xml", omit_xml_declaration=omits, item_separator=None, doctype_system=None, standalone=None
        )

    def item(self, item: Any) -> None:
        """Write an item; its content is pushed on the stack in pieces: text, or iterators of more pieces."""
        append, parts = self.buffer.parts.append, self.buffer.parts
        stack: list[Iterator[Any]] = [iter((item,))]
        while stack:
            for piece in stack[-1]:
                if type(piece) is _Text:
                    append(piece)
                elif type(piece) is XMap:
                    stack.append(self.map_pieces(piece))
                    break
                elif type(piece) is XArray:
                    stack.append(self.array_pieces(piece))
                    break
                elif type(piece) is _Member:
                    stack.append(piece.pieces())
                    break
                else:
                    append(self.simple(piece))
                if len(parts) > CHUNK_PIECES:
                    self.buffer.flush()
            else:
                stack.pop()

    def map_pieces(self, item: XMap) -> Iterator[Any]:
        before = "map{"
        for key, value in item.items():
            yield _Text(f"{before}{self.simple(key)}:")
            yield _Member(value)
            before = ","
        yield _Text("}" if len(item) else "map{}")

    def array_pieces(self, item: XArray) -> Iterator[Any]:
        before = "["
        for member in item:
            yield _Text(before)
            yield _Member(member)
            before = ","
        yield _Text("]" if len(item) else "[]")

    def simple(self, item: Any) -> str:
        """The text of an item without content."""
        kind = type(item)
        if kind is Node:
            return self.node(item)
        if isinstance(item, FunctionItem):
            return function_name(item)
        type_ = TYPE_OF_CLASS[kind]
        if kind is bool:
            return "true()" if item else "false()"
        if kind is float:
            return adaptive_double(item)
        primitive = type_.primitive
        if primitive is at.QNAME:
            return str(item.eqname)
        if primitive is at.DECIMAL:
            return string_of(item)
        quoted = '"' + self.expand(string_of(item).replace('"', '""')) + '"'
        return quoted if primitive in _IN_QUOTES else f"xs:{primitive.name}({quoted})"

    def node(self, node: Node) -> str:
        if node.kind == ATTRIBUTE:
            return f'{node.name}="{self.attribute(node.string_value)}"'
        if node.kind == NAMESPACE:
            prefix = node.name.local if node.name is not None else ""
            return f'xmlns{":" if prefix else ""}{prefix}="{self.attribute(node.string_value)}"'
        from .serialize import serialize

        return serialize((node,), self.node_parameters)


class _Text(str):
    """A finished piece of output, distinct from strings that are items."""

    __slots__ = ()


class _Member:
    """The value of a map entry or a member of an array: a sequence, in parentheses unless it is one item."""

    __slots__ = ("sequence",)

    def __init__(self, sequence: Sequence[Any]) -> None:
        self.sequence = sequence

    def pieces(self) -> Iterator[Any]:
        if len(self.sequence) == 1:
            yield self.sequence[0]
            return
        before = "("
        for item in self.sequence:
            yield _Text(before)
            yield item
            before = ","
        yield _Text(")" if self.sequence else "()")


def function_name(function: FunctionItem) -> str:
    """A function as name and arity, with the usual prefix if there is one."""
    name = function.name
    if name is None:
        return f"(anonymous-function)#{function.arity}"
    prefix = _PREFIXES.get(name.uri)
    return f"{f'{prefix}:{name.local}' if prefix else name.eqname}#{function.arity}"
