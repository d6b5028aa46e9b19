"""Packages that only some features need: imported at their first use, with an error that names a missing one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .error import InputError

EXTRAS = {
    "IPython": "notebook",
    "bytewax": "bench-history",
    "confluent_kafka": "kafka",
    "duckdb": "bench",
    "fsspec": "remote",
    "jinja2": "console",
    "lsprotocol": "lsp",
    "lxml": "lxml",
    "numpy": "bench",
    "ortools": "bench",
    "pandas": "frames",
    "pathway": "bench-history",
    "polars": "polars",
    "prompt_toolkit": "shell",
    "psycopg": "postgresql",
    "pyarrow": "frames",
    "pygls": "lsp",
    "pyspark": "spark",
    "saxonche": "bench-history",
    "scipy": "bench",
    "sse_starlette": "network",
    "starlette": "console",
    "uvicorn": "console",
    "wasmtime": "wasm",
    "xmlschema": "schema",
    "zstandard": "zstd",
}
"""By module, the extra that installs it."""


def optional_package(module: str, extra: str) -> Any:
    """The module; if it is missing, XYIN0011 with the command that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != module.partition(".")[0]:
            raise
        raise _missing(module, extra) from missing


def missing_package(reason: ModuleNotFoundError) -> InputError | None:
    """XYIN0011 for an import that failed because an optional package is not installed; None for any other import."""
    module = (reason.name or "").partition(".")[0]
    return _missing(module, EXTRAS[module]) if module in EXTRAS else None


def _missing(module: str, extra: str) -> InputError:
    name = module.partition(".")[0].replace("_", "-")
    return InputError("XYIN0011", name, hint=f"pip install 'xylem-xquery[{extra}]'")
