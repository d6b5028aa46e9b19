"""Results that the scan writes itself: markup with places that are filled from the rows of a complete record.

        on photon as $p return { if ($p/en > 1.3) then <rxj>{ $p/ra }{ $p/en }</rxj> }
    →   photon[en > 1.3], written as  Construct("rxj", (Copies(ra), Copies(en)))

A template is plain data, as the rest of a scan plan. The text it gives is XML as the output writes it: UTF-8 or another
Unicode encoding, no indentation, no character maps, and no namespaces declared around it. Whoever hands it to a scan
sees to that (`sink/event_writer.py` says when it takes such text); whoever makes it uses no namespaces in it. Copies
declare the namespaces that were in scope of their originals.

Paths lead from the element of the record, or inside `Each` from the element of that, by children; their last step may
be a descendant step. With `up` they begin so many `Each` further out. What they read must be kept by the plan.

A program whose answer is wanted as a table has templates of rows instead: the cells of each, as they stand in the
input, with control characters between them that XML 1.0 does not have. A value that is not of its column's type, or
that is written in an unusual way, leaves the record to the query.

What the kernel cannot compute is a hole: the values that it needs are written in its place, and code fills it in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .kernel_expression import KernelExpression


@dataclass(frozen=True)
class PathStep:
    """To the children of a name; None stands for any."""

    uri: str | None
    local: str | None
    descends: bool = False
    """To all descendants of the name, and not only to children. Only the last step of a path may."""


Path = tuple[PathStep, ...]


class ValueOf(IntEnum):
    """What is taken of each element a path leads to."""

    STRING = 0
    """Its string value."""
    TEXT = 1
    """Its text nodes, each by itself."""
    ATTRIBUTE = 2
    """One of its attributes, where it has it."""


@dataclass(frozen=True)
class Characters:
    """Text that is always the same, escaped for where it stands."""

    text: str


@dataclass(frozen=True)
class Values:
    """Characters from the input, escaped for where they stand."""

    path: Path
    of: ValueOf
    attribute: tuple[str, str] | None = None
    separator: str = ""
    """What stands between two values: nothing between text nodes, a blank between atomic values."""
    at_most_one: bool = False
    """More than one would be an error: then the record is left to the query."""
    up: int = 0


@dataclass(frozen=True)
class Cell:
    """One value of a row, as its column wants it."""

    content: Characters | Values | Computed | None
    """None: there is no value. Characters are not escaped here. A computed value of another type is the query's."""
    reading: str = "text"
    """Those of columns, count: how many values there are, and number: what is no double is NaN."""
    bits: int = 64
    is_list: bool = False
    missing: str | None = None
    """What stands for no value; None for null."""


@dataclass(frozen=True)
class Computed:
    """The values of an expression, escaped for where they stand; as other atomic values."""

    value: KernelExpression


@dataclass(frozen=True)
class Hole:
    """What code of the query makes of some values; alone in its place, inside an element.

    The scan writes the values instead, between two marks: the code's number as a character, and for each argument its
    values, each with `END_OF_MEMBER` behind it, and `END_OF_CELL`. A value that is not untyped has `NULL` and a letter
    for its type before it. Whoever takes the text fills the holes of a whole batch (`run/stream/filled_holes.py`).
    """

    number: int
    arguments: tuple[KernelExpression, ...]
    """What the code reads of the record."""


class Around(IntEnum):
    """The namespaces that constructed elements around a place declare."""

    NOTHING = 0
    PREFIXES = 1
    DEFAULT = 2
    """A default one, perhaps among others."""


@dataclass(frozen=True)
class Copies:
    """The elements a path leads to, with everything in them; the element itself if it is empty."""

    path: Path
    up: int = 0
    below: bool = False
    """Their children are copied, of whatever kind, and not the elements themselves."""
    around: Around = Around.NOTHING
    """Where anything is declared, copies that have namespaces are left to the query."""


@dataclass(frozen=True)
class CopiedAttributes:
    """Attributes of the elements that a path leads to. Two of one name are left to the query, or one in a namespace."""

    path: Path
    name: tuple[str, str] | None
    """None: all of them."""
    up: int = 0


