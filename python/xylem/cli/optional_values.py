"""Options with an optional value: `--stats` is `--stats text`.

Typer has no such options. An option without one of its values gets the default one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

OPTIONAL = {"--stats": ("text", "json"), "--validate": ("full", "lazy")}
"""The values, the default first."""


def with_default_values(arguments: Sequence[str]) -> list[str]:
    """The arguments with all values in place.

    >>> with_default_values(["run", "--stats", "q.xq", "--stats", "json"])
    ['run', '--stats=text', 'q.xq', '--stats=json']
    """
    return list(_completed(arguments))


def _completed(arguments: Sequence[str]) -> Iterator[str]:
    rest = iter(range(len(arguments)))
    for index in rest:
        argument = arguments[index]
        if argument == "--":
            yield from arguments[index:]
            return
        values = OPTIONAL.get(argument)
        if values is None:
            yield argument
        elif index + 1 < len(arguments) and arguments[index + 1] in values:
            yield f"{argument}={arguments[index + 1]}"
            next(rest)
        else:
            yield f"{argument}={values[0]}"
