"""The prolog of the output: XML declaration and document type declaration, with their rules.

Serialization 3.1 §5.1.5 to §5.1.7 for XML and, with a name of its own for the document type, §6.1 for XHTML.
"""

from __future__ import annotations

from collections.abc import Iterable

from xylem.errors import DynamicError
from xylem.values.node import DOCUMENT, ELEMENT, TEXT, Node

from .serialization_parameters import SerializationParameters

XML_VERSIONS = frozenset({"1.0", "1.1"})


def check_xml(parameters: SerializationParameters) -> None:
    """Check that the version exists, and that parameters are compatible."""
    version = parameters.version or "1.0"
    if version not in XML_VERSIONS:
        raise DynamicError("SESU0013", f"there is no XML {version}")
    if parameters.omit_xml_declaration:
        if parameters.standalone is not None:
            raise DynamicError("SEPM0009", "standalone needs the XML declaration that omit-xml-declaration leaves out")
        if version != "1.0" and parameters.doctype_system is not None:
            raise DynamicError("SEPM0009", "XML 1.1 with a document type needs its XML declaration")
    if parameters.undeclare_prefixes and version == "1.0":
        raise DynamicError("SEPM0010", "undeclare-prefixes needs version 1.1")


def needs_document(parameters: SerializationParameters) -> bool:
    """Whether the parameters require a well-formed document, so the items must be seen first."""
    return parameters.standalone is not None or parameters.doctype_system is not None


def check_document(items: Iterable[str | Node]) -> None:
    """SEPM0004 unless the normalized items are one element, with comments and processing instructions at most."""
    elements = 0
    for item in items:
        kinds = [TEXT if item else -1] if isinstance(item, str) else _kinds(item)
        if TEXT in kinds:
            raise DynamicError("SEPM0004", "there is text outside the document element")
        elements += kinds.count(ELEMENT)
    if elements != 1:
        raise DynamicError("SEPM0004", f"there are {elements} outermost elements")


def _kinds(node: Node) -> list[int]:
    if node.kind != DOCUMENT:
        return [node.kind]
    return [node.tree.kind(pre) for pre in node.tree.children(node.pre)]


def xml_declaration(parameters: SerializationParameters) -> str:
    if parameters.omit_xml_declaration:
        return ""
    standalone = ""
    if parameters.standalone is not None:
        standalone = f' standalone="{"yes" if parameters.standalone else "no"}"'
    end = "\n" if parameters.indent else ""
    return f'<?xml version="{parameters.version or "1.0"}" encoding="{parameters.encoding}"{standalone}?>{end}'


def doctype(name: str, public: str | None, system: str | None) -> str:
    """A document type declaration, on a separate line."""
    if public is None:
        return f"<!DOCTYPE {name} SYSTEM {_quoted(system)}>\n" if system is not None else f"<!DOCTYPE {name}>\n"
    return f"<!DOCTYPE {name} PUBLIC {_quoted(public)}{' ' + _quoted(system) if system is not None else ''}>\n"


def _quoted(value: str | None) -> str:
    value = value or ""
    return f"'{value}'" if '"' in value else f'"{value}"'
