"""Functions on xs:QName values (F&O 3.1 §10)."""

from __future__ import annotations

from xylem.errors import DynamicError
from xylem.values.node import Node
from xylem.values.qname import QName
from xylem.values.strings import AnyURI, NCName
from xylem.values.xml_names import split_qname

from .registry import function


@function("fn:QName", "xs:string?, xs:string", "xs:QName")
def qname(uri: str | None, lexical: str) -> QName:
    prefix, local = _parts(lexical)
    if prefix and not uri:
        raise DynamicError("FOCA0002", f"{lexical!r} has a prefix but there is no namespace")
    return QName(str(uri or ""), local, prefix)


@function("fn:resolve-QName", "xs:string?, element()", "xs:QName?")
def resolve_qname(lexical: str | None, element: Node) -> QName | None:
    if lexical is None:
        return None
    prefix, local = _parts(lexical.strip(" \t\n\r"))
    uri = element.namespaces.get(prefix)
    if uri is None and prefix:
        raise DynamicError("FONS0004", f"the prefix {prefix!r} is not declared on the element or above it")
    return QName(uri or "", local, prefix)


def _parts(lexical: str) -> tuple[str, str]:
    parts = split_qname(lexical)
    if parts is None:
        raise DynamicError("FOCA0002", f"{lexical!r} is not a QName")
    return parts


@function("fn:prefix-from-QName", "xs:QName?", "xs:NCName?")
def prefix_from_qname(name: QName | None) -> NCName | None:
    return NCName(name.prefix) if name is not None and name.prefix else None


@function("fn:local-name-from-QName", "xs:QName?", "xs:NCName?")
def local_name_from_qname(name: QName | None) -> NCName | None:
    return None if name is None else NCName(name.local)


@function("fn:namespace-uri-from-QName", "xs:QName?", "xs:anyURI?")
def namespace_uri_from_qname(name: QName | None) -> AnyURI | None:
    return None if name is None else AnyURI(name.uri)
