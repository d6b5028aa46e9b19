"""fn:format-integer (F&O 3.1 §4.6), and how integers are written inside dates.

Words and ordinals exist in English only; another language falls back to it, as the specification allows.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from xylem.errors import DynamicError
from xylem.values.numbers import integer_string

from . import english_numbers
from .digit_pattern import digit_pattern
from .numbering_sequences import in_sequence
from .registry import function

if TYPE_CHECKING:
    from .context import Context

MODIFIER = re.compile(r"(?:([co])(?:\((.+)\))?)?[at]?", re.DOTALL)


@function("fn:format-integer", "xs:integer?, xs:string, xs:string?", "xs:string", context=True)
def format_integer(ctx: Context, value: int | None, picture: str, language: str | None = None) -> str:
    primary, semicolon, modifier = picture.rpartition(";")
    if not semicolon:
        primary, modifier = picture, ""
    if not primary:
        raise DynamicError("FODF1310", f"{picture!r} has no format token")
    match = MODIFIER.fullmatch(modifier)
    if match is None or modifier.count("(") != modifier.count(")"):
        raise DynamicError("FODF1310", f"{modifier!r} is not a format modifier", hint="such as ;o or ;o(-en)")
    check_token(primary)
    if value is None:
        return ""
    ordinal = (match[2] or "") if match[1] == "o" else None
    return format_integer_token(value, primary, ordinal, language or ctx.static.default_language)


def check_token(primary: str) -> None:
    """Raise FODF1310 for a token that has a digit but is not a digit pattern."""
    if _has_digit(primary):
        digit_pattern(primary)


def _has_digit(primary: str) -> bool:
    return any(unicodedata.category(c) == "Nd" for c in primary)


def format_integer_token(value: int, primary: str, ordinal: str | None, language: str) -> str:
    """An integer formatted by a token: a digit pattern, A a I i W w Ww, or the first sign of a sequence.

    `ordinal` is None for cardinals, else the content of the parentheses of `o(…)`, empty without any.
    """
    if value < 0:
        return "-" + format_integer_token(-value, primary, ordinal, language)
    if primary in ("w", "W", "Ww"):
        if value <= english_numbers.LARGEST:
            return _in_words(value, primary, ordinal is not None)
    elif _has_digit(primary):
        return digit_pattern(primary).format(value) + _suffix(value, ordinal, language)
    else:
        listed = in_sequence(value, primary)
        if listed is not None:
            return listed
    return integer_string(value) + _suffix(value, ordinal, language)


def _suffix(value: int, ordinal: str | None, language: str) -> str:
    if ordinal is None:
        return ""
    # Ordinals in these languages are a number and a full stop.
    stop = language.partition("-")[0] in ("cs", "da", "de", "fi", "no", "pl")
    return "." if stop else english_numbers.ordinal_suffix(value)


def _in_words(value: int, case: str, is_ordinal: bool) -> str:
    text = english_numbers.ordinal_words(value) if is_ordinal else english_numbers.words(value)
    if case == "W":
        return text.upper()
    if case == "w":
        return text
    return re.sub(r"[a-z]+", lambda word: word[0] if word[0] == "and" else word[0].capitalize(), text)
