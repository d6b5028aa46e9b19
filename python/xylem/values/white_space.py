"""White space as XML Schema treats it: space, tab, line feed and carriage return only (XSD 1.1 part 2 §4.3.6)."""

from __future__ import annotations

SPACES = " \t\n\r"
_TO_SPACE = {0x9: 0x20, 0xA: 0x20, 0xD: 0x20}


def trim(text: str) -> str:
    """White space removed at both ends: enough for `collapse` in types that allow none inside."""
    return text.strip(SPACES)


def replace(text: str) -> str:
    """Each white space character becomes a space."""
    return text.translate(_TO_SPACE)


def collapse(text: str) -> str:
    """Runs of white space become one space, none is left at the ends."""
    return " ".join([part for part in text.translate(_TO_SPACE).split(" ") if part])
