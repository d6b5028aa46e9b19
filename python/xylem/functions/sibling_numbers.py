"""The number that a scan gave an element among its siblings, if the preceding ones were not kept. Generated code uses
it instead of counting preceding siblings.
"""

from __future__ import annotations

from collections.abc import Sequence

from xylem.values.node import Node

from .registry import function


@function("_siblings:number", "node()*, xs:integer", "xs:integer")
def number(nearest: Sequence[Node], label: int) -> int:
    """The number of the nearest sibling, 0 if there is none; -1 if no scan has numbered it."""
    if not nearest:
        return 0
    if len(nearest) > 1:
        return -1
    (node,) = nearest
    native = node.tree.native
    if native is not None:
        found = native.number(node.pre, label)
        return -1 if found is None else found
    return node.tree.numbers.get((node.pre, label), -1)
