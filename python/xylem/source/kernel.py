"""The only interface to the native kernel: its build, its scanner, and its reader of whole documents. The kernel is
optional. Without it, everything works on the Python fallback, only slower. Here plans and limits become its plain
tuples, its output becomes batches and trees, and its errors become ours.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from xylem.errors import EngineBug, InputError, InputPlace, XylemError
from xylem.plan.native_windows import KernelWindows
from xylem.plan.result_template import Tally, Template
from xylem.plan.scan_plan import AttributeTest, Batch, PositionTest, PresenceTest, ScanPlan, ValueTest, Written
from xylem.values.compact_tree import CompactTree
from xylem.values.copied_rows import Copies
from xylem.values.name_pool import KIND_BITS, NamePool, current_pool
from xylem.values.native_rows import (
    NativeColumn,
    NativeMatches,
    NativeNames,
    NativePairRows,
    NativePairTexts,
    NativePairWriter,
    NativePlan,
    NativeRows,
)
from xylem.values.qname import QName
from xylem.values.strings import UntypedAtomic
from xylem.values.tree import Tree
from xylem.values.tree_interface import TreeInterface

from .byte_ranges import CutPoint, Scope
from .doctype import UNREAD_DTD
from .limits import DEFAULT_LIMITS, ITEM_BYTES, Limits
from .stale_kernel import warn_of_stale_kernel
from .template_tuples import result_tuple, value_test_tuple
from .window_tuples import window_tuple

if TYPE_CHECKING:
    from xylem._kernel import (
        BatchTuple,
        LastResort,
        LimitsTuple,
        PlanTuple,
        ScanError,
        SimpleUpdate,
        TakerTests,
        TestTuple,
        TreeColumns,
        TreeNames,
    )
    from xylem._kernel import MessageBatch as MessageBatch
    from xylem._kernel import MessageReader as MessageReader
    from xylem._kernel import Scanner as NativeScanner
    from xylem._kernel import TextUpdates as TextUpdates
    from xylem._kernel import TreeTemplate as TreeTemplate
    from xylem._kernel import WindowCursor as NativeWindowCursor

_CODES = {
    "syntax": "XYIN0001",
    "namespace": "XYIN0001",
    "skipped-entity": "XYIN0001",
    "limit": "XYIN0004",
    "item-limit": "XYIN0004",
    "encoding": "XYIN0007",
    "external-entity": "XYIN0008",
}


class KernelBuild(NamedTuple):
    """The kernel in use: its version, and whether it was built with optimisations."""

    version: str
    profile: str


def kernel_build() -> KernelBuild | None:
    """The report of the loaded kernel; None if the Python fallback is in use."""
    try:
        from xylem import _kernel
    except ImportError:
        return None
    return KernelBuild(_kernel.VERSION, _kernel.PROFILE)


def last_resort(seconds: float, message: bytes, exit_code: int) -> LastResort | None:
    """Ends the process after a time, even if Python no longer runs; None without a kernel."""
    if not is_kernel_built():
        return None
    from xylem import _kernel

    return _kernel.LastResort(seconds, message, exit_code)


def number_column() -> NativeColumn:
    """An empty column of numbers."""
    column: NativeColumn = _native().NumberColumn()
    return column


def window_cursor(windows: KernelWindows, query: object) -> NativeWindowCursor:
    """Forms windows of rows; `query` answers what the kernel leaves to it."""
    made: NativeWindowCursor = _native().WindowCursor(window_tuple(windows), query, UntypedAtomic, Decimal)
    return made


def kernel_pairs(
    kind: str,
    best: int,
    orders: Sequence[tuple[tuple[object, ...], bool, float | None]],
    conditions: Sequence[tuple[str, tuple[object, ...], tuple[object, ...]]],
    left: Sequence[NativeColumn | array[float]],
    left_items: int,
    right: Sequence[NativeColumn | array[float]],
    right_items: int,
    keys: tuple[array[int], array[int]] | None,
    by: str = "",
) -> tuple[array[int], array[int]] | None:
    """The pairs of a best-match join over columns, ascending; None without a kernel.

    `by`: how to search for partners, `boxes` or `grid`; by default, whichever visits fewer items.
    """
    if not is_kernel_built():
        return None
    lefts, rights = array("I"), array("I")
    found = _native().best_pairs(
        kind,
        best,
        orders,
        conditions,
        list(map(_as_column, left)),
        left_items,
        list(map(_as_column, right)),
        right_items,
        None if keys is None else (keys[0].tobytes(), keys[1].tobytes()),
        by,
    )
    lefts.frombytes(found[0])
    rights.frombytes(found[1])
    return lefts, rights


def match_index(
    kind: str,
    best: int,
    orders: Sequence[tuple[tuple[object, ...], bool, float | None]],
    conditions: Sequence[tuple[str, tuple[object, ...], tuple[object, ...]]],
    left_columns: int,
    right: Sequence[NativeColumn | array[float]],
    right_items: int,
    keys: array[int] | None,
) -> NativeMatches | None:
    """The right side of a best-match join over columns, for left items that arrive later; None without a kernel."""
    if not is_kernel_built():
        return None
    columns = list(map(_as_column, right))
    given = None if keys is None else keys.tobytes()
    made: NativeMatches = _native().MatchIndex(
        kind, best, orders, conditions, left_columns, columns, right_items, given
    )
    return made


def indexed_pairs(
    index: NativeMatches, left: Sequence[NativeColumn | array[float]], left_items: int, keys: array[int] | None
) -> tuple[array[int], array[int]]:
    """The pairs of some left items with those of an index, ascending."""
    lefts, rights = array("I"), array("I")
    found = index.pairs(list(map(_as_column, left)), left_items, None if keys is None else keys.tobytes())
    lefts.frombytes(found[0])
    rights.frombytes(found[1])
    return lefts, rights


def pair_writer(
    template: Sequence[tuple[object, ...]],
    left_columns: Sequence[NativeColumn | array[float]],
    right_columns: Sequence[NativeColumn | array[float]],
) -> NativePairWriter:
    """Writes the results of pairs of rows, by a template (`run/best_match/written_pairs.py`)."""
    columns = list(map(_as_column, left_columns)), list(map(_as_column, right_columns))
    made: NativePairWriter = _native().PairWriter(list(template), *columns)
    return made


def pair_rows(parts: Sequence[tuple[NativeRows, bytes, Sequence[NativePlan]]]) -> NativePairRows:
    """Rows of one side, by their trees, with the plans of all paths."""
    made: NativePairRows = _native().PairRows(list(parts))
    return made


def pair_texts(pairs: int) -> NativePairTexts:
    """Room for the texts of this many pairs."""
    made: NativePairTexts = _native().PairTexts(pairs)
    return made


def _as_column(numbers: NativeColumn | array[float]) -> NativeColumn:
    if not isinstance(numbers, array):
        return numbers
    column = number_column()
    column.extend(numbers.tobytes())
    return column


@cache
def is_kernel_built() -> bool:
    """Whether there is a kernel; called often, and a failing import is slow. Warns of a kernel that must be rebuilt."""
    if kernel_build() is None:
        return False
    native = _native()
    warn_of_stale_kernel(Path(native.__file__ or ""), getattr(native, "SOURCES", ""))
    return True


@cache
def _native() -> ModuleType:
    """The kernel's module: for small documents, even importing a loaded module takes long."""
    from xylem import _kernel

    return _kernel


