"""Xylem: XQuery 3.1 over XML documents and streams.

Query text with documents and Python values comes in; typed results or their text go out.
Importing this package loads nothing but names: each part is imported when it is first used.

    >>> import xylem
    >>> xylem.compile("sum(1 to 4)").run().value
    10
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import VERSION as __version__

if TYPE_CHECKING:
    from .api import Functions, Query, Result, aggregate, compile, function, items, parse
    from .errors import DynamicError, EngineBug, InputError, StaticError, SyntaxFault, XylemError
    from .sink.element_trees import to_etree, to_lxml
    from .source.replay import replayed
    from .stream_result import StreamResult
    from .values.node import Node

_HOME = {
    "DynamicError": "xylem.errors",
    "EngineBug": "xylem.errors",
    "Functions": "xylem.api",
    "InputError": "xylem.errors",
    "Node": "xylem.values.node",
    "Query": "xylem.api",
    "Result": "xylem.api",
    "StaticError": "xylem.errors",
    "StreamResult": "xylem.stream_result",
    "SyntaxFault": "xylem.errors",
    "XylemError": "xylem.errors",
    "aggregate": "xylem.api",
    "compile": "xylem.api",
    "history_query": "xylem.api",
    "function": "xylem.api",
    "items": "xylem.api",
    "parse": "xylem.api",
    "replayed": "xylem.source.replay",
    "to_etree": "xylem.sink.element_trees",
    "to_lxml": "xylem.sink.element_trees",
}

__all__ = [
    "DynamicError",
    "EngineBug",
    "Functions",
    "InputError",
    "Node",
    "Query",
    "Result",
    "StaticError",
    "StreamResult",
    "SyntaxFault",
    "XylemError",
    "__version__",
    "aggregate",
    "compile",
    "function",
    "history_query",
    "items",
    "parse",
    "replayed",
    "to_etree",
    "to_lxml",
]


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext xylem`: the magics `%xquery` and `%%xquery`."""
    from .interactive.notebook import load_ipython_extension as load

    load(ipython)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'xylem' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
