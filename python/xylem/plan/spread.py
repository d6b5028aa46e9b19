"""A query taken apart for tasks: the expressions behind `distribution.py`, from which tasks are compiled.

Everything here follows from the text of the query, so that every process can make it for itself.
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
"""Processing instructions at the ends of a range, where parts ask which elements are open there."""
SENT, KEY_OF_SENT = "xylem-sent-61c2", "k"
"""The element around an item that goes to windows of its key, and the attribute that tells the key, behind a `=`."""
LOOKUP = ast.Name("lookup", None, PART_NAMESPACE)
"""lookup(number, values): the function that asks a table."""


class Use(Enum):
    """What the frame does with the value of a part."""

    ANSWER = "written as it is"
    VALUE = "atomised"
    TRUTH = "true or false"
    ITEMS = "items"


@dataclass(frozen=True)
class Place:
    """Where a part stands in the frame."""

    use: Use
    wrappers: tuple[ast.DirectElement, ...] = ()
    """The direct constructors around it, outermost first, without attributes.

    The content is an empty enclosed expression where what follows stands in one, else nothing: a constructor in one
    has namespaces of its own, one that is written inside another has not.
    """
    group: int | None = None
    """Its text may be put there as it is, if that goes for all parts of the same number. None: it may not."""


@dataclass(frozen=True)
class Grouping:
    """The second half of a part that is grouped: what is done with the tuples of one group."""

    keys: tuple[ast.GroupingSpec, ...]
    collected: tuple[ast.Name, ...]
    """Variables that hold the items of all tuples of the group."""
    aggregates: tuple[tuple[ast.Name, str, tuple[ast.Expr, ...]], ...]
    """Variables in place of aggregates: (variable, function, further arguments)."""
    finish: ast.Expr
    """A function from keys, collected sequences and aggregates to arrays [items, order keys…] of one group."""
    looks_around: bool = False
    """Whether each tuple ends with whether its item lies inside another: then tasks end with XYRT0011."""


@dataclass(frozen=True)
class Windowed:
    """The second half of a part that is windows over a stream: the body of the part gives the items."""

    query: ast.Expr
    """What is done with them, as ITEMS_OF_STREAM."""
    key: ast.Expr | None
    """A function from an item to its key; None where windows go over all items."""
    key_name: ast.Name | None
    sent: ast.Expr | None = None
    """What stands for the body where items are elements: they travel as this gives them, as XML. With a key, each is in
    an element SENT, which has it as an attribute; None where the items themselves are sent."""
    time: ast.Expr | None = None
    """A function from an item to its event time, where there is a key; without one, `query` sees to it."""
    watermark: str = ""
    late: str = ""


@dataclass(frozen=True)
class Lookup:
    """A table of the gathered items of a part, by key: the body of another part asks it for those that may match."""

    number: int
    part: int
    key: ast.Expr
    """A function from an item to its keys."""
    equality: ast.Expr
    """The comparison that it is for."""
    asked: ast.Expr | None = None
    """All values it is asked for over a range of the input, or more; None where that is not known beforehand."""
    behind: int | None = None
    """The table whose items ask it: `asked` is a function of one of them."""


@dataclass(frozen=True)
class SpreadPart:
    """One part, as tasks compute it."""

    number: int
    kind: PartKind
    source: ast.Expr
    """The expression it stands for."""
    answer: ast.Expr
    """The same, with the bindings of the frame that it reads."""
    body: ast.Expr
    """What a task evaluates over its range: items; for sorts and groups one array for each tuple."""
    scopes: tuple[Scope, ...]
    stage: int
    needs: tuple[int, ...]
    place: Place
    why: str = ""
    function: str = ""
    """Of an aggregate: its name."""
    arguments: tuple[ast.Expr, ...] = ()
    """Of an aggregate: what follows its first argument."""
    orders: tuple[ast.OrderSpec, ...] = ()
    limit: int | None = None
    """Only so many of the first items count."""
    is_first_only: bool = False
    """Every range gives the same: the first is asked."""
    is_by_range: bool = False
    """A count of which tasks are given what the ranges before theirs have."""
    grouping: Grouping | None = None
    windowed: Windowed | None = None
    keeps: Projection | None = field(default=None, compare=False)
    """Of gathered nodes, what is looked at where they are used; None: everything."""
    lookups: tuple[Lookup, ...] = ()
    is_joined_by_key: bool = False
    """Its items are asked for by key alone: a task needs only those that may match."""
    is_divisible: bool = False
    """Its items could be divided themselves, where a document has too few of them."""
    must_be_flat: bool = False
    """Its items are copies that paths go over, which is right only where none is inside another."""
    cuts_anywhere: bool = False
    """Nothing is read of elements but their start tags: a document may be cut inside of its items, too."""
    is_guarded: bool = False
    """The frame may never read it: an error of it is kept until then."""

    @property
    def variable(self) -> ast.VarRef:
        return part_variable(self.number)


def part_variable(number: int) -> ast.VarRef:
    """What stands for a part in the frame, and in parts of later stages."""
    return ast.VarRef(ast.Name(f"part{number}", None, PART_NAMESPACE))


@dataclass(frozen=True)
class SpreadQuery:
    """The parts of a query and what is left of it."""

    parts: tuple[SpreadPart, ...]
    frame: ast.Expr
    distribution: Distribution
    named: ast.FunctionCall | None = None
    """The call of doc() or stream() that stands for the input, where the query says it so."""


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