class Scanner:
    """One scan by the kernel; `plan/scan_plan.py` says what `feed` and `finish` do.

    Without `namespaces` a colon is an ordinary character, as in XML without namespaces. A given `encoding` overrides
    the document's declaration.
    """

    __slots__ = ("_failure", "_scanner")

    def __init__(
        self,
        plan: ScanPlan,
        limits: Limits = DEFAULT_LIMITS,
        *,
        namespaces: bool = True,
        encoding: str | None = None,
    ) -> None:
        native = _native()
        self._failure = native.ScanError
        self._scanner: NativeScanner = native.Scanner(_plan_tuple(plan), _limits_tuple(limits), namespaces, encoding)

    def again(self, encoding: str | None = None) -> bool:
        """Start again with another document, the same plan and limits; False if that is impossible."""
        return self._scanner.again(encoding)

    @property
    def writes(self) -> bool:
        """Whether templates are written."""
        return self._scanner.writes

    @writes.setter
    def writes(self, writes: bool) -> None:
        self._scanner.writes = writes

    def keep_columns(self) -> None:
        """Leave the columns of batches in the kernel: `native` replaces the lists."""
        self._scanner.compact = True

    def column(self, test: ValueTest) -> int:
        """The number of the values that a test reads, for the tests of takers."""
        return self._scanner.column((list(test.path), test.text, test.attribute))

    def result(self, result: Template | Tally) -> int:
        """The number of a result that takers may share."""
        made = result_tuple(result)
        assert made is not None
        return self._scanner.result(made)

    def add_taker(self, step: int, owner: int, own_step: int, tests: TakerTests, result: int | None) -> int:
        """Add a taker of the elements of a step, see `plan/scan_plan.py`; return its number there."""
        return self._scanner.add_taker(step, owner, own_step, tests, result)

    def remove_taker(self, step: int, number: int) -> None:
        """Remove a taker."""
        self._scanner.remove_taker(step, number)

    def feed(self, data: bytes, flush: bool = False) -> Batch | None:
        """Read some more input."""
        try:
            found = self._scanner.feed(data, flush)
        except self._failure as failure:
            raise _error(failure) from None
        return None if found is None else _batch(found)

    def finish(self) -> Batch:
        """Read the end of the input; return the rest, even if it is empty."""
        try:
            return _batch(self._scanner.finish())
        except self._failure as failure:
            raise _error(failure) from None


