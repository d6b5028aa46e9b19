"""Items as bytes: tasks and the driver exchange them where text is not enough, and checkpoints keep them.

`values/state_codec.py` writes values. A node travels as its XML with its in-scope namespaces, without the document
around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xylem.errors import DynamicError, EngineBug, InputError, StaticError, SyntaxFault, XylemError
from xylem.errors.source_text import SourceText, Span
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source.xml_reader import read_document, read_fragment
from xylem.values.builder import TreeBuilder
from xylem.values.node import (
    ATTRIBUTE,
    COMMENT,
    DOCUMENT,
    ELEMENT,
    NAMESPACE,
    PROCESSING_INSTRUCTION,
    TEXT,
    Node,
)
from xylem.values.state_codec import CannotSave, DamagedState, Record
from xylem.values.state_values import decoded, encoded

from .pruned_copy import TRUSTED, Pruned
from .user_classes import MAKERS, fill, user_record

_XML = SerializationParameters(omit_xml_declaration=True)
_ERRORS = {
    kind.__name__: kind for kind in (DynamicError, EngineBug, InputError, StaticError, SyntaxFault, XylemError)
}


def pack(value: Any) -> bytes:
    """Pack any value made of items, tuples and lists, or a user's state; XYRT0010 for items that cannot travel."""
    try:
        return encoded(value, _record)
    except CannotSave as reason:
        raise DynamicError("XYRT0010", str(reason)) from reason


def unpack(data: bytes) -> Any:
    """Unpack; nodes are new nodes, in their old order."""
    try:
        return decoded(data, _MAKERS, fill)
    except DamagedState as reason:
        raise DynamicError("XYRT0033", str(reason)) from reason


def pack_items(items: Iterable[Any]) -> bytes:
    """A sequence of items."""
    return pack(list(items))


def pack_error(error: XylemError) -> bytes:
    """Pack an error that is raised when its value is read."""
    return pack(error_fields(error))


def unpack_error(data: bytes) -> XylemError:
    return error_of(*unpack(data))


def error_fields(error: XylemError) -> tuple[Any, ...]:
    """The fields of an error, as plain data."""
    span = error.span
    place = None if span is None else (span.start, span.end, span.source.name, span.source.text)
    return type(error).__name__, error.code, error.why, error.hint, place, error.notes


def error_of(kind: str, code: str, why: str, hint: str, place: Any, notes: list[str]) -> XylemError:
    """The error with these fields."""
    span = None if place is None else Span(place[0], place[1], SourceText(place[3], place[2]))
    error = _ERRORS.get(kind, DynamicError)(code, why, hint=hint, span=span)
    for note in notes:
        error.add_note(note)
    return error


def _record(value: Any) -> Record | None:
    if type(value) is Node:
        return Record("node", _packed_node(value))
    if type(value) is Pruned:
        return Record("node", (ELEMENT, str(value), None, None))
    return user_record(value)


def _packed_node(node: Node) -> tuple[Any, ...]:
    kind = node.kind
    if kind in (ELEMENT, DOCUMENT):
        return kind, serialize((node,), _XML), node.base_uri, node.document_uri
    return kind, node.string_value, node.name, None


def _node(kind: int, text: str, about: Any, uri: str | None) -> Node:
    match kind:
        case _ if kind == ELEMENT:
            document = read_document(text, base_uri=about, limits=TRUSTED)
            builder = TreeBuilder(about)
            builder.copy(Node(document.tree, 1))
            return builder.finish()
        case _ if kind == DOCUMENT:
            return read_fragment(text, base_uri=about, limits=TRUSTED)
        case _ if kind == ATTRIBUTE:
            return TreeBuilder.attribute_node(about, text)
        case _ if kind == TEXT:
            return TreeBuilder.text_node(text)
        case _ if kind == COMMENT:
            return TreeBuilder.comment_node(text)
        case _ if kind == PROCESSING_INSTRUCTION:
            return TreeBuilder.pi_node(str(about), text)
    assert kind == NAMESPACE
    return TreeBuilder.namespace_node("" if about is None else str(about), text)


_MAKERS = {**MAKERS, "node": _node}
