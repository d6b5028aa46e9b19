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

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from .result_template import Path, ValueOf

if TYPE_CHECKING:
    from .scan_plan import ValueTest


@dataclass(frozen=True)
class Constant:
    """An atomic value of the query."""

    value: str | int | Decimal | float | bool

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
class SlotValue:
    """A value that a part of the template has computed before."""

    slot: int


@dataclass(frozen=True)
class Tests:
    """Comparisons of the element at hand with constants, all of which must hold."""

    tests: tuple[ValueTest, ...]


@dataclass(frozen=True)
class Call:
    """An operator or a function."""

    function: str
    arguments: tuple[KernelExpression, ...]


KernelExpression = Constant | NodesOf | Named | SlotValue | Tests | Call