@dataclass(frozen=True)
class Construct:
    """An element; without content it is written as an empty tag. What it declares stands among its attributes."""

    name: str | KernelExpression
    """With its prefix. One that is computed has none; what is not certainly a name is left to the query."""
    attributes: tuple[tuple[str, tuple[Piece, ...]], ...] = ()
    content: tuple[Part, ...] = ()
    copied: tuple[CopiedAttributes, ...] = ()
    """Behind the other attributes."""


@dataclass(frozen=True)
class When:
    """The parts, if a condition holds, and else the others: it is decided once."""

    test: KernelExpression
    parts: tuple[Part, ...]
    otherwise: tuple[Part, ...] = ()


@dataclass(frozen=True)
class WhenFilled:
    """The parts, if code says so, and else the others: the scan writes both, with marks, and code takes one away.

    The parts are nodes. Before them, the scan writes `!` and what it writes for a hole; behind each, `|` or `)` and how
    many items of the answer it is.
    """

    test: Hole
    parts: tuple[Part, ...]
    otherwise: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Numbered:
    """A whole template, in which the number of the record among those of its step is known."""

    slot: int
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Counting:
    """The elements of a loop are counted, into a slot."""

    slot: int
    test: KernelExpression | None = None
    """Only those of which it is true are counted, and are elements of the loop at all."""


@dataclass(frozen=True)
class Each:
    """The parts for each element a path leads to."""

    path: Path
    parts: tuple[Part, ...]
    up: int = 0
    counting: Counting | None = None
    are_few: bool = False
    """Whether the scan leaves the record to the query if there are many (`lowering/stream/few_turns.py`)."""


@dataclass(frozen=True)
class Order:
    """How a key of an order compares."""

    descending: bool
    empty_greatest: bool


@dataclass(frozen=True)
class Sorted:
    """Parts with `Keyed` ones inside, which come in the order of their keys."""

    orders: tuple[Order, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Keyed:
    """Nodes, and the keys by which they stand among others."""

    keys: tuple[KernelExpression, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Functions:
    """Parts in which functions are applied to nodes; the functions may apply each other."""

    bodies: tuple[tuple[Part, ...], ...]
    """What each writes for a node, which is at hand: nodes alone."""
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Apply:
    """What a function writes for the elements a path leads to, or for their children, text nodes among them."""

    function: int
    path: Path
    up: int = 0
    below: bool = False


@dataclass(frozen=True)
class Alike:
    """An element called as the one at hand, or as one of a loop further out. A name in a namespace is the query's."""

    up: int
    content: tuple[Part, ...] = ()
    copied: tuple[CopiedAttributes, ...] = ()


END_OF_CELL = "\x1f"
NULL = "\x1e"
"""Stands in a cell that has no value."""
END_OF_MEMBER = "\x1d"
"""Stands behind each member of a list."""
HOLE = "\x1c"
"""Stands before and behind a hole."""
CONDITION = "!"
OTHERWISE = "|"
END_OF_CONDITION = ")"
"""Marks of `WhenFilled`, in the place of the number of a hole."""


@dataclass(frozen=True)
class Column:
    """What a table wants of each row."""

    name: str
    reading: str
    """text, integer, double, decimal, date, dateTime, boolean"""
    bits: int = 64
    """Of an integer."""
    is_list: bool = False


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Let:
    """Nothing is written: a value is computed, for the parts that come after this one."""

    slot: int
    value: KernelExpression


@dataclass(frozen=True)
class EachValue:
    """The parts for each of some atomic values."""

    slot: int
    values: KernelExpression
    parts: tuple[Part, ...]
    position: int | None = None
    """The slot of its position."""


Piece = Characters | Values | Computed | Hole | Cell
"""What a value consists of; cells only where rows are wanted."""
_Nodes = Copies | Construct | Alike | Apply
_Inner = When | WhenFilled | Each | EachValue | Let | Sorted | Keyed | Functions | Numbered
Part = Piece | _Nodes | _Inner | Row
Template = tuple[Part, ...]


@dataclass(frozen=True)
class Tally:
    """Nothing is written: what a path leads to is counted, and the counts come with the batch."""

    path: Path
    of: ValueOf | None = None
    """None: the elements themselves."""
    attribute: tuple[str, str] | None = None
