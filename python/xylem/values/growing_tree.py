"""A tree that grows by copies of complete children: the buffers of a streamed query.

    tree = opened(node)            # the element itself, with its attributes and namespaces
    append_child(tree, child)      # a deep copy, as its last child
    append_children(tree, other, rows)  # copies of several elements of another tree
    held_characters(tree, 1, len(tree))

The tree is in the kernel if the element came from there: then a child is copied as slices of memory, and a kept row
costs 20 bytes. Existing nodes stay valid while the tree grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .compact_tree import CompactTree
from .name_pool import KIND_BITS, KIND_MASK
from .node import DOCUMENT, Node
from .tree import Tree
from .tree_copy import append_subtree, undeclare_default

if TYPE_CHECKING:
    from .native_rows import NativeRows
    from .qname import QName
    from .tree_interface import TreeInterface

GrowingTree = Tree | CompactTree


def opened(node: Node) -> GrowingTree:
    """A new tree whose root is a copy of an element or document, without its children."""
    source, row = node.tree, node.pre
    tree = _compact_root(source, source.native, row) if source.native is not None else _python_root(source, row)
    tree.qnames = source.qnames
    tree.copies = source.copies
    if source.kind(row) == DOCUMENT:
        tree.document_uri = source.document_uri
        return tree
    declared = source.namespaces(row)
    del declared["xml"]
    if declared:
        tree.declare(0, declared)
    return tree


def _compact_root(source: TreeInterface, native: NativeRows, row: int) -> CompactTree:
    rows = native.new_rows()
    rows.append(native, row, native.attributes_end(row), 0)
    return CompactTree(rows, source.names, source.qnames, source.base)


def _python_root(source: TreeInterface, row: int) -> Tree:
    tree = Tree(source.names, source.base)
    end = source.attributes(row).stop
    tree.codes += source.codes[row:end]
    tree.values += source.values[row:end]
    rows = end - row
    tree.ends += [rows, *range(2, rows + 1)]
    tree.parents += [-1] + [0] * (rows - 1)
    for other in range(row, end):
        if other in source.prefixed:
            tree.rename(other - row, source.prefixed[other])
    return tree


def append_child(tree: GrowingTree, child: Node) -> None:
    """Append a deep copy of an element; it keeps all namespaces in its scope, and inherits those of the root."""
    if isinstance(tree, Tree):
        append_subtree(tree, 0, tree.namespaces(0) if tree.declared else {}, child, True, True)
        tree.ends[0] = len(tree.codes)
        tree.forget_index()
    else:
        _append_natively(tree, child)


def append_children(tree: GrowingTree, source: TreeInterface, rows: Sequence[int]) -> list[int]:
    """Append deep copies of some elements, like `append_child`; return the row of each copy."""
    made = _gathered(tree, source, rows) if isinstance(tree, CompactTree) and rows else None
    if made is not None:
        return made
    made = []
    for row in rows:
        made.append(len(tree))
        append_child(tree, Node(source, row))
    return made


def _gathered(tree: CompactTree, source: TreeInterface, rows: Sequence[int]) -> list[int] | None:
    """Copies that the kernel makes at once: of children of one element with the root's namespaces."""
    native, parent = source.native, source.parent(rows[0])
    if native is None or source.qnames is not tree.qnames or source.names is not tree.names or parent < 0:
        return None
    if source.namespaces(parent) != tree.namespaces(0):
        return None
    made = tree.native.gather(native, rows, parent)
    if made is not None:
        tree.id_rules |= source.id_rules
        tree.idref_rules |= source.idref_rules
        tree.forget()
    return made


def _append_natively(tree: CompactTree, child: Node) -> None:
    source, start = child.tree, child.pre
    end = source.end(start)
    if source.native is not None and source.qnames is tree.qnames and source.names is tree.names:
        row = tree.native.append(source.native, start, end, 0)
    else:
        row = _append_foreign(tree, source, start, end)
    if source.id_rules or source.idref_rules:
        tree.id_rules |= source.id_rules
        tree.idref_rules |= source.idref_rules
    tree.forget()
    copied = source.copied_scope(start, tree.root_scope)
    if copied.declared:
        tree.declare_copied(row, copied.declared)
    if copied.leaves_default:
        undeclare_default(tree, row)


def _append_foreign(tree: CompactTree, source: TreeInterface, start: int, end: int) -> int:
    """Append rows of another kind of tree, or with other names. Rare: a scan has so many names that its pool fills."""
    native = tree.native
    # The names are shared with the trees of the scan, which must not see new ones.
    tree.qnames = qnames = _as_dict(tree.qnames)
    native.names = names = native.names.copy()
    first = len(native)
    by = first - start
    for row in range(start, end):
        code = source.codes[row]
        name = source.name(row)
        if name is not None:
            code = tree.names.code_of(code & KIND_MASK, name)
            names.learn(code, name.prefix, name.local)
            qnames.setdefault(code >> KIND_BITS, name)
        parent = 0 if row == start else source.parents[row] + by
        native.push(code, source.ends[row] + by, parent, source.values[row] or "")
        usual = qnames[code >> KIND_BITS]
        if name is not None and usual is not None and usual.prefix != name.prefix:
            native.rename(row + by, name.prefix)
        if row > start and row in source.declared:
            native.declare(row + by, list(source.declared[row].items()))
    native.close_root()
    return first


def _as_dict(qnames: list[QName | None] | dict[int, QName | None]) -> dict[int, QName | None]:
    return dict(qnames) if isinstance(qnames, dict) else dict(enumerate(qnames))


def held_characters(tree: TreeInterface, start: int, end: int) -> int:
    """The number of characters in the values of some rows."""
    if tree.native is not None:
        return tree.native.count_characters(start, end)
    return sum(map(len, filter(None, tree.values[start:end])))
