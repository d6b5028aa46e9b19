"""The number of occurrences of a symbol in the words of a content model: the sets ||0, ||≤1 and ||=1 (thesis Def.
3.2.3).

The thesis decides ||=1 by a product of automata (§3.3). The least and the greatest number of occurrences can be
added up over the expression itself, with the same answers (the tests hold both against all short words); that
also serves bounds too large for an automaton, and parts in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

from .content_model import All, Choice, Content, Name, Sequence, Wildcard, _Repeated
from .symbols import Symbol


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The least and the greatest number in any word; `most` None is unbounded."""

    least: int
    most: int | None

    def __str__(self) -> str:
        if self.most == self.least:
            return str(self.least)
        return f"{self.least}..{'*' if self.most is None else self.most}"


def occurrences(model: Content, symbol: Symbol) -> Occurrences:
    """The number of elements selected by a symbol in the words of a model over child elements."""
    match model:
        case Name() | Wildcard():
            return Occurrences(int(symbol.must_be(model)), int(symbol.may_be(model)))
        case Sequence(parts) | All(parts):
            each = [occurrences(part, symbol) for part in parts]
            return Occurrences(sum(n.least for n in each), _sum([n.most for n in each]))
        case Choice(parts):
            each = [occurrences(part, symbol) for part in parts]
            return Occurrences(min(n.least for n in each), _greatest([n.most for n in each]))
        case _Repeated(part):
            least, most = model.bounds()
            inner = occurrences(part, symbol)
            return Occurrences(least * inner.least, _product(most, inner.most))
    raise TypeError(f"{type(model).__name__} is no expression over child elements")


def _sum(numbers: list[int | None]) -> int | None:
    total = 0
    for number in numbers:
        if number is None:
            return None
        total += number
    return total


def _greatest(numbers: list[int | None]) -> int | None:
    return None if None in numbers else max(number for number in numbers if number is not None)


def _product(one: int | None, other: int | None) -> int | None:
    if one == 0 or other == 0:
        return 0
    return None if one is None or other is None else one * other
