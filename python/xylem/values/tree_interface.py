"""The interface of every tree: its columns, and derived properties.

There are two implementations. `tree.py` keeps Python lists: builders and the Python scanner fill it; it is the
reference. `compact_tree.py` is a front for columns in the kernel. Fast code uses `native`; other code reads the columns
and need not know the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

from .name_pool import KIND_BITS, KIND_MASK, NamePool
from .node import ATTRIBUTE, COMMENT, ELEMENT, PROCESSING_INSTRUCTION, TEXT
from .qname import QName
from .strings import UntypedAtomic

if TYPE_CHECKING:
    from .copied_rows import Copies
    from .native_rows import NativeRows
    from .version_choice import Lifespan, VersionChoice

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"

_NO_NUMBERS: dict[tuple[int, int], int] = {}
MovedRows: TypeAlias = tuple[list[int], list[int], list[int], list[str | None]]


class CopiedScope(NamedTuple):
    """How a copy of an element keeps the namespaces that were in scope of it."""

    declared: dict[str, str]
    """Its declarations. Copies share them, so they must not be changed."""
    leaves_default: bool
    """Whether it would inherit a default namespace, which must not apply to its unprefixed elements."""


class TreeInterface:
    """Rows in document order, numbered from 0; attributes right after their element. See `tree.py`."""

    __slots__ = (
        "_elements_by_id",
        "base",
        "copies",
        "document_uri",
        "id_rules",
        "idref_rules",
        "names",
        "order",
        "qnames",
    )

    order: int
    """The sort key of trees: a process-wide number that grows with each new tree."""
    copies: Copies | None
    """The count of copies of the input that it was read from; None for a constructed tree."""
    names: NamePool
    qnames: list[QName | None] | dict[int, QName | None]
    """By `code >> 3`. A document has its own table, to keep the prefixes its author chose."""
    codes: Sequence[int]
    """Kind and name of each row, as codes of `names`."""
    ends: Sequence[int]
    """One past the last row of each subtree."""
    parents: Sequence[int]
    """The parent of each row, -1 at the root."""
    values: Sequence[str | None]
    """The characters of text, attributes, comments, processing instructions; None for the others."""
    prefixed: Mapping[int, QName]
    """The rows whose prefix differs from that in `qnames`."""
    declared: Mapping[int, Mapping[str, str]]
    """Namespaces declared at an element, or undeclared by the URI ''."""
    isolated: Set[int]
    """Elements that do not inherit namespaces from their parent (copy-namespaces no-inherit)."""
    numbers: Mapping[tuple[int, int], int] = _NO_NUMBERS
    """Numbers that a scan gave rows, by row and label, unless the kernel keeps them."""
    opened: Sequence[int] = ()
    """For a batch outside the kernel: the rows of the elements open when it began, from the outside in."""
    base: str | None
    document_uri: str | None
    id_rules: frozenset[tuple[int, int]]
    """(element code, attribute code) of the attributes a DTD declares as ID; xml:id needs no rule."""
    idref_rules: frozenset[tuple[int, int]]
    native: NativeRows | None
    """The columns in the kernel, if they are there."""
    _elements_by_id: dict[str, int] | None
    is_ranked: ClassVar[bool] = False
    """Whether there are earlier versions, so rows are not in document order: see `ranked_axes.py`."""

    # --- implemented differently by each tree

    def string_value(self, pre: int) -> str:
        raise NotImplementedError

    def attributes(self, pre: int) -> range:
        raise NotImplementedError

    def children(self, pre: int) -> list[int]:
        raise NotImplementedError

    def elements_named(self, code: int) -> list[int]:
        """The rows with a code, ascending. The list is cached: callers must not change it."""
        raise NotImplementedError

    def has_index(self, code: int) -> bool:
        """Whether `elements_named` has its result cached."""
        raise NotImplementedError

    def rank(self, row: int) -> tuple[float, ...]:
        """Sorts rows in document order."""
        return (row,)

    def siblings(self, row: int, *, are_after: bool) -> list[int]:
        """For a ranked tree: the siblings before or after a row, in document order."""
        raise NotImplementedError

    def chosen_content(self, row: int, choice: VersionChoice) -> list[int]:
        """For a tree with versions: the chosen ones of the content of an element or document, slot by slot."""
        raise NotImplementedError

    def chosen_versions(self, row: int, choice: VersionChoice) -> list[int]:
        """For a tree with versions: the chosen ones of a node's slot, relative to its own."""
        raise NotImplementedError

    def lifespan(self, row: int) -> Lifespan:
        """For a tree with versions: when the node's version began, and ended."""
        raise NotImplementedError

    def version_number(self, row: int) -> int:
        """For a tree with versions: the number of versions of its slot that are newer than the node's."""
        raise NotImplementedError

    # --- one node

    def kind(self, pre: int) -> int:
        return self.codes[pre] & KIND_MASK

    def name(self, pre: int) -> QName | None:
        if self.prefixed:
            found = self.prefixed.get(pre)
            if found is not None:
                return found
        return self.qnames[self.codes[pre] >> KIND_BITS]

    def typed_value(self, pre: int) -> str:
        kind = self.codes[pre] & KIND_MASK
        if kind <= TEXT:
            return UntypedAtomic(self.string_value(pre))
        return self.string_value(pre)

    def parent(self, pre: int) -> int:
        return self.parents[pre]

    def depth(self, pre: int) -> int:
        """The number of ancestors of a row."""
        depth = 0
        while (pre := self.parent(pre)) >= 0:
            depth += 1
        return depth

    def end(self, pre: int) -> int:
        """One past the last row of the subtree."""
        return self.ends[pre]

    def value(self, pre: int) -> str | None:
        """The characters of text, attributes, comments, processing instructions."""
        return self.values[pre]

    def moved(self, start: int, end: int, by: int) -> MovedRows:
        """Rows shifted by a number of rows: codes, ends, parents (except that of the first) and values."""
        ends = [row + by for row in self.ends[start:end]]
        parents = [row + by for row in self.parents[start + 1 : end]]
        return list(self.codes[start:end]), ends, parents, list(self.values[start:end])

    def spine(self) -> list[int]:
        """The elements open when a batch began; otherwise the root, and the chain of first child elements, inwards."""
        if self.opened:
            return list(self.opened)
        codes = self.codes
        found = [0]
        row, size = 1, len(codes)
        while True:
            while row < size and codes[row] & KIND_MASK == ATTRIBUTE:
                row += 1
            if row >= size or codes[row] & KIND_MASK != ELEMENT:
                return found
            found.append(row)
            row += 1

    # --- namespaces and base URI

    @property
    def has_declarations(self) -> bool:
        """Whether any element declares namespaces."""
        return bool(self.declared)

    def declared_within(self, start: int, end: int) -> Iterable[tuple[int, Mapping[str, str]]]:
        """The declarations of some rows, in time that grows with the smaller of all of them and the range."""
        declared = self.declared
        if end - start < len(declared):
            return [(row, declared[row]) for row in range(start, end) if row in declared]
        return [(row, bindings) for row, bindings in declared.items() if start <= row < end]

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

    def copied_scope(self, pre: int, scope: dict[str, str]) -> CopiedScope:
        """The declarations of a copy of an element in a place where `scope` is in scope."""
        kept = self.namespaces(pre)
        del kept["xml"]
        leaves_default = bool(scope.get("")) and "" not in kept
        if scope:
            kept = {prefix: uri for prefix, uri in kept.items() if scope.get(prefix) != uri}
        return CopiedScope(kept, leaves_default)

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
        """The first element with an identifier, -1 if there is none."""
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
