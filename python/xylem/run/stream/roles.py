"""The purpose of each step of a scan: all records of a step play one role in the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from xylem.plan.flux import ProcessStream
from xylem.schema.automaton_constraints import AutomatonConstraints
from xylem.syntax import ast
from xylem.values.node import Node
from xylem.values.qname import QName

from .decisions import Decision
from .first_tuples import FirstSpec
from .keyed_groups import TableSpec


@dataclass(frozen=True)
class AggregateRole:
    """An aggregate of a scope."""

    slot: int
    function: str
    parameter: str = ""
    """The separator of string-join; how many of the last items are kept."""
    zero: str | None = None
    """The function that gives the value fold-left begins with."""
    table: TableSpec | None = None
    """What a table of accumulators is made of."""
    grows: bool = False
    """Whether the value of a fold becomes larger with each item."""
    first: FirstSpec | None = None
    """Which of the tuples of a sort are wanted."""
    taken: ast.Expr | None = None
    """What is added for each record, as the query says it."""
    keys: tuple[ast.Expr, ...] = ()
    """The keys of a table, or of a sort; what a fold does with a record."""


@dataclass(frozen=True)
class HoleRole:
    """The values for one hole of a template."""

    function: str
    """It takes the environment and the values of each argument, and gives values."""
    in_attribute: bool


@dataclass(eq=False)
class ScopeRole:
    """An element whose children are processed as a stream.

    Holds:  what `keeps_children` says: the children that handlers read later than they pass.
    Order:  handlers fire in the order of the program: on-first handlers where the schema says that their symbols are
            past (`early_firing.py`), before an on-handler all in front of it, at the end the remaining ones.
    """

    step: int
    variable: str
    slot: int
    """Where the variable's node stands in the environment."""
    parent: ScopeRole | None
    position: int
    """Its place among the handlers of its parent."""
    bodies: list[str | None] = field(default_factory=list)
    """The function of each on-first handler, None at the place of an on-handler."""
    at_start: int = 0
    """How many handlers in front wait for nothing."""
    is_single: bool = True
    """Whether there is one such element in a document, at most."""
    keeps_children: bool = False
    aggregates: list[AggregateRole] = field(default_factory=list)
    """The aggregates over this stream."""
    stream: ProcessStream | None = field(default=None, repr=False)
    """Its handlers as they were compiled, with variables in the place of aggregates."""
    keeps_little: bool = False
    """Whether a schema allows each path that is kept one match: then it grows with nothing."""
    holes: tuple[HoleRole, ...] = ()
    """What fills the holes of its results, where the scan writes them."""
    is_given_values: bool = False
    """Whether its template has values that are known when a run begins."""


@dataclass(eq=False)
class ItemRole:
    """A record that a handler takes whole."""

    step: int
    scope: ScopeRole
    position: int
    slot: int
    body: str
    nested: bool = False
    """Records may contain each other, so that results wait for the record around them."""
    held_as: str | None = None
    """The variable whose buffer the record is, where the handler needs it whole; None where it could be written as
    it passes, so that nothing but the scan's own batch holds it."""
    counter: int | None = None
    """Where the number of records so far goes, if a positional variable asks for it."""
    at_start: bool = False
    """The handler needs no more than the start tag, and fires there."""
    limit: int | None = None
    """So many records of one scope matter, and none after them."""
    run: str | None = None
    """The function that takes records which come one after another, where nothing has to be noted of each."""
    leaf_steps: tuple[int, ...] = ()
    """With any, the records are text nodes of the elements that these steps reach."""
    passes: str | None = None
    """The function that tells whether a text node is a record at all."""
    holes: tuple[HoleRole, ...] = ()
    """What fills the holes of the results that the scan writes."""
    is_given_values: bool = False
    """As for `ScopeRole`."""


@dataclass(eq=False)
class WindowRole:
    """Records that are collected into data windows (§3.8.2).

    Holds:  the items of the open window.
    """

    step: int
    scope: ScopeRole
    position: int
    slot: int
    body: str
    cursor: str
    """The function that makes the cursor of one scope."""
    aggregates: list[tuple[int, str, str]] = field(default_factory=list)
    """(slot, function, feeder) of aggregates over the window. With any, no item is held: they are all that is read."""
    by_kernel: str | None = None
    """The function that makes the windows of one scope for the kernel, where it can form them of rows."""
    kernel_writes: bool = False
    """Whether the kernel writes the results of such windows, too."""


@dataclass(frozen=True)
class Readers:
    """The handlers of a scope that read something: the place of the first and of the last of them."""

    first: int = 0
    last: int = 0


@dataclass(eq=False)
class KeepRole:
    """A record that is kept in the buffer of the stream it is a child of.

    Holds:  a copy of it, until the last handler that reads it has fired.
    """

    step: int
    scope: ScopeRole
    readers: Readers
    test: tuple[str | None, str | None]
    """(uri, local) of the children it is about, None for any."""
    sought: tuple[tuple[str | None, str | None], ...] = ()
    """Children of any name are kept for elements of these names in them: one without any is of no use to anyone."""


