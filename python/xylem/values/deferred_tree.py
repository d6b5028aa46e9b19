"""Constructed elements around others: the content of an element is recorded, and copied on first access.

    declare function local:c($n) { element { node-name($n) } { $n/* ! local:c(.) } };
    for $a in //a return <x>{ $a }</x>

In the first query, each level wraps the results of the levels below in its own element. If every level copied them, the
time would grow with the depth times the size. A finished tree does not change, so its rows can be copied once, into the
tree that is finally read. Until then a *placeholder* row stands for each of them. In the second query, a placeholder
stands for an element of the document. If the result is only written, nothing is copied: it is written from its
original, with the namespaces in scope there (`sink/deferred_xml.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeGuard

from .compact_tree import CompactTree
from .copied_rows import CopiedRows, Copies
from .name_pool import KIND_MASK
from .node import ELEMENT, Node
from .qname import QName
from .tree import Tree
from .tree_copy import append_rows, input_of
from .tree_interface import TreeInterface

LEAST_ROWS = 32
"""Smaller trees are copied at once if no namespaces are involved: that costs less than recording them."""

Rules = frozenset[tuple[int, int]]
Piece = Tree | Node
"""A finished tree, or an element of a document."""

_NO_SCOPE: dict[str, str] = {}
_DEFERRED = ("codes", "ends", "parents", "values", "declared", "prefixed", "isolated", "id_rules", "idref_rules")
"""Columns that are unknown before the pieces are copied."""


class Noted(NamedTuple):
    """The rows of a tree with placeholders, and their pieces."""

    codes: list[int]
    ends: list[int]
    parents: list[int]
    values: list[str | None]
    pieces: dict[int, Piece]


class DeferredTree(Tree):
    """A tree with placeholders, which becomes an ordinary one when its columns are read. Its root is an element."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name not in _DEFERRED:
            raise AttributeError(name)
        _expand(self)
        return getattr(self, name)

    def become_ordinary(self) -> None:
        self.__class__ = Tree  # type: ignore[assignment]  # the same slots
        self.forget_names()

    def kind(self, pre: int) -> int:
        """The first thing a writer reads: that of the root is known."""
        return self.codes[pre] & KIND_MASK if pre else ELEMENT


def can_be_deferred(tree: TreeInterface, into: Tree) -> TypeGuard[Tree]:
    """Whether a finished tree is an element that can be copied later: one with the same names, and no namespaces."""
    if type(tree) is DeferredTree:
        return tree.names is into.names and tree.qnames is into.qnames
    if type(tree) is not Tree or not tree.is_finished or len(tree.codes) < LEAST_ROWS:
        return False
    if tree.names is not into.names or tree.qnames is not into.qnames or tree.codes[0] & KIND_MASK != ELEMENT:
        return False
    return not _is_named(tree)


def can_be_noted(tree: TreeInterface, row: int) -> bool:
    """Whether an element of a document should be copied later: it is large, or may have many namespaces in scope."""
    if type(tree) is not CompactTree or not tree.is_whole or tree.id_rules or tree.idref_rules:
        return False
    return tree.native.has_declarations or tree.native.end(row) - row >= LEAST_ROWS


def root_code(tree: Tree) -> int:
    """The code of the root, without any other access."""
    return tree.noted.codes[0] if type(tree) is DeferredTree else tree.codes[0]


def defer(tree: Tree, pieces: dict[int, Piece]) -> None:
    """A tree is finished: keep its placeholders until the first access, if possible."""
    tree.noted = Noted(tree.codes, tree.ends, tree.parents, tree.values, pieces)
    if _is_named(tree) or root_code(tree) & KIND_MASK != ELEMENT:
        _expand(tree)
        return
    tree.__class__ = DeferredTree
    for name in _DEFERRED:
        delattr(tree, name)


