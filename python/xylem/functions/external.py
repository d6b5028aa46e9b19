"""Python functions as external functions of a query: registered by a decorator, called with Python values.

    functions = Functions()

    @functions.function("udf:initials", "xs:string, xs:string?", "xs:string")
    def initials(first: str, last: str | None = None) -> str: ...

A query calls `udf:initials("Ada", "Lovelace")` as it calls any function, with or without declaring it `external`. Types
are written as in XQuery; arguments are converted to them as for every function, then to Python values
(`values/python_values.py`): `?` may be None, `*` and `+` are lists. Results are converted the other way, and checked
against the declared type like the result of a declared function.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from xylem.errors import DynamicError, XylemError
from xylem.values.python_values import python_from_item, sequence_from_python

from .registry import PREFIXES, Builtin, split_types

Body = TypeVar("Body", bound=Callable[..., Any])
Made = TypeVar("Made")

_NAME = re.compile(r"Q\{([^{}]+)\}([\w.-]+)|([\w.-]+):([\w.-]+)")


@dataclass(frozen=True)
class ExternalFunction(Builtin):
    """A registered Python function.

    Unlike that of a built-in function its result is not trusted: `body` follows the calling convention for its
    arguments but always returns a sequence of items, which the caller converts to the type `returns`.
    """

    protocol: AggregateProtocol | None = None
    """How it folds its argument value by value, if it does."""


class AggregateProtocol:
    """A user's aggregate as windows keep it: states, and the values that go in and out as items.

    `init()` gives a state, `step(state, value)` the state with one more value, `finish(state)` the result. With
    `merge(a, b)`
    states of neighbouring runs of values become one; with `invert(state, value)` the oldest value is taken back.
    """

    def __init__(self, name: str, maker: Any) -> None:
        made = maker() if isinstance(maker, type) else maker
        for needed in ("init", "step", "finish"):
            if not callable(getattr(made, needed, None)):
                raise TypeError(f"{name}: an aggregate has the methods init, step and finish")
        self._name = name
        self._made = made
        self.can_merge = callable(getattr(made, "merge", None))
        self.can_invert = callable(getattr(made, "invert", None))

    @property
    def definition(self) -> type:
        """The class it is written in."""
        return type(self._made)

    def init(self) -> Any:
        return self._guarded(self._made.init)

    def step(self, state: Any, value: Any) -> Any:
        return self._guarded(self._made.step, state, python_from_item(value))

    def merge(self, first: Any, second: Any) -> Any:
        return self._guarded(self._made.merge, first, second)

    def invert(self, state: Any, value: Any) -> Any:
        return self._guarded(self._made.invert, state, python_from_item(value))

    def finish(self, state: Any) -> Sequence[Any]:
        return sequence_from_python(self._guarded(self._made.finish, state))

    def _guarded(self, call: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except (XylemError, MemoryError):
            raise
        except Exception as reason:
            raise DynamicError("XYDY0002", f"{self._name}: {type(reason).__name__}: {reason}") from reason

    def of(self, values: Sequence[Any]) -> Sequence[Any]:
        """The aggregate of a whole sequence."""
        state = self.init()
        for value in values:
            state = self.step(state, value)
        return self.finish(state)


class Functions:
    """A set of external functions, given to `xylem.compile(…, functions=…)`."""

    def __init__(self) -> None:
        self._by_name: dict[tuple[str, str], ExternalFunction] = {}

    def __iter__(self) -> Iterator[ExternalFunction]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def function(self, name: str, parameters: str, returns: str = "item()*") -> Callable[[Body], Body]:
        """Register a Python function under `prefix:local` (`udf:…`) or `Q{uri}local`; a later one replaces it.

        The decorated function stays as it is and can be called from Python too.
        """
        key = _expanded(name)

        def register(body: Body) -> Body:
            types = split_types(parameters)
            taken = list(inspect.signature(body).parameters.values())
            if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY) for p in taken):
                raise TypeError(f"{name}: an external function takes plain positional parameters")
            if len(taken) != len(types):
                raise TypeError(f"{name}: {len(types)} parameter types for {len(taken)} parameters")
            least = sum(1 for p in taken if p.default is p.empty)
            self._by_name[key] = ExternalFunction(
                *key, types, returns, least, _at_the_border(name, body), frozenset(), focus=False, context=False
            )
            return body

        return register


    def aggregate(self, name: str, parameter: str, returns: str = "item()*") -> Callable[[Made], Made]:
        """Register a class with init, step and finish (and merge, invert) as a function of one sequence.

        Over windows it is updated while items pass; elsewhere it is called with all values. `parameter` is a type such
        as `xs:double*`.
        """
        key = _expanded(name)

        def register(maker: Made) -> Made:
            protocol = AggregateProtocol(name, maker)
            types = split_types(parameter)
            if len(types) != 1:
                raise TypeError(f"{name}: an aggregate has one parameter")
            self._by_name[key] = ExternalFunction(
                *key, types, returns, 1, protocol.of, frozenset(), focus=False, context=False, protocol=protocol
            )
            return maker

        return register


DEFAULT_FUNCTIONS = Functions()
"""The default set of functions for queries."""


def _expanded(name: str) -> tuple[str, str]:
    found = _NAME.fullmatch(name)
    if found is None:
        raise ValueError(f"{name!r} is not a name such as udf:name or Q{{uri}}name")
    uri, local, prefix, prefixed = found.groups()
    if uri is not None:
        return uri, local
    if prefix not in PREFIXES:
        raise ValueError(f"the prefix {prefix!r} is not known; write Q{{uri}}{prefixed}, or use udf:")
    return PREFIXES[prefix], prefixed


def _at_the_border(name: str, body: Callable[..., Any]) -> Callable[..., Sequence[Any]]:
    """The function in the query's form: items in, items out, and any exception becomes an error with a code."""

    @functools.wraps(body)
    def called(*arguments: Any) -> Sequence[Any]:
        try:
            return sequence_from_python(body(*(_argument(value) for value in arguments)))
        except (XylemError, MemoryError):
            raise
        except Exception as reason:
            raise DynamicError("XYDY0002", f"{name}: {type(reason).__name__}: {reason}") from reason

    return called


def _argument(value: Any) -> Any:
    if isinstance(value, (list, tuple, range)):
        return [python_from_item(item) for item in value]
    return None if value is None else python_from_item(value)
