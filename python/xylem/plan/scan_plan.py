"""What a scan is asked for: the paths to follow, what to keep below them, and when to report.

The scan reads a document once and builds the *projected document*: the elements that some path needs, on the rows
of a tree, with everything else left out. It reports, in the order of the input, where elements of interest
start, end, or are complete. After each batch the complete parts are handed over and forgotten; the elements still
open (the *spine*) start the next batch's tree again, so that every row always has its true ancestors.

A plan is plain data: it is pickled, printed, and handed to the kernel and to the Python scanner alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag


class Report(IntFlag):
    """Which records an element that a step reaches gives."""

    NOTHING = 0
    START = 1
    """When its start tag has been read; the row has its kept attributes but no children yet."""
    END = 2
    """When its end tag has been read."""
    ITEM = 4
    """Once, when it is complete, with all that is kept of it: a record of its own."""
    COUNT = 8
    """Nothing by itself: it is counted, and the counts come with the batch."""


class Keep(IntEnum):
    """What is kept of an element that a step reaches, beside what longer paths below it keep."""

    NOTHING = 0
    """The bare element, with the attributes and text that `attributes` and `text` ask for."""
    SUBTREE = 1
    """Everything below it."""
    STRING = 2
    """Its string value: all text below it, as one text node, and nothing else."""


@dataclass(frozen=True)
class AttributeTest:
    """A comparison with a constant, decided at the start tag: the element is skipped where it does not hold.

    `op` is one of = != < <= > >=. A `number` is compared as xs:double (a value that is no number fails the
    test with an error report, since the query would raise one); a `string` by code points.
    """

    uri: str
    local: str
    op: str
    string: str | None = None
    number: float | None = None


@dataclass(frozen=True)
class ScanStep:
    """One step of a path. Steps form a tree by `parent`; step 0 is the document node itself."""

    parent: int
    axis: str = "child"
    """child or descendant (at any depth below)"""
    uri: str | None = None
    """None: any namespace"""
    local: str | None = None
    """None: any name"""
    report: Report = Report.NOTHING
    keep: Keep = Keep.NOTHING
    attributes: tuple[tuple[str, str], ...] | None = ()
    """(uri, local) of the attributes to keep; None for all of them."""
    text: bool = False
    """Keep the text nodes that are its children."""
    tests: tuple[AttributeTest, ...] = ()
    """All must hold, or the element and what is below it is skipped."""


@dataclass(frozen=True)
class ScanPlan:
    """The steps of one scan. Parents come before their children."""

    steps: tuple[ScanStep, ...] = (ScanStep(-1),)
    comments: bool = False
    """Keep comments and processing instructions in subtrees that are kept whole."""


@dataclass
class Batch:
    """What a scanner hands over after some input.

    The columns are those of `values/tree.py`; row 0 is the document node, then the spine. `kinds`, `steps` and
    `rows` are the records: kind 1 START, 2 END, 4 ITEM; the step; the row in this batch's columns. A record of an
    element that started in an earlier batch points to its row of the spine.
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
    declared: dict[int, dict[str, str]] = field(default_factory=dict)
    """Namespace declarations by row; a row of the spine repeats its own."""
    new_names: list[tuple[str, str, str]] = field(default_factory=list)
    """(uri, local, prefix) of names met for the first time, continuing the scanner's table; index 0 is no name."""
    prefixed: dict[int, str] = field(default_factory=dict)
    """Rows whose prefix differs from the one in the table."""
    counts: list[int] = field(default_factory=list)
    """For each step, how many elements were counted since the last batch."""
    input_bytes: int = 0
    """How much input has been read so far."""
