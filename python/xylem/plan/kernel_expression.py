"""Expressions that the scan itself computes for a complete element: plain data, like the rest of a scan plan.

        $p/en * 2 > 4     →     Call(">", (Call("*", (NodesOf(en), Constant(2))), Constant(4)))

They have the query's meaning: values have their types at run time, operators and functions convert untyped ones, and
sequences may be empty. Nodes are atomized where values are wanted, and kept where items are: in slots, as tuples and
windows, in `EachOf` and `Items`. A scanner computes a value only without doubt. If it would have to raise an error,
needs a longer integer or decimal than it supports, or finds several values instead of one, it leaves the record to the
query, which answers or raises the error in its own place.

`Call` names an operator or function of the language by its sign or local name; `to double` is a cast, `castable double`
the question whether there is one, `one` an operand that must not be missing, `negate` and `plus` have one operand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from xylem.values.strings import UntypedAtomic

from .kernel_picture import KernelPicture
from .result_template import Counting, Order, Path, ValueOf

if TYPE_CHECKING:
    from .scan_plan import ValueTest


@dataclass(frozen=True)
class Constant:
    """An atomic value of the query."""

    value: str | int | Decimal | float | bool | UntypedAtomic

    def __eq__(self, other: object) -> bool:
        # 1, 1.0 and true() are equal in Python.
        if not isinstance(other, Constant) or type(other.value) is not type(self.value):
            return False
        return repr(other.value) == repr(self.value)

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))


@dataclass(frozen=True)
class NodesOf:
    """The elements of a path, or with `of` their attributes or texts; atomized where values are needed."""

    path: Path
    of: ValueOf | None = None
    attribute: tuple[str, str] | None = None
    up: int = 0


@dataclass(frozen=True)
class AxisOf:
    """The nodes on an axis from the current element, or that of an outer loop, in the order of the axis."""

    axis: str
    kind: str
    """element, text or attribute."""
    uri: str | None = None
    local: str | None = None
    up: int = 0


@dataclass(frozen=True)
class Named:
    """Whether the current element, or that of an outer loop, has a name; None for any."""

    uri: str | None
    local: str | None
    up: int = 0


@dataclass(frozen=True)
class IsKind:
    """Whether the current node, or that of an outer loop, is an element or a text node."""

    kind: str
    """element or text."""
    up: int = 0


@dataclass(frozen=True)
class SlotValue:
    """A value computed by an earlier part of the template."""

    slot: int


@dataclass(frozen=True)
class Given:
    """An atomic value known when the run begins, by the function that returns it; a constant before the scan."""

    function: str


@dataclass(frozen=True)
class Tests:
    """Comparisons of the current element with constants, all of which must hold."""

    tests: tuple[ValueTest, ...]


@dataclass(frozen=True)
class Call:
    """An operator or a function."""

    function: str
    arguments: tuple[KernelExpression, ...]


@dataclass(frozen=True)
class EachNode:
    """An expression for each element of a path, which is the current element in it: one loop further in."""

    path: Path
    inner: KernelExpression
    up: int = 0
    counting: Counting | None = None
    are_few: bool = False
    """As in `Each` in `plan/result_template.py`."""


@dataclass(frozen=True)
class EachItem:
    """An expression for each of some atomic values."""

    slot: int
    values: KernelExpression
    inner: KernelExpression
    position: int | None = None
    """The slot of its position."""
    are_few: bool = False
    """As in `Each` in `plan/result_template.py`."""


@dataclass(frozen=True)
class FoldValues:
    """fold-left: the step from the value so far and each of some values, one after another."""

    so_far: int
    item: int
    values: KernelExpression
    start: KernelExpression
    step: KernelExpression


@dataclass(frozen=True)
class SortedValues:
    """An expression with inner `KeyedValues`, which are sorted by their keys."""

    orders: tuple[Order, ...]
    inner: KernelExpression


@dataclass(frozen=True)
class KeyedValues:
    """Values with their sort keys."""

    keys: tuple[KernelExpression, ...]
    inner: KernelExpression


@dataclass(frozen=True)
class EachOf:
    """An expression for each of some nodes, which is the current element in it: one loop further in."""

    nodes: KernelExpression
    inner: KernelExpression
    position: int | None = None
    """The slot of its position."""
    are_few: bool = False
    """As in `Each` in `plan/result_template.py`."""


@dataclass(frozen=True)
class TupleOf:
    """A tuple of the surrounding gathering: its keys, and the items of its variables."""

    keys: tuple[KernelExpression, ...]
    values: tuple[KernelExpression, ...]


@dataclass(frozen=True)
class Gathering:
    """Tuples that are sorted, or with equal keys become groups, in which the items of a variable follow each other."""

    orders: tuple[Order, ...] | None
    """None for groups."""
    slots: tuple[int, ...]
    """Of the keys of a group, and then of the values of a tuple."""
    tuples: KernelExpression
    """Ends in `TupleOf`."""
    position: int | None = None
    """The slot of the position of each."""


@dataclass(frozen=True)
class WindowBounds:
    """A condition of a window clause."""

    slots: tuple[int | None, int | None, int | None, int | None]
    """Of the item, its position, the one before it and the one behind it."""
    when: KernelExpression


@dataclass(frozen=True)
class WindowsOf:
    """The windows of a window clause over the items of one record."""

    are_sliding: bool
    slot: int
    """Of the items of a window."""
    items: KernelExpression
    start: WindowBounds
    end: WindowBounds | None = None
    only_ended: bool = False


@dataclass(frozen=True)
class EachTuple:
    """An expression for each tuple or group, or each window."""

    tuples: Gathering | WindowsOf
    inner: KernelExpression
    are_few: bool = False
    """As in `Each` in `plan/result_template.py`."""


@dataclass(frozen=True)
class NameOf:
    """The name of the current element, or that of an outer loop, with or without its prefix."""

    whole: bool
    up: int = 0


@dataclass(frozen=True)
class Calling:
    """An expression that calls functions of the query, which may call each other."""

    bodies: tuple[KernelExpression, ...]
    inner: KernelExpression


@dataclass(frozen=True)
class Invoke:
    """A call of one of these functions, by number: its arguments, with the slots of its parameters."""

    function: int
    slots: tuple[int, ...]
    arguments: tuple[KernelExpression, ...]


@dataclass(frozen=True)
class LetValue:
    """An expression that reads a value computed before it."""

    slot: int
    value: KernelExpression
    inner: KernelExpression


@dataclass(frozen=True)
class Matching:
    """fn:matches, fn:replace or fn:tokenize of a string, by a pattern in the kernel's syntax; or its words."""

    function: str
    """matches, replace, tokenize or words."""
    pattern: str
    ascii_only: bool
    """Whether it is only correct for ASCII texts."""
    value: KernelExpression
    replacement: tuple[str | int, ...] = ()
    """Texts, and numbers of groups."""


