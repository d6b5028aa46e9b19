"""Built-in functions: plain Python functions with their XQuery signatures in a decorator.

    @function("fn:substring", "xs:string?, xs:double, xs:double", "xs:string")
    def substring(value: str | None, start: float, length: float = inf) -> str: ...

- The arities follow from the Python parameters: those without default must be given.
- Arguments arrive converted (atomised, untyped values cast, numbers promoted) and checked against the
  signature, in the calling convention of `values/function_item.py`: `?` may be None, `*` and `+` are lists,
  tuples or ranges; a parameter named in `lazy` is any iterable instead, read as far as the function wants.
- Results follow the same convention; a `*` result may be any iterable, a generator too.
- `focus="…"`: the function may be called with its last argument missing, and then takes the context item (fn:string,
  fn:name …). Write the Python function with that argument required. If the parameter is xs:string? (fn:string-length,
  fn:normalize-space), it gets fn:string of the context item.
- A last Python parameter `*values` makes the function variadic (fn:concat): its type is written once in `parameters`
  and repeats as often as needed.
- `context=True`: the function's first Python parameter is the `Context`, which the signature does not list.
- `absent=(3, 4)`: arities that the Python defaults would allow and the function does not have.
- Facts that stages need by name alone (does it fold, pick items, look around a node …) are in `traits.py`.
- Raise `DynamicError(code, "particulars")`; the place in the query is added by the caller.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Body = TypeVar("Body", bound=Callable[..., Any])

FN = "http://www.w3.org/2005/xpath-functions"
PREFIXES = {
    "fn": FN,
    "math": FN + "/math",
    "map": FN + "/map",
    "array": FN + "/array",
    "xs": "http://www.w3.org/2001/XMLSchema",
    "xylem": "urn:xylem:functions",
    "udf": "urn:xylem:udf",
    "_history": "urn:xylem:history",
    "_match": "urn:xylem:match",
    "_places": "urn:xylem:places",
    "_siblings": "urn:xylem:siblings",
}


@dataclass(frozen=True)
class Builtin:
    """A built-in function, for all its arities; types as written, resolved on first use."""

    uri: str
    local: str
    parameters: tuple[str, ...]
    returns: str
    least: int
    body: Callable[..., Any]
    lazy: frozenset[int]
    focus: bool
    context: bool
    variadic: bool = False
    absent: frozenset[int] = frozenset()
    """Nonexistent arities between the least and the most."""

    @property
    def most(self) -> int:
        """The largest arity; a number beyond all calls for a variadic function."""
        return sys.maxsize if self.variadic else len(self.parameters)

    def parameter_types(self, arity: int) -> tuple[str, ...]:
        """The types of the parameters of one arity, as written."""
        if arity <= len(self.parameters):
            return self.parameters[:arity]
        return self.parameters + self.parameters[-1:] * (arity - len(self.parameters))


BUILTINS: dict[tuple[str, str], Builtin] = {}
"""Every built-in function by (namespace, local name)."""


def function(
    name: str,
    parameters: str,
    returns: str,
    *,
    lazy: str = "",
    focus: bool = False,
    context: bool = False,
    absent: tuple[int, ...] = (),
) -> Callable[[Body], Body]:
    """Register a built-in function; the module docstring says how to write one."""

    def register(body: Body) -> Body:
        prefix, local = name.split(":")
        types = split_types(parameters)
        names = list(inspect.signature(body).parameters.values())[1 if context else 0 :]
        if len(names) != len(types):
            raise TypeError(f"{name}: {len(types)} parameter types for {len(names)} parameters")
        variadic = bool(names) and names[-1].kind is inspect.Parameter.VAR_POSITIONAL
        least = sum(1 for p in names if p.default is inspect.Parameter.empty) - variadic
        lazies = frozenset(i for i, p in enumerate(names) if p.name in lazy.split())
        key = (PREFIXES[prefix], local)
        if key in BUILTINS:
            raise TypeError(f"{name} is registered twice")
        BUILTINS[key] = Builtin(*key, types, returns, least, body, lazies, focus, context, variadic, frozenset(absent))
        return body

    return register


def split_types(types: str) -> tuple[str, ...]:
    """Split at the commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(types):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(types[start:i].strip())
            start = i + 1
    last = types[start:].strip()
    return tuple([*parts, last] if last else parts)
