"""The xml output method (Serialization 3.1 §5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xylem.values.node import DOCUMENT, Node
from xylem.values.qname import QName
from xylem.values.tree_interface import TreeInterface

from .document_prolog import check_document, check_xml, doctype, needs_document, xml_declaration
from .markup_writer import MarkupWriter
from .output_buffer import CHUNK_PIECES, OutputBuffer
from .plain_xml import PlainXml
from .serialization_parameters import SerializationParameters

RowWriter = Callable[[TreeInterface, int, int], None]
"""Writes the rows of a tree from one number to before another."""


class XmlWriter(MarkupWriter):
    """XML with its document type declaration before the outermost element."""

    def __init__(self, parameters: SerializationParameters, buffer: OutputBuffer) -> None:
        super().__init__(parameters, buffer)
        self._has_doctype = False

    def before_outermost(self, name: QName) -> None:
        # A public identifier alone is not XML: it is ignored (§5.1.7).
        if self.parameters.doctype_system is not None and not self._has_doctype:
            self._has_doctype = True
            self.append(doctype(str(name), self.parameters.doctype_public, self.parameters.doctype_system))


def write_xml(items: Iterable[str | Node], parameters: SerializationParameters, buffer: OutputBuffer) -> None:
    """Write a normalized sequence as an XML document or external parsed entity."""
    check_xml(parameters)
    if needs_document(parameters):
        items = list(items)
        check_document(items)
    buffer.parts.append(xml_declaration(parameters))
    writer = XmlWriter(parameters, buffer)
    if is_plain(parameters):
        plain = PlainXml(buffer, writer.text_expand, writer.attribute_expand, writer.verbatim)
        write_nodes(items, writer, plain.write)
    else:
        write_nodes(items, writer, writer.rows)


def is_plain(parameters: SerializationParameters) -> bool:
    """Whether elements are written plainly, so the fast path suffices."""
    return not (
        parameters.indent
        or parameters.cdata_section_elements
        or parameters.undeclare_prefixes
        or parameters.doctype_system is not None
    )


def write_nodes(items: Iterable[str | Node], writer: MarkupWriter, rows: RowWriter) -> None:
    """Write the items of a normalized sequence one by one."""
    parts = writer.buffer.parts
    for item in items:
        # Outside elements too: a sequence of many small items is written while it is computed.
        if len(parts) > CHUNK_PIECES:
            writer.buffer.flush()
        if isinstance(item, str):
            writer.text(item)
            continue
        tree, pre = item.tree, item.pre
        rows(tree, pre + 1 if tree.kind(pre) == DOCUMENT else pre, tree.ends[pre])
