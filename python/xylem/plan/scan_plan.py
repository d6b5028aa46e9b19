"""The request to a scan: the paths to follow, the parts to keep below them, and when to report.

The scan reads a document once and builds the *projected document*: the elements that some path needs, on the rows of a
tree, with everything else left out. It reports, in the order of the input, where elements of interest start, end, or
are complete. After each batch the complete parts are returned and dropped; the elements still open (the *spine*) start
the next batch's tree again, so every row always has its true ancestors.

A plan is plain data: it is pickled, printed, and passed to the kernel and to the Python scanner alike.

**Reaching.** Step 0 reaches the document node, and so does a step below it on the axis self. Another step reaches an
element if the name matches, all tests hold, and its parent step reaches the element's parent (axis child) or any
ancestor (axis descendant). Several steps may reach one element; each acts independently, and the union of their parts
is kept.

**Records.** A start tag gives the START records of the steps that reach the element, an end tag the END and ITEM
records: ordered by step, then by kind, at most one for each step and kind. Nested elements therefore give ITEM records
in the order of their end tags. A text node gives the LEAF records of the steps that reach its parent and ask for texts,
once it is complete; the same holds for comments and processing instructions.

**Guarantees for a record's row.** Its ancestors are all its true ancestors up to the document node, each with its
namespace declarations and the attributes that steps reaching it request. For an ITEM, all kept parts of the element are
there. Nothing else is guaranteed: rows outside every ITEM that are not ancestors of a record's row may be there or not.

**Inside an ITEM** an element is there if a step reaches it, or something kept is below it; but a step that only counts,
like all steps below it, keeps nothing (see `only_counts`). Texts with anything between them in the original stay
separate, even if that is left out: `a<b/>c` without `b` is two text nodes, so text() selects correctly.

**Results written by the scan.** A step with `result` defines the treatment of its ITEM records that pass all value
tests, or of its LEAF records: a template (`result_template.py`) is written, and instead of the record a WRITTEN record
tells where the text belongs among the other records; a tally is added to `counts` (of text nodes, one for each); a
table (`scan_table.py`) takes the record. That is an offer: a scanner may return the ITEM record instead, and must do so
if a value test, or a test in the template, cannot be decided, or would raise an error. It writes templates only while
`scanner.writes` is set, which may change between calls: the plan keeps what the query needs in either case. A step with
START and END may have a template too: for an element that begins and ends in one batch, a WRITTEN record may replace
its START and END records and all records and counts of steps below it in between.

**Elements that may nest.** If a step with `nests` requests START and ITEM, its START records only show the nesting of
elements: each is followed by an ITEM record, whatever the value tests say. A scanner may leave out all START records,
and treat elements as if the step requested only ITEM, including value tests and result; but then the ITEM records of
nested elements wait for the end of the outermost one, and come in document order.

**Elements that are announced late.** If a step is `late`, its START and END records matter only if steps below it on
its path have records inside the element. A scanner may leave out those of other elements, and then returns the START
record of an element just before the first such record, outer elements first.

**Takers.** A step with ITEM records may get takers, each with its own owner, tests and result; its elements then go to
those takers whose tests hold, and the step itself has no records. The takers' records are `taken`: for each owner in
the order of the input, with no order between owners. Only the kernel has takers.

**Siblings.** If a step `remembers` a number, that many of the last elements it reached below each open element stay
among the rows, complete, until that element ends: a record's row, and each of its ancestors, has them before it. With a
`label`, `numbers` tells for such a row which of the elements that the step reached below their parent it is. If a step
`awaits` others, the ITEM record of an element comes when that many later siblings of each have ended, or its parent
has; these records come in document order, and the kept parts of those siblings are among the rows then. Instead of a
number, `ALL_SIBLINGS` keeps all of them, and waits for the parent, or for another ancestor: of that height (1 is the
parent), or, negated, the nearest that a step reaches. Without such an ancestor, nothing is awaited.

**A scanner** is `Scanner(plan, limits)` with `feed(data, flush=False) -> Batch | None` and `finish() -> Batch`. The
division of the input into `data` changes the batches but never the records. A batch is returned when there is enough
for one or, with `flush`, everything completed; None if there is nothing. (A flush may still wait while an element to be
reported as ITEM is open, if repeating its rows would cost more than the new records.) At an error, the call that met it
returns everything complete before it, if anything; the next call raises it, even `feed(b"")`, which does nothing else,
and even after `finish`. Errors are `InputError`, and `DynamicError` for a test that cannot be decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, Final, TypeAlias

from .result_template import Tally, Template
from .scan_table import ScanTable, TableState

if TYPE_CHECKING:
    from xylem.values.native_rows import NativeRows

LEAF: Final = 3
"""The kind of record for a text node, a comment or a processing instruction."""
WRITTEN: Final = 5
"""The kind of record whose result the scan has written."""


EXISTS: Final = "exists"
"""Instead of a comparison: there is a value."""
ABSENT: Final = "absent"
"""Instead of a comparison: there is no value."""


class Report(IntFlag):
    """The records of an element that a step reaches."""

    NOTHING = 0
    START = 1
    """When its start tag has been read; the row has its kept attributes but no children yet."""
    END = 2
    """When its end tag has been read."""
    ITEM = 4
    """Once, when it is complete, with all its kept parts: a separate record."""
    COUNT = 8
    """No record: it is counted, and the counts are reported with the batch."""
    TEXTS = 16
    """For each text node that is its child, when that is complete, a LEAF record; the step keeps `text`."""
    COMMENTS = 32
    """For each comment that is its child, a LEAF record; the step keeps `remarks`."""
    INSTRUCTIONS = 64
    """For each processing instruction that is its child, a LEAF record; the step keeps `remarks`."""


class Keep(IntEnum):
    """What is kept of an element that a step reaches, besides what longer paths below it keep."""

    NOTHING = 0
    """The bare element, with the attributes and text selected by `attributes` and `text`."""
    SUBTREE = 1
    """Everything below it, and all its own attributes."""
    STRING = 2
    """Its string value: all text below it, as one text node (none if it is empty), and nothing else.

    If other steps may keep something too, a single text node would spoil their answers: if steps that do not only count
    continue below the element (whatever their names), if a step that reaches the element requests `text`, `remarks` or
    SUBTREE, or if an ancestor is kept by SUBTREE or as described here. Then all elements and text nodes below it are
    kept instead, without unrequested attributes: the string value is the same.
    """


@dataclass(frozen=True)
class AttributeTest:
    """A comparison with a constant, decided at the start tag: a step only reaches elements for which it holds.

    `op` is one of = != < <= > >=. A `number` is compared as xs:double, a `string` by code points. The test does not
    hold if the attribute is absent. A value that must be a number and is not is FORG0001, as in the query: the scan
    stops there with this error. Tests are tried in order, up to the first that does not hold.
    """

    uri: str
    local: str
    op: str
    string: str | None = None
    number: float | None = None


@dataclass(frozen=True)
class NameTest:
    """Whether an element has one of some names, each (uri, local) with None for any; tried before tests of attributes.

    It narrows a step over elements of every name, like `*[self::a or self::b]`. Since it is tried first, it must not
    follow a test of positions.
    """

    names: tuple[tuple[str | None, str | None], ...]

    def fits(self, uri: str, local: str) -> bool:
        return any(wanted in (None, uri) and name in (None, local) for wanted, name in self.names)


@dataclass(frozen=True)
class PresenceTest:
    """Whether an element has an attribute."""

    uri: str
    local: str


@dataclass(frozen=True)
class PositionTest:
    """The first and the last number that an element may have, as in `//a[1]` or `b/a[position() < 3]`.

    The number is that of the element among the children of its parent that the step would reach by its name and by the
    tests in front of this one, from 1.
    """

    first: int
    last: int | None = None
    """None: there is no last one."""

    def holds(self, number: int) -> bool:
        return self.first <= number and (self.last is None or number <= self.last)


StartTest = AttributeTest | NameTest | PresenceTest | PositionTest
"""A test decided at the start tag."""


@dataclass(frozen=True)
class ValueTest:
    """A comparison with a constant, decided when the element is complete: its ITEM record is left out where it fails.

    The values are those of the elements that `path` leads to by child steps from the element: their string values, with
    `text` those of their text nodes, with `attribute` those of that attribute. The test holds if one of them compares
    so; a value that is not a number where one is needed leaves the decision to the query. The plan must keep what it
    reads. The rows of a dropped record are removed if nothing else needs them. With `exists` instead of a comparison,
    the test holds if there is a value at all, with `absent` if there is none.
    """

    path: tuple[tuple[str | None, str | None], ...]
    """(uri, local), None for any."""
    op: str
    string: str | None = None
    number: float | None = None
    text: bool = False
    attribute: tuple[str, str] | None = None


@dataclass(frozen=True)
class ScanStep:
    """One step of a path. Steps form a tree by `parent`; step 0 is the document node itself."""

    parent: int
    axis: str = "child"
    """child, descendant (at any depth below), or below step 0 self: the document node once more."""
    uri: str | None = None
    """None: any namespace."""
    local: str | None = None
    """None: any name."""
    report: Report = Report.NOTHING
    keep: Keep = Keep.NOTHING
    attributes: tuple[tuple[str, str], ...] | None = ()
    """(uri, local) of the attributes to keep; None for all of them."""
    text: bool = False
    """Keep the text nodes that are its children."""
    tests: tuple[StartTest, ...] = ()
    """All must hold, or the step does not reach the element. Step 0 has none."""
    value_tests: tuple[ValueTest, ...] = ()
    """All must hold, or there is no ITEM record. Step 0 has none."""
    nests: bool = False
    """Whether its START records matter only for nested elements. No step before it is late."""
    outermost: bool = False
    """Whether elements inside another one it reaches have no ITEM records."""
    late: bool = False
    """Whether its START and END records (it has both) matter only for elements with records of later steps inside."""
    result: Template | Tally | ScanTable | None = None
    """What the scan itself may do with a complete element that passes the tests. Step 0 has none."""
    alternatives: tuple[tuple[ValueTest, ...], ...] = ()
    """If there are any, the ITEM record is only useful if all tests of one of them hold; else it may be left out."""
    remembers: int = 0
    """Number of recent elements below each open element that stay. None for step 0 and below it."""
    label: int | None = None
    """The label under which they are numbered; requires `remembers`."""
    awaits: tuple[tuple[int, int, int], ...] = ()
    """Steps, the number of their elements that must have ended after one before its ITEM, its only report, and the
    ancestor whose children they are."""
    remarks: bool = False
    """Keep the comments and processing instructions that are its children."""

    @property
    def start_tests(self) -> list[AttributeTest | PresenceTest | PositionTest]:
        """The tests that the name does not decide, in order."""
        return [test for test in self.tests if not isinstance(test, NameTest)]

    @property
    def name_tests(self) -> list[NameTest]:
        return [test for test in self.tests if isinstance(test, NameTest)]


@dataclass(frozen=True)
class ScanPlan:
    """The steps of one scan. Parents come before their children."""

    steps: tuple[ScanStep, ...] = (ScanStep(-1),)
    comments: bool = False
    """Keep comments and processing instructions in subtrees that are kept whole."""

    @property
    def reports_document_element(self) -> bool:
        """Whether the document's element is reported as a whole, with what is kept of it."""
        below = [step for step in self.steps[1:] if step.parent == 0]
        return any(step.axis == "child" and Report.ITEM in step.report for step in below)

    def only_counts(self) -> list[bool]:
        """For each step, whether it and all steps below it only count, so no row is needed for them.

        A step without report that is the last of its path keeps the bare element, and one on the way to such a
        step does as well.
        """
        steps = self.steps
        silent = [
            step.report in (Report.NOTHING, Report.COUNT)
            and step.keep == Keep.NOTHING
            and step.attributes == ()
            and not step.text
            and not step.remarks
            and not step.remembers
            for step in steps
        ]
        is_last = [True] * len(steps)
        for number in range(len(steps) - 1, -1, -1):
            step = steps[number]
            silent[number] = silent[number] and not (is_last[number] and step.report == Report.NOTHING)
            if step.parent >= 0:
                is_last[step.parent] = False
                silent[step.parent] = silent[step.parent] and silent[number]
        return silent


