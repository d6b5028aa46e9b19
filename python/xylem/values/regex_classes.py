"""Character classes of regular expressions (XSD 1.1 part 2 §G.4), written for the `regex` module.

Every class of one character can be written as the inside of square brackets: complements of the multi-character
escapes are written as ranges. So a class is a list of such pieces, a sign, and a class to subtract.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .case_variants import case_variants, variants_in_range
from .unicode_blocks import BLOCKS
from .xml_names import NAME_MORE, NAME_START

_SUBCATEGORIES = {"L": "ultmo", "M": "nce", "N": "dlo", "P": "cdseifo", "Z": "slp", "S": "mcko", "C": "cfon"}
CATEGORIES = frozenset(_SUBCATEGORIES) | {major + minor for major, minors in _SUBCATEGORIES.items() for minor in minors}
SINGLE_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"} | {c: c for c in "\\|.?*+(){}-[]^$"}
"""The character of each single character escape."""


def escaped(c: str) -> str:
    """A literal character in a pattern of the `regex` module, in or out of brackets."""
    if c.isalnum() and c.isascii():
        return c
    codepoint = ord(c)
    if codepoint < 128:
        return f"\\x{codepoint:02x}"
    return c if c.isalpha() else f"\\U{codepoint:08x}"


def _range(first: int, last: int) -> str:
    return f"\\U{first:08x}-\\U{last:08x}" if first <= last else ""


def _complement(members: str) -> str:
    """The inside of a class that matches the complement of another one made of characters and ranges."""
    spans = sorted((ord(m[1]), ord(m[2] or m[1])) for m in re.finditer(r"\\?(.)(?:-(.))?", members, re.DOTALL))
    pieces, start = [], 0
    for first, last in spans:
        pieces.append(_range(start, first - 1))
        start = last + 1
    return "".join([*pieces, _range(start, 0x10FFFF)])


_NAME_START, _NAME_MORE, _SPACE = NAME_START + ":", NAME_MORE + ":", " \t\n\r"
MULTI_ESCAPES = {
    "s": r"\x20\t\n\r",
    "S": _complement(_SPACE),
    "i": _NAME_START,
    "I": _complement(_NAME_START),
    "c": _NAME_MORE,
    "C": _complement(_NAME_MORE),
    "d": r"\p{Nd}",
    "D": r"\P{Nd}",
    "w": r"\p{L}\p{M}\p{N}\p{S}",
    "W": r"\p{P}\p{Z}\p{C}",
}
"""The inside of a class for each multi-character escape."""


def property_class(name: str, negated: bool) -> str | None:
    """The inside of a class for `\\p{name}` or its complement; None if there is no such category or block."""
    if name in CATEGORIES:
        return f"\\{'P' if negated else 'p'}{{{name}}}"
    span = BLOCKS.get(name[2:]) if name.startswith("Is") else None
    if span is None:
        return None
    first, last = span
    return _range(0, first - 1) + _range(last + 1, 0x10FFFF) if negated else _range(first, last)


@dataclass
class CharacterClass:
    """The content of brackets during parsing."""

    ignore_case: bool
    negated: bool = False
    members: list[str] = field(default_factory=list)
    subtracted: str | None = None

    def add_character(self, c: str) -> None:
        self.members.extend(escaped(v) for v in (case_variants(c) if self.ignore_case else c))

    def add_range(self, first: str, last: str) -> None:
        self.members.append(_range(ord(first), ord(last)))
        if self.ignore_case:
            self.members.extend(map(escaped, variants_in_range(first, last)))

    def written(self) -> str:
        """The class for the `regex` module, whose plain sets have no subtraction: a look-ahead replaces it."""
        text = f"[{'^' if self.negated else ''}{''.join(self.members)}]"
        return text if self.subtracted is None else f"(?:(?!{self.subtracted}){text})"
