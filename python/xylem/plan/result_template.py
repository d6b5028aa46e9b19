"""Results that the scan writes itself: markup with places that are filled from the rows of a complete record.

        on photon as $p return { if ($p/en > 1.3) then <rxj>{ $p/ra }{ $p/en }</rxj> }
    →   photon[en > 1.3], written as  Construct("rxj", (Copies(ra), Copies(en)))

A template is plain data, like the rest of a scan plan. Its text is XML as the output writes it: UTF-8 or another
Unicode encoding, no indentation, no character maps, and no namespaces declared around it. The caller of a scan ensures
that (`sink/event_writer.py` says when it takes such text); the maker of a template uses no namespaces in it. Copies
declare the namespaces that were in scope of their originals.

Paths lead from the element of the record, or inside `Each` from the element of that, by children; their last step may
be a descendant step. With `up` they begin that many `Each` further out. The plan must keep what they read.

A program for a table has templates of rows instead: the cells of each, as written in the input, with control characters
between them that XML 1.0 does not have. A value that is not of its column's type, or that is written in an unusual way,
leaves the record to the query.

A hole is a value that the kernel cannot compute: its arguments are written in its place, and code fills it in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .kernel_expression import Gathering, KernelExpression, WindowsOf


@dataclass(frozen=True)
class PathStep:
    """To the children with a name; None means any."""

    uri: str | None
    local: str | None
    descends: bool = False
    """To all descendants with the name, and not only to children. Only the last step of a path may descend."""


Path = tuple[PathStep, ...]


class ValueOf(IntEnum):
    """What is taken of each element of a path."""

    STRING = 0
    """Its string value."""
    TEXT = 1
    """Its text nodes, one by one."""
    ATTRIBUTE = 2
    """One of its attributes, if present."""


@dataclass(frozen=True)
class Characters:
    """Constant text, escaped for its place."""

    text: str


@dataclass(frozen=True)
class Values:
    """Characters from the input, escaped for their place."""

    path: Path
    of: ValueOf
    attribute: tuple[str, str] | None = None
    separator: str = ""
    """Separator of two values: none between text nodes, a space between atomic values."""
    at_most_one: bool = False
    """Whether more than one would be an error: then the record is left to the query."""
    up: int = 0


@dataclass(frozen=True)
class Cell:
    """One value of a row, in the form of its column."""

    content: Characters | Values | Computed | None
    """None: there is no value. Characters are not escaped here. Computed values of another type are the query's."""
    reading: str = "text"
    """A column's reading, or count: the number of values, or number: NaN for values that are not doubles."""
    bits: int = 64
    is_list: bool = False
    missing: str | None = None
    """The placeholder for a missing value; None for null."""


@dataclass(frozen=True)
class Computed:
    """The values of an expression, escaped for their place, separated like other atomic values."""

    value: KernelExpression


@dataclass(frozen=True)
class Hole:
    """The result of query code for some values; alone in its place, inside an element.

    The scan writes the values instead, between two marks: the code's number as a character, and for each argument its
    values, each followed by `END_OF_MEMBER`, and `END_OF_CELL`. A typed value is preceded by `NULL` and a letter for
    its type. The reader of the text fills the holes of a whole batch (`run/stream/filled_holes.py`).
    """

    number: int
    arguments: tuple[KernelExpression, ...]
    """The values of the record that the code reads."""


class Around(IntEnum):
    """The namespaces that constructed elements around a place declare."""

    NOTHING = 0
    PREFIXES = 1
    DEFAULT = 2
    """A default one, perhaps among others."""


@dataclass(frozen=True)
class Copies:
    """The elements of a path with all their content; the current element if the path is empty."""

    path: Path
    up: int = 0
    below: bool = False
    """Whether their children are copied, of any kind, and not the elements themselves."""
    around: Around = Around.NOTHING
    """If anything is declared, copies with namespaces are left to the query."""


@dataclass(frozen=True)
class CopiedAttributes:
    """Attributes of the elements of a path. Duplicate names, and names in a namespace, are left to the query."""

    path: Path
    name: tuple[str, str] | None
    """None: all of them."""
    up: int = 0


@dataclass(frozen=True)
class CopiedItems:
    """Attributes that an expression gives, with the same exceptions."""

    items: KernelExpression


@dataclass(frozen=True)
class Construct:
    """An element; without content it is written as an empty tag. Its declarations are among its attributes."""

    name: str | KernelExpression
    """With its prefix. A computed name has none; if it may not be a valid name, the query decides."""
    attributes: tuple[tuple[str, tuple[Piece, ...]], ...] = ()
    content: tuple[Part, ...] = ()
    copied: tuple[CopiedAttributes | CopiedItems, ...] = ()
    """Copied after the other attributes."""


