"""One scan of an input: bytes through a scanner, and its batches as trees of this process.

for batch in scan("auction.xml", plan):
    for kind, step, row in zip(batch.kinds, batch.steps, batch.rows):
        …                                  # Node(batch.tree, row)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from xylem.errors import InputError
from xylem.plan.scan_plan import Batch, ScanPlan, Taken, Written
from xylem.plan.scan_table import TableState
from xylem.values.compact_tree import CompactTree
from xylem.values.copied_rows import Copies
from xylem.values.name_pool import KIND_BITS, KIND_MASK, NamePool, current_pool
from xylem.values.qname import QName
from xylem.values.tree import Tree
from xylem.values.tree_interface import TreeInterface

from . import kernel
from .byte_source import ByteSource, Source
from .limits import DEFAULT_LIMITS, Limits
from .read_ahead import read_ahead
from .transcoding import readable_by_kernel

if TYPE_CHECKING:
    from xylem.values.native_rows import NativeNames, NativeRows


class Scanner(Protocol):
    """The common interface of the kernel's and the Python scanner; see `plan/scan_plan.py`."""

    writes: bool

    def feed(self, data: bytes, flush: bool = False) -> Batch | None: ...

    def finish(self) -> Batch: ...


NewScanner = Callable[[ScanPlan, Limits], Scanner]


@dataclass(slots=True)
class ScannedBatch:
    """A batch with its rows in a tree: names are codes of the pool that trees made now share."""

    tree: TreeInterface
    kinds: list[int]
    steps: list[int]
    rows: list[int]
    counts: list[int]
    input_bytes: int
    """Number of bytes scanned so far, after decompression."""
    written: list[Written]
    """The texts of the WRITTEN records."""
    tables: list[TableState]
    """The results of finished tables."""
    taken: Sequence[Taken]
    """The records of takers."""


def scan(
    source: Source | ByteSource,
    plan: ScanPlan,
    *,
    limits: Limits = DEFAULT_LIMITS,
    scanner: str = "auto",
    uri: str | None = None,
    may_write: Callable[[], bool] = lambda: False,
    trees: BatchTrees | None = None,
    batch_bytes: int | None = None,
) -> Iterator[ScannedBatch]:
    """Read an input once, as far as batches are requested.

    `uri` becomes document and base URI; a path has its own. `scanner` is kernel, python, or auto for the best
    available. An error comes after everything complete before it. Before each piece of input, `may_write` returns
    whether results of templates can be taken as text. `trees` is for callers that scan consecutive documents: it
    remembers names. `batch_bytes` limits the input of a batch.
    """
    new_scanner = scanner_class(scanner)
    with ByteSource.of(source, limits.decompression_ratio) as byte_source:
        trees = trees or BatchTrees(None, limits)
        trees.begin(uri or byte_source.uri)
        try:
            chunks, scanner_in_use = _begun(new_scanner, plan, limits, byte_source, trees)
            if batch_bytes is not None:
                chunks = _cut(chunks, batch_bytes)
            batches = _batches(scanner_in_use, chunks, may_write, byte_source.is_whole)
            # Whether results are taken as text can change with each batch: then the next one must wait for the
            # decision.
            if byte_source.may_be_read_ahead and not any(step.result for step in plan.steps):
                batches = read_ahead(batches, byte_source.is_ready)
            with closing(batches):
                for batch in batches:
                    yield trees.scanned(batch)
        except InputError as error:
            raise byte_source.located(error) from error.__cause__


def _begun(
    new_scanner: NewScanner, plan: ScanPlan, limits: Limits, source: ByteSource, trees: BatchTrees
) -> tuple[Iterable[bytes], Scanner]:
    """The scanner and its input.

    The kernel is told to keep the columns: even a batch of one small record is not slower for it.
    """
    if new_scanner is not kernel.Scanner:
        return source, new_scanner(plan, limits)
    whole = source.whole()
    chunks, encoding = readable_by_kernel(iter(source)) if whole is None else ((whole,), None)
    return chunks, trees.scanner(plan, limits, encoding)


