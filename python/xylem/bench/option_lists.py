"""Options that are lists: numbers, and names from a known list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import typer

Number = TypeVar("Number", int, float)


def listed_numbers(text: str, option: str, kind: Callable[[str], Number]) -> list[Number]:
    """Positive numbers in their order; none for `none`.

    >>> listed_numbers("110,11", "--sizes", float)
    [11.0, 110.0]
    """
    if text.strip() in ("", "none"):
        return []
    try:
        numbers = [kind(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of numbers", param_hint=option) from None
    if not all(number > 0 for number in numbers):
        raise typer.BadParameter("numbers are positive", param_hint=option)
    return sorted(numbers)


def listed_names(text: str, known: Iterable[str], option: str) -> list[str]:
    """Known names, however their letters are written; a comma in a name is told by a semicolon.

    >>> listed_names("saxon", ["Xylem", "Saxon"], "--engines")
    ['Saxon']
    """
    names = {name.lower(): name for name in known}
    chosen = [part.strip().lower().replace(";", ",") for part in text.split(",")]
    if not all(name in names for name in chosen):
        raise typer.BadParameter(f"there are {', '.join(names.values())}", param_hint=option)
    return [names[name] for name in chosen]
