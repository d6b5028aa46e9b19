"""Errors of a query inside Spark's own calls: reported in a few lines, without the stacks of two languages.

Spark shows the whole stack of an exception in a worker. A user needs our message, with file and byte; so our
errors leave the functions that Spark calls without the frames they came through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from xylem.errors import XylemError

_P = ParamSpec("_P")
_T = TypeVar("_T")


def short_errors(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Wrap a function so that its errors have no stack."""

    @wraps(function)
    def called(*arguments: _P.args, **named: _P.kwargs) -> _T:
        try:
            return function(*arguments, **named)
        except XylemError as error:
            reason = error
        raise _bare(reason)

    return called


def short_errors_of(batches: Iterator[Any]) -> Iterator[Any]:
    """Wrap a generator so that its errors have no stack."""
    try:
        yield from batches
        return
    except XylemError as error:
        reason = error
    raise _bare(reason)


def _bare(error: XylemError) -> XylemError:
    error.__cause__ = error.__context__ = None
    # Spark shows an exception with its notes: the line with a caret and the hint, as on a command line.
    told = [*error.notes, str(error)]
    for line in error.render().splitlines():
        if line.strip() not in told:
            error.add_note(line)
    return error.with_traceback(None)
