"""The definition of a user's Python function: the same text for the same code, in any file. The state of one aggregate
is of no use to another: saved states record the definition of the function that made them. White space, comments and
the place of the file do not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from types import CodeType
from typing import Any

from .external import ExternalFunction


def definition_of(function: ExternalFunction) -> str:
    """Name, types and code of a registered function."""
    told = repr((function.uri, function.local, function.parameters, function.returns, *_codes(function)))
    return hashlib.sha256(told.encode()).hexdigest()


def _codes(function: ExternalFunction) -> Iterator[Any]:
    if function.protocol is None:
        yield _code(getattr(function.body, "__wrapped__", function.body))
        return
    made = function.protocol.definition
    for name in sorted({name for owner in made.__mro__ for name in vars(owner) if owner is not object}):
        yield name, _code(getattr(made, name))


def _code(value: Any) -> Any:
    code = getattr(value, "__code__", None)
    if not isinstance(code, CodeType):
        return type(value).__name__
    constants = tuple(_code_constants(code))
    return code.co_code.hex(), code.co_names, constants


def _code_constants(code: CodeType) -> Iterator[Any]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant.co_code.hex(), constant.co_names, tuple(_code_constants(constant))
        else:
            yield repr(constant)