@dataclass(frozen=True)
class Formatted:
    """A number or a moment as a picture says."""

    picture: KernelPicture
    value: KernelExpression


@dataclass(frozen=True)
class Lookup:
    """What a map of constants has for a key, or whether it has the key."""

    entries: tuple[tuple[str, tuple[Constant, ...]], ...]
    is_test: bool
    key: KernelExpression


@dataclass(frozen=True)
class GivenLookup:
    """The same of a map that is known when the run begins, by the function that gives it."""

    function: str
    is_test: bool
    key: KernelExpression


@dataclass(frozen=True)
class Try:
    """A value, or another where it is certainly an error."""

    tried: KernelExpression
    otherwise: KernelExpression


@dataclass(frozen=True)
class JsonPath:
    """What lookups find in a JSON text: strings, numbers and booleans; with `raw`, the texts of values of any kind."""

    text: KernelExpression
    steps: tuple[str | int | None, ...] = ()
    """Keys, positions, or None for all values or members."""
    raw: bool = False


@dataclass(frozen=True)
class Json:
    """The text that the json output method writes for a map, an array or a value."""

    value: JsonValue


@dataclass(frozen=True)
class JsonMap:
    """A map with distinct keys."""

    entries: tuple[tuple[str, JsonValue], ...]


@dataclass(frozen=True)
class JsonArray:
    """An array."""

    members: tuple[JsonMember, ...]


@dataclass(frozen=True)
class JsonChoice:
    """One of two values, by a condition."""

    test: KernelExpression
    then: JsonValue
    otherwise: JsonValue


@dataclass(frozen=True)
class Members:
    """Each atomic value of an expression is a member."""

    values: KernelExpression


