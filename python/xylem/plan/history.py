"""A query over update streams as operators that take back what they gave: descriptions, for `run/history/` to run.

    Source     the units of a loop: the elements that a path leads to, each with all that the loop reads of it
    Loop       what each unit gives: rows with order keys, or values for an aggregate
    Fold       an aggregate of what a loop gives
    Slice      the items of a loop from one place to another
    Computed   an expression, computed again when what it reads has changed
    Scope      an expression that no operator maintains, evaluated from the beginning
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
    """A number as it was written, so that the plan is plain data."""


@dataclass(frozen=True)
class Source:
    """The units of a loop, in document order.

    Holds:  a unit for each element that the path leads to.
    """

    number: int
    stream: str
    steps: tuple[Step, ...]
    condition: int | None = None
    """The source whose unit, an element around one of these, must hold as well: `biblio[publisher = "Wiley"]/books`."""
    levels: int = 0
    """How many levels above a unit that element is."""
    children: frozenset[tuple[str, str]] | None = None
    """The children of a unit that are read; None for all of it."""
    projection: Projection | None = None
    """With one, a unit is a slot in front of the last step, and its elements those of the chosen versions."""
    is_flat: bool = False
    """Whether what is taken of units is in document order only while they do not stand inside each other."""
    looks_back: bool = False
    """Whether earlier versions of what is in a unit are asked for."""
    knows_parents: bool = False
    """Whether units are counted among those of their parent."""
    function: int | None = None
    """Of a condition: whether an element holds."""
    by_time: tuple[Projection, ...] = ()
    """How a condition looks back in time."""

    @property
    def path(self) -> str:
        return "".join(map(str, self.steps))


@dataclass(frozen=True)
class Kept:
    """How much of the history of slots at a path is kept, for whom."""

    stream: str
    steps: tuple[Step, ...]
    versions: int
    """That many versions; 0 where it goes by time."""
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
    """The items of a source with a key among those asked for: a hash index over it."""

    variable: tuple[str, str]
    """What the query calls an item of it."""
    loop: Loop
    """Gives the keys of each unit."""
    operators: tuple[str, ...]


@dataclass(frozen=True)
class Timeline:
    """The values an expression had, newest first: of each unit of a loop, or of the whole query."""

    function: int
    projection: Projection


@dataclass(frozen=True)
class Siblings:
    """`b[c][2]`: only units at some places among those of their parent count.

    Holds:  of each parent, the units that pass the predicates before the place, in order.
    """

    function: int | None
    """Whether a unit passes them; None where there are none."""
    start: int
    end: int | None
    """As of a slice."""


@dataclass(frozen=True)
class Operator:
    """Gives a part of the answer, and changes it in place."""


@dataclass(frozen=True)
class Text(Operator):
    """Characters that never change."""

    value: str


@dataclass(frozen=True)
class Sequence(Operator):
    parts: tuple[Operator, ...]


@dataclass(frozen=True)
class Constructor(Operator):
    """An element: its tags, and each enclosed expression as an operator of its own."""

    start: str
    parts: tuple[Operator, ...]
    end: str
    name: str


@dataclass(frozen=True)
class Grouping:
    """`group by` behind the rows of a loop.

    Holds:  the groups that have members, and what each member gives to its group.
    """

    keys: int
    """How many values of a row are grouping keys."""
    collected: int
    """How many variables behind them are put together over the group."""
    folds: tuple[str, ...]
    """The aggregates that the further values of a row are folded by."""
    function: int
    """Of the keys, the collected variables, the aggregates and the holes: the rows of the group."""
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
    """Whether each item is a window, which has a number."""
    drops_open: bool
    """`only end`: a window gives nothing while its end has not come."""
    has_positions: bool
    """Whether it asks for positions: items that move change their windows."""
    start: int
    """Of an item, its position, the item before and the one behind, and the holes: whether a window starts."""
    end: int | None
    """Of these four of the first item, and of another: whether that is the last."""
    result: int
    """Of the items of a window, and the four of its first and last: its rows."""
    order: tuple[tuple[bool, bool], ...] = ()
    columns: int = 0
    """As of a loop."""
    holes: tuple[Operator, ...] = ()


@dataclass(frozen=True)
class Conditional(Operator):
    """One of two parts, as a condition says."""

    test: Operator
    then: Operator
    otherwise: Operator


@dataclass(frozen=True)
class Template:
    """The element that each turn gives, as the text around what is in it: no tree is made of it.

    Its function gives rows as that of the loop does, with one sequence for each enclosed expression.
    """

    function: int
    pieces: tuple[str | None, ...]
    """Characters, and None for each enclosed expression; the last is the end tag."""
    start: str
    """The start tag without its end."""


@dataclass(frozen=True)
class Loop(Operator):
    """What the units of a source give, each by itself.

    Holds:  what each unit gives, in order.
    """

    source: Source
    function: int
    """Of an element of the source and the holes: its items, or with `columns` rows, as arrays."""
    order: tuple[tuple[bool, bool], ...] = ()
    """(descending, empty greatest) of each order key."""
    columns: int = 0
    """How many order keys stand before the items of a row; 0: no rows."""
    group: Grouping | None = None
    holes: tuple[Operator, ...] = ()
    """What the function reads beside the unit: values that are the same for all of them."""
    lookups: tuple[Lookup, ...] = ()
    timelines: tuple[Timeline, ...] = ()
    by_time: tuple[Projection, ...] = ()
    """How its function looks back in time: the result may change as time goes on."""
    template: Template | None = None
    is_numbered: bool = False
    """Whether its function is given how many items come before the unit, and tells first how many it has itself."""
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
    """The items of a loop from one place on, counted from 0, to before another; negative ones from the end."""

    loop: Loop
    start: int
    end: int | None

    @property
    def is_single(self) -> bool:
        """Whether it has one item at most."""
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
    """A part that no operator maintains: evaluated from the beginning after each commit, and compared.

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
    """Whether a part that is evaluated from the beginning asks for versions."""
    whole: str = ""
    """Why the query is evaluated from the beginning after each commit, where it is."""
    notes: tuple[tuple[Span | None, str], ...] = field(default=())
