"""Which characters make names, white space and legal text (XML 1.0, 5th edition; XQuery 3.1, A.2).

The expressions that run on every token accept any non-ASCII character in a name, by listing the ASCII characters that
cannot: wide character classes cost milliseconds each to compile, and no operator of XQuery lies outside ASCII. Names
that do hold such a character are checked afterwards by `is_ncname`, compiled on first use only.
"""

from __future__ import annotations

import re
from functools import cache

START = r"[^\x00-@\[-^`{-\x7f]"
CHAR = r"[^\x00-,/:-@\[-^`{-\x7f]"
NCNAME = f"{START}{CHAR}*"
NOT_IN_NAME = f"(?!{CHAR})"
"""Ends a keyword: `eq` in `eq1` or `eq-x` is part of a name."""

_white = re.compile(r"[ \t\n\r]+")

_EXACT_START = (
    r"A-Z_a-z\xC0-\xD6\xD8-\xF6\xF8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_illegal_ascii = re.compile(r"[\x00-\x08\x0B\x0C\x0E-\x1F]").search


@cache
def _exact_ncname() -> re.Pattern[str]:
    return re.compile(rf"[{_EXACT_START}][-.0-9\xB7\u0300-\u036F\u203F-\u2040{_EXACT_START}]*")


def is_ncname(text: str) -> bool:
    """Whether the text is an NCName, exactly."""
    return _exact_ncname().fullmatch(text) is not None


@cache
def _illegal() -> re.Pattern[str]:
    return re.compile(r"[\x00-\x08\x0B\x0C\x0E-\x1F\uD800-\uDFFF\uFFFE\uFFFF]")


def illegal_character(text: str) -> int:
    """The index of the first character that XML 1.0 does not allow, or -1."""
    found = _illegal_ascii(text) if text.isascii() else _illegal().search(text)
    return found.start() if found else -1


def collapse(text: str) -> str:
    """The text with white space collapsed as fn:normalize-space does it; other spaces of Unicode stay."""
    return _white.sub(" ", text).strip(" ")


def is_xml_char(code: int) -> bool:
    """Whether a code point is a character of XML 1.0."""
    return 0x20 <= code <= 0xD7FF or code in (0x9, 0xA, 0xD) or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
