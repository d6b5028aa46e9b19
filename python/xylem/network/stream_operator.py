"""User-defined operators over whole streams (thesis 2.3.3): code that gets each record and returns records.

    xylem network operator smooth smooth.wasm --source photons

An operator makes a stream of its own, which queries read like any other. It may keep any state from one record to the
next; a function (`mobile_code.py`) keeps none. After a restart, the site runs it again over the records that it has
seen. A WebAssembly module imports nothing. It has `memory` and two functions: `alloc(size)` returns a place for a
record, and `record(place, size)` takes it and returns the place and size of its output, as `place << 32 | size`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from xylem.errors import InputError

from .mobile_code import MEMORY_BYTES, can_run_code

FUEL = 100_000_000
"""Approximate number of instructions per record."""
MOST_BYTES = 1 << 24
"""Most output bytes for one record."""


class StreamOperator(ABC):
    """One operator at work. Any fault of its code raises OperatorFault."""

    @abstractmethod
    def push(self, record: bytes) -> bytes:
        """Its output for a record: records one after another, or nothing."""

    @abstractmethod
    def close(self) -> None:
        """End it."""


class OperatorFault(Exception):
    """An operator failed, or took too much."""


def started(told: Mapping[str, Any], directory: Path) -> StreamOperator:
    """A registered operator, started at a site; XYST0040 if it cannot run there."""
    if told["language"] == "python":
        from .signed_python import PythonOperator

        return PythonOperator(bytes(told["code"]), bytes(told["signature"]), directory)
    return WebAssemblyOperator(bytes(told["code"]))


class WebAssemblyOperator(StreamOperator):
    """A module of WebAssembly, with its memory."""

    def __init__(self, code: bytes) -> None:
        if not can_run_code():
            raise InputError("XYST0040", "WebAssembly is not installed here: pip install 'xylem-xquery[wasm]'")
        import wasmtime

        config = wasmtime.Config()
        config.consume_fuel = True
        engine = wasmtime.Engine(config)
        try:
            module = wasmtime.Module(engine, code)
        except wasmtime.WasmtimeError as reason:
            raise InputError("XYST0040", str(reason).splitlines()[0]) from reason
        if module.imports:
            raise InputError("XYST0040", f"the module imports {module.imports[0].name}")
        self._store = wasmtime.Store(engine)
        self._store.set_limits(memory_size=MEMORY_BYTES, memories=1, tables=1, table_elements=10_000, instances=1)
        self._store.set_fuel(FUEL)
        try:
            exports = wasmtime.Instance(self._store, module, []).exports(self._store)
        except (wasmtime.WasmtimeError, wasmtime.Trap) as reason:
            raise InputError("XYST0040", str(reason).splitlines()[0]) from reason
        wanted = {"memory": wasmtime.Memory, "alloc": wasmtime.Func, "record": wasmtime.Func}
        found = {name: exports.get(name) for name in wanted}
        missing = [name for name, kind in wanted.items() if not isinstance(found[name], kind)]
        if missing:
            raise InputError("XYST0040", f"the module has no {missing[0]}")
        self._memory, self._alloc, self._record = (found[name] for name in wanted)
        types = {name: _types(found[name], self._store) for name in ("alloc", "record")}
        if types != {"alloc": (["i32"], ["i32"]), "record": (["i32", "i32"], ["i64"])}:
            raise InputError("XYST0040", "alloc takes an i32 and gives one; record takes two and gives an i64")

    def push(self, record: bytes) -> bytes:
        import wasmtime

        try:
            self._store.set_fuel(FUEL)
            place = self._alloc(self._store, len(record)) & 0xFFFFFFFF
            self._memory.write(self._store, record, place)
            given = self._record(self._store, place, len(record)) & 0xFFFFFFFFFFFFFFFF
            first, size = given >> 32, given & 0xFFFFFFFF
            if size > MOST_BYTES:
                raise OperatorFault(f"it gives {size:,} bytes for one record")
            found = bytes(self._memory.read(self._store, first, first + size))
        except (wasmtime.Trap, wasmtime.WasmtimeError, IndexError) as reason:
            lines = [line.strip() for line in str(reason).splitlines() if line.strip()]
            raise OperatorFault(lines[-1] if lines else "it stopped") from reason
        if len(found) != size:
            raise OperatorFault("it gives bytes that are not in its memory")
        return found

    def close(self) -> None:
        self._store.close()


def _types(function: Any, store: Any) -> tuple[list[str], list[str]]:
    kind = function.type(store)
    return [*map(str, kind.params)], [*map(str, kind.results)]
