"""A choice of XMark's twenty queries: `1-7,13` as numbers."""

from __future__ import annotations

import typer


def query_numbers(text: str) -> list[int]:
    """The numbers in their order; none for an empty text.

    >>> query_numbers("1-3,13")
    [1, 2, 3, 13]
    """
    chosen: list[int] = []
    for part in text.replace("Q", "").replace("q", "").split(","):
        first, dash, last = part.strip().partition("-")
        try:
            chosen.extend(range(int(first), int(last if dash else first) + 1))
        except ValueError:
            raise typer.BadParameter(f"{part!r} is not a number or a range", param_hint="--queries") from None
    if not chosen or not all(1 <= number <= 20 for number in chosen):
        raise typer.BadParameter("the queries are 1 to 20", param_hint="--queries")
    return chosen
