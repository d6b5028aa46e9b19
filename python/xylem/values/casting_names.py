"""Casts to xs:QName, which need namespaces (F&O 3.1 §19.1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xylem.errors import DynamicError

from . import atomic_type as at
from .atomic import STRING_CLASSES
from .atomic_type import AtomicType
from .cast_errors import not_castable, not_lexical
from .qname import QName
from .strings import AnyURI
from .white_space import trim
from .xml_names import is_ncname

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
NAME_TARGETS = frozenset({at.QNAME})


def to_qname(value: Any, target: AtomicType, namespaces: Mapping[str, str] | None) -> QName:
    cls = type(value)
    if cls is QName:
        return value  # type: ignore[no-any-return]
    if cls not in STRING_CLASSES or cls is AnyURI:
        raise not_castable(value, target)
    return parse_qname(value, namespaces or {})


def parse_qname(text: str, namespaces: Mapping[str, str]) -> QName:
    """A name with its prefix resolved; without prefix it takes the namespace bound to ''."""
    text = trim(text)
    first, colon, second = text.partition(":")
    if not is_ncname(first) or (colon and not is_ncname(second)):
        raise not_lexical(text, at.QNAME)
    if not colon:
        return QName(namespaces.get("", ""), first)
    uri = namespaces.get(first, XML_NAMESPACE if first == "xml" else None)
    if not uri:
        raise DynamicError("FONS0004", f'no namespace is declared for the prefix "{first}" of "{text}"')
    return QName(uri, second, first)
