"""fn:load-xquery-module (F&O 3.1 §16.2.7) and fn:transform (§16.2.8).

The compiler puts a loader into the run: `load_module(uri, location_hints, context_item, variables)` with a list of
URIs made absolute, an item or None, and values by (uri, local) of the name. It gives two lists, of (QName, value) for
the module's public variables and of function items for its public functions, and raises FOQM0002 where there
is no such module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from xylem.errors import DynamicError, StaticError
from xylem.values import atomic_type as at
from xylem.values.conversion import convert
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.qname import QName
from xylem.values.sequence_type import (
    ANY_ITEM,
    ANY_SEQUENCE,
    AtomicItem,
    MapItem,
    Occurrence,
    SequenceType,
)
from xylem.values.uri import resolve

from .context import Context
from .registry import function

_STRINGS = SequenceType(AtomicItem(at.STRING), Occurrence.MANY)
_DECIMAL = SequenceType(AtomicItem(at.DECIMAL))
_OPTIONAL_ITEM = SequenceType(ANY_ITEM, Occurrence.OPTIONAL)
_VALUES_BY_NAME = SequenceType(MapItem(AtomicItem(at.QNAME), ANY_SEQUENCE))

SUPPORTED_VERSIONS = (Decimal("1.0"), Decimal("3.0"), Decimal("3.1"))


@function("fn:load-xquery-module", "xs:string, map(*)", "map(*)", context=True)
def load_xquery_module(ctx: Context, uri: str, options: XMap | None = None) -> XMap:
    if ctx.run.load_module is None:
        raise DynamicError("FOQM0006", "modules cannot be loaded in this run")
    if not uri:
        raise DynamicError("FOQM0001")
    given = options or XMap()
    version = _option(given, "xquery-version", _DECIMAL)
    if version is not None and version not in SUPPORTED_VERSIONS:
        raise DynamicError("FOQM0006", f"XQuery {version} is not one of {', '.join(map(str, SUPPORTED_VERSIONS))}")
    _option(given, "vendor-options", _VALUES_BY_NAME)
    hints = _option(given, "location-hints", _STRINGS) or ()
    variables: XMap = _option(given, "variables", _VALUES_BY_NAME) or XMap()
    item = _option(given, "context-item", _OPTIONAL_ITEM)
    try:
        found, functions = ctx.run.load_module(
            uri,
            [_absolute(hint, ctx.static.base_uri) for hint in hints],
            item,
            {(name.uri, name.local): value for name, value in variables.items()},
        )
    except StaticError as fault:
        raise DynamicError("FOQM0003", f"{uri}: {fault}") from fault
    return _as_map(found, functions)


def _absolute(hint: str, base_uri: str | None) -> str:
    return hint if base_uri is None else resolve(hint, base_uri)


def _option(options: XMap, name: str, expected: SequenceType) -> Any:
    value = options.get(name)
    return None if value is None else convert(value, expected, f"the option {name}")


def _as_map(variables: Iterable[tuple[QName, Sequence[Any]]], functions: Iterable[FunctionItem]) -> XMap:
    by_name: dict[QName, list[tuple[int, Sequence[Any]]]] = {}
    for item in functions:
        assert item.name is not None
        by_name.setdefault(item.name, []).append((item.arity, (item,)))
    tables = [(name, (XMap.of(arities),)) for name, arities in by_name.items()]
    return XMap.of((("variables", (XMap.of(variables),)), ("functions", (XMap.of(tables),))))


@function("fn:transform", "map(*)", "map(*)")
def transform(options: XMap) -> XMap:
    raise DynamicError("FOXT0001")
