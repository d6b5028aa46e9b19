"""Names of XML: the characters they consist of (XML 1.0 fifth edition §2.3, Namespaces in XML §3)."""

from __future__ import annotations

import re
from functools import lru_cache

# Written for the inside of a character class, here and in regular expressions of queries (\i and \c).
NAME_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
"""The characters that begin a name, except the colon."""
NAME_MORE = NAME_START + "\\-.0-9\u00b7\u0300-\u036f\u203f\u2040"
"""The characters that continue a name, except the colon."""

# Nearly all names are ASCII. The pattern for others takes milliseconds to compile: it waits for its first use.
_ASCII_NCNAME = re.compile("[A-Za-z_][A-Za-z0-9_.-]*")


@lru_cache(maxsize=8)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def is_ncname(text: str) -> bool:
    """Whether a string is a name without colon."""
    if text.isascii():
        return _ASCII_NCNAME.fullmatch(text) is not None
    return _compiled(f"[{NAME_START}][{NAME_MORE}]*").fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether a string is a name, colons allowed anywhere."""
    return is_ncname(text.replace(":", "_"))


def is_nmtoken(text: str) -> bool:
    """Whether a string consists of name characters only."""
    return is_ncname("_" + text.replace(":", "_")) and text != ""


def split_qname(text: str) -> tuple[str, str] | None:
    """Prefix ('' for none) and local name of a lexical QName; None if it is not one."""
    prefix, colon, local = text.partition(":")
    if not colon:
        return ("", text) if is_ncname(text) else None
    return (prefix, local) if is_ncname(prefix) and is_ncname(local) else None