def _cut(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    return (chunk[start : start + size] for chunk in chunks for start in range(0, len(chunk), size))


def _batches(
    scanner: Scanner, chunks: Iterable[bytes], may_write: Callable[[], bool], is_whole: bool
) -> Generator[Batch, None, None]:
    """The batches; for an input in memory, complete parts need not be reported before its end."""
    pieces = iter(chunks)
    while True:
        try:
            chunk = next(pieces, None)
        except InputError:
            # Input before undecodable bytes counts.
            batch = scanner.feed(b"", True)
            if batch is not None:
                yield batch
            raise
        if chunk is None:
            break
        scanner.writes = may_write()
        batch = scanner.feed(chunk, not is_whole)
        if batch is not None:
            yield batch
            # An error may be pending, and the next chunk may be long in coming.
            scanner.feed(b"")
    yield scanner.finish()
    scanner.feed(b"")


class BatchTrees:
    """Turns the batches of one scan into trees; it remembers the names they introduced.

    Scans of documents may follow each other: a scan numbers names in the order it meets them, so those of one document
    serve for the next as long as it has the same names in the same order.
    """

    def __init__(self, uri: str | None, limits: Limits = DEFAULT_LIMITS) -> None:
        self._uri = uri
        self._limits = limits
        self._most_names = limits.names
        self._copies = Copies(limits.copied_nodes)
        self._names: list[tuple[str, str, str]] = [("", "", "")]
        self._met = 1
        """Number of them seen in this scan."""
        self._codes = _Codes(current_pool(), self._names)
        self._before: tuple[ScanPlan, Limits, kernel.Scanner] | None = None

    def begin(self, uri: str | None) -> None:
        """Another scan begins."""
        self._uri = uri
        self._met = 1
        self._copies = Copies(self._limits.copied_nodes)

    def scanner(self, plan: ScanPlan, limits: Limits, encoding: str | None) -> kernel.Scanner:
        """A scanner by the kernel: that of the previous document, if it can start again."""
        before, self._before = self._before, None
        if before is not None and before[0] is plan and before[1] is limits and before[2].again(encoding):
            scanner = before[2]
        else:
            scanner = kernel.Scanner(plan, limits, encoding=encoding)
            scanner.keep_columns()
        self._before = plan, limits, scanner
        return scanner

    def scanned(self, batch: Batch) -> ScannedBatch:
        return ScannedBatch(
            self.tree(batch),
            batch.kinds,
            batch.steps,
            batch.rows,
            batch.counts,
            batch.input_bytes,
            batch.written,
            batch.tables,
            batch.taken,
        )

    def tree(self, batch: Batch) -> TreeInterface:
        if batch.new_names:
            self._meet(batch.new_names)
        if self._met > self._most_names + 1:
            local = self._names[self._most_names + 1][1]
            raise InputError("XYIN0004", f"names: '{local}' is one more than the {self._most_names} that are allowed")
        pool = current_pool()
        if pool is not self._codes.pool:
            self._codes = _Codes(pool, self._names)
        codes = self._codes
        tree = self._tree(batch, codes)
        tree.document_uri = self._uri
        tree.copies = self._copies
        return tree

    def _tree(self, batch: Batch, codes: _Codes) -> TreeInterface:
        if batch.native is not None:
            return self._compact_tree(batch.native, codes)
        tree = Tree(codes.pool, self._uri)
        tree.codes = [codes[code] for code in batch.codes]
        tree.qnames = codes.qnames
        tree.ends, tree.parents, tree.values = batch.ends, batch.parents, batch.values
        if batch.declared:
            tree.declared = batch.declared
        tree.opened = batch.spine
        if batch.numbers:
            tree.numbers = batch.numbers
        for row, prefix in batch.prefixed.items():
            uri, local, _ = self._names[batch.codes[row] >> KIND_BITS]
            tree.rename(row, QName(uri, local, prefix))
        return tree

    def _meet(self, new: list[tuple[str, str, str]]) -> None:
        """Names seen for the first time in the scan."""
        known, self._met = self._met, self._met + len(new)
        if self._names[known : self._met] == new:
            return
        if known < len(self._names):
            self._names = self._names[:known]
            self._codes = _Codes(self._codes.pool, self._names)
        self._names += new

    def _compact_tree(self, native: NativeRows, codes: _Codes) -> CompactTree:
        table = codes.table
        if table is None:
            table = codes.table = native.new_names()
        unknown = native.recode(table)
        if unknown:
            for code in unknown:
                _, local, prefix = self._names[code >> KIND_BITS]
                table.add(code, codes[code], prefix, local)
            native.recode(table)
        return CompactTree(native, codes.pool, codes.qnames, self._uri)


class _Codes(dict[int, int]):
    """From a scanner's codes to those of a pool; `qnames` has the prefixes of the input."""

    def __init__(self, pool: NamePool, names: list[tuple[str, str, str]]) -> None:
        self.pool = pool
        self.table: NativeNames | None = None
        """The same for trees in the kernel."""
        self.qnames: dict[int, QName | None] = {0: None}
        self._names = names

    def __missing__(self, code: int) -> int:
        found = code
        if code >> KIND_BITS:
            uri, local, prefix = self._names[code >> KIND_BITS]
            found = self.pool.code(code & KIND_MASK, uri, local, prefix)
            self.qnames[found >> KIND_BITS] = QName(uri, local, prefix)
        self[code] = found
        return found


# --- which scanner

_has_warned = False


def scanner_class(choice: str = "auto") -> NewScanner:
    """The scanner in use; warns once if the fast one is missing."""
    if choice not in ("auto", "kernel", "python"):
        raise ValueError(f"the scanner is auto, kernel or python, not {choice!r}")
    if choice != "python":
        native = _kernel_scanner()
        if native is not None:
            return native
        if choice == "kernel":
            raise InputError("XYIN0010")
        _warn()
    from .python_scanner import PythonScanner

    return PythonScanner


def _kernel_scanner() -> NewScanner | None:
    if not kernel.is_kernel_built():
        return None
    found: NewScanner | None = getattr(kernel, "Scanner", None)
    return found


def _warn() -> None:
    global _has_warned
    if not _has_warned:
        _has_warned = True
        why = "the scan kernel is not built here: Python scans instead, which takes much longer (see `xylem doctor`)"
        warnings.warn(why, RuntimeWarning, stacklevel=3)
