"""The html output method (Serialization 3.1 §7), for HTML 4 and HTML 5."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

from xylem.errors import DynamicError
from xylem.values.node import Node
from xylem.values.qname import QName

from .character_expansion import Expand
from .document_prolog import doctype
from .html_vocabulary import BOOLEAN_ATTRIBUTES, RAW_TEXT
from .html_writer import HtmlFamilyWriter, html_version
from .markup_writer import Frame
from .output_buffer import OutputBuffer
from .serialization_parameters import SerializationParameters
from .xml_output import write_nodes

_CONTROLS = re.compile("[\x7f-\x9f]")
# An ampersand before a brace begins a script macro of HTML 4 (appendix B.7.1) and is left alone.
_AMPERSAND = re.compile(r"&(?!\{)")


class HtmlWriter(HtmlFamilyWriter):
    """HTML: void elements without end tag, raw scripts, boolean attributes as names."""

    namespaces = frozenset({""})

    def __init__(self, parameters: SerializationParameters, buffer: OutputBuffer, version: Decimal) -> None:
        super().__init__(parameters, buffer, version)
        self.raw = self.expansion.verbatim_without_map("a script or style element")

    def html_name(self, name: QName) -> str | None:
        return name.local.lower() if name.uri in self.html_namespaces else None

    def text_escape(self) -> Expand:
        return self.escape_text

    def attribute_escape(self) -> Expand:
        return self.escape_attribute

    def escape_text(self, text: str) -> str:
        _refuse_controls(text)
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return text.replace("\xa0", "&nbsp;").replace("\r", "&#xD;")

    def escape_attribute(self, text: str) -> str:
        _refuse_controls(text)
        if "&" in text:
            text = _AMPERSAND.sub("&amp;", text)
        return text.replace('"', "&quot;").replace("\xa0", "&nbsp;").replace("\r", "&#xD;")

    def attribute(self, element: QName, name: QName, value: str, outer: Frame) -> str:
        # Nothing inside a script or style element is escaped, attributes of elements in it included (§7.3).
        if outer.text is self.raw:
            return f' {self.verbatim(str(name))}="{self.raw(value)}"'
        lower = name.local.lower()
        if lower in BOOLEAN_ATTRIBUTES and value.lower() == lower and not name.uri and self.html_name(element):
            return " " + self.verbatim(name.local)
        return super().attribute(element, name, value, outer)

    def text_of(self, name: QName, outer: Frame) -> Expand:
        known = self.html_name(name)
        if outer.text is self.raw or known in RAW_TEXT:
            return self.raw
        return super().text_of(name, outer) if known is None else self.text_expand

    def empty_end(self, name: QName, written: str) -> str:
        known = self.html_name(name)
        if known is None:
            return "/>"
        return ">" if known in self.void else f"></{written}>"

    def void_end(self) -> str:
        return ">"

    def end_tag(self, name: QName, written: str) -> str:
        # A void element that still has content has no end tag either (§7.1).
        return "" if self.html_name(name) in self.void else super().end_tag(name, written)

    def instruction(self, target: QName | None, content: str) -> str:
        assert target is not None
        if ">" in content:
            raise DynamicError("SERE0015", f"the processing instruction {target.local} holds a '>'")
        return f"<?{target.local} {content}>"

    def document_type(self, name: QName) -> str:
        public, system = self.parameters.doctype_public, self.parameters.doctype_system
        if public is None and system is None:
            return self.bare_doctype(name)
        written = "html" if name.local.lower() == "html" else name.local
        return doctype(written, public, system)

    def is_suppressed(self, name: QName) -> bool:
        if self.html_name(name) is None:
            return super().is_suppressed(name)
        lower = name.local.lower()
        return any(uri == name.uri and local.lower() == lower for uri, local in self.parameters.suppress_indentation)


def _refuse_controls(text: str) -> None:
    if not text.isprintable() and _CONTROLS.search(text):
        raise DynamicError("SERE0014", "the characters from U+007F to U+009F are not allowed in HTML")


def write_html(items: Iterable[str | Node], parameters: SerializationParameters, buffer: OutputBuffer) -> None:
    """Write a normalized sequence as HTML; `version` applies if `html-version` is not given."""
    version = html_version(parameters.version if parameters.html_version is None else parameters.html_version)
    writer = HtmlWriter(parameters, buffer, version)
    write_nodes(items, writer, writer.rows)