@dataclass(frozen=True)
class When:
    """The parts if a condition holds, and otherwise the alternatives: it is decided once."""

    test: KernelExpression
    parts: tuple[Part, ...]
    otherwise: tuple[Part, ...] = ()


@dataclass(frozen=True)
class WhenFilled:
    """The parts or the alternatives, as code decides: the scan writes both, with marks, and code removes one.

    The parts are nodes. Before them, the scan writes `!` and the text of a hole; after each, `|` or `)` and its number
    of items.
    """

    test: Hole
    parts: tuple[Part, ...]
    otherwise: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Numbered:
    """A whole template that knows the number of the record among those of its step."""

    slot: int
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Counting:
    """Counts the elements of a loop in a slot."""

    slot: int
    test: KernelExpression | None = None
    """If given, only elements for which it is true are counted, and belong to the loop at all."""


@dataclass(frozen=True)
class Each:
    """The parts for each element of a path."""

    path: Path
    parts: tuple[Part, ...]
    up: int = 0
    counting: Counting | None = None
    are_few: bool = False
    """Whether the scan leaves the record to the query if there are many (`lowering/stream/few_turns.py`)."""


@dataclass(frozen=True)
class EachNodeOf:
    """The parts for each of some nodes, which is the current element in them: one loop further in."""

    nodes: KernelExpression
    parts: tuple[Part, ...]
    position: int | None = None
    """The slot of its position."""
    are_few: bool = False
    """As in `Each`."""


@dataclass(frozen=True)
class EachBinding:
    """The parts for each tuple or group, or each window."""

    tuples: Gathering | WindowsOf
    parts: tuple[Part, ...]
    are_few: bool = False
    """As in `Each`."""


@dataclass(frozen=True)
class Items:
    """Copies of the nodes of an expression. Attributes are left to the query."""

    items: KernelExpression
    around: Around = Around.NOTHING


@dataclass(frozen=True)
class Remark:
    """A comment, or with a target a processing instruction."""

    value: KernelExpression
    """One string. If it is unusual, the query decides whether it is an error."""
    target: str | None = None


@dataclass(frozen=True)
class Order:
    """The comparison of a sort key."""

    descending: bool
    empty_greatest: bool


@dataclass(frozen=True)
class Sorted:
    """Parts with inner `Keyed` ones, which are sorted by their keys."""

    orders: tuple[Order, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Keyed:
    """Nodes with their sort keys."""

    keys: tuple[KernelExpression, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Functions:
    """Parts in which functions are applied to nodes; the functions may call each other."""

    bodies: tuple[tuple[Part, ...], ...]
    """The output of each for the current node: only nodes."""
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Apply:
    """The output of a function for the elements of a path, or for their children, including text nodes."""

    function: int
    path: Path
    up: int = 0
    below: bool = False


@dataclass(frozen=True)
class Alike:
    """An element with the name of the current one, or of that of an outer loop. Names in a namespace are left to the
    query.
    """

    up: int
    content: tuple[Part, ...] = ()
    copied: tuple[CopiedAttributes | CopiedItems, ...] = ()


END_OF_CELL = "\x1f"
NULL = "\x1e"
"""Marks a cell without a value."""
END_OF_MEMBER = "\x1d"
"""Follows each member of a list."""
HOLE = "\x1c"
"""Delimits a hole."""
CONDITION = "!"
OTHERWISE = "|"
END_OF_CONDITION = ")"
"""Marks of `WhenFilled`, in place of the number of a hole."""


@dataclass(frozen=True)
class Column:
    """One value that a table needs of each row."""

    name: str
    reading: str
    """text, integer, double, decimal, date, dateTime, boolean."""
    bits: int = 64
    """For integers."""
    is_list: bool = False


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Let:
    """Writes nothing: it computes a value for later parts."""

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
    are_few: bool = False
    """As in `Each`."""


Piece = Characters | Values | Computed | Hole | Cell
"""The parts of a value; cells only if rows are wanted."""
_Nodes = Copies | Construct | Alike | Apply | Items | Remark
_Inner = When | WhenFilled | Each | EachNodeOf | EachBinding | EachValue | Let | Sorted | Keyed | Functions | Numbered
Part = Piece | _Nodes | _Inner | Row
Template = tuple[Part, ...]


@dataclass(frozen=True)
class Tally:
    """Writes nothing: it counts the nodes of a path, and the counts are reported with the batch."""

    path: Path
    of: ValueOf | None = None
    """None: the elements themselves."""
    attribute: tuple[str, str] | None = None
