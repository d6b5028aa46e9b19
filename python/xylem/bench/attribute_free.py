"""XMark without attributes, as the thesis measured it: each attribute becomes a first child (appendix C.1).

    <person id="person0">…        →     <person><person_id>person0</person_id>…

Its engine knew no attributes. Here that is a matter of the document and its DTD; the engine reads both forms.

    >>> "".join(without_attributes(['<edge from="a" to="b"/>']))
    '<edge><edge_from>a</edge_from><edge_to>b</edge_to></edge>'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_START_TAG = re.compile(r"<(\w+)((?:\s+\w+=\"[^\"]*\")+)\s*(/?)>")
_ATTRIBUTE = re.compile(r"(\w+)=\"([^\"]*)\"")
_ELEMENT = re.compile(r"<!ELEMENT\s+(\w+)\s+([^>]*)>")
_ATTLIST = re.compile(r"<!ATTLIST\s+(\w+)\s+([^>]*)>")
_DECLARED = re.compile(r"(\w+)\s+\w+\s+#(REQUIRED|IMPLIED)")


def without_attributes(pieces: Iterable[str]) -> Iterator[str]:
    """The document in pieces, none of which ends inside a tag."""
    return (_START_TAG.sub(_converted, piece) for piece in pieces)


def _converted(tag: re.Match[str]) -> str:
    name, attributes, slash = tag.groups()
    inner = "".join(f"<{name}_{key}>{value}</{name}_{key}>" for key, value in _ATTRIBUTE.findall(attributes))
    return f"<{name}>{inner}</{name}>" if slash else f"<{name}>{inner}"


def dtd_without_attributes(dtd: str) -> str:
    """The DTD of the converted documents; attributes come in the order in which they are declared."""
    added: dict[str, list[str]] = {}
    lines = []
    for name, declared in _ATTLIST.findall(dtd):
        for attribute, presence in _DECLARED.findall(declared):
            child = f"{name}_{attribute}"
            added.setdefault(name, []).append(child if presence == "REQUIRED" else f"{child}?")
            lines.append(f"<!ELEMENT {child} (#PCDATA)>")
    for name, model in _ELEMENT.findall(dtd):
        children = ", ".join(added.get(name, ()))
        if not children:
            lines.append(f"<!ELEMENT {name} {model}>")
        elif model.strip() == "EMPTY":
            lines.append(f"<!ELEMENT {name} ({children})>")
        else:
            lines.append(f"<!ELEMENT {name} ({children}, {model})>")
    return "\n".join(lines) + "\n"
