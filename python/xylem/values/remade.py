"""Functions from a factory that can be pickled: as the factory and its arguments. A closure is quick to call but cannot
be pickled. A closure from a factory marked here can be rebuilt in another process, with the names and plans of that
process.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def remade(factory: Callable[P, T]) -> Callable[P, T]:
    """Mark a factory at the top level of a module: its functions remember its arguments."""

    @wraps(factory)
    def make(*arguments: P.args, **named: P.kwargs) -> T:
        made = factory(*arguments, **named)
        if isinstance(made, FunctionType) and not named:
            made.__dict__["made_of"] = MadeOf(make, arguments)
        return made

    return make


class MadeOf:
    """Pickled in place of a function, and unpickled as one."""

    def __init__(self, factory: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._factory = factory
        self._arguments = arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._factory, self._arguments


def as_pickled(value: Any) -> Any:
    """The picklable form of a value: factory and arguments for a function of a marked factory."""
    return value.__dict__.get("made_of", value) if isinstance(value, FunctionType) else value
