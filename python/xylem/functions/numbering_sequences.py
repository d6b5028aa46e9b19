"""Numbering without positions: letters, Roman numerals, characters for single numbers."""

from __future__ import annotations

_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip

# Alphabets by their first letter, which is the token for them.
_ALPHABETS = {
    alphabet[0]: alphabet
    for alphabet in (
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "abcdefghijklmnopqrstuvwxyz",
        "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ",
        "αβγδεζηθικλμνξοπρστυφχψω",
        "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ",
        "абвгдежзиклмнопрстуфхцчшщэюя",
    )
}

# Characters that stand for 1, 2, 3 …, by the first of them, with their count.
_NUMBER_CHARACTERS = {
    "\u2460": 20, "\u2474": 20, "\u2488": 20, "\u24f5": 10, "\u2776": 10, "\u2780": 10, "\u278a": 10,
    "\u3220": 10, "\u3280": 10,
}  # fmt: skip


def in_sequence(value: int, token: str) -> str | None:
    """A non-negative integer in the sequence that begins with a token; None if it has none or does not reach so far.

    >>> in_sequence(28, "a"), in_sequence(1999, "I"), in_sequence(0, "A")
    ('ab', 'MCMXCIX', None)
    """
    if token == "I":
        return _roman(value)
    if token == "i":
        roman = _roman(value)
        return None if roman is None else roman.lower()
    if value < 1:
        return None
    alphabet = _ALPHABETS.get(token)
    if alphabet is not None:
        return _letters(value, alphabet)
    count = _NUMBER_CHARACTERS.get(token)
    return chr(ord(token) + value - 1) if count is not None and value <= count else None


def _roman(value: int) -> str | None:
    if not 0 < value < 10000:
        return None
    digits = []
    for worth, sign in _ROMAN:
        count, value = divmod(value, worth)
        digits.append(sign * count)
    return "".join(digits)


def _letters(value: int, alphabet: str) -> str:
    """Counting like the columns of a sheet: a … z, aa, ab …."""
    letters = []
    while value:
        value, letter = divmod(value - 1, len(alphabet))
        letters.append(alphabet[letter])
    return "".join(reversed(letters))
