"""The tree of one unit: its element, or the versions of its slot, reduced to the parts that its loop reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from xylem.values.name_pool import KIND_BITS, KIND_MASK, NamePool, current_pool
from xylem.values.node import ATTRIBUTE, ELEMENT, PROCESSING_INSTRUCTION, TEXT, Node
from xylem.values.qname import QName
from xylem.values.tree import Tree
from xylem.values.version_choice import VersionChoice

from .commits import History, Stream
from .content import Content, Document, Element, Leaf, Slot, placed
from .content import Node as ContentNode
from .flat_history import newest_nodes
from .places import Place
from .state_tree import StateTree, _Place
from .unit_notes import Unit, declared_around

__all__ = ["UnitTrees"]

_MOST_MADE = 64
"""Number of trees with chosen versions that are kept during a commit."""
_MOST_KEPT = 16_384
"""Number of trees that are kept from one commit to the next."""
Children = frozenset[tuple[str, str]] | None


class _Placed:
    """Trees that are ordered like their units, whenever they were built."""

    __slots__ = ()
    place: Place

    @property
    def order(self) -> int:
        return self.place[0]

    @order.setter
    def order(self, made: int) -> None:
        pass


class PlainUnitTree(_Placed, Tree):
    """The newest version of a unit."""

    __slots__ = ("place", "values_at")

    def __init__(self, names: NamePool, place: Place) -> None:
        super().__init__(names)
        self.place = place
        self.values_at: dict[Slot, int] = {}
        """The rows of elements that contain only a text, by slot."""

    def is_patched(self, slot: Slot, element: Element, leaf: Leaf) -> bool:
        """Replace the text of an element, if the slot has one; return whether it did."""
        row = self.values_at.get(slot)
        if row is None:
            return False
        self.values[row + 1] = leaf.value
        return True


class UnitTree(_Placed, StateTree):
    """A document of one unit, as of the last commit."""

    __slots__ = ("_children", "_scope", "place", "values_at")

    def __init__(self, history: History, unit: Unit) -> None:
        self.place = unit.place
        self._scope = unit.scope
        self._children = unit.source.children
        self.values_at: dict[Slot, int] = {}
        document = Document()
        document.content.append(unit.item)
        super().__init__(history, Stream(unit.source.stream, history, document), history.number)

    def _fill(self, row: int, owner: Element | Document) -> None:
        """As for any tree, but slots beside that of the unit are separate units, and not all children are read."""
        children = self._children if self.parents[row] == 0 else None
        entries = self._places[row] = []
        content = owner.content
        for item in content if not row else _in_order(content):
            if type(item) is Slot:
                nodes = newest_nodes(item, self.commit)
                if nodes is None:
                    continue
                place = _Place(item, row, len(entries))
                entries.append(place)
                place.start = len(self.codes)
                for node in nodes:
                    if _is_read(node, children):
                        child = self._append(node, row)
                        self._place_of[child] = place, 0
                        if type(node) is Element:
                            self._fill(child, node)
                place.end = len(self.codes)
                if place.end == place.start + 2:
                    self.values_at[item] = place.start
            elif item.shown and _is_read(item, children):  # type: ignore[union-attr,arg-type]  # a slot was seen to
                entries.append(len(self.codes))
                child = self._append(item, row)  # type: ignore[arg-type]
                if type(item) is Element:
                    self._fill(child, item)
        self.ends[row] = len(self.codes)

    def is_patched(self, slot: Slot, element: Element, leaf: Leaf) -> bool:
        """Move to another commit and replace the text of an element, if the slot has one; return whether it did."""
        row = self.values_at.get(slot)
        # The content of an earlier version is dropped with it.
        if row is None or row >= self._block_ends[0] or not self.forget_versions():
            return False
        self._items[row] = element
        self._items[row + 1] = leaf
        self.values[row + 1] = leaf.value
        return True

    def _append(self, node: ContentNode, parent: int) -> int:
        row = super()._append(node, parent)
        if parent == 0 and self._scope and type(node) is Element:
            self.declare(row, declared_around(node, self._scope))
        return row

    def _row(self, code: int, parent: int, value: str | None, item: ContentNode | Document | None) -> int:
        codes = self.codes
        row = len(codes)
        codes.append(code)
        self.ends.append(row + 1)
        self.parents.append(parent)
        self.values.append(value)
        self._items.append(item)
        return row


def _in_order(content: Sequence[Content]) -> Iterable[Content]:
    for item in content:
        if type(item) is Slot and (item.before or item.after):
            return placed(content)
    return content


def _is_read(node: ContentNode, children: Children) -> bool:
    return children is None or (type(node) is Element and (node.name.uri, node.name.local) in children)


class UnitTrees:
    """Makes the nodes of units, as of the last commit."""

    def __init__(self, history: History, looking_back: Iterable[int] = (), *, are_kept: bool = True) -> None:
        """`are_kept`: whether the nodes of a unit may have other content after another commit."""
        self._history = history
        self._are_kept = are_kept
        self._choices: dict[int, VersionChoice] = {}
        self._looking_back = frozenset(looking_back)
        """The sources whose units may be asked for earlier versions."""
        self._codes: dict[tuple[str, str], int] = {}
        self._pool = current_pool()
        self._made: dict[Unit, list[Node]] = {}
        self._kept: dict[Unit, list[Node]] = {}
        """Trees with the current content of their units: a change of a unit is made in its tree, or drops the tree."""

    def begin(self) -> None:
        """Begin a commit: earlier trees may have changed."""
        self._made.clear()

    def nodes(self, unit: Unit) -> list[Node]:
        """The elements that a unit gives to its loop. An index and its readers see the same tree of a unit."""
        if self._are_kept and unit.source.projection is None:
            kept = self._kept.get(unit)
            if kept is None:
                if len(self._kept) >= _MOST_KEPT:
                    self._kept.clear()
                kept = self._kept[unit] = self._nodes(unit)
            elif unit.source.number in self._looking_back:
                kept[0].tree.commit = self._history.number  # type: ignore[attr-defined]  # a `UnitTree`
            return list(kept)
        made = self._made.get(unit)
        if made is None:
            if len(self._made) >= _MOST_MADE:
                self._made.clear()
            made = self._made[unit] = self._nodes(unit)
        return made

    def let_go(self, unit: Unit) -> None:
        """Drop the tree of a unit whose content has changed."""
        self._kept.pop(unit, None)

    def patch(self, unit: Unit, slot: Slot, element: Element, leaf: Leaf) -> None:
        """Replace the text of an element in the unit."""
        kept = self._kept.get(unit)
        if kept is None:
            return
        if unit.item is element and type(tree := kept[0].tree) is PlainUnitTree and len(tree.codes) == 2:
            tree.values[1] = leaf.value
        elif not kept[0].tree.is_patched(slot, element, leaf):  # type: ignore[attr-defined]
            del self._kept[unit]

    def _nodes(self, unit: Unit) -> list[Node]:
        source = unit.source
        if source.projection is None:
            if source.number in self._looking_back:
                return [Node(UnitTree(self._history, unit), 1)]
            return [Node(self._plain(unit), 0)]
        tree = UnitTree(self._history, unit)
        choice = self._choices.get(source.number)
        if choice is None:
            chosen = source.projection
            choice = VersionChoice(chosen.sign, Decimal(chosen.amount))  # type: ignore[arg-type]
            self._choices[source.number] = choice
        test = source.steps[-1].test
        found = []
        for row in tree.chosen_content(0, choice):
            if tree.codes[row] & KIND_MASK == ELEMENT:
                name = tree.name(row)
                assert name is not None
                if test.takes(name.uri, name.local):
                    found.append(Node(tree, row))
        return found

    def _plain(self, unit: Unit) -> Tree:
        """Only the newest version of a unit, with its element as the root of the tree."""
        tree = PlainUnitTree(self._pool, unit.place)
        item = unit.item
        assert type(item) is Element
        self._append(tree, item, -1, unit.source.children)
        if unit.scope:
            tree.declare(0, declared_around(item, unit.scope))
        return tree

    def _append(self, tree: PlainUnitTree, element: Element, parent: int, children: Children) -> None:
        codes, ends, parents, values = tree.codes, tree.ends, tree.parents, tree.values
        row = len(codes)
        name = element.name
        key = (name.uri, name.local)
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = self._pool.code_of(ELEMENT, name)
        codes.append(code)
        ends.append(0)
        parents.append(parent)
        values.append(None)
        if name.uri:
            self._rename(tree, row, name)
        for name, value in element.attributes:
            code = self._pool.code_of(ATTRIBUTE, name)
            codes.append(code)
            ends.append(len(codes))
            parents.append(row)
            values.append(value)
            if name.uri:
                self._rename(tree, len(codes) - 1, name)
        if element.declared:
            tree.declare(row, dict(element.declared))
        content = element.content
        if len(content) == 1 and type(leaf := content[0]) is Leaf and leaf.kind == TEXT and leaf.shown:
            if children is None:
                codes.append(TEXT)
                ends.append(len(codes))
                parents.append(row)
                values.append(leaf.value)
        else:
            self._append_content(tree, content, row, children)
        ends[row] = len(codes)

    def _append_content(self, tree: PlainUnitTree, content: Sequence[Content], row: int, children: Children) -> None:
        for item in content:
            kind = type(item)
            if kind is Leaf:
                if children is None and item.shown:  # type: ignore[union-attr]
                    self._append_leaf(tree, item, row)  # type: ignore[arg-type]
            elif kind is Element:
                if item.shown and (children is None or (item.name.uri, item.name.local) in children):  # type: ignore[union-attr]
                    self._append(tree, item, row, None)  # type: ignore[arg-type]
            elif item.before or item.after:  # type: ignore[union-attr]
                for slot in placed((item,)):
                    self._append_content(tree, slot.versions[-1].content, row, children)  # type: ignore[union-attr]
            else:
                start = len(tree.codes)
                self._append_content(tree, item.versions[-1].content, row, children)  # type: ignore[union-attr]
                if len(tree.codes) == start + 2:
                    tree.values_at[item] = start  # type: ignore[index]

    def _append_leaf(self, tree: Tree, leaf: Leaf, row: int) -> None:
        codes = tree.codes
        kind = leaf.kind
        codes.append(self._pool.code(kind, "", leaf.name) if kind == PROCESSING_INSTRUCTION else kind)
        tree.ends.append(len(codes))
        tree.parents.append(row)
        tree.values.append(leaf.value)

    @staticmethod
    def _rename(tree: Tree, row: int, name: QName) -> None:
        usual = tree.qnames[tree.codes[row] >> KIND_BITS]
        if usual is not None and usual.prefix != name.prefix:
            tree.rename(row, name)
