"""Durations as options give them: `500ms`, `2s`, `10m`."""

from __future__ import annotations

import re

import typer

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def in_seconds(text: str, option: str, *others: str) -> float:
    """A duration such as `500ms` or `2s`."""
    found = _DURATION.fullmatch(text)
    if found is None:
        wanted = ", ".join(["a duration such as 500ms or 2s", *others])
        raise typer.BadParameter(f"{text!r} is not {wanted}", param_hint=option)
    return float(found[1]) * _SECONDS[found[2]]


def time_limit_seconds(text: str) -> float:
    """The value of `--time-limit`: a number of seconds, or a duration."""
    try:
        return float(text)
    except ValueError:
        return in_seconds(text, "--time-limit", "a number of seconds")
