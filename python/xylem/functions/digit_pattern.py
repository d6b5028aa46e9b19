"""Decimal digit patterns such as `#,##0`: how integers are written with digits (F&O 3.1 §4.6.1).

A pattern has mandatory digits (of any family of digits, all of one), `#` for optional digits before them, and any
other characters that are neither letters nor numbers as grouping separators.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from xylem.errors import DynamicError
from xylem.values.numbers import integer_string


@dataclass(frozen=True)
class DigitPattern:
    """A parsed pattern. A separator's position is the number of digits to its right."""

    zero: str
    least_digits: int
    separators: tuple[tuple[int, str], ...]
    group_size: int
    """If separators are regular, their distance; 0 otherwise."""

    def format(self, value: int) -> str:
        """A non-negative integer in this pattern."""
        digits = integer_string(value).rjust(self.least_digits, "0")
        if self.group_size:
            digits = grouped(digits, self.group_size, self.separators[0][1])
        else:
            size = len(digits)
            cuts = ((size - position, separator) for position, separator in reversed(self.separators))
            digits = separated(digits, ((cut, separator) for cut, separator in cuts if cut > 0))
        return in_family(digits, self.zero)


def grouped(digits: str, size: int, separator: str) -> str:
    """Digits with a separator after every `size` of them, counted from the right."""
    first = len(digits) % size or size
    return separator.join([digits[:first], *(digits[i : i + size] for i in range(first, len(digits), size))])


def separated(digits: str, separators: Iterable[tuple[int, str]]) -> str:
    """Digits with a separator before each of some places, which ascend."""
    pieces: list[str] = []
    before = 0
    for cut, separator in separators:
        pieces += (digits[before:cut], separator)
        before = cut
    return "".join([*pieces, digits[before:]])


def in_family(text: str, zero: str) -> str:
    """A text with its ASCII digits replaced by those of the family of a zero."""
    if zero == "0":
        return text
    return text.translate({ord("0") + i: chr(ord(zero) + i) for i in range(10)})


def zero_of(digit: str) -> str:
    """The zero of the family a decimal digit belongs to."""
    return chr(ord(digit) - unicodedata.digit(digit))


@lru_cache(maxsize=256)
def digit_pattern(picture: str) -> DigitPattern:
    """Parse a pattern; FODF1310 if it is not valid."""
    zeros: set[str] = set()
    least = total = 0
    separators: list[tuple[int, str]] = []
    for i, c in enumerate(reversed(picture)):
        category = unicodedata.category(c)
        if category == "Nd":
            if total > least:
                raise _fault(picture, "a # stands after a digit")
            zeros.add(zero_of(c))
            least += 1
            total += 1
        elif c == "#":
            total += 1
        elif category[0] in "NL":
            raise _fault(picture, f"{c!r} is neither a digit, a # nor a separator")
        else:
            if i in (0, len(picture) - 1) or (separators and separators[-1][0] == total):
                raise _fault(picture, "a separator stands at an end or beside another")
            separators.append((total, c))
    if least == 0:
        raise _fault(picture, "there is no digit")
    if len(zeros) > 1:
        raise _fault(picture, "the digits are of different families")
    return DigitPattern(zeros.pop(), least, tuple(separators), _regular_size(separators, total))


def _fault(picture: str, why: str) -> DynamicError:
    return DynamicError("FODF1310", f"{picture!r}: {why}", hint="a pattern looks like 1, 001 or #,##0")


def _regular_size(separators: list[tuple[int, str]], total: int) -> int:
    if not separators or len({c for _, c in separators}) > 1:
        return 0
    size = separators[0][0]
    wanted = list(range(size, total, size))
    return size if [position for position, _ in separators] == wanted else 0
