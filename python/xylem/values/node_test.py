"""Node tests of path steps with resolved names, turned into comparisons of integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .name_pool import KIND_MASK, NamePool, current_pool
from .node import COMMENT, ELEMENT, KIND_NAMES, TEXT, Node
from .tree_interface import TreeInterface

NO_KIND = -1
"""The kind of a test that no node passes, such as element(*, xs:integer) without validation."""

Keep = Callable[[TreeInterface, Iterable[int]], list[int]]
"""The rows of a tree that pass a test, in the given order."""


@dataclass(frozen=True)
class NodeTest:
    """A kind and a name. `kind` None is node(); of the name, None is a wildcard part.

    A name test has the principal node kind of its axis as kind: ATTRIBUTE on the attribute axis, else ELEMENT.
    For a processing instruction `local` is the target and `uri` ''. `element` is the inner test of
    document-node(element(…)).
    """

    kind: int | None = None
    uri: str | None = None
    local: str | None = None
    element: NodeTest | None = None

    @property
    def is_exact(self) -> bool:
        """True if one code decides: a kind with its whole name, or a kind without names."""
        if self.kind in (TEXT, COMMENT):
            return True
        return bool(self.kind) and self.kind != NO_KIND and self.uri is not None and self.local is not None

    def code(self, names: NamePool) -> int:
        """The code of an exact test."""
        assert self.kind is not None
        if self.uri is None or self.local is None:
            return self.kind
        return names.code(self.kind, self.uri, self.local)

    def usual_code(self) -> tuple[NamePool, int]:
        """The pool that nearly all trees share, and the code of an exact test in it."""
        usual = current_pool()
        return usual, self.code(usual)

    def coder(self) -> Callable[[TreeInterface], int]:
        """The code of an exact test in a tree."""
        usual, code = self.usual_code()
        return lambda tree: code if tree.names is usual else self.code(tree.names)

    def keep(self) -> Keep:
        """The test as a filter of rows."""
        kind = self.kind
        if kind is None:
            return _keep_all
        if kind == NO_KIND:
            return _keep_none
        if self.element is not None:
            return self._keep_documents
        if self.is_exact:
            coder = self.coder()
            return lambda tree, rows: _keep_code(tree, rows, coder(tree))
        if self.uri is None and self.local is None:
            return lambda tree, rows: _keep_kind(tree, rows, kind)
        return self._keep_pattern

    def accepter(self, tree: TreeInterface) -> Callable[[int], bool]:
        """The test of one row of a tree."""
        codes = tree.codes
        if self.is_exact:
            code = self.code(tree.names)
            return lambda row: codes[row] == code
        if self.kind is None:
            return lambda row: True
        keep = self.keep()
        return lambda row: bool(keep(tree, (row,)))

    def _keep_pattern(self, tree: TreeInterface, rows: Iterable[int]) -> list[int]:
        assert self.kind is not None
        codes = tree.codes
        wanted = tree.names.matching(self.kind, self.uri, self.local)
        return [row for row in rows if codes[row] in wanted]

    def _keep_documents(self, tree: TreeInterface, rows: Iterable[int]) -> list[int]:
        return [row for row in rows if tree.codes[row] & KIND_MASK == self.kind and self._holds(tree, row)]

    def _holds(self, tree: TreeInterface, document: int) -> bool:
        """Whether there is one element child that passes the inner test, and no text (XQuery 3.1 §2.5.5.2)."""
        children = tree.children(document)
        elements = [row for row in children if tree.codes[row] & KIND_MASK == ELEMENT]
        if len(elements) != 1 or any(tree.codes[row] == TEXT for row in children):
            return False
        return self.element is not None and self.element.matches(Node(tree, elements[0]))

    def matches(self, node: Node) -> bool:
        return bool(self.keep()(node.tree, (node.pre,)))

    def __str__(self) -> str:
        if self.kind is None:
            return "node()"
        if self.kind == NO_KIND:
            return "nothing()"
        if self.element is not None:
            return f"{KIND_NAMES[self.kind]}({self.element})"
        if self.uri is None and self.local is None:
            return f"{KIND_NAMES[self.kind]}()"
        uri = "*:" if self.uri is None else f"Q{{{self.uri}}}" if self.uri else ""
        return f"{KIND_NAMES[self.kind]}({uri}{self.local or '*'})"


def _keep_all(tree: TreeInterface, rows: Iterable[int]) -> list[int]:
    return rows if isinstance(rows, list) else list(rows)


def _keep_none(tree: TreeInterface, rows: Iterable[int]) -> list[int]:
    return []


def _keep_code(tree: TreeInterface, rows: Iterable[int], code: int) -> list[int]:
    codes = tree.codes
    return [row for row in rows if codes[row] == code]


def _keep_kind(tree: TreeInterface, rows: Iterable[int], kind: int) -> list[int]:
    codes = tree.codes
    return [row for row in rows if codes[row] & KIND_MASK == kind]


ANY_ELEMENT = NodeTest(ELEMENT)
