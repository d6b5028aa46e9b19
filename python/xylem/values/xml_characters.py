"""Which characters XML documents may contain (XML 1.0 §2.2)."""

from __future__ import annotations

import re
from functools import lru_cache


def is_xml_character(codepoint: int) -> bool:
    """Whether a codepoint is a character of XML.

    >>> is_xml_character(0x41), is_xml_character(0)
    (True, False)
    """
    if 0x20 <= codepoint <= 0xD7FF:
        return True
    return codepoint in (9, 10, 13) or 0xE000 <= codepoint <= 0xFFFD or 0x10000 <= codepoint <= 0x10FFFF


def first_illegal(text: str) -> str | None:
    """The first character of a text that XML does not allow, or None."""
    match = _others().search(text)
    return match[0] if match else None


@lru_cache(maxsize=1)
def _others() -> re.Pattern[str]:
    """Compiled on first use: so wide a class takes milliseconds."""
    return re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
