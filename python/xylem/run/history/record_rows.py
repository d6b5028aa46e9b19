"""Records of a keyed feed that are evaluated apart, anywhere and in any order: an update brings a whole record.

    RecordRows(program, …).of(record, around)   where records are read: the loop's rows for one record, as text
    with_rows(program, path, …)                 where the answer is kept: records hold these instead of their content

This takes a loop over records, or over elements in them, that reads nothing else: no other element, no version. Its
rows then depend on the record alone. Sorting, grouping, aggregates and the order of records remain where the answer is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xylem.errors import DynamicError, XylemError
from xylem.errors.source_text import SourceText, Span
from xylem.functions.context import Resources, RunPart
from xylem.plan import history as plan
from xylem.source.update_stream.operations import End, Event, Leaf, Start, Text
from xylem.source.update_stream.records import Path, Record
from xylem.values.atomize import atomize_list
from xylem.values.datetimes import DateTime
from xylem.values.name_pool import KIND_BITS, KIND_MASK, current_pool
from xylem.values.node import ATTRIBUTE, ELEMENT, PROCESSING_INSTRUCTION, TEXT, Node
from xylem.values.qname import QName
from xylem.values.state_values import decoded, encoded
from xylem.values.tree import Tree

from ..runtime.anchored_values import AnchoredValues
from .evaluation import Surroundings
from .parts import ItemWriter, Written
from .paths import Paths
from .program import Function, HistoryProgram

__all__ = ["RecordRows", "why_not_apart", "with_rows"]


def why_not_apart(described: plan.HistoryPlan, record: Path) -> str:
    """Why a query's loop cannot be evaluated record by record; '' if it can."""
    if described.whole:
        return described.whole
    only = _only_loop(described.root)
    if only is None or len(described.sources) != 1 or described.kept:
        return "it reads more than one loop over the records gives"
    loop, is_folded = only
    source = loop.source
    if loop.holes or loop.lookups or loop.timelines or loop.siblings or loop.is_numbered or loop.windows:
        return "a record's result depends on other records"
    if source.projection or source.looks_back or loop.by_time:
        return "it asks for versions"
    group = loop.group
    if group is not None and (group.collected or group.holes):
        return "groups collect elements of several records"
    if group is None and loop.template is None and not is_folded:
        return "its results are not elements that it constructs"
    if source.is_flat or "*" in record:
        return "--record does not name its elements, so another element may be meant"
    standing = Paths((source,)).of_stream(source.stream)
    for name in record[:-1]:
        standing, units = standing.below(QName("", name))
        if units:
            return "it reads elements around the records"
    is_of_records = bool(standing.below(QName("", record[-1])).units)
    # Otherwise one record would have several regions of the answer that change together.
    return "" if is_of_records or is_folded or group is not None else "its elements are in the records"


def _only_loop(operator: plan.Operator) -> tuple[plan.Loop, bool] | None:
    """The loop of a query with only one loop, bare or inside elements, and whether it is folded."""
    match operator:
        case plan.Loop():
            return operator, False
        case plan.Fold(loop=loop):
            return loop, True
        case plan.Constructor(parts=parts) | plan.Sequence(parts=parts):
            found = [_only_loop(part) for part in parts if not isinstance(part, plan.Text)]
            return found[0] if len(found) == 1 else None
    return None


class RecordRows:
    """Evaluates records independently of each other."""

    def __init__(self, program: HistoryProgram, around: Surroundings) -> None:
        only = _only_loop(program.plan.root)
        assert only is not None
        loop, is_folded = only
        functions, _, _ = program.functions(around.resources, around.variables)
        self._loop = loop
        self._writer = ItemWriter()
        self._function = functions[loop.function]
        self._standing = Paths((loop.source,)).of_stream(loop.source.stream)
        self._is_shown = not is_folded and loop.group is None

    def of(self, record: Record, around: Sequence[Start]) -> str:
        """The rows of a record in open elements, or the error raised by its evaluation."""
        try:
            found = [row for node in self._units(record, around) for row in self._function(node)]
            return encoded((None, [self._row(one) for one in found])).decode("latin-1")
        except XylemError as error:
            span = error.span
            return encoded(((error.code, error.why, span and (span.start, span.end)), [])).decode("latin-1")

    def _row(self, row: Any) -> Any:
        columns = self._loop.columns
        if self._loop.group is not None:
            return [atomize_list(member) for member in row]
        if not self._is_shown:
            return row
        if not columns:
            return self._item(row)
        return [*(atomize_list(row[column]) for column in range(columns)), [self._item(one) for one in row[columns]]]

    def _item(self, item: Any) -> tuple[bool, Any]:
        """The text of an item, and whether it is a node."""
        if type(item) is Node:
            ((text, _),) = self._writer.parts((item,), 0)
            return True, text
        return False, item

    def _units(self, record: Record, around: Sequence[Start]) -> Iterator[Node]:
        standing = self._standing
        scope: dict[str, str] = {}
        for start in around:
            standing = standing.below(start.name).inside
            scope.update(start.declared or {})
        tree = _tree(record.events, scope)
        inside = [(tree.ends[0], standing)]
        for row, code in enumerate(tree.codes):
            if code & KIND_MASK != ELEMENT:
                continue
            while inside[-1][0] <= row:
                inside.pop()
            name = tree.name(row)
            assert name is not None
            below = inside[-1][1].below(name)
            inside.append((tree.ends[row], below.inside))
            if below.units:
                yield Node(tree, row)


