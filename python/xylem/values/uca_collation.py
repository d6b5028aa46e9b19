"""Collations under `http://www.w3.org/2013/collation/UCA?…` (F&O 3.1 §5.3.4), approximated.

This is not the Unicode Collation Algorithm with its table of weights, but what F&O calls a fallback: strings are
decomposed by Unicode's compatibility mappings (NFKD), then compared

    primary     by base characters: spaces, punctuation, symbols, currency signs, digits, letters, each by codepoint
    secondary   by accents
    (case)      where caseLevel=yes
    tertiary    by case, lower before upper, then by compatibility variants
    quaternary  by the characters that alternate=shifted ignores
    identical   by codepoints of NFD

The parameters strength, alternate, backwards, caseLevel, caseFirst, numeric and maxVariable are honoured. `lang` only
decides whether the language is known to follow the general order: with another one, such as Swedish, which has å behind
z, a collation is FOCH0002 unless fallback=yes asks for the general order. `reorder` is not supported. With fallback=no,
unsupported parameters are FOCH0002.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from xylem.errors import DynamicError

from .collations import Collation
from .normalized_text import normalized


class _Group(IntEnum):
    """The groups of characters in their primary order; the first four may be variable."""

    SPACE = 1
    PUNCT = 2
    SYMBOL = 3
    CURRENCY = 4
    DIGIT = 5
    LETTER = 6


class _Element(NamedTuple):
    """A collation element, each weight a short string so that levels are joined strings; empty is ignorable."""

    primary: str
    secondary: str
    upper: bool
    variant: bool
    group: int


@dataclass(frozen=True)
class UcaSettings:
    """The parameters of a UCA collation URI."""

    strength: int = 3
    shifted: bool = False
    blanked: bool = False
    backwards: bool = False
    case_level: bool = False
    upper_first: bool = False
    numeric: bool = False
    most_variable: int = _Group.PUNCT


_STRENGTHS = {"primary": 1, "secondary": 2, "tertiary": 3, "quaternary": 4, "identical": 5} | {
    str(level): level for level in range(1, 6)
}
_YES_NO = {"yes": True, "no": False}
_VARIABLES = {group.name.lower(): int(group) for group in _Group if group <= _Group.CURRENCY}
# Languages for which CLDR keeps the general order; Canadian French only reverses the accents.
_UNTAILORED = {"de", "en", "fr", "ga", "id", "it", "ms", "nl", "pt", "sw"}


@lru_cache(maxsize=64)
def uca_collation(uri: str) -> UcaCollation:
    """The collation of a UCA URI, with the parameters after its question mark."""
    given: dict[str, str] = {}
    for part in uri.partition("?")[2].split(";"):
        keyword, _, value = part.partition("=")
        if part:
            given[keyword] = value
    settings, refused = _settings(given)
    fallback = given.get("fallback")
    if refused and fallback == "no":
        raise DynamicError(
            "FOCH0002", f"{refused[0]!r} is not supported, and fallback=no", hint="leave out fallback=no"
        )
    # A wrong order that looks right would be worse than none: å after z, or next to a?
    language = next((part for part in refused if part.startswith("lang=")), None)
    if language is not None and fallback is None:
        why = f"Xylem has no sorting rules for the language {language.removeprefix('lang=')!r}"
        raise DynamicError("FOCH0002", why, hint="add ;fallback=yes to sort by the general order of Unicode instead")
    return UcaCollation(uri, settings)


def _settings(given: dict[str, str]) -> tuple[UcaSettings, list[str]]:
    """The settings, and the unsupported parameters."""
    refused: list[str] = []
    chosen: dict[str, int | bool] = {}
    for keyword, value in given.items():
        lowered = value.lower()
        if keyword == "strength" and lowered in _STRENGTHS:
            chosen["strength"] = _STRENGTHS[lowered]
        elif keyword == "alternate" and lowered in ("non-ignorable", "shifted", "blanked"):
            chosen["shifted"], chosen["blanked"] = lowered == "shifted", lowered == "blanked"
        elif keyword == "maxVariable" and lowered in _VARIABLES:
            chosen["most_variable"] = _VARIABLES[lowered]
        elif keyword == "backwards" and lowered in _YES_NO:
            chosen["backwards"] = _YES_NO[lowered]
        elif keyword == "caseLevel" and lowered in _YES_NO:
            chosen["case_level"] = _YES_NO[lowered]
        elif keyword == "numeric" and lowered in _YES_NO:
            chosen["numeric"] = _YES_NO[lowered]
        elif keyword == "caseFirst" and lowered in ("upper", "lower"):
            chosen["upper_first"] = lowered == "upper"
        elif keyword == "lang" and lowered.partition("-")[0] in _UNTAILORED:
            if lowered == "fr-ca":
                chosen.setdefault("backwards", True)
        elif keyword not in ("fallback", "normalization") or lowered not in _YES_NO:
            refused.append(f"{keyword}={value}")
    return UcaSettings(**chosen), refused  # type: ignore[arg-type]


class UcaCollation(Collation):
    """An approximation of the Unicode Collation Algorithm with its usual parameters."""

    __slots__ = ("_keys", "settings")

    def __init__(self, uri: str, settings: UcaSettings) -> None:
        super().__init__(uri)
        self.settings = settings
        self._keys: dict[str, str] = {}

    def key(self, text: str) -> str:
        known = self._keys.get(text)
        if known is None:
            if len(self._keys) > 4096:
                self._keys.clear()
            known = self._keys[text] = self._key(text)
        return known

    def _key(self, text: str) -> str:
        chosen, strength = self.settings, self.settings.strength
        elements = [e for c in _decomposed(text) for e in _elements(c)]
        if chosen.numeric:
            elements = _numbers_joined(elements)
        seen = [] if not (chosen.shifted or chosen.blanked) else [e.group <= chosen.most_variable for e in elements]
        plain = [e for e, variable in zip(elements, seen, strict=True) if not variable] if seen else elements
        levels = ["".join([e.primary for e in plain])]
        if strength >= 2:
            accents = [e.secondary for e in plain]
            levels.append("".join(reversed(accents) if chosen.backwards else accents))
        if chosen.case_level:
            levels.append("".join([self._case(e) for e in plain if e.primary]))
        if strength >= 3:
            levels.append("".join([self._case(e) + ("\2" if e.variant else "\1") for e in plain]))
        if strength >= 4 and chosen.shifted:
            levels.append("".join([e.primary if e.group <= chosen.most_variable else "\U0010ffff" for e in elements]))
        if strength >= 5:
            levels.append(normalized("NFD", text))
        return "\0".join(levels)

    def _case(self, element: _Element) -> str:
        return "\2" if element.upper != self.settings.upper_first else "\1"

    # Matching inside a string ---------------------------------------------------------------------------

    def find(self, text: str, part: str) -> tuple[int, int] | None:
        units, wanted = self._units(text), [weight for weight, _, _ in self._units(part)]
        if not wanted:
            return 0, 0
        weights = [weight for weight, _, _ in units]
        for i in range(len(units) - len(wanted) + 1):
            if weights[i : i + len(wanted)] == wanted and self._bounded(units, i, i + len(wanted)):
                return units[i][1], units[i + len(wanted) - 1][2]
        return None

    def starts_with(self, text: str, part: str) -> bool:
        units, wanted = self._units(text), [weight for weight, _, _ in self._units(part)]
        return [weight for weight, _, _ in units[: len(wanted)]] == wanted and self._bounded(units, 0, len(wanted))

    def ends_with(self, text: str, part: str) -> bool:
        units, wanted = self._units(text), [weight for weight, _, _ in self._units(part)]
        start = len(units) - len(wanted)
        found = [weight for weight, _, _ in units[max(start, 0) :]]
        return start >= 0 and found == wanted and self._bounded(units, start, len(units))

    @staticmethod
    def _bounded(units: list[tuple[str, int, int]], start: int, end: int) -> bool:
        """Whether a match begins and ends between characters: the second half of ß does not match s."""
        return not any(0 < edge < len(units) and units[edge - 1][1] == units[edge][1] for edge in (start, end))

    def _units(self, text: str) -> list[tuple[str, int, int]]:
        """The weights that count at this strength, with start and end of the character they come from."""
        chosen = self.settings
        if chosen.numeric:
            raise DynamicError("FOCH0004", "with numeric=yes a string has no units that parts of it could match")
        units: list[tuple[str, int, int]] = []
        start = 0
        while start < len(text):
            end = start + 1
            while end < len(text) and unicodedata.combining(text[end]):
                end += 1
            for c in _decomposed(text[start:end]):
                for element in _elements(c):
                    if weight := self._weight(element, c):
                        units.append((weight, start, end))
            start = end
        return units

    def _weight(self, element: _Element, c: str) -> str:
        """The weights of an element that count at this strength; empty if it is ignored."""
        chosen = self.settings
        if (chosen.shifted or chosen.blanked) and element.group <= chosen.most_variable:
            return element.primary if chosen.shifted and chosen.strength >= 4 else c * (chosen.strength >= 5)
        weight = element.primary
        if chosen.strength >= 2:
            weight += "\0" + element.secondary
        if chosen.case_level or chosen.strength >= 3:
            weight += "\3" * element.upper
        if chosen.strength >= 3:
            weight += "\4" * element.variant
        if chosen.strength >= 5:
            weight += c
        return weight


# Characters that NFKD keeps although they sort as an accented letter, or as two letters.
_EXPANSIONS = {
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o\u0338", "Ø": "O\u0338",
    "ł": "l\u0335", "Ł": "L\u0335", "đ": "d\u0335", "Đ": "D\u0335", "ħ": "h\u0335", "Ħ": "H\u0335",
}  # fmt: skip


def _decomposed(text: str) -> str:
    return text if text.isascii() else normalized("NFD", text)


@lru_cache(maxsize=8192)
def _elements(c: str) -> tuple[_Element, ...]:
    """The elements of one character of a text in NFD."""
    whole = _EXPANSIONS.get(c) or unicodedata.normalize("NFKD", c)
    return tuple(e for part in whole if (e := _element(part, whole != c)) is not None)


# The usual order of accents, and of the ASCII characters that are neither digits nor letters.
_ACCENTS = "\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0335"
_PUNCTUATION = "_-,;:!?.'\"()[]{}@*/\\&#%"
_SYMBOLS = "`^+<=>|~"


def _element(c: str, variant: bool) -> _Element | None:
    category = unicodedata.category(c)
    if category in ("Mn", "Me"):
        rank = _ACCENTS.find(c)
        return _Element("", chr(3 + rank) if rank >= 0 else chr(32 + ord(c)), False, variant, _Group.LETTER)
    if c.isspace():
        return _Element("\1" + c, "\2", False, variant, _Group.SPACE)
    if category in ("Cc", "Cf"):
        return None
    if category == "Nd":
        return _Element("\5" + chr(33 + unicodedata.digit(c)), "\2", False, variant or not c.isascii(), _Group.DIGIT)
    group = _group(c, category)
    lowered = c.lower() if group is _Group.LETTER else c
    rank = _PUNCTUATION.find(c) if group is _Group.PUNCT else _SYMBOLS.find(c) if group is _Group.SYMBOL else -1
    primary = chr(group) + (chr(1 + rank) if rank >= 0 else lowered[0])
    return _Element(primary, "\2", lowered != c, variant, group)


def _group(c: str, category: str) -> _Group:
    if category == "Sc":
        return _Group.CURRENCY
    if c in _PUNCTUATION or category[0] == "P":
        return _Group.PUNCT
    return _Group.SYMBOL if category[0] in "SZ" else _Group.LETTER


def _numbers_joined(elements: list[_Element]) -> list[_Element]:
    """The elements with each run of digits as one: by value, through the number of digits without leading zeros."""
    joined: list[_Element] = []
    i = 0
    while i < len(elements):
        end = i
        while end < len(elements) and elements[end].group == _Group.DIGIT:
            end += 1
        if end > i:
            digits = "".join([e.primary[1] for e in elements[i:end]]).lstrip("!")  # "!" is the weight of 0.
            joined.append(elements[i]._replace(primary="\5" + chr(33 + len(digits)) + digits))
            i = end
        else:
            joined.append(elements[i])
            i += 1
    return joined
