"""Items as bytes: what travels between tasks and the driver where text will not do.

Values are pickled; they are plain data of ours, and rows only travel between processes of one run. A node travels as
its XML with the namespaces in scope of it, without the document around it.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from io import BytesIO
from typing import Any

from xylem.errors import DynamicError, XylemError
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source.xml_reader import read_document, read_fragment
from xylem.values.builder import TreeBuilder
from xylem.values.function_item import FunctionItem
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

from .pruned_copy import TRUSTED, Pruned
from .user_classes import is_known, known_class

_PLAIN = frozenset({int, str, bool, float})
"""Classes of values that have nothing in them: counts, above all, of which there is one for each small file."""
_XML = SerializationParameters(omit_xml_declaration=True)


class _Packer(pickle.Pickler):
    def persistent_id(self, obj: Any) -> Any:
        if type(obj) is Node:
            return _packed_node(obj)
        if type(obj) is Pruned:
            return ELEMENT, str(obj), None, None
        if isinstance(obj, FunctionItem):
            raise DynamicError("XYRT0010", repr(obj))
        return None

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type) and is_known(obj):
            return known_class, (obj.__module__, obj.__qualname__)
        return NotImplemented


class _Unpacker(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Any:
        return _node(*pid)


def pack(value: Any) -> bytes:
    """Any value made of items, tuples and lists, or a state of a user's; XYRT0010 for what cannot travel."""
    if type(value) in _PLAIN:
        return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream = BytesIO()
    try:
        _Packer(stream, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    except (pickle.PicklingError, TypeError, AttributeError) as reason:
        raise DynamicError("XYRT0010", f"{type(reason).__name__}: {reason}") from reason
    return stream.getvalue()


def unpack(data: bytes) -> Any:
    """What was packed; nodes are new nodes, in the order they had."""
    return _Unpacker(BytesIO(data)).load()


def pack_items(items: Iterable[Any]) -> bytes:
    """A sequence of items."""
    return pack(list(items))


def pack_error(error: XylemError) -> bytes:
    """An error that is raised where the value it stands for is read."""
    span = error.span
    told = (type(error), error.code, error.why, error.hint, span, error.notes)
    return pickle.dumps(told, protocol=pickle.HIGHEST_PROTOCOL)


def unpack_error(data: bytes) -> XylemError:
    kind, code, why, hint, span, notes = pickle.loads(data)
    error: XylemError = kind(code, why, hint=hint, span=span)
    for note in notes:
        error.add_note(note)
    return error


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
