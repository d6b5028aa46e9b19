"""fn:deep-equal (F&O 3.1 §14.2.2): equality of whole sequences, trees, maps and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.collations import CODEPOINT, Collation, collation
from xylem.values.comparison import value_equal
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.name_pool import KIND_MASK
from xylem.values.node import ATTRIBUTE, COMMENT, DOCUMENT, ELEMENT, PROCESSING_INSTRUCTION, Node
from xylem.values.tree_interface import TreeInterface

from .context import Context
from .registry import function

_MISSING = object()


@function("fn:deep-equal", "item()*, item()*, xs:string", "xs:boolean", context=True)
def deep_equal(ctx: Context, left: Sequence[Any], right: Sequence[Any], collation_uri: str | None = None) -> bool:
    used = collation(collation_uri or ctx.static.default_collation, ctx.static.base_uri)
    return sequences_equal(left, right, used, ctx.run.implicit_timezone_minutes)


def sequences_equal(left: Any, right: Any, using: Collation | None = None, implicit_tz: int = 0) -> bool:
    """Whether two sequences are deep-equal; functions in them are an error, FOTY0015."""
    for a, b in zip_longest(left, right, fillvalue=_MISSING):
        if a is _MISSING or b is _MISSING or not items_equal(a, b, using, implicit_tz):
            return False
    return True


def items_equal(a: Any, b: Any, using: Collation | None = None, implicit_tz: int = 0) -> bool:
    kind_a, kind_b = type(a), type(b)
    if kind_a is FunctionItem or kind_b is FunctionItem:
        raise DynamicError("FOTY0015", f"{a!r}" if kind_a is FunctionItem else f"{b!r}")
    if kind_a is Node or kind_b is Node:
        return kind_a is kind_b and nodes_equal(a, b, using)
    if kind_a is XMap or kind_b is XMap:
        return kind_a is kind_b and _maps_equal(a, b, using, implicit_tz)
    if kind_a is XArray or kind_b is XArray:
        return (
            kind_a is kind_b
            and len(a) == len(b)
            and all(sequences_equal(x, y, using, implicit_tz) for x, y in zip(a, b, strict=True))
        )
    return _atomic_equal(a, b, using, implicit_tz)


def _atomic_equal(a: Any, b: Any, using: Collation | None, implicit_tz: int) -> bool:
    if a != a and b != b:  # NaN, of either precision, equals itself here.
        return True
    try:
        return value_equal(a, b, using, implicit_tz)
    except DynamicError:
        return False  # Values that cannot be compared are not equal.


def _maps_equal(a: XMap, b: XMap, using: Collation | None, implicit_tz: int) -> bool:
    if len(a) != len(b):
        return False
    for key, value in a.items():
        other = b.get(key)
        if other is None or not sequences_equal(value, other, using, implicit_tz):
            return False
    return True


# --- nodes


def nodes_equal(a: Node, b: Node, using: Collation | None = None) -> bool:
    """Compares row by row, not recursively: documents may be deeper than Python's stack."""
    if a.tree is b.tree and a.pre == b.pre:
        return True
    kind = a.kind
    if kind != b.kind:
        return False
    if kind not in (DOCUMENT, ELEMENT):
        return _named_alike(a.tree, a.pre, b.tree, b.pre) and _strings_equal(a.string_value, b.string_value, using)
    if _are_copies(a, b):
        return True
    rows_a, rows_b = _compared_rows(a), _compared_rows(b)
    if len(rows_a) != len(rows_b):
        return False
    places_a = {row: place for place, row in enumerate(rows_a)}
    places_b = {row: place for place, row in enumerate(rows_b)}
    for x, y in zip(rows_a, rows_b, strict=True):
        if x != a.pre and places_a[a.tree.parents[x]] != places_b[b.tree.parents[y]]:
            return False
        if not _rows_equal(a.tree, x, b.tree, y, using):
            return False
    return True


def _are_copies(a: Node, b: Node) -> bool:
    """Whether the rows agree, including comments and the order of attributes; only for trees in the kernel."""
    here, there = a.tree.native, b.tree.native
    if here is None or there is None or a.tree.names is not b.tree.names:
        return False
    return here.has_same_rows(a.pre, there, b.pre)


def _compared_rows(node: Node) -> list[int]:
    """The node and its descendants except comments and processing instructions, which do not count."""
    tree = node.tree
    ignored = (ATTRIBUTE, COMMENT, PROCESSING_INSTRUCTION)
    codes = tree.codes[node.pre : tree.end(node.pre)]
    return [row for row, code in enumerate(codes, node.pre) if code & KIND_MASK not in ignored]


def _rows_equal(tree: TreeInterface, row: int, other: TreeInterface, other_row: int, using: Collation | None) -> bool:
    if not _named_alike(tree, row, other, other_row):
        return False
    value, other_value = tree.values[row], other.values[other_row]
    if value is not None:
        return other_value is not None and _strings_equal(value, other_value, using)
    attributes, others = _attributes(tree, row), _attributes(other, other_row)
    return attributes.keys() == others.keys() and all(
        _strings_equal(found, others[name], using) for name, found in attributes.items()
    )


def _attributes(tree: TreeInterface, row: int) -> dict[tuple[str, str], str]:
    found = {}
    for attribute in tree.attributes(row):
        name = tree.name(attribute)
        assert name is not None
        found[name.uri, name.local] = tree.values[attribute] or ""
    return found


def _named_alike(tree: TreeInterface, row: int, other: TreeInterface, other_row: int) -> bool:
    code, other_code = tree.codes[row], other.codes[other_row]
    if tree.names is other.names:
        return code == other_code
    return code & KIND_MASK == other_code & KIND_MASK and tree.name(row) == other.name(other_row)


def _strings_equal(a: str, b: str, using: Collation | None) -> bool:
    return a == b if using is None or using is CODEPOINT else using.equal(a, b)