def _expand(tree: Tree) -> None:
    """Copy all rows, including nested pieces: iteratively, however deep they are."""
    noted = tree.noted
    tree.copied = _counted(noted)
    if isinstance(tree, DeferredTree):
        tree.become_ordinary()
    own = tree.declared, tree.prefixed, tree.isolated, tree.id_rules, tree.idref_rules
    tree.forget_names()
    tree.codes, tree.ends, tree.parents, tree.values = [], [], [], []
    places = [0] * len(noted.codes)
    # Trees in progress: each with its next row, the places of its rows, and its row in the outer tree.
    begun: list[tuple[Noted, int, list[int], int]] = [(noted, 0, places, -1)]
    while begun:
        current, row, at, around = begun.pop()
        row = _copy_up_to_piece(tree, current, row, at, around)
        if row == len(current.codes):
            _end(tree, current, at)
            continue
        at[row] = len(tree.codes)
        begun.append((current, row + 1, at, around))
        piece = current.pieces[row]
        parent = at[current.parents[row]]
        rows = noted_rows(piece)
        if rows is None:
            node = piece if isinstance(piece, Node) else Node(piece, 0)
            append_rows(tree, parent, _NO_SCOPE, node, True, True)
            continue
        begun.append((rows, 0, [0] * len(rows.codes), parent))
    _move_names(tree, places, *own)
    del tree.noted


def _counted(noted: Noted) -> CopiedRows:
    """What will be copied; XYDY0006 if that is too much: pieces in pieces may double with each step."""
    originals: list[tuple[int, int, Copies | None]] = []
    rows: dict[int, int] = {}
    waiting = [noted]
    while waiting:
        current = waiting[-1]
        size = len(current.codes)
        unknown: list[Noted] = []
        for piece in current.pieces.values():
            if isinstance(piece, Node):
                originals.append((piece.tree.order, len(piece.tree), input_of(piece.tree)))
                size += piece.tree.end(piece.pre) - piece.pre
            elif type(piece) is not DeferredTree:
                originals.append((piece.order, len(piece.codes), input_of(piece)))
                size += len(piece.codes)
            elif id(piece.noted) in rows:
                size += rows[id(piece.noted)]
            else:
                unknown.append(piece.noted)
        if unknown:
            waiting += unknown
            continue
        waiting.pop()
        if id(current) not in rows:
            rows[id(current)] = size
            originals.append((-id(current), len(current.codes), None))
    # Rows of several inputs count as those of the first one.
    copied = CopiedRows(next((copies for _, _, copies in originals if copies is not None), None))
    for order, size, _ in originals:
        copied.add_original(order, size)
    copied.add(rows[id(noted)])
    return copied


def noted_rows(piece: Piece) -> Noted | None:
    """The rows of a tree without namespaces; None for an element of a document, and a tree that has since got
    namespaces.
    """
    if isinstance(piece, Node):
        return None
    if type(piece) is DeferredTree:
        noted: Noted = piece.noted
        return noted
    return None if _is_named(piece) else Noted(piece.codes, piece.ends, piece.parents, piece.values, {})


def _is_named(tree: Tree) -> bool:
    return bool(tree.declared or tree.prefixed or tree.isolated or tree.id_rules or tree.idref_rules)


def _copy_up_to_piece(tree: Tree, noted: Noted, row: int, at: list[int], around: int) -> int:
    """Copy rows up to the next placeholder, or to the end; ends are filled in when known."""
    pieces = noted.pieces
    while row < len(noted.codes) and row not in pieces:
        at[row] = len(tree.codes)
        parent = noted.parents[row]
        tree.codes.append(noted.codes[row])
        tree.ends.append(0)
        tree.parents.append(around if parent < 0 else at[parent])
        tree.values.append(noted.values[row])
        row += 1
    return row


def _end(tree: Tree, noted: Noted, at: list[int]) -> None:
    """All rows of a tree have their places, so their ends are known, too."""
    at.append(len(tree.codes))
    for row, end in enumerate(noted.ends):
        if row not in noted.pieces:
            tree.ends[at[row]] = at[end]


def _move_names(
    tree: Tree,
    at: list[int],
    declared: dict[int, dict[str, str]],
    prefixed: dict[int, QName],
    isolated: set[int],
    id_rules: Rules,
    idref_rules: Rules,
) -> None:
    """Recorded facts about the tree's own rows move with them."""
    for row, bindings in declared.items():
        tree.declare(at[row], bindings)
    for row, name in prefixed.items():
        tree.rename(at[row], name)
    for row in isolated:
        tree.isolate(at[row])
    if id_rules or idref_rules:
        tree.id_rules |= id_rules
        tree.idref_rules |= idref_rules
