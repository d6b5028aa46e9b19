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
    """The separator of string-join; the number of last items to keep."""
    zero: str | None = None
    """The function that returns the initial value of fold-left."""
    table: TableSpec | None = None
    """The description of a table of accumulators."""
    grows: bool = False
    """Whether the value of a fold becomes larger with each item."""
    first: FirstSpec | None = None
    """The tuples of a sort that are wanted."""
    taken: ast.Expr | None = None
    """The value added for each record, as in the query."""
    keys: tuple[ast.Expr, ...] = ()
    """The keys of a table or a sort; the step of a fold."""


@dataclass(frozen=True)
class HoleRole:
    """The values for one hole of a template."""

    function: str
    """Takes the environment and the values of each argument, and returns values."""
    in_attribute: bool


@dataclass(eq=False)
class ScopeRole:
    """An element whose children are processed as a stream.

    Holds:  the children that handlers read after they have passed (`keeps_children`).
    Order:  handlers fire in the order of the program: on-first handlers when the schema says that their symbols are
            past (`early_firing.py`); all those before an on-handler precede it; the rest fires at the end.
    """

    step: int
    variable: str
    slot: int
    """The slot of the variable's node in the environment."""
    parent: ScopeRole | None
    position: int
    """Its index among the handlers of its parent."""
    bodies: list[str | None] = field(default_factory=list)
    """The function of each on-first handler, None for an on-handler."""
    at_start: int = 0
    """Number of leading handlers that wait for nothing."""
    is_single: bool = True
    """Whether a document has at most one such element."""
    keeps_children: bool = False
    aggregates: list[AggregateRole] = field(default_factory=list)
    """The aggregates over this stream."""
    stream: ProcessStream | None = field(default=None, repr=False)
    """Its handlers as compiled, with variables in place of aggregates."""
    keeps_little: bool = False
    """Whether a schema allows only one match of each kept path, so the memory is bounded."""
    holes: tuple[HoleRole, ...] = ()
    """Functions that fill the holes of its results, if the scan writes them."""
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
    """The variable whose buffer is the record, if the handler needs it whole; None if it could be written as it passes:
    then only the scan's own batch holds it."""
    counter: int | None = None
    """Receives the number of records so far, if a positional variable needs it."""
    at_start: bool = False
    """The handler needs only the start tag, and fires there."""
    limit: int | None = None
    """Number of records in one scope that matter; later ones are ignored."""
    run: str | None = None
    """The function that takes consecutive records, if nothing has to be noted for each."""
    leaf_steps: tuple[int, ...] = ()
    """If any, the records are text nodes of the elements that these steps reach."""
    passes: str | None = None
    """The function that decides whether a text node is a record at all."""
    holes: tuple[HoleRole, ...] = ()
    """Functions that fill the holes of results that the scan writes."""
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
    """The function that makes the cursor of a scope."""
    aggregates: list[tuple[int, str, str]] = field(default_factory=list)
    """(slot, function, feeder) of aggregates over the window. If any, no item is held: only the aggregates are read."""
    by_kernel: str | None = None
    """The function that makes the kernel's windows of a scope, if the kernel can form them from rows."""
    kernel_writes: bool = False
    """Whether the kernel also writes the results of such windows."""


@dataclass(frozen=True)
class Readers:
    """The first and the last handler of a scope that read something."""

    first: int = 0
    last: int = 0


@dataclass(eq=False)
class KeepRole:
    """A record that is kept in the buffer of its parent's stream.

    Holds:  a copy of it, until the last handler that reads it has fired.
    """

    step: int
    scope: ScopeRole
    readers: Readers
    test: tuple[str | None, str | None]
    """(uri, local) of the children concerned, None for any."""
    sought: tuple[tuple[str | None, str | None], ...] = ()
    """Children of any name are kept because of descendants with these names: a child without any is not needed."""


@dataclass(eq=False)
class FeedRole:
    """A record that feeds an aggregate; `body` is None if the scan itself only counts it."""

    step: int
    scope: ScopeRole
    slot: int
    aggregate: int
    body: str | None
    readers: Readers = Readers()
    at_start: bool = False
    """The value added for a record is known at its start tag."""
    nested: bool = False
    """Records may contain each other, and their order matters."""
    leaf_steps: tuple[int, ...] = ()
    """If any, the records are text nodes of the elements that these steps reach."""
    takes_runs: bool = False
    """The body takes several consecutive records."""


@dataclass(eq=False)
class FiringRole:
    """A record at whose end on-first handlers fire, and which they read while it passes (`immediate.py`)."""

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
    """For each handler, the symbols that must be past."""


@dataclass(frozen=True)
class Segment:
    """The steps between two elements of a path: by axis and (uri, local), None for any."""

    steps: tuple[tuple[str, str | None, str | None], ...] = ()

    def leads(self, start: int, node: Node, depth: int) -> bool:
        """Whether the steps lead from the open element at a depth to a node below it.

        The scan has followed the steps. If they allow only one path, the depth determines the element they began at.
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
    """Its index among the candidates of a path."""
    segment: Segment
    """The steps from the previous candidate."""
    slot: int
    """The slot of the element for its test."""
    decision: Decision
    facts: list[str] = field(default_factory=list)
    """The functions for facts known at the start tag."""
    aggregates: list[AggregateRole] = field(default_factory=list)
    test: str = ""
    """The function that decides at the end tag."""
    counts: str | None = None
    """The function that decides by its position below its parent whether it can be a result at all."""
    reads_element: bool = False
    """Whether the test reads attributes of the element."""


@dataclass(eq=False)
class CountedParentRole:
    """An element whose children are counted as matches of a step."""

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

    Holds:  undecided results, and those after them.
    """

    step: int
    scope: ScopeRole
    position: int
    slot: int
    body: str
    variable: str
    segment: Segment
    """The steps from the last candidate; empty if the result is that element itself."""
    candidates: list[CandidateRole] = field(default_factory=list)
    nested: bool = False
    """Results may contain each other."""
    at_start: bool = False
    is_tried: bool = True
    """Off if a result must be computed at most once: it may set variables."""
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
