"""Copying a subtree into a tree that is being built: columns are copied as slices, then namespaces are adjusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from .compact_tree import CompactTree
from .copied_rows import CopiedRows, Copies
from .name_pool import KIND_BITS, KIND_MASK
from .node import ATTRIBUTE, ELEMENT, Node
from .qname import QName
from .tree import Tree
from .tree_interface import TreeInterface

T = TypeVar("T")

COUNTED_ROWS = 32
"""A tree of smaller copies is as large as the query makes it."""


def append_subtree(target: Tree, parent: int, scope: dict[str, str], node: Node, preserve: bool, inherit: bool) -> None:
    """Append a deep copy of an element under `parent` (-1 for none), in whose place `scope` is in scope.

    `preserve` and `inherit` are the copy-namespaces modes (XQuery 3.1 §3.9.1.3 1.e).
    """
    source, start = node.tree, node.pre
    end = source.end(start)
    if end - start >= COUNTED_ROWS:
        copies = input_of(source)
        if target.copied is None:
            target.copied = CopiedRows(copies)
        target.copied.add_original(source.order, len(source), copies)
        target.copied.add(end - start, copies)
    append_rows(target, parent, scope, node, preserve, inherit)


def input_of(tree: TreeInterface) -> Copies | None:
    """The count of copies of the input that a tree belongs to, or was copied from."""
    if tree.copies is None and isinstance(tree, Tree) and tree.copied is not None:
        return tree.copied.first
    return tree.copies


def append_rows(target: Tree, parent: int, scope: dict[str, str], node: Node, preserve: bool, inherit: bool) -> None:
    """The same without counting."""
    source, start = node.tree, node.pre
    end = source.end(start)
    row = len(target.codes)
    shift = row - start
    codes, ends, parents, values = source.moved(start, end, shift)
    target.ends += ends
    target.parents.append(parent)
    target.parents += parents
    target.values += values
    _copy_names(target, source, start, codes)
    if source.id_rules:
        target.id_rules |= source.id_rules
    if source.idref_rules:
        target.idref_rules |= source.idref_rules
    if parent >= 0 and not inherit:
        target.isolate(row)
        scope = {}
    if not scope and not source.has_declarations:
        return
    if preserve:
        _preserve_namespaces(target, scope, source, start, end, shift)
    else:
        _keep_used_namespaces(target, row)


def _copy_names(target: Tree, source: TreeInterface, start: int, codes: Sequence[int]) -> None:
    shift = len(target.codes) - start
    if source.names is target.names:
        target.codes += codes
    else:
        of_kind = target.names.code_of
        for code in codes:
            name = source.qnames[code >> KIND_BITS]
            target.codes.append(code if name is None else of_kind(code & KIND_MASK, name))
    if source.qnames is not target.qnames:
        _copy_prefixes(target, source, start, codes, shift)
    for row, name in within(source.prefixed, start, start + len(codes)):
        target.rename(row + shift, name)


def _copy_prefixes(target: Tree, source: TreeInterface, start: int, codes: Sequence[int], shift: int) -> None:
    """Keep the prefixes of a document if the shared names have others."""
    unlike: dict[int, QName] = {}
    for code in set(codes):
        name = source.qnames[code >> KIND_BITS]
        if name is not None:
            usual = target.names.qnames[target.names.code_of(code & KIND_MASK, name) >> KIND_BITS]
            if usual is not None and usual.prefix != name.prefix:
                unlike[code] = name
    if unlike:
        for row, code in enumerate(codes, start):
            if code in unlike:
                target.rename(row + shift, unlike[code])


def _preserve_namespaces(
    target: Tree, scope: dict[str, str], source: TreeInterface, start: int, end: int, shift: int
) -> None:
    """Keep all namespaces in scope of the original, and inherit those around the copy unless they clash."""
    row = start + shift
    copied = source.copied_scope(start, scope)
    if source.has_declarations:
        for other, declared in source.declared_within(start + 1, end):
            target.declare(other + shift, dict(declared))
        for other in source.isolated:
            if start < other < end:
                target.isolate(other + shift)
    if copied.declared:
        target.declare(row, copied.declared)
    if copied.leaves_default:
        undeclare_default(target, row)


def undeclare_default(target: Tree | CompactTree, first: int) -> None:
    """Keep the unprefixed elements of a copy out of the default namespace around it."""
    for row in range(first, len(target.codes)):
        if target.codes[row] & KIND_MASK == ELEMENT:
            name = target.name(row)
            if name is not None and not name.uri and target.namespaces(row).get(""):
                target.declare(row, {"": ""})


def _keep_used_namespaces(target: Tree, first: int) -> None:
    """Keep only those namespaces of the originals that element and attribute names use."""
    for row in range(first, len(target.codes)):
        kind = target.codes[row] & KIND_MASK
        if kind not in (ELEMENT, ATTRIBUTE):
            continue
        name = target.name(row)
        owner = row if kind == ELEMENT else target.parents[row]
        if name is None or name.prefix == "xml" or (kind == ATTRIBUTE and not name.uri):
            continue
        if target.namespaces(owner).get(name.prefix, "") != name.uri:
            target.declare(owner, {name.prefix: name.uri})


def within(rows: Mapping[int, T], start: int, end: int) -> Iterable[tuple[int, T]]:
    """The entries of some rows, in time that grows with the smaller of the dict and the range."""
    if end - start < len(rows):
        return [(row, rows[row]) for row in range(start, end) if row in rows]
    return [(row, value) for row, value in rows.items() if start <= row < end]
