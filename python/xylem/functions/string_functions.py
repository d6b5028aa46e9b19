"""Functions that assemble, measure and change strings (F&O 3.1 §5.2 and §5.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from xylem.errors import DynamicError
from xylem.values.casting import string_of
from xylem.values.xml_characters import is_xml_character

from .registry import function


@function("fn:codepoints-to-string", "xs:integer*", "xs:string")
def codepoints_to_string(codepoints: Sequence[int]) -> str:
    for codepoint in codepoints:
        if not is_xml_character(codepoint):
            raise DynamicError("FOCH0001", str(codepoint))
    return "".join(map(chr, codepoints))


@function("fn:string-to-codepoints", "xs:string?", "xs:integer*")
def string_to_codepoints(value: str | None) -> list[int]:
    return list(map(ord, value)) if value else []


@function("fn:concat", "xs:anyAtomicType?, xs:anyAtomicType?, xs:anyAtomicType?", "xs:string")
def concat(first: Any, second: Any, *others: Any) -> str:
    return "".join(
        [value if type(value) is str else string_of(value) for value in (first, second, *others) if value is not None]
    )


@function("fn:string-join", "xs:anyAtomicType*, xs:string", "xs:string")
def string_join(values: Sequence[Any], separator: str = "") -> str:
    return separator.join([value if type(value) is str else string_of(value) for value in values])


@function("fn:substring", "xs:string?, xs:double, xs:double", "xs:string")
def substring(value: str | None, start: float, length: float | None = None) -> str:
    """The characters at positions p with round($start) <= p < round($start) + round($length)."""
    if not value:
        return ""
    first = _rounded(start)
    # Not -INF + INF without a length: that is NaN.
    end = math.inf if length is None else first + _rounded(length)
    # NaN in either bound makes the comparison false, and the result empty.
    if not (first < end and end > 1 and first <= len(value)):
        return ""
    start_index = int(first) - 1 if first > 1 else 0
    return value[start_index:] if end > len(value) else value[start_index : int(end) - 1]


def _rounded(number: float) -> float:
    """fn:round for a double: half goes up."""
    if not math.isfinite(number):
        return number
    below = math.floor(number)
    return float(below + (number - below >= 0.5))


@function("fn:string-length", "xs:string?", "xs:integer", focus=True)
def string_length(value: str | None) -> int:
    return len(value) if value else 0


@function("fn:normalize-space", "xs:string?", "xs:string", focus=True)
def normalize_space(value: str | None) -> str:
    return " ".join(words(value)) if value else ""


def words(value: str) -> list[str]:
    """The words between white space: spaces, tabs and ends of lines."""
    # str.split() treats many characters as white space that XML does not; only few, rare ones are ASCII.
    if value.isascii() and not any(map(value.__contains__, "\v\f\x1c\x1d\x1e\x1f")):
        return value.split()
    spaced = value.replace("\t", " ").replace("\n", " ").replace("\r", " ")
    return [part for part in spaced.split(" ") if part]


@function("fn:normalize-unicode", "xs:string?, xs:string", "xs:string")
def normalize_unicode(value: str | None, form: str = "NFC") -> str:
    wanted = form.strip(" \t\n\r").upper()
    if wanted not in ("", "NFC", "NFD", "NFKC", "NFKD"):
        raise DynamicError("FOCH0003", repr(form), hint="one of NFC, NFD, NFKC, NFKD, or the empty string")
    if not value:
        return ""
    if not wanted or value.isascii():
        return str(value)
    from xylem.values.normalized_text import normalized  # here, as few queries need it

    return normalized(wanted, value)  # type: ignore[arg-type]  # one of the four, as checked


@function("fn:upper-case", "xs:string?", "xs:string")
def upper_case(value: str | None) -> str:
    return value.upper() if value else ""


@function("fn:lower-case", "xs:string?", "xs:string")
def lower_case(value: str | None) -> str:
    # Character by character: Python would write a sigma at the end of a word in its final form.
    return value.replace("Σ", "σ").lower() if value else ""


@function("fn:translate", "xs:string?, xs:string, xs:string", "xs:string")
def translate(value: str | None, replaced: str, replacements: str) -> str:
    return value.translate(_translation(replaced, replacements)) if value else ""


@lru_cache(maxsize=128)
def _translation(replaced: str, replacements: str) -> dict[int, str | None]:
    table: dict[int, str | None] = {}
    for i, character in enumerate(replaced):
        # The first occurrence of a character decides.
        table.setdefault(ord(character), replacements[i] if i < len(replacements) else None)
    return table
