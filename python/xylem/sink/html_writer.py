"""The common part of xhtml and html output: HTML elements, the content type, prefixes, and careful indentation."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from xylem.errors import DynamicError
from xylem.values.name_pool import KIND_MASK
from xylem.values.node import ELEMENT
from xylem.values.qname import QName
from xylem.values.tree_interface import TreeInterface

from .document_prolog import doctype
from .html_vocabulary import (
    INLINE,
    SPACE_KEPT,
    UNPREFIXED,
    URI_ATTRIBUTES,
    VOID_4,
    VOID_5,
    XHTML,
    escape_uri,
)
from .markup_writer import Frame, MarkupWriter
from .namespace_scope import Scope
from .output_buffer import OutputBuffer
from .serialization_parameters import SerializationParameters

_FIVE = Decimal(5)
_VERSIONS = frozenset(map(Decimal, ("3.2", "4", "4.01", "5", "5.1", "5.2", "5.3")))


def html_version(value: Decimal | str | None) -> Decimal:
    """A version of HTML, by default 5; SESU0013 for one that does not exist."""
    try:
        version = _FIVE if value is None else Decimal(value)
    except InvalidOperation:
        version = Decimal(0)
    if version not in _VERSIONS:
        raise DynamicError("SESU0013", f"there is no HTML {value}")
    return version


class HtmlFamilyWriter(MarkupWriter):
    """Markup in which some elements are known to be HTML."""

    namespaces: frozenset[str] = frozenset({XHTML})
    """The namespaces of elements that are HTML in versions before 5."""

    def __init__(self, parameters: SerializationParameters, buffer: OutputBuffer, version: Decimal) -> None:
        super().__init__(parameters, buffer)
        self.is_five = version >= _FIVE
        self.html_namespaces = frozenset({XHTML, ""}) if self.is_five else self.namespaces
        self.void = VOID_5 if self.is_five else VOID_4
        # Escaped URIs are in NFC and not mapped; the result is ASCII (§4).
        self.uri_expand = self.attribute_escape()
        self._has_doctype = False

    # --- which elements are HTML

    def html_name(self, name: QName) -> str | None:
        """The name of an HTML element for lookups in tables; None for elements of other vocabularies."""
        return name.local if name.uri in self.html_namespaces else None

    def is_void(self, name: QName) -> bool:
        return self.html_name(name) in self.void

    # --- names and namespaces: HTML 5 has no prefixes for its own vocabularies

    def element_name(self, tree: TreeInterface, row: int) -> QName:
        name = super().element_name(tree, row)
        if self.is_five and name.prefix and name.uri in UNPREFIXED:
            return QName(name.uri, name.local)
        return name

    def declarations(self, tree: TreeInterface, row: int, name: QName, attributes: range, outer: Frame) -> Scope:
        added = super().declarations(tree, row, name, attributes, outer)
        if not self.is_five:
            return added
        added = {prefix: uri for prefix, uri in added.items() if not prefix or uri not in UNPREFIXED}
        if not name.prefix:
            added.pop("", None)
            if outer.scope.get("", "") != name.uri:
                added = {"": name.uri, **added}
        for attribute in attributes:
            key = tree.name(attribute)
            # The declaration may have been dropped above, here or at an ancestor.
            if key is not None and key.prefix and key.prefix != "xml" and outer.scope.get(key.prefix, "") != key.uri:
                added[key.prefix] = key.uri
        return added

    # --- attributes

    def is_uri(self, element: QName, attribute: QName) -> bool:
        if not self.parameters.escape_uri_attributes or attribute.uri:
            return False
        owner = self.html_name(element)
        return owner is not None and (owner.lower(), attribute.local.lower()) in URI_ATTRIBUTES

    def expanded(self, element: QName, name: QName, value: str) -> str:
        """The value of an attribute as it is written."""
        if not self.is_uri(element, name):
            return self.attribute_expand(value)
        if not value.isascii():
            from xylem.values.normalized_text import normalized

            value = normalized("NFC", value)
        return self.uri_expand(escape_uri(value))

    def attribute(self, element: QName, name: QName, value: str, outer: Frame) -> str:
        return f' {self.verbatim(str(name))}="{self.expanded(element, name, value)}"'

    # --- the content type

    def is_head(self, name: QName) -> bool:
        return (self.html_name(name) or "").lower() == "head"

    def inserted_content(self, name: QName) -> str:
        if not self.parameters.include_content_type or not self.is_head(name):
            return ""
        media = self.parameters.media_type or "text/html"
        content = self.attribute_escape()(f"{media}; charset={self.parameters.encoding}")
        prefix = f"{name.prefix}:" if name.prefix else ""
        return f'<{prefix}meta http-equiv="Content-Type" content="{content}"{self.void_end()}'

    def is_left_out(self, tree: TreeInterface, row: int, parent: Frame) -> bool:
        """A meta element that declares a content type is replaced by the inserted one."""
        if not self.parameters.include_content_type or not self.is_head(parent.name):
            return False
        name = tree.name(row)
        if name is None or (self.html_name(name) or "").lower() != "meta":
            return False
        return any(self._declares_content_type(tree.name(row), tree.values[row] or "") for row in tree.attributes(row))

    def _declares_content_type(self, attribute: QName | None, value: str) -> bool:
        if attribute is None or attribute.uri:
            return False
        key = attribute.local.lower()
        return (key == "http-equiv" and value.strip().lower() == "content-type") or (key == "charset" and self.is_five)

    def void_end(self) -> str:
        """The end of a void element's tag."""
        raise NotImplementedError

    # --- the document type

    def before_outermost(self, name: QName) -> None:
        if self._has_doctype:
            return
        self._has_doctype = True
        self.append(self.document_type(name))

    def document_type(self, name: QName) -> str:
        raise NotImplementedError

    def bare_doctype(self, name: QName) -> str:
        """The doctype of HTML 5, if the outermost element is the one it names."""
        is_html = self.is_five and (self.html_name(name) or "").lower() == "html"
        return doctype(name.local, None, None) if is_html else ""

    # --- white space

    def keeps_space(self, tree: TreeInterface, name: QName, attributes: range, outer: Frame) -> bool:
        if super().keeps_space(tree, name, attributes, outer):
            return True
        known = (self.html_name(name) or "").lower()
        return known in SPACE_KEPT or known in INLINE

    def has_only_elements(self, tree: TreeInterface, first: int, stop: int) -> bool:
        if not super().has_only_elements(tree, first, stop):
            return False
        row = first
        while row < stop:
            if tree.codes[row] & KIND_MASK == ELEMENT:
                name = tree.name(row)
                if name is not None and (self.html_name(name) or "").lower() in INLINE:
                    return False
            row = tree.ends[row]
        return True
