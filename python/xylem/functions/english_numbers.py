"""Integers as English words, and the endings of English ordinals."""

from __future__ import annotations

_SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = [
    "zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
]  # fmt: skip
_SCALES = [
    "thousand", "million", "billion", "trillion", "quadrillion", "quintillion", "sextillion", "septillion",
    "octillion", "nonillion", "decillion",
]  # fmt: skip
_IRREGULAR = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
LARGEST = 10 ** (3 * len(_SCALES) + 3) - 1
"""The largest integer that has words."""


def words(value: int) -> str:
    """A non-negative integer in words.

    >>> words(1234)
    'one thousand two hundred and thirty-four'
    """
    if value < 1000:
        return _hundreds(value)
    parts = []
    for power in range(len(_SCALES), 0, -1):
        count, value = divmod(value, 1000**power)
        if count:
            parts.append(f"{_hundreds(count)} {_SCALES[power - 1]}")
    if value:
        parts.append(("and " if value < 100 else "") + _hundreds(value))
    return " ".join(parts)


def _hundreds(value: int) -> str:
    hundreds, rest = divmod(value, 100)
    if not hundreds:
        return _tens(rest)
    return f"{_SMALL[hundreds]} hundred" + (f" and {_tens(rest)}" if rest else "")


def _tens(value: int) -> str:
    if value < 20:
        return _SMALL[value]
    tens, ones = divmod(value, 10)
    return _TENS[tens] + (f"-{_SMALL[ones]}" if ones else "")


def ordinal_words(value: int) -> str:
    """A non-negative integer as an ordinal in words.

    >>> ordinal_words(21)
    'twenty-first'
    """
    cardinal = words(value)
    cut = max(cardinal.rfind(" "), cardinal.rfind("-")) + 1
    last = cardinal[cut:]
    return cardinal[:cut] + (_IRREGULAR.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th"))


def ordinal_suffix(value: int) -> str:
    """The ending of an ordinal in digits: st, nd, rd or th."""
    if value % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
