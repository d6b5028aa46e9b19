"""Steps from many rows of one tree at once: ascending distinct rows in, ascending distinct rows out.

Everything happens on integers; nodes are made once, after the last step of a path.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

from . import axis_rows
from .name_pool import KIND_MASK
from .node import ATTRIBUTE, NAMESPACE
from .node_test import NodeTest
from .ranked_axes import to_the_sides
from .tree import rows_with
from .tree_interface import TreeInterface

Select = Callable[[TreeInterface, list[int]], list[int]]

# A subtree this small is searched faster than an index of the whole tree is made.
_SMALL_SUBTREE = 250
# From this many contexts on, a child or attribute step may go through the name index.
_MANY_CONTEXTS = 24


def selection(axis: str, test: NodeTest) -> Select:
    """The step as a function of rows."""
    if axis not in ("self", "attribute", "descendant-or-self", "ancestor-or-self") and test.kind in (
        ATTRIBUTE,
        NAMESPACE,
    ):
        return nothing
    if axis == "attribute" and test.kind not in (ATTRIBUTE, None):
        return nothing
    if test.is_exact:
        by_code = _BY_CODE.get(axis)
        if by_code is not None:
            return _with_code(by_code, test)
    keep = test.keep()
    union = to_the_sides(axis, _UNIONS[axis])
    return lambda tree, rows: keep(tree, union(tree, rows))


def nothing(tree: TreeInterface, rows: list[int]) -> list[int]:
    return []


def _with_code(by_code: Callable[[TreeInterface, list[int], int], list[int]], test: NodeTest) -> Select:
    coder = test.coder()
    return lambda tree, rows: by_code(tree, rows, coder(tree))


# --- exact names


def _children_named(tree: TreeInterface, rows: list[int], code: int) -> list[int]:
    if len(rows) >= _MANY_CONTEXTS:
        found = _by_parent(tree, rows, code)
        if found is not None:
            return found
    codes, ends = tree.codes, tree.ends
    result: list[int] = []
    for row in rows:
        end = ends[row]
        row += 1
        # Attributes are skipped like leaves: their codes never equal an element's.
        while row < end:
            if codes[row] == code:
                result.append(row)
            row = ends[row]
    result.sort()  # children of nested contexts interleave; sorting what is sorted already costs one pass
    return result


def _by_parent(tree: TreeInterface, rows: list[int], code: int) -> list[int] | None:
    """From the rows with the name: all whose parent is a context, unless there are too many of them."""
    if tree.is_ranked:
        return None  # Earlier versions have the same parent.
    named = tree.elements_named(code)
    start = bisect_left(named, rows[0])
    if len(named) - start > 6 * len(rows):
        return None
    parents = tree.parents
    contexts = set(rows)
    return [row for row in named[start:] if parents[row] in contexts]


def _attributes_named(tree: TreeInterface, rows: list[int], code: int) -> list[int]:
    if len(rows) >= _MANY_CONTEXTS:
        found = _by_parent(tree, rows, code)
        if found is not None:
            return found
    codes, ends = tree.codes, tree.ends
    result: list[int] = []
    for row in rows:
        end = ends[row]
        row += 1
        while row < end:
            other = codes[row]
            if other == code:
                result.append(row)
                break
            if other & KIND_MASK != ATTRIBUTE:
                break
            row += 1
    return result


def _descendants_named(tree: TreeInterface, rows: list[int], code: int) -> list[int]:
    ends = tree.ends
    if len(rows) == 1:
        return _range_named(tree, rows[0] + 1, ends[rows[0]], code)
    result: list[int] = []
    done = 0
    for row in rows:
        # A context inside an earlier one adds nothing.
        if row >= done:
            done = ends[row]
            if done - row > 1:
                result += _range_named(tree, row + 1, done, code)
    return result


def _range_named(tree: TreeInterface, start: int, end: int, code: int) -> list[int]:
    if end - start < _SMALL_SUBTREE and not tree.has_index(code):
        return rows_with(tree.codes, code, start, end)
    named = tree.elements_named(code)
    first = bisect_left(named, start)
    return named[first : bisect_left(named, end, first)]


def _descendants_or_self_named(tree: TreeInterface, rows: list[int], code: int) -> list[int]:
    if code & KIND_MASK == ATTRIBUTE:
        # An attribute is not a descendant of its element: only the contexts themselves can match.
        return [row for row in rows if tree.codes[row] == code]
    ends = tree.ends
    result: list[int] = []
    done = 0
    for row in rows:
        if row >= done:
            done = ends[row]
            result += _range_named(tree, row, done, code)
    return result


_BY_CODE: dict[str, Callable[[TreeInterface, list[int], int], list[int]]] = {
    "child": _children_named,
    "attribute": _attributes_named,
    "descendant": _descendants_named,
    "descendant-or-self": _descendants_or_self_named,
}

# --- any test: the union of the axis over the contexts, to be filtered


def _children(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    if len(rows) == 1:
        return tree.children(rows[0])
    codes, ends = tree.codes, tree.ends
    result: list[int] = []
    for row in rows:
        end = ends[row]
        row += 1
        while row < end:
            if codes[row] & KIND_MASK != ATTRIBUTE:
                result.append(row)
            row = ends[row]
    result.sort()
    return result


def _attributes(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    attributes = tree.attributes
    return [found for row in rows for found in attributes(row)]


def _self(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    return rows


def _descendants(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    ends = tree.ends
    result: list[int] = []
    done = 0
    for row in rows:
        if row >= done:
            done = ends[row]
            result += axis_rows.without_attributes(tree, row + 1, done)
    return result


def _descendants_or_self(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    return sorted({*rows, *_descendants(tree, rows)})


def _parents(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    parents = tree.parents
    found = {parents[row] for row in rows}
    found.discard(-1)
    return sorted(found)


def _ancestors(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    parents = tree.parents
    found: set[int] = set()
    for row in rows:
        row = parents[row]
        while row >= 0 and row not in found:
            found.add(row)
            row = parents[row]
    return sorted(found)


def _ancestors_or_self(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    return sorted({*rows, *_ancestors(tree, rows)})


def _following_siblings(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    seen: set[int] = set()
    result: list[int] = []
    for row in rows:
        # Rows ascend, so the first of a family covers all that the others have.
        above = tree.parents[row]
        if above not in seen and tree.codes[row] & KIND_MASK != ATTRIBUTE:
            seen.add(above)
            result += axis_rows.following_sibling(tree, row)
    result.sort()
    return result


def _preceding_siblings(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    last: dict[int, int] = {}
    for row in rows:
        if tree.codes[row] & KIND_MASK != ATTRIBUTE:
            last[tree.parents[row]] = row
    return sorted(found for row in last.values() for found in axis_rows.preceding_sibling(tree, row))


def _following(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    ends = tree.ends
    return axis_rows.without_attributes(tree, min(ends[row] for row in rows), len(tree.codes))


def _preceding(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
    # What precedes an earlier context precedes the last one too, unless it is an ancestor of the last one;
    # but then it would contain the earlier context as well.
    above = set(axis_rows.ancestor(tree, rows[-1]))
    return [row for row in axis_rows.without_attributes(tree, 0, rows[-1]) if row not in above]


_UNIONS: dict[str, Callable[[TreeInterface, list[int]], Iterable[int]]] = {
    "child": _children,
    "descendant": _descendants,
    "attribute": _attributes,
    "self": _self,
    "descendant-or-self": _descendants_or_self,
    "following-sibling": _following_siblings,
    "following": _following,
    "parent": _parents,
    "ancestor": _ancestors,
    "preceding-sibling": _preceding_siblings,
    "preceding": _preceding,
    "ancestor-or-self": _ancestors_or_self,
}