def read_tree(
    data: bytes,
    limits: Limits = DEFAULT_LIMITS,
    *,
    encoding: str | None = None,
    strip_space: bool = False,
    namespaces: bool = True,
    compact: bool = True,
) -> TreeInterface:
    """The tree of a whole document, like that of `tree_loader.py`; without `compact` it has Python columns."""
    from xylem import _kernel

    try:
        found = _kernel.read_tree(data, _limits_tuple(limits), encoding, strip_space, namespaces)
    except _kernel.ScanError as failure:
        raise _error(failure) from None
    pool = current_pool()
    codes = [pool.code(kind, uri, local, prefix) for kind, uri, local, prefix in found.names]
    qnames: dict[int, QName | None] = {0: None}
    for code, (_, uri, local, prefix) in zip(codes, found.names, strict=True):
        qnames[code >> KIND_BITS] = QName(uri, local, prefix)
    tree: TreeInterface
    if compact:
        tree = CompactTree(found.compact(codes), pool, qnames)
        tree.is_whole = tree.is_document = True
    else:
        tree = _python_tree(found, pool, codes, qnames)
    tree.copies = Copies(limits.copied_nodes)
    if found.identifier_rules:
        rules = [(is_id, (codes[element], codes[attribute])) for element, attribute, is_id in found.identifier_rules]
        tree.id_rules = frozenset(rule for is_id, rule in rules if is_id)
        tree.idref_rules = frozenset(rule for is_id, rule in rules if not is_id)
    return tree


def _python_tree(found: TreeColumns, pool: NamePool, codes: list[int], qnames: dict[int, QName | None]) -> Tree:
    tree = Tree(pool)
    tree.qnames = qnames
    tree.codes, tree.ends, tree.parents, tree.values, declared, prefixed = found.columns(codes)
    if declared:
        tree.declared = declared
    for row, prefix in prefixed.items():
        usual = qnames[tree.codes[row] >> KIND_BITS]
        assert usual is not None
        tree.rename(row, QName(usual.uri, usual.local, prefix))
    return tree


# --- many small documents, see `message_reader.py`


def message_reader(limits: Limits, template: Template | None) -> MessageReader | None:
    """A reader of consecutive documents, by a template of the document node; None without a kernel."""
    if not is_kernel_built():
        return None
    made = None if template is None else result_tuple(template)
    found: MessageReader = _native().MessageReader(_limits_tuple(limits), made)
    return found


def new_names() -> NativeNames:
    """A table for the names of a scan."""
    table: NativeNames = _native().NameTable()
    return table


# --- whole trees, see `query/tree_texts.py`


def tree_template(template: Template) -> TreeTemplate | None:
    """A template of the document node, for documents that are trees; None without a kernel."""
    if not is_kernel_built():
        return None
    found: TreeTemplate = _native().TreeTemplate(result_tuple(template))
    return found


def written_by(template: TreeTemplate, tree: CompactTree) -> str | None:
    """The text that a template writes for a whole document; None if it cannot decide it."""
    rows: Any = tree.native  # of the kernel's own class: no tree of another kind is compact
    found: str | None = template.write(rows, _names_of(tree))
    return found


_latest_names: tuple[object, int, TreeNames] | None = None
"""The names of the latest tree: small documents that are read one after another share them."""


