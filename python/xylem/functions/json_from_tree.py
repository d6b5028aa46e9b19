"""The JSON text of an XML tree (F&O 3.1 §17.4.3), written in one walk without recursion."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from xylem.errors import DynamicError
from xylem.sink.json_output import escape_json
from xylem.values import atomic_type as at
from xylem.values.casting import cast
from xylem.values.json_parser import unescape
from xylem.values.json_tree import JSON_NAMESPACE
from xylem.values.node import DOCUMENT, ELEMENT, TEXT, Node
from xylem.values.string_of import string_of
from xylem.values.strings import UntypedAtomic
from xylem.values.white_space import SPACES

_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_ESCAPE_OR_REST = re.compile(r'(\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))')


@dataclass(slots=True)
class _Open:
    """A map or array being written: the rows of its children still to come, last one first."""

    children: list[Node]
    is_map: bool
    is_first: bool = True
    keys: set[str] = field(default_factory=set)


def json_from_tree(node: Node, indents: bool = False) -> str:
    """The JSON text; FOJS0006 if the tree does not represent JSON, FOJS0007 for a wrong escape."""
    parts: list[str] = []
    stack: list[_Open] = []
    opened = _value(_root(node), parts)
    while True:
        if opened is not None:
            stack.append(opened)
        elif not stack:
            return "".join(parts)
        holder = stack[-1]
        opened = None
        if not holder.children:
            stack.pop()
            if indents and not holder.is_first:
                parts.append("\n" + "  " * len(stack))
            parts.append("}" if holder.is_map else "]")
            continue
        child = holder.children.pop()
        if not holder.is_first:
            parts.append(",")
        holder.is_first = False
        if indents:
            parts.append("\n" + "  " * len(stack))
        if holder.is_map:
            parts.append(_key(child, holder.keys) + (": " if indents else ":"))
        opened = _value(child, parts)


def _root(node: Node) -> Node:
    if node.kind == ELEMENT:
        return node
    if node.kind != DOCUMENT:
        raise DynamicError("FOJS0006", f"expected a document or an element, found {node!r}")
    elements = _child_elements(node)
    if len(elements) != 1:
        raise DynamicError("FOJS0006", f"the document has {len(elements)} elements")
    return elements[0]


def _value(element: Node, parts: list[str]) -> _Open | None:
    """Write a simple value, or begin a map or array."""
    name = element.name
    local = name.local if name is not None and name.uri == JSON_NAMESPACE else ""
    attributes = _attributes(element)
    if local == "map" or local == "array":
        parts.append("{" if local == "map" else "[")
        return _Open(_child_elements(element)[::-1], local == "map")
    if local == "string":
        is_escaped = _flag(attributes, "escaped")
        parts.append(_quoted(_content(element), is_escaped))
    elif local == "number":
        parts.append(_number(_content(element)))
    elif local == "boolean":
        value = _BOOLEANS.get(_content(element).strip(SPACES))
        if value is None:
            raise DynamicError("FOJS0006", f"{_content(element)!r} is not a boolean")
        parts.append("true" if value else "false")
    elif local == "null":
        if _content(element):
            raise DynamicError("FOJS0006", "null has content")
        parts.append("null")
    else:
        raise DynamicError("FOJS0006", f"the element {name!r}")
    return None


def _key(element: Node, keys: set[str]) -> str:
    """The key of an element in a map, in quotes; unescaped, it must differ from earlier ones."""
    attributes = _attributes(element)
    key = attributes.get("key")
    if key is None:
        raise DynamicError("FOJS0006", f"an element {element.name} in a map has no key")
    is_escaped = _flag(attributes, "escaped-key")
    quoted = _quoted(key, is_escaped)
    plain = unescape(key) if is_escaped else key
    if plain in keys:
        raise DynamicError("FOJS0006", f"the key {key!r} occurs twice")
    keys.add(plain)
    return quoted


def _quoted(text: str, is_escaped: bool) -> str:
    if not is_escaped or "\\" not in text:
        return f'"{escape_json(text)}"'
    bad = _BAD_ESCAPE_IN.search(text)
    if bad:
        raise DynamicError("FOJS0007", f"at {text[bad.start('bad') : bad.start('bad') + 6]!r}")
    # Keep escape sequences, and escape the text between them.
    parts = _ESCAPE_OR_REST.split(text)
    parts[::2] = [escape_json(part) for part in parts[::2]]
    return f'"{"".join(parts)}"'


# From the start, over valid sequences and plain characters, to a backslash that begins neither.
_BAD_ESCAPE_IN = re.compile(r'\A(?:[^\\]++|\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))*+(?P<bad>\\)')


def _number(text: str) -> str:
    try:
        value = cast(UntypedAtomic(text), at.DOUBLE)
    except DynamicError:
        raise DynamicError("FOJS0006", f"{text!r} is not a number") from None
    written = string_of(value)
    if written in ("NaN", "INF", "-INF"):
        raise DynamicError("FOJS0006", f"JSON has no {written}")
    return written


def _content(element: Node) -> str:
    """The text of a simple value; comments and processing instructions do not count, elements are refused."""
    tree = element.tree
    for pre in tree.children(element.pre):
        if tree.kind(pre) == ELEMENT:
            raise DynamicError("FOJS0006", f"{element.name} holds an element")
    return element.string_value


def _child_elements(parent: Node) -> list[Node]:
    """The child elements; text between them must be white space."""
    found = []
    tree = parent.tree
    for pre in tree.children(parent.pre):
        kind = tree.kind(pre)
        if kind == ELEMENT:
            found.append(Node(tree, pre))
        elif kind == TEXT and tree.string_value(pre).strip(SPACES):
            raise DynamicError("FOJS0006", f"unexpected text {tree.string_value(pre).strip()!r}")
    return found


def _attributes(element: Node) -> dict[str, str]:
    """The attributes in no namespace, which must be known; those of other namespaces are ignored."""
    found: dict[str, str] = {}
    tree = element.tree
    for pre in tree.attributes(element.pre):
        name = tree.name(pre)
        assert name is not None
        if name.uri == JSON_NAMESPACE or (not name.uri and name.local not in ("key", "escaped-key", "escaped")):
            raise DynamicError("FOJS0006", f"the attribute {name} of {element.name}")
        if not name.uri:
            found[name.local] = tree.string_value(pre)
    for flag in ("escaped", "escaped-key"):
        _flag(found, flag)
    return found


def _flag(attributes: dict[str, str], name: str) -> bool:
    text = attributes.get(name)
    if text is None:
        return False
    value = _BOOLEANS.get(text.strip(SPACES))
    if value is None:
        raise DynamicError("FOJS0006", f"{name}={text!r} is not a boolean")
    return value
