"""The axes from one row of a tree: which rows they hold, in the order predicates count them (XQuery 3.1 §3.3.2.1).

Forward axes give document order, reverse axes the opposite. No test is applied yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .name_pool import KIND_MASK
from .node import ATTRIBUTE
from .tree_interface import TreeInterface

Rows = Callable[[TreeInterface, int], Iterable[int]]


def child(tree: TreeInterface, row: int) -> Iterable[int]:
    return tree.children(row)


def attribute(tree: TreeInterface, row: int) -> Iterable[int]:
    return tree.attributes(row)


def self_(tree: TreeInterface, row: int) -> Iterable[int]:
    return (row,)


def parent(tree: TreeInterface, row: int) -> Iterable[int]:
    above = tree.parents[row]
    return () if above < 0 else (above,)


def descendant(tree: TreeInterface, row: int) -> Iterable[int]:
    return without_attributes(tree, row + 1, tree.ends[row])


def descendant_or_self(tree: TreeInterface, row: int) -> Iterable[int]:
    return [row, *descendant(tree, row)]


def ancestor(tree: TreeInterface, row: int) -> Iterable[int]:
    parents = tree.parents
    found = []
    row = parents[row]
    while row >= 0:
        found.append(row)
        row = parents[row]
    return found


def ancestor_or_self(tree: TreeInterface, row: int) -> Iterable[int]:
    return [row, *ancestor(tree, row)]


def following_sibling(tree: TreeInterface, row: int) -> Iterable[int]:
    above = tree.parents[row]
    if above < 0 or tree.codes[row] & KIND_MASK == ATTRIBUTE:
        return ()
    ends = tree.ends
    end = ends[above]
    row = ends[row]
    found = []
    while row < end:
        found.append(row)
        row = ends[row]
    return found


def preceding_sibling(tree: TreeInterface, row: int) -> Iterable[int]:
    above = tree.parents[row]
    if above < 0 or tree.codes[row] & KIND_MASK == ATTRIBUTE:
        return ()
    ends = tree.ends
    first = tree.attributes(above).stop
    found = []
    while first < row:
        found.append(first)
        first = ends[first]
    found.reverse()
    return found


def following(tree: TreeInterface, row: int) -> Iterable[int]:
    # The children of an attribute's owner follow the attribute: they are not its descendants.
    return without_attributes(tree, tree.ends[row], len(tree.codes))


def preceding(tree: TreeInterface, row: int) -> Iterable[int]:
    above = set(ancestor(tree, row))
    codes = tree.codes
    return [p for p in range(row - 1, -1, -1) if p not in above and codes[p] & KIND_MASK != ATTRIBUTE]


# --- row by row, for callers that stop early


def next_children(tree: TreeInterface, row: int) -> Iterator[int]:
    ends = tree.ends
    end = ends[row]
    row = tree.attributes(row).stop
    while row < end:
        yield row
        row = ends[row]


def next_siblings(tree: TreeInterface, row: int) -> Iterator[int]:
    above = tree.parents[row]
    if above < 0 or tree.codes[row] & KIND_MASK == ATTRIBUTE:
        return
    ends = tree.ends
    end = ends[above]
    row = ends[row]
    while row < end:
        yield row
        row = ends[row]


def earlier_siblings(tree: TreeInterface, row: int) -> Iterator[int]:
    parents, codes = tree.parents, tree.codes
    above = parents[row]
    if above < 0 or codes[row] & KIND_MASK == ATTRIBUTE:
        return
    row -= 1
    while row > above:
        # The previous row is in the sibling's subtree: climb to the sibling itself.
        while parents[row] != above:
            row = parents[row]
        if codes[row] & KIND_MASK == ATTRIBUTE:
            return
        yield row
        row -= 1


def next_descendants(tree: TreeInterface, row: int) -> Iterator[int]:
    codes = tree.codes
    for other in range(row + 1, tree.ends[row]):
        if codes[other] & KIND_MASK != ATTRIBUTE:
            yield other


def next_rows(tree: TreeInterface, row: int) -> Iterator[int]:
    codes = tree.codes
    for other in range(tree.ends[row], len(codes)):
        if codes[other] & KIND_MASK != ATTRIBUTE:
            yield other


def next_ancestors(tree: TreeInterface, row: int) -> Iterator[int]:
    parents = tree.parents
    row = parents[row]
    while row >= 0:
        yield row
        row = parents[row]


def earlier_rows(tree: TreeInterface, row: int) -> Iterator[int]:
    codes, ends = tree.codes, tree.ends
    for other in range(row - 1, -1, -1):
        # A row that begins before another and ends after it is its ancestor.
        if ends[other] <= row and codes[other] & KIND_MASK != ATTRIBUTE:
            yield other


LAZY_AXES: dict[str, Callable[[TreeInterface, int], Iterator[int]]] = {
    "child": next_children,
    "following-sibling": next_siblings,
    "preceding-sibling": earlier_siblings,
    "descendant": next_descendants,
    "following": next_rows,
    "ancestor": next_ancestors,
    "preceding": earlier_rows,
}


def without_attributes(tree: TreeInterface, start: int, end: int) -> list[int]:
    return [row for row, code in enumerate(tree.codes[start:end], start) if code & KIND_MASK != ATTRIBUTE]


AXES: dict[str, Rows] = {
    "child": child,
    "descendant": descendant,
    "attribute": attribute,
    "self": self_,
    "descendant-or-self": descendant_or_self,
    "following-sibling": following_sibling,
    "following": following,
    "parent": parent,
    "ancestor": ancestor,
    "preceding-sibling": preceding_sibling,
    "preceding": preceding,
    "ancestor-or-self": ancestor_or_self,
}
REVERSE_AXES = frozenset({"parent", "ancestor", "ancestor-or-self", "preceding", "preceding-sibling"})
