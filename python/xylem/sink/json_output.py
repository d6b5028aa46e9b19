"""The json output method (Serialization 3.1 §9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.atomic import NUMERIC_CLASSES, TYPE_OF_CLASS
from xylem.values.description import describe, describe_item
from xylem.values.map import XMap
from xylem.values.node import DOCUMENT, ELEMENT, Node
from xylem.values.string_of import string_of

from .character_expansion import CharacterExpansion, Expand
from .output_buffer import CHUNK_PIECES, OutputBuffer
from .serialization_parameters import SerializationParameters

_ESCAPED = re.compile(r'["\\/\x00-\x1f\x7f-\x9f]')
_SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape_json(text: str) -> str:
    """A string for JSON, without its quotation marks.

    >>> print(escape_json('a/b "c"'))
    a\\/b \\"c\\"
    """
    return _ESCAPED.sub(lambda found: _SHORT.get(found[0]) or json_reference(found[0]), text)


def json_reference(character: str) -> str:
    """A character as \\uXXXX, as two of them beyond the basic plane."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02X}{units[i + 1]:02X}" for i in range(0, len(units), 2))


def json_number(value: Any) -> str:
    """A JSON number; SERE0020 for values JSON lacks. Any form is allowed, so whole numbers are written as such."""
    if type(value) is float and 1e6 <= abs(value) < 1e15 and value.is_integer():
        return str(int(value))
    text = string_of(value)
    if text in ("INF", "-INF", "NaN"):
        raise DynamicError("SERE0020", f"{text} is not a number of JSON")
    return text


def json_expansion(parameters: SerializationParameters) -> Expand:
    """The output for the characters of a string."""
    expansion = CharacterExpansion(parameters)
    encoding, normalize = expansion.encoding, expansion.normalize

    def expand(text: str) -> str:
        if normalize is not None:
            text = normalize(text)
        text = escape_json(text)
        if encoding.holds(text):
            return text
        return "".join(c if encoding.holds(c) else json_reference(c) for c in text)

    return expansion.mapped(expand)


def write_json(items: Iterable[Any], parameters: SerializationParameters, buffer: OutputBuffer) -> None:
    """Write one item, or `null` for none, as JSON; SERE0023 for more."""
    writer = _JsonWriter(parameters, buffer)
    writer.write(list(islice(items, 2)))


def json_line(item: Any) -> str:
    """One item as a line of JSON: attributes and texts are their values, which the method refuses or escapes."""
    pieces: list[str] = []
    buffer = OutputBuffer(pieces.append)
    _LineWriter(SerializationParameters(method="json"), buffer).write((item,))
    buffer.flush()
    return "".join(pieces)


class _JsonWriter:
    """Writes values without recursion: open maps and arrays are on a list."""

    def __init__(self, parameters: SerializationParameters, buffer: OutputBuffer) -> None:
        self.buffer = buffer
        self.expand = json_expansion(parameters)
        self.indents = parameters.indent
        self.allows_duplicates = parameters.allow_duplicate_names
        self.node_parameters = SerializationParameters(
            method=parameters.json_node_output_method, omit_xml_declaration=True
        )

    def write(self, sequence: Sequence[Any]) -> None:
        append, parts = self.buffer.parts.append, self.buffer.parts
        stack: list[tuple[Iterator[tuple[str, Sequence[Any]]], str]] = []
        opened = self.value(sequence)
        while True:
            if opened is not None:
                stack.append(opened)
                is_first = True
            elif not stack:
                return
            members, end = stack[-1]
            for before, member in members:
                append(self.separator(is_first, len(stack)) + before)
                is_first = False
                opened = self.value(member)
                if opened is not None:
                    break
                if len(parts) > CHUNK_PIECES:
                    self.buffer.flush()
            else:
                stack.pop()
                append(end if is_first or not self.indents else "\n" + "  " * len(stack) + end)
                is_first, opened = False, None

    def separator(self, is_first: bool, depth: int) -> str:
        comma = "" if is_first else ","
        return comma + "\n" + "  " * depth if self.indents else comma

    def value(self, sequence: Sequence[Any]) -> tuple[Iterator[tuple[str, Sequence[Any]]], str] | None:
        """Write a simple value, or begin a map or array: its members with their prefixes, and its end."""
        append = self.buffer.parts.append
        if not sequence:
            append("null")
            return None
        if len(sequence) > 1:
            raise DynamicError("SERE0023", describe(sequence))
        item = sequence[0]
        kind = type(item)
        if kind is XMap:
            append("{")
            return self.entries(item), "}"
        if kind is XArray:
            append("[")
            return (("", member) for member in item), "]"
        append(self.simple(item))
        return None

    def simple(self, item: Any) -> str:
        kind = type(item)
        if kind is bool:
            return "true" if item else "false"
        if kind in NUMERIC_CLASSES:
            return json_number(item)
        if kind is Node:
            return f'"{self.expand(self.node_text(item))}"'
        if kind in TYPE_OF_CLASS:
            return f'"{self.expand(string_of(item))}"'
        raise DynamicError("SERE0021", describe_item(item))

    def node_text(self, node: Node) -> str:
        from .serialize import serialize

        return serialize((node,), self.node_parameters)

    def entries(self, item: XMap) -> Iterator[tuple[str, Sequence[Any]]]:
        seen: set[str] = set()
        colon = ": " if self.indents else ":"
        for key, value in item.items():
            name = string_of(key)
            if not self.allows_duplicates:
                if name in seen:
                    raise DynamicError("SERE0022", f"two keys are written as {name!r}")
                seen.add(name)
            yield f'"{self.expand(name)}"{colon}', value


class _LineWriter(_JsonWriter):
    def node_text(self, node: Node) -> str:
        return super().node_text(node) if node.kind in (ELEMENT, DOCUMENT) else node.string_value
