"""What can be seen of a scan: records as nested tuples, from a scanner's batches or from the whole tree.

`observed` feeds a scanner; `expected` is the oracle, which applies the definitions of `plan/scan_plan.py` to the tree
of the whole document, in the obvious recursive way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from xylem.errors import XylemError
from xylem.plan.scan_plan import (
    ABSENT,
    EXISTS,
    AttributeTest,
    Batch,
    Keep,
    PositionTest,
    PresenceTest,
    Report,
    ScanPlan,
    ScanStep,
    ValueTest,
)
from xylem.plan.scan_plan import LEAF as LEAF_RECORD
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.scan import Scanner
from xylem.source.xml_reader import read_document
from xylem.values.casting_numbers import parse_double
from xylem.values.node import ATTRIBUTE, COMMENT, DOCUMENT, ELEMENT, PROCESSING_INSTRUCTION, TEXT, Node
from xylem.values.tree import Tree

WITH_CONTENT = (LEAF_RECORD, Report.ITEM)
Content = tuple[Any, ...]
Record = tuple[int, int, tuple[Content, ...], Content | None]
"""Kind, step, the element and its ancestors from the document down, and of an ITEM or a TEXT all that is kept."""


@dataclass
class View:
    """All records and counts of a scan, and the code of the error that ended it."""

    records: list[Record] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    error: str | None = None

    def agrees_with(self, other: View) -> bool:
        """The same, but that bytes which are no characters may be called an error of syntax or of encoding."""
        errors = {"XYIN0007": "XYIN0001"}
        return (self.records, self.counts, errors.get(self.error or "", self.error)) == (
            other.records,
            other.counts,
            errors.get(other.error or "", other.error),
        )


# --- what a scanner gives


def observed(
    new_scanner: Callable[[ScanPlan, Limits], Scanner],
    plan: ScanPlan,
    pieces: Iterable[tuple[bytes, bool]],
    limits: Limits = DEFAULT_LIMITS,
) -> View:
    """Feed a scanner with pieces of input, each with its flush."""
    scanner = new_scanner(plan, limits)
    view = View(counts=[0] * len(plan.steps))
    names: list[tuple[str, str, str]] = [("", "", "")]
    try:
        for data, flush in pieces:
            batch = scanner.feed(data, flush)
            if batch is not None:
                add_batch(view, batch, names)
        add_batch(view, scanner.finish(), names)
        assert scanner.feed(b"") is None
    except XylemError as error:
        view.error = error.code
    return view


def add_batch(view: View, batch: Batch, names: list[tuple[str, str, str]]) -> None:
    names += batch.new_names
    check_columns(batch, len(names))
    for kind, step, row in zip(batch.kinds, batch.steps, batch.rows, strict=True):
        way = [batch.parents[row] if kind == LEAF_RECORD else row]
        while batch.parents[way[-1]] >= 0:
            way.append(batch.parents[way[-1]])
        path = tuple(_bare(batch, other, names) for other in reversed(way))
        view.records.append((kind, step, path, _content(batch, row, names) if kind in WITH_CONTENT else None))
    view.counts = [a + b for a, b in zip(view.counts, batch.counts, strict=True)]


def check_columns(batch: Batch, name_count: int) -> None:
    """The shape every tree has, whatever is in it."""
    size = len(batch.codes)
    assert size == len(batch.ends) == len(batch.parents) == len(batch.values) > 0
    assert batch.codes[0] == DOCUMENT
    assert batch.parents[0] == -1
    assert batch.ends[0] == size
    for row in range(1, size):
        kind, parent = batch.codes[row] & 7, batch.parents[row]
        assert 0 <= parent < row < batch.ends[row] <= batch.ends[parent]
        assert row == parent + 1 or batch.ends[row - 1] == row or batch.parents[row] == row - 1
        assert (batch.codes[row] >> 3 == 0) == (kind in (TEXT, COMMENT))
        assert batch.codes[row] >> 3 < name_count
        assert (batch.values[row] is None) == (kind == ELEMENT)
        if kind != ELEMENT:
            assert batch.ends[row] == row + 1
        if kind == ATTRIBUTE:
            assert row == parent + 1 or (batch.codes[row - 1] & 7 == ATTRIBUTE and batch.parents[row - 1] == parent)
        if kind == TEXT:
            assert batch.values[row]
    assert all(batch.codes[row] & 7 == ELEMENT and here for row, here in batch.declared.items())
    assert all(row < size for row in (*batch.rows, *batch.prefixed))


def _children(batch: Batch, row: int) -> list[int]:
    found, child = [], row + 1
    while child < batch.ends[row]:
        found.append(child)
        child = batch.ends[child]
    return found


def _name(batch: Batch, row: int, names: list[tuple[str, str, str]]) -> tuple[str, str, str]:
    uri, local, prefix = names[batch.codes[row] >> 3]
    return uri, local, batch.prefixed.get(row, prefix)


def _bare(batch: Batch, row: int, names: list[tuple[str, str, str]]) -> Content:
    if row == 0:
        return ("document",)
    attributes = [child for child in _children(batch, row) if batch.codes[child] & 7 == ATTRIBUTE]
    return (
        _name(batch, row, names),
        batch.declared.get(row, {}),
        [(_name(batch, child, names), batch.values[child]) for child in attributes],
    )


def _content(batch: Batch, row: int, names: list[tuple[str, str, str]]) -> Content:
    kind = batch.codes[row] & 7
    if kind == TEXT:
        return "text", batch.values[row]
    if kind == COMMENT:
        return "comment", batch.values[row]
    if kind == PROCESSING_INSTRUCTION:
        return "instruction", _name(batch, row, names), batch.values[row]
    inner = [child for child in _children(batch, row) if batch.codes[child] & 7 != ATTRIBUTE]
    return (*_bare(batch, row, names), [_content(batch, child, names) for child in inner])


# --- what the definitions say


def expected(document: bytes, plan: ScanPlan) -> View:
    """The records of a well-formed document, which the kernel has no part in."""
    return _Oracle(read_document(document, resolve_entity=lambda uri: None).tree, plan).view()


_LEAVES = {TEXT: Report.TEXTS, COMMENT: Report.COMMENTS, PROCESSING_INSTRUCTION: Report.INSTRUCTIONS}


class _Oracle:
    def __init__(self, tree: Tree, plan: ScanPlan) -> None:
        self.tree = tree
        self.plan = plan
        self.only_counts = plan.only_counts()
        self.reached: dict[int, list[int]] = {}
        """By row, the steps that reach it: filled before anything is asked."""

    def view(self) -> View:
        view = View(counts=[0] * len(self.plan.steps))
        try:
            self.walk(0, view)
        except XylemError as error:
            view.error = error.code
        return view

    def walk(self, row: int, view: View) -> None:
        self.reached[row] = [number for number in range(len(self.plan.steps)) if self.reaches(number, row)]
        steps = [(number, self.plan.steps[number]) for number in self.reached[row]]
        later: list[tuple[int, int]] = []
        for number, step in steps:
            view.counts[number] += bool(step.report & Report.COUNT)
            if step.report & Report.START:
                view.records.append((int(Report.START), number, self.path(row), None))
            later += [(int(kind), number) for kind in (Report.END, Report.ITEM) if step.report & kind]
        for child in self.tree.children(row):
            if self.tree.kind(child) == ELEMENT:
                self.walk(child, view)
            else:
                content, report = self.leaf(child), _LEAVES[self.tree.kind(child)]
                reports = [number for number, step in steps if step.report & report]
                view.records += [(LEAF_RECORD, number, self.path(row), content) for number in reports]
        for kind, number in later:
            is_inner = any(number in self.reached[other] for other in self.ancestors(row))
            if self.plan.steps[number].outermost and is_inner:
                continue
            content = self.content(row) if kind == Report.ITEM else None
            tests = self.plan.steps[number].value_tests if content else ()
            if all(may_hold(test, content) for test in tests):
                view.records.append((kind, number, self.path(row), content))

    # --- reaching

    def reaches(self, number: int, row: int) -> bool:
        step = self.plan.steps[number]
        if row == 0 or number == 0:
            return row == 0 and (number == 0 or step.axis == "self")
        if step.axis == "self":
            return False
        around = self.ancestors(row) if step.axis == "descendant" else [self.tree.parents[row]]
        if not any(step.parent in self.reached[other] for other in around):
            return False
        return self.passes(number, row, len(step.start_tests))

    def passes(self, number: int, row: int, tests: int) -> bool:
        """Whether the name of an element fits a step, and so many of its tests hold."""
        step, name = self.plan.steps[number], self.tree.name(row)
        assert name is not None
        if step.uri not in (None, name.uri) or step.local not in (None, name.local):
            return False
        if not all(test.fits(name.uri, name.local) for test in step.name_tests):
            return False
        for place, test in enumerate(step.start_tests[:tests]):
            if isinstance(test, PositionTest):
                siblings = [child for child in self.tree.children(self.tree.parents[row]) if child <= row]
                elements = [child for child in siblings if self.tree.kind(child) == ELEMENT]
                if not test.holds(sum(self.passes(number, child, place) for child in elements)):
                    return False
            elif not self.holds(test, row):
                return False
        return True

    def holds(self, test: AttributeTest | PresenceTest, row: int) -> bool:
        for attribute in self.tree.attributes(row):
            name = self.tree.name(attribute)
            assert name is not None
            if (name.uri, name.local) == (test.uri, test.local):
                if isinstance(test, PresenceTest):
                    return True
                value: Any = self.tree.values[attribute]
                constant: Any = test.string
                if test.number is not None:
                    value, constant = parse_double(value), test.number
                return compare(value, test.op, constant)
        return False

    def ancestors(self, row: int) -> list[int]:
        """Nearest first."""
        found = []
        while self.tree.parents[row] >= 0:
            row = self.tree.parents[row]
            found.append(row)
        return found

    def steps_at(self, row: int) -> list[ScanStep]:
        return [self.plan.steps[number] for number in self.reached[row]]

    # --- keeping

    def is_whole(self, row: int) -> bool:
        return any(step.keep == Keep.SUBTREE for other in (row, *self.ancestors(row)) for step in self.steps_at(other))

    def takes_string(self, row: int) -> bool:
        return any(step.keep == Keep.STRING for step in self.steps_at(row))

    def is_one_text(self, row: int) -> bool:
        """Whether the string value is all that anyone wants of an element."""
        if not self.takes_string(row) or self.is_whole(row) or self.keeps_leaves(row):
            return False
        if any(self.takes_string(other) for other in self.ancestors(row)):
            return False
        for number, step in enumerate(self.plan.steps):
            around = (row, *self.ancestors(row)) if step.axis == "descendant" else (row,)
            is_followed = step.axis != "self" and any(step.parent in self.reached[other] for other in around)
            if is_followed and not self.only_counts[number]:
                return False
        return True

    def keeps_leaves(self, row: int) -> bool:
        return any(step.text or step.remarks for step in self.steps_at(row))

    def is_spelled(self, row: int) -> bool:
        return any(self.takes_string(other) and not self.is_one_text(other) for other in (row, *self.ancestors(row)))

    def is_kept(self, row: int) -> bool:
        return any(not self.only_counts[number] for number in self.reached[row])

    def path(self, row: int) -> tuple[Content, ...]:
        return tuple(self.bare(other) for other in reversed((row, *self.ancestors(row))))

    def bare(self, row: int) -> Content:
        if row == 0:
            return ("document",)
        tree = self.tree
        wanted = [step.attributes for step in self.steps_at(row)]
        takes_all = None in wanted or self.is_whole(row)
        names = {name for names in wanted if names is not None for name in names}
        return (
            qname(tree, row),
            tree.declared.get(row, {}),
            [
                (qname(tree, other), tree.values[other])
                for other in tree.attributes(row)
                if takes_all or qname(tree, other)[:2] in names
            ],
        )

    def content(self, row: int) -> Content:
        if self.is_one_text(row):
            text = self.tree.string_value(row)
            return (*self.bare(row), [("text", text)] if text else [])
        kept: list[Content] = []
        for child in self.tree.children(row):
            kept += self.child(child)
        return (*self.bare(row), kept)

    def child(self, row: int) -> list[Content]:
        """A child if it is kept."""
        tree, parent = self.tree, self.tree.parents[row]
        kind, value = tree.kind(row), tree.values[row]
        takes_everything = self.is_whole(parent)
        if kind == ELEMENT:
            content = self.content(row)
            takes_it = takes_everything or self.is_spelled(parent) or self.is_kept(row) or content[-1]
            return [content] if takes_it else []
        if kind == TEXT:
            asked = any(step.text for step in self.steps_at(parent))
            return [("text", value)] if takes_everything or self.is_spelled(parent) or asked else []
        if any(step.remarks for step in self.steps_at(parent)) or (takes_everything and self.plan.comments):
            return [self.leaf(row)]
        return []

    def leaf(self, row: int) -> Content:
        kind, value = self.tree.kind(row), self.tree.values[row]
        if kind == PROCESSING_INSTRUCTION:
            return "instruction", qname(self.tree, row), value
        return "text" if kind == TEXT else "comment", value


def compare(value: Any, op: str, constant: Any) -> bool:
    return {
        "=": value == constant,
        "!=": value != constant,
        "<": value < constant,
        "<=": value <= constant,
        ">": value > constant,
        ">=": value >= constant,
    }[op]


def may_hold(test: ValueTest, content: Content | None) -> bool:
    """Whether one of the values a test looks at compares as it says, or is not the number it should be."""
    found = [content] if content else []
    for step in test.path:
        found = [child for here in found for child in here[-1] if is_element(child) and fits(step, child[0])]
    values: list[str] = []
    for here in found:
        if test.attribute is not None:
            attributes = here[2] if is_element(here) else []
            values += [value for name, value in attributes if name[:2] == test.attribute]
        elif test.text:
            values += [child[1] for child in here[-1] if child[0] == "text"]
        else:
            values.append(string_of(here))
    if test.op == ABSENT:
        return not values
    return any(value_may_hold(test, value) for value in values)


def fits(step: tuple[str | None, str | None], name: Any) -> bool:
    return step[0] in (None, name[0]) and step[1] in (None, name[1])


def value_may_hold(test: ValueTest, value: str) -> bool:
    if test.op == EXISTS:
        return True
    if test.number is None:
        return compare(value, test.op, test.string)
    try:
        return compare(parse_double(value), test.op, test.number)
    except XylemError:
        return True


def is_element(content: Content) -> bool:
    return isinstance(content[0], tuple)


def string_of(content: Content) -> str:
    inside = [child for child in content[-1] if child[0] == "text" or is_element(child)]
    return "".join(string_of(child) if is_element(child) else child[1] for child in inside)


def qname(tree: Tree, row: int) -> tuple[str, str, str]:
    name = Node(tree, row).name
    assert name is not None
    return name.uri, name.local, name.prefix


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """Pieces of some bytes, cut at some places."""
    borders = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(borders)]
