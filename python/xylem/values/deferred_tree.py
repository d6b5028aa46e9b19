"""Constructed elements in constructed elements: what goes into an element is noted, and copied when somebody looks.

    declare function local:c($n) { element { node-name($n) } { $n/* ! local:c(.) } };

Each level puts what the levels below have made into an element of its own. If every level copied it, the time would
grow with the depth times the size. A finished tree does not change, so that its rows can be copied once, into the tree
that is read at last. Until then a *placeholder* row stands for each of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeGuard

from .name_pool import KIND_MASK
from .node import ELEMENT
from .tree import Tree
from .tree_interface import TreeInterface

LEAST_ROWS = 32
"""Smaller trees are copied at once: that costs less than to note them."""


class Noted(NamedTuple):
    """The rows of a tree with placeholders, and the trees that these stand for."""

    codes: list[int]
    ends: list[int]
    parents: list[int]
    values: list[str | None]
    pieces: dict[int, Tree]


class DeferredTree(Tree):
    """A tree with placeholders, which becomes an ordinary one when its columns are read. Its root is an element."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name not in ("codes", "ends", "parents", "values"):
            raise AttributeError(name)
        _expand(self)
        return getattr(self, name)


def can_be_deferred(tree: TreeInterface, into: Tree) -> TypeGuard[Tree]:
    """Whether a finished tree is an element that can be copied later: one with the same names, and no namespaces."""
    if type(tree) is DeferredTree:
        return tree.names is into.names and tree.qnames is into.qnames
    if type(tree) is not Tree or not tree.is_finished or len(tree.codes) < LEAST_ROWS:
        return False
    if tree.names is not into.names or tree.qnames is not into.qnames or tree.codes[0] & KIND_MASK != ELEMENT:
        return False
    return not (tree.declared or tree.prefixed or tree.isolated or tree.id_rules or tree.idref_rules)


def root_code(tree: Tree) -> int:
    """The code of the root, without looking at anything else."""
    return tree.noted.codes[0] if type(tree) is DeferredTree else tree.codes[0]


def defer(tree: Tree, pieces: dict[int, Tree]) -> None:
    """A tree is finished: leave its placeholders until somebody looks, if that can be."""
    tree.noted = Noted(tree.codes, tree.ends, tree.parents, tree.values, pieces)
    tree.__class__ = DeferredTree
    del tree.codes, tree.ends, tree.parents, tree.values
    named = tree.declared or tree.prefixed or tree.isolated or tree.id_rules or tree.idref_rules
    if named or root_code(tree) & KIND_MASK != ELEMENT:
        _expand(tree)


def _expand(tree: Tree) -> None:
    """Copy all rows, those of trees in trees too: one after another, however deep they stand."""
    noted = tree.noted
    tree.__class__ = Tree
    tree.codes, tree.ends, tree.parents, tree.values = [], [], [], []
    places = [0] * len(noted.codes)
    # Trees that have been begun: each with its next row, the places of its rows, and the row it stands in.
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
        rows = piece.noted if type(piece) is DeferredTree else _plain(piece)
        begun.append((rows, 0, [0] * len(rows.codes), at[current.parents[row]]))
    _move_names(tree, places)
    del tree.noted


def _plain(tree: Tree) -> Noted:
    return Noted(tree.codes, tree.ends, tree.parents, tree.values, {})


def _copy_up_to_piece(tree: Tree, noted: Noted, row: int, at: list[int], around: int) -> int:
    """Copy rows up to the next placeholder, or to the end; ends follow when they are known."""
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
    """All rows of a tree have their places: now their ends have too."""
    at.append(len(tree.codes))
    for row, end in enumerate(noted.ends):
        if row not in noted.pieces:
            tree.ends[at[row]] = at[end]


def _move_names(tree: Tree, at: list[int]) -> None:
    """What was noted of the tree's own rows follows them."""
    if tree.declared:
        tree.declared = {at[row]: bindings for row, bindings in tree.declared.items()}
    if tree.prefixed:
        tree.prefixed = {at[row]: name for row, name in tree.prefixed.items()}
    if tree.isolated:
        tree.isolated = {at[row] for row in tree.isolated}
