"""The values of serialisation parameters as they are written (Serialization 3.1 §3, table and constraints).

One function per kind of value. Each takes the lexical value and the namespaces in scope, and raises ValueError with the
reason; the caller chooses the error code of its host language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

Namespaces = Mapping[str, str]
ExpandedName = tuple[str, str]
"""(namespace, local name)."""

METHODS = frozenset({"xml", "xhtml", "html", "text", "json", "adaptive"})
NODE_METHODS = frozenset({"xml", "xhtml", "html", "text"})

_EQNAME = re.compile(r"Q\{([^{}]*)\}(.+)", re.DOTALL)
_ENCODING = re.compile(r"[!-~]+")
_PUBLIC_ID = re.compile(r"[ \r\na-zA-Z0-9\-'()+,./:=?;!*#@$_%]*")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_BOOLEANS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def boolean(value: str, namespaces: Namespaces) -> bool:
    found = _BOOLEANS.get(value.strip())
    if found is None:
        raise ValueError("expected yes or no")
    return found


def standalone(value: str, namespaces: Namespaces) -> bool | None:
    return None if value.strip() == "omit" else boolean(value, namespaces)


def text(value: str, namespaces: Namespaces) -> str:
    return value


def trimmed(value: str, namespaces: Namespaces) -> str:
    return value.strip()


def encoding(value: str, namespaces: Namespaces) -> str:
    value = value.strip()
    if not _ENCODING.fullmatch(value):
        raise ValueError("an encoding name is made of printable ASCII characters")
    return value


def public_id(value: str, namespaces: Namespaces) -> str:
    if not _PUBLIC_ID.fullmatch(value):
        raise ValueError("a public identifier holds only the characters XML allows there")
    return value


def system_id(value: str, namespaces: Namespaces) -> str:
    if "'" in value and '"' in value:
        raise ValueError("a system identifier cannot hold both an apostrophe and a quotation mark")
    return value


def decimal(value: str, namespaces: Namespaces) -> Decimal:
    value = value.strip()
    if not _DECIMAL.fullmatch(value):
        raise ValueError("expected a decimal number")
    return Decimal(value)


def method(value: str, namespaces: Namespaces) -> str:
    return _method(value, namespaces, METHODS)


def node_method(value: str, namespaces: Namespaces) -> str:
    return _method(value, namespaces, NODE_METHODS)


def _method(value: str, namespaces: Namespaces, known: frozenset[str]) -> str:
    if value in known:
        return value
    # A name without prefix is in no namespace here, whatever the default namespace.
    uri, local = name(value.strip(), {**namespaces, "": ""})
    if uri or local not in known:
        raise ValueError(f"expected one of {', '.join(sorted(known))}")
    return local


def names(value: str, namespaces: Namespaces) -> frozenset[ExpandedName]:
    return frozenset(name(token, namespaces) for token in value.split())


def name(token: str, namespaces: Namespaces) -> ExpandedName:
    """An EQName as (uri, local); a name without prefix takes the default namespace."""
    # Imported here, since most queries name no elements in their parameters.
    from xylem.values.xml_names import is_ncname

    qualified = _EQNAME.fullmatch(token)
    if qualified:
        uri, local = " ".join(qualified[1].split()), qualified[2]
    else:
        prefix, colon, local = token.rpartition(":")
        if colon and not is_ncname(prefix):
            raise ValueError(f"{token!r} is not a name")
        if prefix and prefix not in namespaces:
            raise ValueError(f"the prefix {prefix!r} is not declared")
        uri = namespaces.get(prefix, "")
    if not is_ncname(local):
        raise ValueError(f"{token!r} is not a name")
    return uri, local


Reader = Callable[[str, Namespaces], Any]

READERS: dict[str, Reader] = {
    "allow-duplicate-names": boolean,
    "byte-order-mark": boolean,
    "cdata-section-elements": names,
    "doctype-public": public_id,
    "doctype-system": system_id,
    "encoding": encoding,
    "escape-uri-attributes": boolean,
    "html-version": decimal,
    "include-content-type": boolean,
    "indent": boolean,
    "item-separator": text,
    "json-node-output-method": node_method,
    "media-type": trimmed,
    "method": method,
    "normalization-form": trimmed,
    "omit-xml-declaration": boolean,
    "standalone": standalone,
    "suppress-indentation": names,
    "undeclare-prefixes": boolean,
    "version": trimmed,
}
"""The reader for the value of each parameter; use-character-maps has no lexical form."""
