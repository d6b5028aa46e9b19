"""Names of XML: which characters they are made of (XML 1.0 fifth edition §2.3, Namespaces in XML §3)."""

from __future__ import annotations

import re

# Written for the inside of a character class, here and in regular expressions of queries (\i and \c).
NAME_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
"""The characters that begin a name, the colon left out."""
NAME_MORE = NAME_START + "\\-.0-9\u00b7\u0300-\u036f\u203f\u2040"
"""The characters that continue a name, the colon left out."""

_NCNAME = re.compile(f"[{NAME_START}][{NAME_MORE}]*")
_QNAME = re.compile(f"(?:([{NAME_START}][{NAME_MORE}]*):)?([{NAME_START}][{NAME_MORE}]*)")


def is_ncname(text: str) -> bool:
    """Whether a string is a name without colon."""
    return _NCNAME.fullmatch(text) is not None


def split_qname(text: str) -> tuple[str, str] | None:
    """Prefix ('' for none) and local name of a lexical QName; None where it is none."""
    match = _QNAME.fullmatch(text)
    return None if match is None else (match[1] or "", match[2])
