"""Functions that travel with a query, as WebAssembly: they run at the peer that computes it, and can do nothing but
compute.

    declare option xylem:code "udf:cone(xs:double, xs:double) as xs:boolean = AGFzbQEAAAA…";

The option has the name and types of a function and its module in base64. A plan carries its query as text, so the code
goes wherever the plan goes. A module may import nothing: it sees its arguments and its own memory. Each call has a new
instance and limited fuel and memory, so an answer depends only on the records, and no call runs for ever.
"""

from __future__ import annotations

import re
from atexit import register as register_at_exit
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from xylem.errors import StaticError
from xylem.functions.external import ExternalFunction, Functions
from xylem.syntax import ast

FUEL = 10_000_000
"""Approximate number of instructions per call."""
MEMORY_BYTES = 16 << 20
CAPABILITY = "code:wasm"
"""The capability that a peer needs to compute a query with code, like the documents that a query reads."""
_TYPES = {"xs:double": "f64", "xs:integer": "i64", "xs:boolean": "i32"}
_OPTION = re.compile(r"\s*(udf:[\w.-]+)\s*\(([^()]*)\)\s*as\s+(xs:\w+)\s*=\s*([A-Za-z0-9+/=\s]+)")
_SIGNATURE = re.compile(r"\s*(udf:[\w.-]+)\s*\(([^()]*)\)\s*as\s+(xs:\w+)\s*")


@dataclass(frozen=True)
class Signature:
    """The name and types of a function."""

    name: str
    parameters: tuple[str, ...]
    returns: str

    @property
    def types(self) -> tuple[list[str], list[str]]:
        """The WebAssembly types."""
        return [_TYPES[one] for one in self.parameters], [_TYPES[self.returns]]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.parameters)}) as {self.returns}"


def brings_code(text: str) -> bool:
    """Whether a query may contain functions of its own; a quick look at its text."""
    return "xylem:code" in text


def can_run_code() -> bool:
    """Whether this process has a sandbox."""
    return find_spec("wasmtime") is not None


def code_option(module: bytes, signature: str) -> str:
    """The declaration for a query; XYST0040 for a module without such a function."""
    found = _signature(_SIGNATURE.fullmatch(signature), signature)
    _callable(found, module)
    return f'declare option xylem:code "{found} = {b64encode(module).decode()}";'


def mobile_functions(module: ast.Module) -> tuple[ExternalFunction, ...]:
    """The functions that a query contains; XYST0040 if they cannot run here."""
    functions = Functions()
    for one in module.prolog:
        if isinstance(one, ast.OptionDecl) and (one.name.prefix, one.name.local) == ("xylem", "code"):
            match = _OPTION.fullmatch(one.value)
            signature = _signature(match, one.value)
            assert match is not None
            try:
                code = b64decode("".join(match[4].split()), validate=True)
            except NotBase64 as reason:
                raise StaticError("XYST0040", f"{signature.name}: the code is not base64", span=one.span) from reason
            body = _callable(signature, code)
            functions.function(signature.name, ", ".join(signature.parameters), signature.returns)(body)
    return tuple(functions)


def _signature(match: re.Match[str] | None, text: str) -> Signature:
    if match is None:
        raise StaticError("XYST0040", f"{text[:60]!r} is not of the form udf:name(xs:double, …) as xs:double = CODE")
    parameters = tuple(one.strip() for one in match[2].split(",") if one.strip())
    wrong = [one for one in (*parameters, match[3]) if one not in _TYPES]
    if wrong:
        raise StaticError("XYST0040", f"{match[1]}: {wrong[0]} is none of {', '.join(_TYPES)}")
    return Signature(match[1], parameters, match[3])


@lru_cache(64)
def _callable(signature: Signature, code: bytes) -> Callable[..., Any]:
    """A Python function that calls the one of the module."""
    if not can_run_code():
        raise StaticError("XYST0040", "WebAssembly is not installed here: pip install 'xylem-xquery[wasm]'")
    import wasmtime

    config = wasmtime.Config()
    config.consume_fuel = True
    engine = wasmtime.Engine(config)
    try:
        module = wasmtime.Module(engine, code)
    except wasmtime.WasmtimeError as reason:
        raise StaticError("XYST0040", f"{signature.name}: {str(reason).splitlines()[0]}") from reason
    local = signature.name.removeprefix("udf:")
    if module.imports:
        raise StaticError("XYST0040", f"{signature.name}: the module imports {module.imports[0].name}")
    found = {one.name: one.type for one in module.exports if isinstance(one.type, wasmtime.FuncType)}.get(local)
    if found is None or ([*map(str, found.params)], [*map(str, found.results)]) != signature.types:
        raise StaticError("XYST0040", f"the module has no function {signature}")
    is_boolean, booleans = signature.returns == "xs:boolean", [one == "xs:boolean" for one in signature.parameters]

    def call(*arguments: Any) -> Any:
        store = wasmtime.Store(engine)
        store.set_limits(memory_size=MEMORY_BYTES, memories=1, tables=1, table_elements=10_000, instances=1)
        store.set_fuel(FUEL)
        function = wasmtime.Instance(store, module, []).exports(store)[local]
        assert isinstance(function, wasmtime.Func)
        given = [int(one) if is_bool else one for one, is_bool in zip(arguments, booleans, strict=True)]
        try:
            result = function(store, *given)
        except wasmtime.Trap as reason:
            raise RuntimeError(_why(reason)) from reason
        return bool(result) if is_boolean else result

    return _with_parameters(call, len(signature.parameters))


# Sandboxes are closed before their library is unloaded.
register_at_exit(_callable.cache_clear)


def _why(trap: Exception) -> str:
    """The last line of a sandbox's message: the error, without the place in the module."""
    lines = [line.strip() for line in str(trap).splitlines() if line.strip()]
    return lines[-1] if lines else "the code stopped"


def _with_parameters(call: Callable[..., Any], number: int) -> Callable[..., Any]:
    """Give a function a signature with a given number of parameters."""
    from inspect import Parameter, Signature

    names = [Parameter(f"a{at}", Parameter.POSITIONAL_ONLY) for at in range(number)]
    call.__signature__ = Signature(names)  # type: ignore[attr-defined]
    return call