def _names_of(tree: CompactTree) -> TreeNames:
    """The names of a tree, as templates of the kernel read them."""
    global _latest_names
    known, numbered = _latest_names, tree.qnames
    if known is None or known[0] is not numbered or known[1] != len(numbered):
        kinds = tree.names.kinds
        entries = list(numbered.items()) if isinstance(numbered, dict) else list(enumerate(numbered))
        told = [(number, kinds[number], q.uri, q.local, q.prefix) for number, q in entries if q is not None]
        known = _latest_names = numbered, len(entries), _native().TreeNames(told)
    return known[2]


# --- cut points, see `cut_points.py`


def contains(data: bytes, part: bytes) -> bool:
    """Whether one byte string contains another; other threads run meanwhile."""
    found: bool = _native().contains(data, part)
    return found


def find_cuts(
    path: str,
    scopes: Sequence[Scope],
    target_bytes: int,
    limits: Limits,
    threads: int,
    stretch_bytes: int,
    everywhere: bool = False,
) -> list[CutPoint]:
    """The cut points of a file that is not compressed."""
    from xylem import _kernel

    sizes = (target_bytes, stretch_bytes)
    found = _kernel.find_cuts(path, _scopes(scopes), sizes, _limits_tuple(limits), threads, everywhere)
    return [CutPoint(*cut) for cut in found]


class CutFinder:
    """The cut points of a document that arrives in pieces."""

    __slots__ = ("_finder",)

    def __init__(self, scopes: Sequence[Scope], target_bytes: int, limits: Limits) -> None:
        from xylem import _kernel

        self._finder = _kernel.CutFinder(_scopes(scopes), target_bytes, _limits_tuple(limits))

    def feed(self, data: bytes) -> list[CutPoint]:
        """Examine more input; return its cut points."""
        return [CutPoint(*cut) for cut in self._finder.feed(data)]

    def resume(self, cut: CutPoint) -> None:
        """Resume from a cut point."""
        self._finder.resume(cut.offset, cut.line, cut.opening, cut.closing)

    def place(self) -> tuple[str, CutPoint]:
        """What the current place is inside of, and where to resume from there."""
        inside, cut = self._finder.place()
        return inside, CutPoint(*cut)


class RecordChecker:
    """A scan that only finds errors."""

    __slots__ = ("_checker", "_failure")

    def __init__(self, plan: ScanPlan, limits: Limits) -> None:
        from xylem import _kernel

        self._failure = _kernel.ScanError
        self._checker = _kernel.RecordChecker(_plan_tuple(plan), _limits_tuple(limits))

    def feed(self, data: bytes) -> None:
        """Read some more input."""
        try:
            self._checker.feed(data)
        except self._failure as failure:
            raise _error(failure) from None

    def finish(self) -> None:
        """Read the end of the input."""
        try:
            self._checker.finish()
        except self._failure as failure:
            raise _error(failure) from None


def simple_extent(data: bytes, prefix: bytes, declared: list[bytes], most: tuple[int, int]) -> tuple[int, int]:
    """The length of the simple updates at the beginning of some bytes, and their number."""
    from xylem import _kernel

    return _kernel.simple_extent(data, prefix, declared, most)


def text_updates(
    limits: Limits, template: Template, rows: str, chosen: Sequence[tuple[str, str, int, int]]
) -> TextUpdates | None:
    """Answers updates of known texts by a template of the document node; None without a kernel.

    `rows`, `chosen`: what the template writes, and the versions that it reads (`plan/unit_rows.py`).
    """
    if not is_kernel_built():
        return None
    found: TextUpdates = _native().TextUpdates(_limits_tuple(limits), result_tuple(template), rows, list(chosen))
    return found


def simple_updates(
    data: bytes, prefix: bytes, declared: list[bytes], most: tuple[int, int], place: tuple[int, int, int]
) -> tuple[list[SimpleUpdate], int]:
    """The simple updates at the beginning of some bytes, and how many bytes they take: see `simple_run.py`."""
    from xylem import _kernel

    return _kernel.simple_updates(data, prefix, declared, most, place)