@dataclass(eq=False)
class FeedRole:
    """A record that feeds an aggregate; `body` None: it is only counted, by the scan itself."""

    step: int
    scope: ScopeRole
    slot: int
    aggregate: int
    body: str | None
    readers: Readers = Readers()
    at_start: bool = False
    """What is taken of a record is known at its start tag."""
    nested: bool = False
    """Records may contain each other, and their order matters."""
    leaf_steps: tuple[int, ...] = ()
    """With any, the records are text nodes of the elements that these steps reach."""
    takes_runs: bool = False
    """The body takes several records that come one after another."""


@dataclass(eq=False)
class FiringRole:
    """A record with whose end on-first handlers fire, and which they read as it passes (`immediate.py`)."""

    step: int
    scope: ScopeRole
    last: int
    """The last of the handlers that fire."""
    held_as: str | None = None
    """As for `ItemRole`."""


@dataclass(eq=False)
class TriggerRole:
    """A child whose start or end tag makes on-first handlers fire (`early_firing.py`)."""

    step: int
    scope: ScopeRole
    last: int
    """The last of the handlers that fire."""
    at_end: bool


@dataclass(eq=False)
class TrackRole:
    """Every child of an element whose automaton decides when handlers fire (`PastTracker`)."""

    step: int
    scope: ScopeRole
    constraints: AutomatonConstraints
    sets: tuple[frozenset[str] | None, ...]
    """For each handler what must be past."""


@dataclass(frozen=True)
class Segment:
    """The steps between two elements of a path: by axis and (uri, local), None for any."""

    steps: tuple[tuple[str, str | None, str | None], ...] = ()

    def leads(self, start: int, node: Node, depth: int) -> bool:
        """Whether the steps lead from the open element at a depth to a node below it.

        The scan has followed the steps. Where they allow one way only, the depth tells which element they began at.
        """
        if self._is_by_children:
            return start == depth - len(self.steps)
        if len(self.steps) == 1:
            return start < depth
        return self._reaches(start, node, depth)

    @cached_property
    def _is_by_children(self) -> bool:
        return all(axis == "child" for axis, _, _ in self.steps)

    def _reaches(self, start: int, node: Node, depth: int) -> bool:
        line = _names_above(node)
        places = {start}
        for axis, uri, local in self.steps:
            below = {place + 1 for place in places}
            if axis != "child":
                below = set(range(min(below, default=depth + 1), depth + 1))
            places = {place for place in below if place <= depth and _fits(line[place], uri, local)}
        return depth in places


def _names_above(node: Node) -> list[QName | None]:
    """The names of a node and its ancestors, the document's first."""
    line: list[QName | None] = []
    at: Node | None = node
    while at is not None:
        line.append(at.name)
        at = at.parent
    return line[::-1]


def _fits(name: QName | None, uri: str | None, local: str | None) -> bool:
    return name is not None and uri in (None, name.uri) and local in (None, name.local)


@dataclass(eq=False)
class CandidateRole:
    """An element that must pass a test before nodes reached through it are results (`regions.py`)."""

    step: int
    scope: ScopeRole
    region: RegionRole
    number: int
    """Its place among the candidates of a path."""
    segment: Segment
    """The steps from the candidate before it."""
    slot: int
    """Where the element stands for its test."""
    decision: Decision
    facts: list[str] = field(default_factory=list)
    """The functions that tell what is known at the start tag."""
    aggregates: list[AggregateRole] = field(default_factory=list)
    test: str = ""
    """The function that decides at the end tag."""
    counts: str | None = None
    """The function that tells by its position below its parent whether it can be a result at all."""
    reads_element: bool = False
    """Whether the test reads attributes of the element."""


@dataclass(eq=False)
class CountedParentRole:
    """An element below which matches of a step are counted."""

    step: int
    scope: ScopeRole
    candidate: CandidateRole


@dataclass(eq=False)
class CandidateFeedRole:
    """A record that feeds the test of candidates."""

    step: int
    scope: ScopeRole
    candidate: CandidateRole
    aggregate: int
    segment: Segment
    body: str
    at_start: bool = False


@dataclass(eq=False)
class RegionRole:
    """A result that waits for the tests of elements it is reached through.

    Holds:  results that are not decided, and those behind them.
    """

    step: int
    scope: ScopeRole
    position: int
    slot: int
    body: str
    variable: str
    segment: Segment
    """The steps from the last candidate; none where the result is that element itself."""
    candidates: list[CandidateRole] = field(default_factory=list)
    nested: bool = False
    """Results may contain each other."""
    at_start: bool = False
    is_tried: bool = True
    """Off where a result must be computed once at most: it may set variables."""
    counter: int | None = None
    limit: int | None = None


Role = (
    ScopeRole
    | ItemRole
    | WindowRole
    | KeepRole
    | FeedRole
    | FiringRole
    | TriggerRole
    | TrackRole
    | CandidateRole
    | CountedParentRole
    | CandidateFeedRole
    | RegionRole
)
