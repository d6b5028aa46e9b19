"""Rules for names and characters of constructed nodes (XQuery 3.1 §3.9.3)."""

from __future__ import annotations

from xylem.errors import DynamicError

from .qname import QName
from .white_space import SPACES, collapse
from .xml_names import is_ncname

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/"
_RESERVED = frozenset({"xml", "xmlns", XML_NAMESPACE, XMLNS_NAMESPACE})


def check_element_name(name: QName) -> None:
    """XQDY0096: xml and xmlns, as prefixes and namespaces, keep their meaning."""
    if (name.prefix in _RESERVED or name.uri in _RESERVED) and not _is_xml(name):
        raise DynamicError("XQDY0096", f"{name.eqname} with the prefix '{name.prefix}'")


def check_attribute_name(name: QName) -> None:
    """XQDY0044: the same, and no attribute is called xmlns."""
    if (name.prefix in _RESERVED or name.uri in _RESERVED) and not _is_xml(name):
        raise DynamicError("XQDY0044", f"{name.eqname} with the prefix '{name.prefix}'")
    if name.local == "xmlns" and not name.uri:
        raise DynamicError("XQDY0044", "an attribute named xmlns", hint="declare a namespace with: namespace {} {…}")


def _is_xml(name: QName) -> bool:
    return name.uri == XML_NAMESPACE and name.prefix in ("xml", "")


def check_namespace(prefix: str, uri: str) -> None:
    """XQDY0074, XQDY0101: the bindings allowed in a namespace node."""
    if prefix and not is_ncname(prefix):
        raise DynamicError("XQDY0074", f"the prefix {prefix!r}")
    if prefix == "xmlns" or uri == XMLNS_NAMESPACE or not uri or (prefix == "xml") != (uri == XML_NAMESPACE):
        raise DynamicError("XQDY0101", f"the prefix '{prefix}' for the namespace '{uri}'")


def id_value(value: str) -> str:
    """The value of xml:id, normalised like an ID; XQDY0091 if it is not valid."""
    normal = collapse(value)
    if not is_ncname(normal):
        raise DynamicError("XQDY0091", f"xml:id is {value!r}")
    return normal


def check_comment(value: str) -> None:
    if "--" in value or value.endswith("-"):
        raise DynamicError("XQDY0072", repr(value))


def check_pi_target(target: str) -> None:
    if not is_ncname(target):
        raise DynamicError("XQDY0041", repr(target))
    if target.lower() == "xml":
        raise DynamicError("XQDY0064", repr(target))


def pi_value(value: str) -> str:
    """The content without leading white space; XQDY0026 if it would end the instruction."""
    if "?>" in value:
        raise DynamicError("XQDY0026", repr(value))
    return value.lstrip(SPACES)
