"""Windows by their definition, in quadratic time: what the operator is held against.

A start is a predicate on an index, an end one on two; indices are 0-based. Windows are pairs of indices, both included.
"""

from __future__ import annotations

from collections.abc import Callable

Start = Callable[[int], bool]
End = Callable[[int, int], bool]


def windows_of(
    kind: str, count: int, start: Start, end: End | None, *, force: bool = False, standard: bool = False
) -> list[tuple[int, int]]:
    """All windows over `count` items, in their order. No end: windows end before the next start."""
    test = end or (lambda i, j: j + 1 < count and start(j + 1))
    found: list[tuple[int, bool, int]] = []
    """(last, whether the end of the input ends it, first)"""
    if kind == "tumbling":
        found = _tumbling(count, start, test)
    else:
        for i in range(count):
            if not start(i):
                continue
            ends = [j for j in range(i, count) if test(i, j)]
            if kind == "sliding":
                found += [(ends[0], False, i)] if ends else [(count - 1, True, i)]
            else:
                found += [(j, False, i) for j in ends]
                if not ends or ends[-1] != count - 1:
                    found.append((count - 1, True, i))
    if force:
        found = [window for window in found if not window[1]]
    ordered = sorted(found, key=lambda window: window[2]) if standard else sorted(found)
    return [(first, last) for last, _, first in ordered]


def _tumbling(count: int, start: Start, test: End) -> list[tuple[int, bool, int]]:
    found = []
    i = 0
    while i < count:
        if not start(i):
            i += 1
            continue
        ends = [j for j in range(i, count) if test(i, j)]
        found.append((ends[0], False, i) if ends else (count - 1, True, i))
        i = found[-1][0] + 1
    return found


def subsequences_of(count: int) -> list[tuple[int, ...]]:
    """Every sub-sequence of indices but the empty one: by last index, then as the paper lists them."""
    every = [tuple(i for i in range(count) if mask >> i & 1) for mask in range(1, 1 << count)]
    return sorted(every, key=lambda chosen: (chosen[-1], chosen))
