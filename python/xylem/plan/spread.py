"""A query taken apart for tasks: the expressions behind `distribution.py`, from which tasks are compiled.

Everything here follows from the text of the query, so every process can derive it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from xylem.analysis.projection import Projection
from xylem.source.byte_ranges import Scope
from xylem.syntax import ast

from .distribution import Distribution, PartKind
from .part_names import ITEMS_OF_STREAM, PART_NAMESPACE

RANGE_BEGINS, RANGE_ENDS = "xylem-range-begins-61c2", "xylem-range-ends-61c2"
"""Processing instructions at the ends of a range, for parts that read which elements are open there."""
SENT, KEY_OF_SENT = "xylem-sent-61c2", "k"
"""The element around an item that is sent to windows of its key, and the attribute that holds the key, after a `=`."""
LOOKUP = ast.Name("lookup", None, PART_NAMESPACE)
"""lookup(number, values): the function that reads a table."""


class Use(Enum):
    """What the frame does with the value of a part."""

    ANSWER = "written as it is"
    VALUE = "atomised"
    TRUTH = "true or false"
    ITEMS = "items"


@dataclass(frozen=True)
class Place:
    """The place of a part in the frame."""

    use: Use
    wrappers: tuple[ast.DirectElement, ...] = ()
    """The direct constructors around it, outermost first, without attributes.

    The content is an empty enclosed expression if the next one is in an enclosed expression, else nothing: a
    constructor in one has its own namespaces, one written directly inside another has not.
    """
    group: int | None = None
    """Text may be inserted here unchanged, if that holds for all parts with the same number. None: never."""


@dataclass(frozen=True)
class Grouping:
    """The second half of a grouped part: the processing of the tuples of one group."""

    keys: tuple[ast.GroupingSpec, ...]
    collected: tuple[ast.Name, ...]
    """Variables that hold the items of all tuples of the group."""
    aggregates: tuple[tuple[ast.Name, str, tuple[ast.Expr, ...]], ...]
    """Variables in place of aggregates: (variable, function, further arguments)."""
    finish: ast.Expr
    """A function from keys, collected sequences and aggregates to arrays [items, order keys…] of one group."""
    looks_around: bool = False
    """Whether each tuple ends with a flag for nested items: tasks then end with XYRT0011."""


@dataclass(frozen=True)
class Windowed:
    """The second half of a part that is windows over a stream: the body of the part returns the items."""

    query: ast.Expr
    """The query over the items, as ITEMS_OF_STREAM."""
    key: ast.Expr | None
    """A function from an item to its key; None if windows range over all items."""
    key_name: ast.Name | None
    sent: ast.Expr | None = None
    """Replaces the body if items are elements: its results are sent as XML. With a key, each is in an element SENT,
    which has it as an attribute; None if the items themselves are sent."""
    time: ast.Expr | None = None
    """A function from an item to its event time, with a key; without one, `query` handles it."""
    watermark: str = ""
    late: str = ""


@dataclass(frozen=True)
class Lookup:
    """A table of the gathered items of a part, by key: the body of another part looks up possible matches."""

    number: int
    part: int
    key: ast.Expr
    """A function from an item to its keys."""
    equality: ast.Expr
    """The comparison that it is for."""
    asked: ast.Expr | None = None
    """All values looked up over a range of the input, or more; None if they are not known in advance."""
    behind: int | None = None
    """The table whose items look this one up: `asked` is a function of one of them."""


@dataclass(frozen=True)
class SpreadPart:
    """One part in the form that tasks compute."""

    number: int
    kind: PartKind
    source: ast.Expr
    """The expression it stands for."""
    answer: ast.Expr
    """The same, with the frame's bindings that it reads."""
    body: ast.Expr
    """The expression that a task evaluates over its range: items; for sorts and groups one array for each tuple."""
    scopes: tuple[Scope, ...]
    stage: int
    needs: tuple[int, ...]
    place: Place
    why: str = ""
    function: str = ""
    """For an aggregate: its name."""
    arguments: tuple[ast.Expr, ...] = ()
    """For an aggregate: the arguments after the first."""
    orders: tuple[ast.OrderSpec, ...] = ()
    limit: int | None = None
    """Number of first items that count."""
    is_first_only: bool = False
    """Every range gives the same result: the first one is used."""
    is_by_range: bool = False
    """A count whose tasks receive the counts of earlier ranges."""
    grouping: Grouping | None = None
    windowed: Windowed | None = None
    keeps: Projection | None = field(default=None, compare=False)
    """The parts of gathered nodes that are read where they are used; None: everything."""
    lookups: tuple[Lookup, ...] = ()
    is_joined_by_key: bool = False
    """Its items are only looked up by key: a task needs only possible matches."""
    is_divisible: bool = False
    """Its items could be divided themselves, if a document has too few of them."""
    must_be_flat: bool = False
    """Its items are copies used by paths, which is correct only if none is inside another."""
    cuts_anywhere: bool = False
    """Only start tags of elements are read: a document may be cut inside its items, too."""
    is_guarded: bool = False
    """The frame may never read it: its errors are kept until then."""

    @property
    def variable(self) -> ast.VarRef:
        return part_variable(self.number)


def part_variable(number: int) -> ast.VarRef:
    """The variable for a part in the frame, and in parts of later stages."""
    return ast.VarRef(ast.Name(f"part{number}", None, PART_NAMESPACE))


@dataclass(frozen=True)
class SpreadQuery:
    """The parts of a query and the rest of it."""

    parts: tuple[SpreadPart, ...]
    frame: ast.Expr
    distribution: Distribution
    named: ast.FunctionCall | None = None
    """The call of doc() or stream() for the input, if the query names it."""


__all__ = [
    "ITEMS_OF_STREAM",
    "LOOKUP",
    "PART_NAMESPACE",
    "Grouping",
    "Lookup",
    "Place",
    "SpreadPart",
    "SpreadQuery",
    "Use",
    "Windowed",
    "part_variable",
]
