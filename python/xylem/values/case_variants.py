"""Which characters differ only in case, as the flag `i` of regular expressions sees it (F&O 3.1 §5.6.2).

Two characters are variants of each other when their upper-case or their lower-case forms are the same: so k, K and the
Kelvin sign, or s, S and the long s.
"""

from __future__ import annotations

from functools import lru_cache

_ASCII_EXTRA = {"k": "\u212a", "s": "\u017f", "i": "\u0131"}


def case_variants(c: str) -> str:
    """A character followed by its variants; alone where it has none.

    >>> case_variants("a"), case_variants("1")
    ('aA', '1')
    """
    if c.isascii():
        swapped = c.swapcase()
        return c if swapped == c else c + swapped + _ASCII_EXTRA.get(c.lower(), "")
    return _table().get(c, c)


def variants_in_range(first: str, last: str) -> list[str]:
    """The variants that lie outside a range of characters but belong to one inside it."""
    if last.isascii():
        within = [chr(c) for c in range(ord(first), ord(last) + 1)]
    else:
        within = [c for c in (*_ascii_letters(), *_table()) if first <= c <= last]
    return sorted({v for c in within for v in case_variants(c) if not first <= v <= last})


def _ascii_letters() -> list[str]:
    return [chr(c) for c in range(ord("A"), ord("z") + 1) if chr(c).isalpha()]


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    """The variants of every character beyond ASCII that has some; made when first needed, for it takes a while."""
    classes: dict[str, set[str]] = {}
    # No character beyond this plane's first half has case.
    for codepoint in range(0x20000):
        c = chr(codepoint)
        upper, lower = c.upper(), c.lower()
        if upper != c or lower != c:
            for form in {"u" + upper, "l" + lower}:
                classes.setdefault(form, set()).add(c)
    table: dict[str, str] = {}
    for members in classes.values():
        for c in members:
            if not c.isascii():
                table[c] = c + "".join(sorted((members | set(table.get(c, ""))) - {c}))
    return table
