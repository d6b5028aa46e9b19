"""Batches of small documents read by the kernel: each becomes text by a template, or else a tree.

One reader serves all documents of a run, and remembers their names. A document that the kernel does not read, because
it is compressed, in a rare encoding or malformed, is read as a single document would be, which also says what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.errors import InputError
from xylem.plan.result_template import Template
from xylem.values.compact_tree import CompactTree
from xylem.values.copied_rows import Copies
from xylem.values.name_pool import KIND_BITS, KIND_MASK, NamePool, current_pool
from xylem.values.node import Node
from xylem.values.qname import QName

from . import kernel
from .limits import Limits
from .message_batches import Batch, ColumnBatch, Document, ListedBatch
from .xml_reader import read_document

if TYPE_CHECKING:
    from xylem.values.native_rows import NativeNames, NativeRows

    from .kernel import MessageBatch
    from .kernel import MessageReader as NativeReader

Written = tuple[str, int]
"""The text of an answer, and its number of items."""
Run = tuple[str, int, bool, bool]
"""The text of the answers of neighbours, the number of items, and whether the first and the last are atomic."""


class MessageReader:
    """Reads batches, one after another.

    Holds:  the names of the documents so far, up to some thousands.
    """

    def __init__(self, limits: Limits, template: Template | None) -> None:
        self.limits = limits
        self._kernel = kernel.message_reader(limits, template)
        self._names: _Names | None = None

    def read(self, batch: Batch, *, writes: bool) -> ReadBatch:
        """Read the documents of a batch; with `writes`, as text if the template can decide them."""
        reader, names, pool = self._kernel, self._names, current_pool()
        if reader is None:
            return ReadBatch(batch, None, None, self.limits)
        if reader.begin() or names is None:
            names = _Names(pool, self.limits)
        elif names.pool is not pool:
            names = _Names(pool, self.limits, names.table)
        self._names = names
        native = _read(reader, batch, writes)
        names.table += reader.new_names()
        return ReadBatch(batch, native, names, self.limits)


def _read(reader: NativeReader, batch: Batch, writes: bool) -> MessageBatch:
    if isinstance(batch, ColumnBatch):
        return reader.read_column(batch.data, batch.offsets, batch.width, batch.is_text, writes)
    assert isinstance(batch, ListedBatch)
    return reader.read(batch.small(), writes)


_MOST_IDLE = 4
"""About the number of threads likely to read at once."""
_idle: list[MessageReader] = []


def small_tree(data: Document, limits: Limits) -> CompactTree | None:
    """The tree of one small document, by a reader that knows earlier names; None if the kernel cannot read it."""
    try:
        reader = _idle.pop()
    except IndexError:
        reader = MessageReader(limits, None)
    if reader.limits is not limits:
        reader = MessageReader(limits, None)
    tree = reader.read(ListedBatch((data,)), writes=False).tree(0)
    if tree is not None:
        tree.is_document = True
    if len(_idle) < _MOST_IDLE:
        _idle.append(reader)
    return tree


class ReadBatch:
    """The documents of a batch, as text or as trees."""

    __slots__ = ("_batch", "_limits", "_names", "_native", "_trees")

    def __init__(self, batch: Batch, native: MessageBatch | None, names: _Names | None, limits: Limits) -> None:
        self._batch = batch
        self._native = native
        self._names = names
        self._limits = limits
        self._trees: list[CompactTree | None] | None = None

    def written(self) -> list[Written | None]:
        """For each document the text of its answer; None if it must be computed."""
        if self._native is None:
            return [None] * len(self._batch)
        return self._native.answers()

    def runs(self) -> tuple[list[Run], list[int]]:
        """The written answers, concatenated with spaces between adjacent atomic values: in runs between the documents
        that were not written, whose numbers follow."""
        if self._native is None:
            return [("", 0, False, False)] * (len(self._batch) + 1), self._unwritten()
        return self._native.runs(), self._unwritten()

    def written_bytes(self) -> int:
        """The bytes of the documents whose answers were written."""
        left = set(self._unwritten())
        given = (self._batch.document(index) for index in range(len(self._batch)) if index not in left)
        return sum(len(document) for document in given if isinstance(document, (bytes, str)))

    def _unwritten(self) -> list[int]:
        return list(range(len(self._batch))) if self._native is None else self._native.unwritten()

    def document(self, index: int) -> Node:
        """The document node; an InputError with the place if it cannot be read."""
        tree = self.tree(index)
        if tree is None:
            return self._by_itself(index)
        tree.base = tree.document_uri = self._batch.uri(index)
        return Node(tree, 0)

    def tree(self, index: int) -> CompactTree | None:
        """The tree of a document that was read, once; None for any other."""
        trees = self._trees
        if trees is None:
            trees = self._trees = self._all_trees()
        tree, trees[index] = trees[index], None
        return tree

    def _all_trees(self) -> list[CompactTree | None]:
        names = self._names
        if self._native is None or names is None:
            return [None] * len(self._batch)
        names.learn(self._native.unknown(names.native))
        made = [None if rows is None else names.tree(rows) for rows in self._native.trees(names.native)]
        for number, element, attribute, is_id in self._native.identifier_rules(names.native):
            tree = made[number]
            assert tree is not None
            if is_id:
                tree.id_rules |= {(element, attribute)}
            else:
                tree.idref_rules |= {(element, attribute)}
        return made

    def _by_itself(self, index: int) -> Node:
        document = self._batch.document(index)
        assert document is not None
        if isinstance(document, InputError):
            raise document
        return read_document(document, self._batch.uri(index), limits=self._limits)


class _Names:
    """From codes of the reader to those of a pool."""

    def __init__(self, pool: NamePool, limits: Limits, table: list[tuple[str, str, str]] | None = None) -> None:
        self.pool = pool
        self._limits = limits
        self.table: list[tuple[str, str, str]] = [("", "", "")] if table is None else table
        self.native: NativeNames = kernel.new_names()
        self.qnames: dict[int, QName | None] = {0: None}

    def learn(self, codes: list[int]) -> None:
        for code in codes:
            uri, local, prefix = self.table[code >> KIND_BITS]
            pooled = self.pool.code(code & KIND_MASK, uri, local, prefix)
            self.qnames[pooled >> KIND_BITS] = QName(uri, local, prefix)
            self.native.add(code, pooled, prefix, local)

    def tree(self, rows: NativeRows) -> CompactTree:
        tree = CompactTree(rows, self.pool, self.qnames)
        tree.copies = Copies(self._limits.copied_nodes)
        return tree