@dataclass(frozen=True)
class EachMember:
    """The members for each element of a path."""

    path: Path
    members: tuple[JsonMember, ...]
    up: int = 0


@dataclass(frozen=True)
class SomeMembers:
    """One of two lists of members, by a condition."""

    test: KernelExpression
    members: tuple[JsonMember, ...]
    otherwise: tuple[JsonMember, ...] = ()


Simple = Constant | NodesOf | AxisOf | Named | NameOf | IsKind | SlotValue | Given | Tests
"""Expressions without inner ones."""
KernelExpression = (
    Simple
    | Call
    | EachNode
    | EachItem
    | FoldValues
    | SortedValues
    | KeyedValues
    | EachOf
    | TupleOf
    | EachTuple
    | LetValue
    | Matching
    | Formatted
    | Lookup
    | GivenLookup
    | Try
    | Calling
    | Invoke
    | JsonPath
    | Json
)
"""Any expression."""
JsonValue: TypeAlias = "KernelExpression | JsonMap | JsonArray | JsonChoice"
"""A JSON value; for an expression, one atomic value, or null."""
JsonMember: TypeAlias = "JsonValue | Members | EachMember | SomeMembers"
"""A member of an array: a value, or any number of them."""
NOTHING = Call(",", ())
"""The empty sequence."""


def settled(expression: KernelExpression, value_of: Callable[[str], Constant]) -> KernelExpression:
    """An expression of a table with the values known now."""
    match expression:
        case Given(function=function):
            return value_of(function)
        case Call(arguments=arguments):
            return replace(expression, arguments=tuple(settled(argument, value_of) for argument in arguments))
        case Invoke(arguments=arguments):
            return replace(expression, arguments=tuple(settled(argument, value_of) for argument in arguments))
        case Calling(bodies=bodies, inner=inner):
            return Calling(tuple(settled(body, value_of) for body in bodies), settled(inner, value_of))
        case EachNode(inner=inner, counting=counting):
            if counting is not None and counting.test is not None:
                counting = replace(counting, test=settled(counting.test, value_of))
            return replace(expression, inner=settled(inner, value_of), counting=counting)
        case SortedValues(inner=inner):
            return replace(expression, inner=settled(inner, value_of))
        case KeyedValues(keys=keys, inner=inner):
            inside = tuple(settled(key, value_of) for key in keys)
            return replace(expression, keys=inside, inner=settled(inner, value_of))
        case Matching(value=value) | Formatted(value=value):
            return replace(expression, value=settled(value, value_of))
        case Lookup(key=key):
            return replace(expression, key=settled(key, value_of))
        case JsonPath(text=text):
            return replace(expression, text=settled(text, value_of))
        case Try(tried=tried, otherwise=otherwise):
            return replace(expression, tried=settled(tried, value_of), otherwise=settled(otherwise, value_of))
        case EachItem(values=values, inner=inner):
            return replace(expression, values=settled(values, value_of), inner=settled(inner, value_of))
        case FoldValues(values=values, start=start, step=step):
            inside = settled(values, value_of), settled(start, value_of), settled(step, value_of)
            return replace(expression, values=inside[0], start=inside[1], step=inside[2])
        case LetValue(value=value, inner=inner):
            return replace(expression, value=settled(value, value_of), inner=settled(inner, value_of))
        case EachOf(nodes=nodes, inner=inner):
            return replace(expression, nodes=settled(nodes, value_of), inner=settled(inner, value_of))
        case TupleOf(keys=keys, values=of_tuple):
            inside = tuple(settled(key, value_of) for key in keys)
            return TupleOf(inside, tuple(settled(value, value_of) for value in of_tuple))
        case EachTuple(tuples=tuples, inner=inner):
            return replace(expression, tuples=_settled_tuples(tuples, value_of), inner=settled(inner, value_of))
    return expression


def _settled_tuples(tuples: Gathering | WindowsOf, value_of: Callable[[str], Constant]) -> Gathering | WindowsOf:
    if isinstance(tuples, Gathering):
        return replace(tuples, tuples=settled(tuples.tuples, value_of))
    start, end = tuples.start, tuples.end
    return replace(
        tuples,
        items=settled(tuples.items, value_of),
        start=replace(start, when=settled(start.when, value_of)),
        end=None if end is None else replace(end, when=settled(end.when, value_of)),
    )