def _tree(events: Sequence[Event], scope: Mapping[str, str]) -> Tree:
    """The tree of a single record; `scope` has the namespaces declared around it."""
    tree = Tree(current_pool())
    pool = tree.names
    codes, ends, parents, values = tree.codes, tree.ends, tree.parents, tree.values
    open_rows = [-1]

    def append(code: int, value: str | None) -> int:
        row = len(codes)
        codes.append(code)
        ends.append(row + 1)
        parents.append(open_rows[-1])
        values.append(value)
        return row

    def named(kind: int, name: QName, value: str | None) -> int:
        row = append(pool.code_of(kind, name), value)
        usual = tree.qnames[codes[row] >> KIND_BITS]
        if usual is not None and usual.prefix != name.prefix:
            tree.rename(row, name)
        return row

    for event in events:
        if isinstance(event, Start):
            row = named(ELEMENT, event.name, None)
            declared = dict(event.declared or {})
            if not row:
                declared = {**scope, **declared}
            open_rows.append(row)
            for name, value in event.attributes:
                named(ATTRIBUTE, name, value)
            if declared:
                tree.declare(row, declared)
        elif isinstance(event, End):
            ends[open_rows.pop()] = len(codes)
        elif isinstance(event, Text):
            last = len(codes) - 1
            if codes[last] == TEXT and parents[last] == open_rows[-1]:
                values[last] = f"{values[last]}{event.value}"
            else:
                append(TEXT, event.value)
        elif isinstance(event, Leaf):
            code = pool.code(event.kind, "", event.name) if event.kind == PROCESSING_INSTRUCTION else event.kind
            append(code, event.value)
    return tree


# --- where the answer is kept


def with_rows(program: HistoryProgram, record: Path, text: str) -> HistoryProgram:
    """The program over records that contain their rows. `text` is the query's text, for errors."""
    only = _only_loop(program.plan.root)
    assert only is not None
    loop, _ = only
    steps = tuple(plan.Step(plan.NameTest(None, name)) for name in record)
    source = replace(loop.source, steps=steps, children=None)
    root = _replaced(program.plan.root, replace(loop, source=source, template=None))
    described = replace(program.plan, root=root, sources=(source,))
    # An updated record is a new unit if it has its content. It is one with its rows, too: the logs are equal.
    return _RowsProgram(described, program.program, program.static, units_move=False, number=loop.function, text=text)


def _replaced(operator: plan.Operator, loop: plan.Loop) -> plan.Operator:
    match operator:
        case plan.Loop():
            return loop
        case plan.Fold():
            return replace(operator, loop=loop)
        case plan.Constructor(parts=parts) | plan.Sequence(parts=parts):
            return replace(operator, parts=tuple(_replaced(part, loop) for part in parts))
    return operator


@dataclass(frozen=True)
class _RowsProgram(HistoryProgram):
    """A program whose loop gets the rows of a record instead of the record."""

    number: int = 0
    text: str = ""

    def functions(
        self,
        resources: Resources,
        variables: Mapping[tuple[str, str], Any] | None = None,
        now: DateTime | None = None,
    ) -> tuple[list[Function], RunPart, list[AnchoredValues]]:
        functions, run, kept = super().functions(resources, variables, now)
        only = _only_loop(self.plan.root)
        assert only is not None
        loop, is_folded = only
        is_shown = loop.group is None and not is_folded

        def rows(node: Node) -> list[Any]:
            fault, found = decoded(node.string_value.encode("latin-1"))
            if fault is not None:
                raise self._fault(*fault)
            return [_shown(row, loop.columns) for row in found] if is_shown else list(found)

        functions[self.number] = rows
        return functions, run, kept

    def _fault(self, code: str, why: str, place: tuple[int, int] | None) -> XylemError:
        span = None if place is None else Span(*place, SourceText(self.text, "query"))
        return DynamicError(code, why, span=span)


def _shown(row: Any, columns: int) -> Any:
    if not columns:
        return _item(row)
    return (*row[:columns], [_item(one) for one in row[columns]])


def _item(written: tuple[bool, Any]) -> Any:
    is_node, value = written
    return Written(value) if is_node else value
