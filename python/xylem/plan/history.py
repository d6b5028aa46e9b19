"""A query over update streams as operators that can retract their results: descriptions, which `run/history/` runs.

    Source     the units of a loop: the elements of a path, each with all that the loop reads of it
    Loop       the results of each unit: rows with order keys, or values for an aggregate
    Fold       an aggregate over the results of a loop
    Slice      the items of a loop from one place to another
    Computed   an expression, recomputed when an input changes
    Scope      an expression that no operator maintains, reevaluated from scratch
    Sequence   parts one after the other
    Constructor, Conditional    an element around parts; one of two parts

Functions are numbered: a program of the same number of function items is compiled with the plan.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xylem.errors import Span

__all__ = [
    "Computed",
    "Conditional",
    "Constructor",
    "Fold",
    "Grouping",
    "HistoryPlan",
    "Kept",
    "Lookup",
    "Loop",
    "NameTest",
    "Operator",
    "Projection",
    "Scope",
    "Sequence",
    "Siblings",
    "Slice",
    "Source",
    "Step",
    "Template",
    "Text",
    "Timeline",
    "Windows",
]


@dataclass(frozen=True)
class NameTest:
    """The elements a step takes; None takes any."""

    uri: str | None = None
    local: str | None = None

    def takes(self, uri: str, local: str) -> bool:
        return (self.uri is None or self.uri == uri) and (self.local is None or self.local == local)

    def __str__(self) -> str:
        return self.local or "*"


@dataclass(frozen=True)
class Step:
    """A step to child elements, or with `is_deep` to descendants."""

    test: NameTest
    is_deep: bool = False

    def __str__(self) -> str:
        return ("//" if self.is_deep else "/") + str(self.test)


@dataclass(frozen=True)
class Projection:
    """`#v`, `#[v]`, `?t` or `?[t]`."""

    sign: str
    amount: str
    """A number as written, so the plan is plain data."""


@dataclass(frozen=True)
class Source:
    """The units of a loop, in document order.

    Holds:  a unit for each element that the path leads to.
    """

    number: int
    stream: str
    steps: tuple[Step, ...]
    condition: int | None = None
    """The source whose unit, an outer element, must hold as well: `biblio[publisher = "Wiley"]/books`."""
    levels: int = 0
    """How many levels above a unit that element is."""
    children: frozenset[tuple[str, str]] | None = None
    """The children of a unit that are read; None for all of it."""
    projection: Projection | None = None
    """If set, a unit is a slot before the last step, and its elements are those of the chosen versions."""
    is_flat: bool = False
    """Whether values of units are in document order only while units do not nest."""
    looks_back: bool = False
    """Whether earlier versions of content in a unit may be read."""
    knows_parents: bool = False
    """Whether units are counted among those of their parent."""
    function: int | None = None
    """For a condition: decides whether an element holds."""
    by_time: tuple[Projection, ...] = ()
    """How a condition looks back in time."""

    @property
    def path(self) -> str:
        return "".join(map(str, self.steps))


@dataclass(frozen=True)
class Kept:
    """The retention of the history of slots at a path, and its readers."""

    stream: str
    steps: tuple[Step, ...]
    versions: int
    """Number of versions; 0 if it goes by time."""
    seconds: str | None
    """Versions younger than this, and the one that was valid then."""
    expression: str
    span: Span | None
    rule: str

    @property
    def path(self) -> str:
        return "".join(map(str, self.steps))


@dataclass(frozen=True)
class Lookup:
    """The items of a source with a requested key: a hash index over it."""

    variable: tuple[str, str]
    """The query's variable for an item."""
    loop: Loop
    """Computes the keys of each unit."""
    operators: tuple[str, ...]


@dataclass(frozen=True)
class Timeline:
    """The values an expression had, newest first: for each unit of a loop, or for the whole query."""

    function: int
    projection: Projection


@dataclass(frozen=True)
class Siblings:
    """`b[c][2]`: only units at some places among those of their parent count.

    Holds:  for each parent, the units that pass the predicates before the place, in order.
    """

    function: int | None
    """Whether a unit passes them; None if there are none."""
    start: int
    end: int | None
    """As in a slice."""


@dataclass(frozen=True)
class Operator:
    """Produces a part of the answer, and changes it in place."""


@dataclass(frozen=True)
class Text(Operator):
    """Characters that never change."""

    value: str


@dataclass(frozen=True)
class Sequence(Operator):
    parts: tuple[Operator, ...]