class DocumentSplitter:
    """The documents of a stream of several, see `document_stream.py`."""

    __slots__ = ("_splitter",)

    def __init__(self, by_mark: bool) -> None:
        from xylem import _kernel

        self._splitter = _kernel.DocumentSplitter(by_mark)

    @property
    def held(self) -> int:
        """Number of bytes held of an incomplete document."""
        return self._splitter.held

    def feed(self, data: bytes) -> list[tuple[int, int, bytes, bool]] | None:
        """Examine more of the stream; None if the encoding does not contain ASCII."""
        return self._splitter.feed(data)

    def finish(self) -> tuple[int, int, bytes, bool] | None:
        """The end of the stream; return the incomplete document."""
        return self._splitter.finish()


def _scopes(scopes: Sequence[Scope]) -> list[list[tuple[bool, str | None, str | None]]]:
    return [[(axis == "descendant", uri, local) for axis, uri, local in scope] for scope in scopes]


# --- what crosses the border


_PLANS: dict[int, tuple[ScanPlan, PlanTuple]] = {}
_PLANS_KEPT = 100
_NO_LAST = (1 << 64) - 1


def _plan_tuple(plan: ScanPlan) -> PlanTuple:
    # By identity: a plan is made once for each query, and there may be many documents.
    known = _PLANS.get(id(plan))
    if known is None:
        if len(_PLANS) >= _PLANS_KEPT:
            _PLANS.clear()
        known = _PLANS[id(plan)] = plan, _new_plan_tuple(plan)
    return known[1]


def _new_plan_tuple(plan: ScanPlan) -> PlanTuple:
    steps = [
        (
            -1 if step.axis == "self" else step.parent,
            step.axis == "descendant",
            step.uri,
            step.local,
            int(step.report),
            ((step.nests, step.late, step.outermost), (step.remembers, step.label, list(step.awaits))),
            int(step.keep),
            None if step.attributes is None else list(step.attributes),
            (step.text, step.remarks),
            [_start_test_tuple(test) for test in step.start_tests],
            [value_test_tuple(test) for test in step.value_tests],
            None if step.result is None else result_tuple(step.result),
        )
        for step in plan.steps
    ]
    names = [(number, list(test.names)) for number, step in enumerate(plan.steps) for test in step.name_tests]
    return steps, names, plan.comments


def _start_test_tuple(test: AttributeTest | PresenceTest | PositionTest) -> TestTuple:
    match test:
        case AttributeTest():
            return test.uri, test.local, (test.op, test.string, test.number), None
        case PresenceTest():
            return test.uri, test.local, None, None
    last = _NO_LAST if test.last is None else min(max(test.last, 0), _NO_LAST)
    return "", "", None, (min(max(test.first, 0), _NO_LAST), last)


def _limits_tuple(limits: Limits) -> LimitsTuple:
    return (
        limits.depth,
        limits.attributes,
        limits.name_characters,
        limits.attribute_characters,
        limits.text_characters,
        limits.expanded_characters,
        limits.expansion_factor,
        limits.item_bytes,
        limits.allow_dtd,
    )


def _batch(found: BatchTuple) -> Batch:
    (kinds, steps, rows), columns, (declared, new_names, prefixed), counted, tables, taken = found
    counts, read, texts, numbered = counted
    written = [Written(*each) for each in texts]
    if not isinstance(columns, tuple):
        return Batch(
            kinds,
            steps,
            rows,
            new_names=new_names,
            counts=counts,
            input_bytes=read,
            written=written,
            tables=tables,
            native=columns,
            taken=taken,
        )
    numbers = {(row, label): number for row, label, number in numbered}
    naming = declared, new_names, prefixed, numbers
    return Batch(kinds, steps, rows, *columns, *naming, counts, read, written, tables)


def _error(failure: ScanError) -> XylemError:
    kind, detail, byte_offset, line, column, path = failure.args
    if kind == "value":
        return _not_a_number(detail)
    if kind == "bug":
        return EngineBug("XYBUG0001", f"the scan kernel failed: {detail}")
    limit = ITEM_BYTES if kind == "item-limit" else ""
    hint = UNREAD_DTD if kind == "skipped-entity" else ""
    return InputError(_CODES[kind], detail, place=InputPlace(byte_offset, line, column, path), limit=limit, hint=hint)


def _not_a_number(value: str) -> XylemError:
    """The error the query itself would raise for the comparison."""
    from xylem.values.casting_numbers import parse_double

    try:
        parse_double(value)
    except XylemError as error:
        return error
    return EngineBug("XYBUG0001", f"the scan kernel cannot read the number {value!r}")
