"""Columns in the kernel: 20 bytes a row and the characters once, compared with some 120 bytes in Python lists.

Node tests, axes, string values and serialisation run there over all rows of a step at once; `tree.py` remains the
reference for their results. All other code reads the columns as sequences, one Python call for each item: loops over
many rows should use `native` instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from .name_pool import KIND_BITS, NamePool
from .node import ELEMENT, TEXT
from .qname import QName
from .strings import UntypedAtomic
from .tree import next_order
from .tree_interface import XML_NAMESPACE, CopiedScope, MovedRows, TreeInterface

if TYPE_CHECKING:
    from .copied_rows import Copies
    from .native_rows import NativeRows

_NO_NAMES: dict[int, QName] = {}
_NO_DECLARATIONS: dict[int, dict[str, str]] = {}
_NO_RULES: frozenset[tuple[int, int]] = frozenset()


class CompactTree(TreeInterface):
    """Read only, except for `compact_buffer.py`."""

    __slots__ = (
        "__weakref__",
        "_columns",
        "_copied",
        "_declared",
        "_index",
        "_prefixed",
        "_root_scope",
        "_shared",
        "is_document",
        "is_whole",
        "native",
    )

    isolated: frozenset[int] = frozenset()
    native: NativeRows

    def __init__(
        self,
        native: NativeRows,
        names: NamePool,
        qnames: list[QName | None] | dict[int, QName | None],
        base: str | None = None,
    ) -> None:
        """The codes of `native` are those of `names` already; `qnames` has its names with their prefixes."""
        self.order = next_order()
        self.copies: Copies | None = None
        self.native = native
        self.names = names
        self.qnames = qnames
        self.base = base
        self.document_uri: str | None = None
        self.id_rules = _NO_RULES
        self.idref_rules = _NO_RULES
        self._columns: tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[str | None]] | None = None
        self._prefixed: dict[int, QName] | None = None
        self._declared: dict[int, dict[str, str]] | None = None
        self._index: dict[int, list[int]] | None = None
        self._elements_by_id: dict[str, int] | None = None
        self.is_whole = False
        """Whether it is a document that was read as a whole, which nothing changes."""
        self.is_document = False
        """Whether it has all rows of a document, and row 0 is the document node."""
        self._copied: tuple[tuple[int, int], dict[str, str], CopiedScope] | None = None
        """The last result of `copied_scope`: siblings mostly share it."""
        self._root_scope: dict[str, str] | None = None
        self._shared: tuple[dict[str, str], int] | None = None
        """The last declarations of a copy, and their row."""

    # --- columns, for row-by-row access

    @property
    def codes(self) -> Sequence[int]:  # type: ignore[override]  # nobody may replace a column of the kernel
        return (self._columns or self._read_columns())[0]

    @property
    def ends(self) -> Sequence[int]:  # type: ignore[override]
        return (self._columns or self._read_columns())[1]

    @property
    def parents(self) -> Sequence[int]:  # type: ignore[override]
        return (self._columns or self._read_columns())[2]

    @property
    def values(self) -> Sequence[str | None]:  # type: ignore[override]
        return (self._columns or self._read_columns())[3]

    def _read_columns(self) -> tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[str | None]]:
        self._columns = self.native.columns
        return self._columns

    @property
    def prefixed(self) -> dict[int, QName]:  # type: ignore[override]
        found = self._prefixed
        if found is None:
            codes, qnames = self.codes, self.qnames
            found = self._prefixed = self._own_names(codes, qnames) or _NO_NAMES
        return found

    def _own_names(
        self, codes: Sequence[int], qnames: list[QName | None] | dict[int, QName | None]
    ) -> dict[int, QName]:
        found = {}
        for row, prefix in self.native.prefixed().items():
            usual = qnames[codes[row] >> KIND_BITS]
            assert usual is not None
            found[row] = QName(usual.uri, usual.local, prefix)
        return found

    @property
    def declared(self) -> dict[int, dict[str, str]]:  # type: ignore[override]
        if self._declared is None:
            self._declared = self.native.declared() if self.native.has_declarations else _NO_DECLARATIONS
        return self._declared

    # --- one node

    def kind(self, pre: int) -> int:
        return self.native.kind(pre)

    def name(self, pre: int) -> QName | None:
        prefixed = self._prefixed
        if prefixed is None:
            prefixed = self.prefixed
        if prefixed:
            found = prefixed.get(pre)
            if found is not None:
                return found
        return self.qnames[self.native.code(pre) >> KIND_BITS]

    def string_value(self, pre: int) -> str:
        return self.native.string_value(pre)

    def typed_value(self, pre: int) -> str:
        value = self.native.string_value(pre)
        return UntypedAtomic(value) if self.native.kind(pre) <= TEXT else value

    def parent(self, pre: int) -> int:
        return self.native.parent(pre)

    def depth(self, pre: int) -> int:
        return self.native.depth(pre)

    def end(self, pre: int) -> int:
        return self.native.end(pre)

    def value(self, pre: int) -> str | None:
        return self.native.value(pre)

    def attributes(self, pre: int) -> range:
        return range(pre + 1, self.native.attributes_end(pre))

    def moved(self, start: int, end: int, by: int) -> MovedRows:
        return self.native.moved(start, end, by)

    def children(self, pre: int) -> list[int]:
        return self.native.path_from(pre, self.native.plan(_CHILDREN))

    def spine(self) -> list[int]:
        return self.native.spine()

    # --- names and namespaces

    def elements_named(self, code: int) -> list[int]:
        if self._index is None:
            self._index = {}
        found = self._index.get(code)
        if found is None:
            found = self._index[code] = self.native.named(code)
        return found

    def has_index(self, code: int) -> bool:
        return self._index is not None and code in self._index

    def namespaces(self, pre: int) -> dict[str, str]:
        if self.native.kind(pre) != ELEMENT:
            return {}
        found = self.native.in_scope(pre)
        found["xml"] = XML_NAMESPACE
        return found

    @property
    def has_declarations(self) -> bool:
        return self.native.has_declarations

    def declared_within(self, start: int, end: int) -> Iterable[tuple[int, Mapping[str, str]]]:
        return self.native.declared(start, end).items() if self.native.has_declarations else ()

    def copied_scope(self, pre: int, scope: dict[str, str]) -> CopiedScope:
        key = self.native.scope_key(pre)
        known = self._copied
        if known is not None and known[0] == key and known[1] is scope:
            return known[2]
        found = super().copied_scope(pre, scope)
        self._copied = key, scope, found
        return found

    # --- growing, for `growing_tree.py`

    @property
    def root_scope(self) -> dict[str, str]:
        """The namespaces in scope of the root: the same object as long as they are the same."""
        if self._root_scope is None:
            self._root_scope = self.namespaces(0)
        return self._root_scope

    def declare(self, row: int, bindings: dict[str, str]) -> None:
        """Add namespace declarations to an element."""
        self.native.declare(row, list({**self.native.declared_at(row), **bindings}.items()))
        self._declared = self._copied = None
        if row == 0:
            self._root_scope = None
        if self._shared is not None and row == self._shared[1]:
            self._shared = None

    def declare_copied(self, row: int, bindings: dict[str, str]) -> None:
        """Let the root of a copy declare the result of `copied_scope`, stored once for all copies that share it."""
        known = self._shared
        if known is not None and known[0] is bindings:
            self.native.declare_like(row, known[1])
            self._declared = self._copied = None
            return
        self.declare(row, bindings)
        self._shared = bindings, row

    def rename(self, row: int, name: QName) -> None:
        """Set the prefix of a row."""
        self.native.rename(row, name.prefix)
        self._prefixed = None

    def forget(self) -> None:
        """Drop caches: rows were added to a tree that had been read already."""
        self._index = self._prefixed = self._declared = self._elements_by_id = None

    def __len__(self) -> int:
        return len(self.native)


_CHILDREN = [("child", "any", ())]
