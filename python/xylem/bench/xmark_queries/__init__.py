"""The twenty queries of the XMark benchmark, each in a file of its own, in their original form.

The document is the context item: where the original says `doc("auction.xml")`, these say `(/)`, so that the time to
parse it is apart from the time of the query. Nothing else is changed.
"""

from __future__ import annotations

from importlib.resources import files

NUMBERS = range(1, 21)


def query(number: int) -> str:
    """The text of query 1 … 20."""
    if number not in NUMBERS:
        raise ValueError(f"XMark has queries 1 to 20, not {number}")
    return files(__package__).joinpath(f"q{number}.xq").read_text("utf-8")