Taken: TypeAlias = tuple[int, int, int, list[int], str | None, int, int, int, int]
"""Owner, kind (ITEM, WRITTEN, or COUNT) and step as the owner numbers it; the rows of ITEM records; the rest as in
`Written`, except that for COUNT `items` is the number."""


@dataclass
class Batch:
    """The output of a scanner after some input.

    The columns are those of `values/tree.py`; row 0 is the document node, then the `spine`. `kinds`, `steps` and `rows`
    are the records: kind 1 START, 2 END, 3 LEAF, 4 ITEM, 5 WRITTEN; the step; the row in this batch's columns, which
    for WRITTEN is 0: its text is the next of `written`. A record of an element that started in an earlier batch points
    to its row of the spine. All rows of an open element that will be reported as ITEM are repeated in the next batch.
    """

    kinds: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    """Kind in the three lowest bits, index into the scanner's own `names` above them."""
    ends: list[int] = field(default_factory=list)
    """For elements still open when the batch ends: the number of rows."""
    parents: list[int] = field(default_factory=list)
    values: list[str | None] = field(default_factory=list)
    """As XDM has them: line ends and attribute values normalised, xml:id collapsed; None for documents and elements."""
    declared: dict[int, dict[str, str]] = field(default_factory=dict)
    """Namespace declarations by row, except those that repeat what is in scope; a row of the spine repeats its own."""
    new_names: list[tuple[str, str, str]] = field(default_factory=list)
    """(uri, local, prefix) of new names, continuing the scanner's table.

    Index 0 is no name, so the very first one has index 1. A table entry serves all kinds of nodes with this name; the
    target of a processing instruction is a name without namespace."""
    prefixed: dict[int, str] = field(default_factory=dict)
    """Rows whose prefix differs from the one in the table."""
    numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    """By row and label: the number of an element among those of its step below its parent."""
    counts: list[int] = field(default_factory=list)
    """For each step, the number of elements counted since the last batch, or the result of its tally."""
    input_bytes: int = 0
    """Bytes of input fed so far."""
    written: list[Written] = field(default_factory=list)
    """The texts of the WRITTEN records, in order."""
    tables: list[TableState] = field(default_factory=list)
    """Results of tables that the scan has finished; they precede all records of the batch."""
    native: NativeRows | None = None
    """All columns, if the kernel keeps them; the lists here are then empty."""
    taken: Sequence[Taken] = ()
    """The records of takers, owner by owner."""
    spine: list[int] = field(default_factory=list)
    """The rows of the elements that were open when the batch began, from the outside in; remembered siblings precede
    them."""


@dataclass(frozen=True, slots=True)
class Written:
    """The results of one WRITTEN record: those of successive elements of a step with no other record between them."""

    text: str
    elements: int
    """Number of elements it was written for."""
    items: int
    """Number of items of the answer: elements and text nodes outside all elements of the template."""
    most_characters: int
    """For the largest of the elements, the characters in its rows."""
    most_rows: int
    """The number of its rows."""
    begins_with_atomic: bool = False
    ends_with_atomic: bool = False
    """Whether its first and last item are atomic values: a space separates another one."""
