"""Lists of expected children in messages."""

from __future__ import annotations

from collections.abc import Sequence

MOST_LISTED = 8


def expectation(names: Sequence[str], *, end: bool = False) -> str:
    """What may come next, as the end of a sentence.

    >>> expectation(["title", "author"]), expectation([], end=True)
    ('<title> or <author> is expected', 'the end tag is expected')
    """
    listed = [f"<{name}>" for name in names[:MOST_LISTED]]
    if len(names) > MOST_LISTED:
        listed.append(f"one of {len(names) - MOST_LISTED} others")
    if end:
        listed.append("the end tag")
    if not listed:
        return "nothing is expected"
    return f"{' or '.join((', '.join(listed[:-1]), listed[-1])) if len(listed) > 1 else listed[0]} is expected"
