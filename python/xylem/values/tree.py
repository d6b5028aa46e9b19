"""A tree of nodes as parallel columns, one row per node, in document order.

The number of a row is the node's `pre`. Attributes stand right after their element, before its children. For row p

    codes[p]    kind and name, see `name_pool.py`
    ends[p]     one past the last row of the subtree: its size is ends[p] - p - 1
    parents[p]  the row of the parent, -1 at the root
    values[p]   the characters of text, attributes, comments, processing instructions; None for the others

so that a subtree is a range, a next sibling is one look-up, and "is a descendant of" two comparisons.

The columns are lists: in CPython reading a list item takes a quarter of the time of an `array` item, and
since rows share their integer objects a list row costs 60 bytes against 25. A column of levels is not kept: with
parents at hand no axis needs it.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from .name_pool import KIND_BITS, KIND_MASK, NamePool
from .node import ATTRIBUTE, COMMENT, DOCUMENT, ELEMENT, PROCESSING_INSTRUCTION, TEXT, Node
from .qname import QName
from .strings import UntypedAtomic

if TYPE_CHECKING:
    from .tree_interface import TreeInterface

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"

_orders = count(1)

# Most trees are small and need none of these: they share empty ones, which are replaced before the first entry.
_NO_NAMES: dict[int, QName] = {}
_NO_DECLARATIONS: dict[int, dict[str, str]] = {}
_NO_ROWS: set[int] = set()
_NO_RULES: frozenset[tuple[int, int]] = frozenset()
_NO_INDEX: dict[int, list[int]] = {}


class Tree:
    """The rows of one tree. Only a builder or reader appends to it; once it is finished nothing changes."""

    __slots__ = (
        "__weakref__",
        "_elements_by_id",
        "_index",
        "base",
        "codes",
        "declared",
        "document_uri",
        "ends",
        "id_rules",
        "idref_rules",
        "isolated",
        "names",
        "order",
        "parents",
        "prefixed",
        "qnames",
        "values",
    )

    def __init__(self, names: NamePool, base: str | None = None) -> None:
        self.order = next(_orders)
        self.names = names
        self.qnames: list[QName | None] | dict[int, QName | None] = names.qnames
        """By `code >> 3`. A document has its own table, to keep the prefixes its author chose."""
        self.prefixed = _NO_NAMES
        """The rows whose prefix is not the one in `qnames`."""
        self.codes: list[int] = []
        self.ends: list[int] = []
        self.parents: list[int] = []
        self.values: list[str | None] = []
        self.declared = _NO_DECLARATIONS
        """Namespaces declared at an element, or undeclared by the URI ''."""
        self.isolated = _NO_ROWS
        """Elements that do not inherit namespaces from their parent (copy-namespaces no-inherit)."""
        self.base = base
        self.document_uri: str | None = None
        self.id_rules = _NO_RULES
        """(element code, attribute code) of the attributes a DTD declares as ID; xml:id needs no rule."""
        self.idref_rules = _NO_RULES
        self._index = _NO_INDEX
        self._elements_by_id: dict[str, int] | None = None

    # --- for builders

    def rename(self, row: int, name: QName) -> None:
        """Give a row a prefix of its own."""
        if self.prefixed is _NO_NAMES:
            self.prefixed = {}
        self.prefixed[row] = name

    def declare(self, row: int, bindings: dict[str, str]) -> None:
        """Add namespace declarations to an element."""
        if self.declared is _NO_DECLARATIONS:
            self.declared = {}
        here = self.declared.get(row)
        if here is None:
            self.declared[row] = bindings
        else:
            here.update(bindings)

    def forget_index(self) -> None:
        """Rows were added to a tree that had been read already."""
        self._index = _NO_INDEX
        self._elements_by_id = None

    def isolate(self, row: int) -> None:
        """Keep an element from inheriting namespaces."""
        if self.isolated is _NO_ROWS:
            self.isolated = set()
        self.isolated.add(row)

    # --- one node

    def kind(self, pre: int) -> int:
        return self.codes[pre] & KIND_MASK

    def name(self, pre: int) -> QName | None:
        if self.prefixed:
            found = self.prefixed.get(pre)
            if found is not None:
                return found
        return self.qnames[self.codes[pre] >> KIND_BITS]

    def string_value(self, pre: int) -> str:
        value = self.values[pre]
        if value is not None:
            return value
        codes = self.codes
        end = self.ends[pre]
        first = pre + 1
        while first < end and codes[first] & KIND_MASK == ATTRIBUTE:
            first += 1
        if end - first < 2:
            return self.values[first] or "" if first < end and codes[first] == TEXT else ""
        values = self.values
        texts = [values[p] for p, code in enumerate(codes[first:end], first) if code == TEXT]
        return "".join(texts)  # type: ignore[arg-type]  # a text row always has a value

    def typed_value(self, pre: int) -> str:
        kind = self.codes[pre] & KIND_MASK
        if kind <= TEXT:
            return UntypedAtomic(self.string_value(pre))
        return self.string_value(pre)

    def parent(self, pre: int) -> int:
        return self.parents[pre]

    def attributes(self, pre: int) -> range:
        codes = self.codes
        end = self.ends[pre]
        first = last = pre + 1
        while last < end and codes[last] & KIND_MASK == ATTRIBUTE:
            last += 1
        return range(first, last)

    def children(self, pre: int) -> list[int]:
        codes, ends = self.codes, self.ends
        end = ends[pre]
        child = pre + 1
        while child < end and codes[child] & KIND_MASK == ATTRIBUTE:
            child += 1
        found = []
        while child < end:
            found.append(child)
            child = ends[child]
        return found

    # --- names

    def elements_named(self, code: int) -> list[int]:
        """The rows with a code, ascending. The list is kept: callers must not change it."""
        found = self._index.get(code)
        if found is None:
            if self._index is _NO_INDEX:
                self._index = {}
            found = self._index[code] = rows_with(self.codes, code, 0, len(self.codes))
        return found

    def has_index(self, code: int) -> bool:
        return code in self._index

    # --- namespaces and base URI

    def namespaces(self, pre: int) -> dict[str, str]:
        """In-scope namespaces of an element: what it and its ancestors declare, the nearest winning."""
        if self.codes[pre] & KIND_MASK != ELEMENT:
            return {}
        found: dict[str, str] = {}
        declared = self.declared
        if declared:
            row = pre
            while row >= 0:
                here = declared.get(row)
                if here:
                    for prefix, uri in here.items():
                        found.setdefault(prefix, uri)
                if row in self.isolated:
                    break
                row = self.parents[row]
            found = {prefix: uri for prefix, uri in found.items() if uri}
        found["xml"] = XML_NAMESPACE
        return found

    def base_uri(self, pre: int) -> str | None:
        """The base URI property (XDM 3.1 §6): xml:base of the nearest ancestors, resolved outwards."""
        kind = self.codes[pre] & KIND_MASK
        if kind > ATTRIBUTE and kind != TEXT and kind != COMMENT and kind != PROCESSING_INSTRUCTION:
            return None
        bases = self.elements_named(self.names.code(ATTRIBUTE, XML_NAMESPACE, "base", "xml"))
        if not bases:
            return self.base
        return self._resolved_base(pre, bases)

    def _resolved_base(self, pre: int, bases: list[int]) -> str | None:
        from .uri import resolve

        owners = {self.parents[row]: row for row in bases}
        chain: list[str] = []
        row = pre
        while row >= 0:
            if row in owners:
                chain.append(self.values[owners[row]] or "")
            row = self.parents[row]
        base = self.base
        for reference in reversed(chain):
            base = resolve(reference, base) if base is not None else reference
        return base

    # --- identifiers

    def is_id(self, attribute: int) -> bool:
        code = self.codes[attribute]
        if code == self.names.code(ATTRIBUTE, XML_NAMESPACE, "id", "xml"):
            return True
        return bool(self.id_rules) and (self.codes[self.parents[attribute]], code) in self.id_rules

    def is_idref(self, attribute: int) -> bool:
        if not self.idref_rules or self.parents[attribute] < 0:
            return False
        return (self.codes[self.parents[attribute]], self.codes[attribute]) in self.idref_rules

    def id_attributes(self) -> list[int]:
        """All attributes that are identifiers, in document order."""
        codes = {self.names.code(ATTRIBUTE, XML_NAMESPACE, "id", "xml"), *(rule[1] for rule in self.id_rules)}
        return sorted(row for code in codes for row in self.elements_named(code) if self.is_id(row))

    def element_with_id(self, value: str) -> int:
        """The first element with an identifier, -1 where there is none."""
        if self._elements_by_id is None:
            self._elements_by_id = {}
            for row in self.id_attributes():
                self._elements_by_id.setdefault(self.values[row] or "", self.parents[row])
        return self._elements_by_id.get(value, -1)

    def idref_attributes(self) -> list[int]:
        codes = {rule[1] for rule in self.idref_rules}
        return sorted(row for code in codes for row in self.elements_named(code) if self.is_idref(row))

    def __len__(self) -> int:
        return len(self.codes)


def rows_with(codes: list[int], code: int, start: int, end: int) -> list[int]:
    """The places of a code in a range of the column; `list.index` runs at C speed between the hits."""
    found: list[int] = []
    index = codes.index
    try:
        while True:
            start = index(code, start, end)
            found.append(start)
            start += 1
    except ValueError:
        return found


def leaf(names: NamePool, code: int, value: str, name: QName | None = None) -> Node:
    """A tree of one parentless attribute, text, comment, processing instruction or namespace node."""
    tree = Tree(names)
    tree.codes.append(code)
    tree.ends.append(1)
    tree.parents.append(-1)
    tree.values.append(value)
    if name is not None:
        usual = tree.qnames[code >> KIND_BITS]
        if usual is None or usual.prefix != name.prefix:
            tree.rename(0, name)
    return Node(tree, 0)


def is_tree_shaped(node: Node) -> bool:
    """True for documents and elements: the nodes that can have children."""
    return node.tree.codes[node.pre] & KIND_MASK in (DOCUMENT, ELEMENT)


def _check_interface(tree: Tree) -> TreeInterface:
    # Only for the type checker: `Tree` fulfils the interface another implementation stands in for.
    return tree
