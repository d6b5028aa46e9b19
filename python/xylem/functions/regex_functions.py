"""Functions that match regular expressions (F&O 3.1 §5.6)."""

from __future__ import annotations

from functools import lru_cache

from xylem.errors import DynamicError
from xylem.values.regular_expression import RegularExpression, regular_expression

from .registry import function
from .string_functions import words

_DIGITS = frozenset("0123456789")


@function("fn:matches", "xs:string?, xs:string, xs:string", "xs:boolean")
def matches(value: str | None, pattern: str, flags: str = "") -> bool:
    return regular_expression(pattern, flags).matches(value or "")


@function("fn:replace", "xs:string?, xs:string, xs:string, xs:string", "xs:string")
def replace(value: str | None, pattern: str, replacement: str, flags: str = "") -> str:
    expression = expression_for_parts(pattern, flags)
    if "q" in flags:
        pieces: tuple[str | int, ...] = (replacement,)
    else:
        pieces = replacement_pieces(replacement, expression.group_count)
    if not value:
        return ""
    return expression.replace(
        value, lambda groups: "".join([groups[piece] if isinstance(piece, int) else piece for piece in pieces])
    )


def expression_for_parts(pattern: str, flags: str) -> RegularExpression:
    """An expression to cut texts with: it must not match the empty string (FORX0003)."""
    expression = regular_expression(pattern, flags)
    if expression.matches_empty:
        raise DynamicError("FORX0003", repr(pattern))
    return expression


@lru_cache(maxsize=256)
def replacement_pieces(replacement: str, group_count: int) -> tuple[str | int, ...]:
    """A replacement string as texts and numbers of groups; FORX0004 if it is faulty."""
    pieces: list[str | int] = []
    text: list[str] = []
    i = 0
    while i < len(replacement):
        c = replacement[i]
        i += 1
        if c == "\\":
            if replacement[i : i + 1] not in ("\\", "$"):
                raise DynamicError("FORX0004", f"{replacement!r}: a backslash before something else than \\ or $")
            text.append(replacement[i])
            i += 1
        elif c == "$":
            if replacement[i : i + 1] not in _DIGITS:
                raise DynamicError("FORX0004", f"{replacement!r}: a $ without the number of a group")
            number = int(replacement[i])
            i += 1
            # Further digits belong to the number while there is such a group.
            while replacement[i : i + 1] in _DIGITS and number * 10 + int(replacement[i]) <= group_count:
                number = number * 10 + int(replacement[i])
                i += 1
            if text:
                pieces.append("".join(text))
                text = []
            if number <= group_count:
                pieces.append(number)
        else:
            text.append(c)
    if text:
        pieces.append("".join(text))
    return tuple(pieces)


@function("fn:tokenize", "xs:string?, xs:string, xs:string", "xs:string*")
def tokenize(value: str | None, pattern: str | None = None, flags: str = "") -> list[str]:
    if pattern is None:
        return words(value) if value else []
    expression = expression_for_parts(pattern, flags)
    return expression.split(value) if value else []
