"""Expressions that the scan itself computes for a complete element: plain data, as the rest of a scan plan.

        $p/en * 2 > 4     →     Call(">", (Call("*", (NodesOf(en), Constant(2))), Constant(4)))

They mean what the query means by them: values have their types at run time, untyped ones become what operators and
functions make of them, and sequences may be empty. A scanner computes a value only where the language leaves no doubt.
Where it would have to raise an error, needs an integer or decimal that is longer than it keeps, or meets more values
than one where one is asked for, it leaves the record to the query, which answers or raises the error in its own place.

`Call` names an operator or function of the language by its sign or local name; `to double` is a cast, `castable double`
the question whether there is one, `one` an operand that must not be missing, `negate` and `plus` have one operand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from xylem.values.strings import UntypedAtomic

from .result_template import Counting, Order, Path, ValueOf

if TYPE_CHECKING:
    from .scan_plan import ValueTest


@dataclass(frozen=True)
class Constant:
    """An atomic value of the query."""

    value: str | int | Decimal | float | bool | UntypedAtomic

    def __eq__(self, other: object) -> bool:
        # 1, 1.0 and true() are equal to Python.
        if not isinstance(other, Constant) or type(other.value) is not type(self.value):
            return False
        return repr(other.value) == repr(self.value)

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))


@dataclass(frozen=True)
class NodesOf:
    """The elements that a path leads to, with `of` what is taken of each; atomized where values are asked for."""

    path: Path
    of: ValueOf | None = None
    attribute: tuple[str, str] | None = None
    up: int = 0


@dataclass(frozen=True)
class Named:
    """Whether the element at hand, or one of a loop further out, has a name; None for any."""

    uri: str | None
    local: str | None
    up: int = 0


@dataclass(frozen=True)
class IsKind:
    """Whether the node at hand, or one of a loop further out, is an element or a text node."""

    kind: str
    """element or text"""
    up: int = 0


@dataclass(frozen=True)
class SlotValue:
    """A value that a part of the template has computed before."""

    slot: int


@dataclass(frozen=True)
class Given:
    """An atomic value that is known when the run begins, by the function that gives it; a constant before the scan."""

    function: str


@dataclass(frozen=True)
class Tests:
    """Comparisons of the element at hand with constants, all of which must hold."""

    tests: tuple[ValueTest, ...]


@dataclass(frozen=True)
class Call:
    """An operator or a function."""

    function: str
    arguments: tuple[KernelExpression, ...]


@dataclass(frozen=True)
class EachNode:
    """An expression for each element that a path leads to, which is at hand in it: one loop further in."""

    path: Path
    inner: KernelExpression
    up: int = 0
    counting: Counting | None = None
    are_few: bool = False
    """As of `Each` in `plan/result_template.py`."""


@dataclass(frozen=True)
class EachItem:
    """An expression for each of some atomic values."""

    slot: int
    values: KernelExpression
    inner: KernelExpression
    position: int | None = None
    """The slot of its position."""


@dataclass(frozen=True)
class FoldValues:
    """fold-left: what is made of a value so far and each of some values, one after another."""

    so_far: int
    item: int
    values: KernelExpression
    start: KernelExpression
    step: KernelExpression


@dataclass(frozen=True)
class SortedValues:
    """An expression with `KeyedValues` inside, which come in the order of their keys."""

    orders: tuple[Order, ...]
    inner: KernelExpression


@dataclass(frozen=True)
class KeyedValues:
    """Values, and the keys by which they stand among others."""

    keys: tuple[KernelExpression, ...]
    inner: KernelExpression


@dataclass(frozen=True)
class NameOf:
    """The name of the element at hand, or of one of a loop further out, with its prefix or without."""

    whole: bool
    up: int = 0


@dataclass(frozen=True)
class LetValue:
    """An expression that reads a value computed before it."""

    slot: int
    value: KernelExpression
    inner: KernelExpression


@dataclass(frozen=True)
class Matching:
    """fn:matches, fn:replace or fn:tokenize of a string, by a pattern as the kernel writes it; or words of it."""

    function: str
    """matches, replace, tokenize or words"""
    pattern: str
    ascii_only: bool
    """Whether it is sure only for texts of ASCII."""
    value: KernelExpression
    replacement: tuple[str | int, ...] = ()
    """Texts, and numbers of groups."""


@dataclass(frozen=True)
class Json:
    """The text that the json output method writes for a map, an array or a value."""

    value: JsonValue


@dataclass(frozen=True)
class JsonMap:
    """A map; no key is there twice."""

    entries: tuple[tuple[str, JsonValue], ...]


@dataclass(frozen=True)
class JsonArray:
    """An array."""

    members: tuple[JsonMember, ...]


@dataclass(frozen=True)
class JsonChoice:
    """One value or the other, by a condition."""

    test: KernelExpression
    then: JsonValue
    otherwise: JsonValue


@dataclass(frozen=True)
class Members:
    """Each atomic value of an expression is a member."""

    values: KernelExpression


@dataclass(frozen=True)
class EachMember:
    """The members for each element that a path leads to."""

    path: Path
    members: tuple[JsonMember, ...]
    up: int = 0


@dataclass(frozen=True)
class SomeMembers:
    """The members if a condition holds, and else the others."""

    test: KernelExpression
    members: tuple[JsonMember, ...]
    otherwise: tuple[JsonMember, ...] = ()


Simple = Constant | NodesOf | Named | NameOf | IsKind | SlotValue | Given | Tests
"""Expressions without others inside."""
KernelExpression = (
    Simple | Call | EachNode | EachItem | FoldValues | SortedValues | KeyedValues | LetValue | Matching | Json
)
"""Any expression."""
JsonValue: TypeAlias = "KernelExpression | JsonMap | JsonArray | JsonChoice"
"""A value of JSON; that of an expression is one atomic value, or null."""
JsonMember: TypeAlias = "JsonValue | Members | EachMember | SomeMembers"
"""What an array has: a value, or as many as there are."""
NOTHING = Call(",", ())
"""The empty sequence."""


def settled(expression: KernelExpression, value_of: Callable[[str], Constant]) -> KernelExpression:
    """An expression of a table with the values that are known now."""
    match expression:
        case Given(function=function):
            return value_of(function)
        case Call(arguments=arguments):
            return replace(expression, arguments=tuple(settled(argument, value_of) for argument in arguments))
        case EachNode(inner=inner, counting=counting):
            if counting is not None and counting.test is not None:
                counting = replace(counting, test=settled(counting.test, value_of))
            return replace(expression, inner=settled(inner, value_of), counting=counting)
        case SortedValues(inner=inner):
            return replace(expression, inner=settled(inner, value_of))
        case KeyedValues(keys=keys, inner=inner):
            inside = tuple(settled(key, value_of) for key in keys)
            return replace(expression, keys=inside, inner=settled(inner, value_of))
        case Matching(value=value):
            return replace(expression, value=settled(value, value_of))
        case EachItem(values=values, inner=inner):
            return replace(expression, values=settled(values, value_of), inner=settled(inner, value_of))
        case FoldValues(values=values, start=start, step=step):
            inside = settled(values, value_of), settled(start, value_of), settled(step, value_of)
            return replace(expression, values=inside[0], start=inside[1], step=inside[2])
        case LetValue(value=value, inner=inner):
            return replace(expression, value=settled(value, value_of), inner=settled(inner, value_of))
    return expression
