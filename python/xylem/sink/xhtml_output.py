"""The xhtml output method (Serialization 3.1 §6): XML that HTML readers understand as well."""

from __future__ import annotations

from collections.abc import Iterable

from xylem.values.node import Node
from xylem.values.qname import QName

from .document_prolog import check_document, check_xml, doctype, needs_document, xml_declaration
from .html_writer import HtmlFamilyWriter, html_version
from .output_buffer import OutputBuffer
from .serialization_parameters import SerializationParameters
from .xml_output import write_nodes


class XhtmlWriter(HtmlFamilyWriter):
    """XML in which void elements are minimised and no others."""

    def empty_end(self, name: QName, written: str) -> str:
        return self.void_end() if self.is_void(name) else f"></{written}>"

    def void_end(self) -> str:
        return " />"

    def document_type(self, name: QName) -> str:
        if self.parameters.doctype_system is None:
            return self.bare_doctype(name)
        written = str(name)
        return doctype(written, self.parameters.doctype_public, self.parameters.doctype_system)


def write_xhtml(items: Iterable[str | Node], parameters: SerializationParameters, buffer: OutputBuffer) -> None:
    """Write a normalized sequence as XHTML."""
    check_xml(parameters)
    version = html_version(parameters.html_version)
    if needs_document(parameters):
        items = list(items)
        check_document(items)
    buffer.parts.append(xml_declaration(parameters))
    writer = XhtmlWriter(parameters, buffer, version)
    write_nodes(items, writer, writer.rows)
