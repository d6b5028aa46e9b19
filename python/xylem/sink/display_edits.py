"""The changes of an answer's parts: as edits, or as the whole answer if edits are not known.

A part is the text of an item, and the number of the sequence it is a value of, 0 for a node: values that follow each
other in one sequence are separated by a space.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

__all__ = ["Edit", "Edits", "Part", "edits_between"]

Part = tuple[str, int]


class Edit(NamedTuple):
    """Replaces some parts by others. Edits of one commit ascend: places count after earlier edits."""

    place: int
    removed: int
    parts: Sequence[Part]


Edits = list[Edit] | tuple[Part, ...]
"""The edits of one commit; a tuple is the whole answer."""


def edits_between(before: Sequence[Part], after: Sequence[Part]) -> list[Edit]:
    """The edits that turn one answer into the other."""
    if len(before) == len(after) == 1:
        return [] if before[0] == after[0] else [Edit(0, 1, after)]
    # Most of an answer stays: only parts between the first and the last change are compared.
    start, shorter = 0, min(len(before), len(after))
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if not old or not new or len(old) == len(new) == 1:
        return [Edit(start, len(old), new)] if old or new else []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [Edit(start + c, b - a, new[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
