"""Children that arrive after their handler has fired: the input does not follow its schema.

A handler fires when the schema says that everything it reads has passed. A later child would be lost silently, so it is
an error; one comparison on its arrival finds it.
"""

from __future__ import annotations

from collections.abc import Collection

from xylem.errors import InputError
from xylem.values.name_pool import KIND_MASK
from xylem.values.node import ELEMENT, Node

from .buffer import is_named


def late_child(node: Node, variable: str, input_bytes: int) -> InputError:
    """The error for a child that arrives after its handler has fired."""
    return _late(f"<{node.name}>", node.parent, variable, input_bytes)


def late_result(parent: Node, variable: str, input_bytes: int) -> InputError:
    """The error for a late child whose result the scan has already written, below an element."""
    return _late("an element", parent, variable, input_bytes)


def _late(what: str, parent: Node | None, variable: str, input_bytes: int) -> InputError:
    where = "" if parent is None else f" in {path_of(parent)}"
    why = f"{what}{where} comes after what the schema puts behind it, so ${variable} was answered without it"
    return InputError("XYIN0021", f"{why} (within the first {input_bytes:,} bytes)")


def path_of(node: Node) -> str:
    """The names of an element and its ancestors, from the root."""
    names: list[str] = []
    at: Node | None = node
    while at is not None:
        if at.kind == ELEMENT:
            names.append(str(at.name))
        at = at.parent
    return "/" + "/".join(reversed(names))


def has_any(node: Node, names: Collection[tuple[str | None, str | None]]) -> bool:
    """Whether an element of one of the names, (uri, local) or None for any, was kept in an element."""
    tree = node.tree
    rows = range(node.pre + 1, tree.ends[node.pre])
    return any(tree.codes[row] & KIND_MASK == ELEMENT and is_named(tree.name(row), names) for row in rows)