@dataclass(frozen=True)
class Constructor(Operator):
    """An element: its tags, and a separate operator for each enclosed expression."""

    start: str
    parts: tuple[Operator, ...]
    end: str
    name: str


@dataclass(frozen=True)
class Grouping:
    """`group by` after the rows of a loop.

    Holds:  the groups that have members, and the contribution of each member.
    """

    keys: int
    """Number of grouping keys in a row."""
    collected: int
    """Number of variables after them that are collected over the group."""
    folds: tuple[str, ...]
    """The aggregates that fold the further values of a row."""
    function: int
    """Computes the rows of the group from the keys, the collected variables, the aggregates and the holes."""
    holes: tuple[Operator, ...] = ()
    mixes_nodes: bool = False
    """Whether a path starts at the collected nodes of several units."""


@dataclass(frozen=True)
class Windows:
    """Windows over the items of a loop.

    Holds:  the items, and the first and last item of each window.
    """

    is_sliding: bool
    is_rank: bool
    """Whether each item is a window with a number."""
    drops_open: bool
    """`only end`: a window has no result before its end has arrived."""
    has_positions: bool
    """Whether it reads positions: items that move change their windows."""
    start: int
    """Decides from an item, its position, its neighbours, and the holes whether a window starts."""
    end: int | None
    """Decides from these four of the first item, and of another, whether that is the last."""
    result: int
    """Computes the rows of a window from its items, and the four of its first and last."""
    order: tuple[tuple[bool, bool], ...] = ()
    columns: int = 0
    """As for a loop."""
    holes: tuple[Operator, ...] = ()


@dataclass(frozen=True)
class Conditional(Operator):
    """One of two parts, by a condition."""

    test: Operator
    then: Operator
    otherwise: Operator


@dataclass(frozen=True)
class Template:
    """The element that each turn constructs, as text around its content: no tree is built.

    Its function returns rows like that of the loop, with one sequence for each enclosed expression.
    """

    function: int
    pieces: tuple[str | None, ...]
    """Characters, and None for each enclosed expression; the last is the end tag."""
    start: str
    """The start tag without its end."""


@dataclass(frozen=True)
class Loop(Operator):
    """The results of the units of a source, each computed separately.

    Holds:  the results of each unit, in order.
    """

    source: Source
    function: int
    """Computes from an element of the source and the holes its items or, with `columns`, rows as arrays."""
    order: tuple[tuple[bool, bool], ...] = ()
    """(descending, empty greatest) of each order key."""
    columns: int = 0
    """Number of order keys before the items of a row; 0: no rows."""
    group: Grouping | None = None
    holes: tuple[Operator, ...] = ()
    """Inputs of the function besides the unit: values that are the same for all units."""
    lookups: tuple[Lookup, ...] = ()
    timelines: tuple[Timeline, ...] = ()
    by_time: tuple[Projection, ...] = ()
    """How its function looks back in time: time alone may change the result."""
    template: Template | None = None
    is_numbered: bool = False
    """Whether its function gets the number of items before the unit, and first returns its own number."""
    siblings: Siblings | None = None
    windows: Windows | None = None
    note: str = ""
    span: Span | None = None


@dataclass(frozen=True)
class Fold(Operator):
    """An aggregate of the items of a loop."""

    name: str
    loop: Loop


@dataclass(frozen=True)
class Slice(Operator):
    """The items of a loop in a half-open range counted from 0; negative numbers count from the end."""

    loop: Loop
    start: int
    end: int | None

    @property
    def is_single(self) -> bool:
        """Whether it has at most one item."""
        return self.start == -1 if self.end is None else self.end - self.start <= 1


@dataclass(frozen=True)
class Computed(Operator):
    """An expression over holes."""

    function: int
    holes: tuple[Operator, ...]
    note: str = ""
    span: Span | None = None
    timeline: Projection | None = None


@dataclass(frozen=True)
class Scope(Operator):
    """A part that no operator maintains: reevaluated from scratch after each commit, and compared.

    Holds:  its last value.
    """

    number: int
    why: str
    span: Span | None = None


@dataclass(frozen=True)
class HistoryPlan:
    """The whole query."""

    root: Operator
    sources: tuple[Source, ...]
    kept: tuple[Kept, ...] = ()
    scopes_look_back: bool = False
    """Whether a part that is reevaluated from scratch reads versions, or asks when they began."""
    whole: str = ""
    """Why the query is reevaluated from scratch after each commit, if it is."""
    notes: tuple[tuple[Span | None, str], ...] = field(default=())
