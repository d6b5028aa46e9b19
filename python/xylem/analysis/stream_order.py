"""The declared order of streams that a query joins by best matches.

    declare option xylem:event-time "@at";                  for all; by default the first value that the join bounds
    declare option xylem:watermark "5";
    declare option xylem:watermark "trades=5, quotes=2s";   for each
    declare option xylem:direction "descending";
    declare option xylem:read-ahead "quotes=10";
    declare option xylem:punctuation "quotes=self::mark/@upto";
    declare option xylem:late "drop";

A stream is known by its own name, or by that of an external variable. A stream without a declaration ascends; an item
out of order is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from xylem.errors import StaticError
from xylem.functions.event_order import UNITS, Late, bound_of, policy_of
from xylem.functions.registry import PREFIXES
from xylem.syntax import ast, parse

from .input_functions import STREAMS

OPTIONS = ("event-time", "watermark", "late", "direction", "read-ahead", "punctuation")
_FOR_ONE = re.compile(r"\s*([\w.-]+)\s*=\s*(.*?)\s*")


@dataclass(frozen=True)
class DeclaredOrder:
    """The order of one stream."""

    path: ast.Expr | None = None
    """The path from an item to the value that orders the stream."""
    within: float = 0.0
    """How far values may lie behind the greatest value before them."""
    is_descending: bool = False
    read_ahead: int = 0
    punctuation: ast.Expr | None = None
    """The path from an item to the value up to which all items have arrived."""
    late: Late = Late.STOP


def declared_order(prolog: Iterable[ast.Declaration], stream: str) -> DeclaredOrder:
    """The order that the options of a prolog declare for a stream; XYST0014 for invalid options."""
    said: dict[str, str] = {}
    for one in prolog:
        if isinstance(one, ast.OptionDecl) and one.name.uri == PREFIXES["xylem"] and one.name.local in OPTIONS:
            value = _of_stream(one.value, stream)
            if value is not None:
                said[one.name.local] = value
    direction = said.get("direction", "ascending")
    if direction not in ("ascending", "descending"):
        raise StaticError("XYST0014", f"{direction!r} is neither ascending nor descending")
    ahead = said.get("read-ahead", "0")
    if not ahead.isdecimal():
        raise StaticError("XYST0014", f"{ahead!r} is not a number of items to read ahead")
    late = policy_of(said["late"]) if "late" in said else Late.DROP if said.keys() & {"watermark"} else Late.STOP
    return DeclaredOrder(
        _path(said["event-time"]) if "event-time" in said else None,
        bound_of(said["watermark"]) / UNITS if "watermark" in said else 0.0,
        direction == "descending",
        int(ahead),
        _path(said["punctuation"]) if "punctuation" in said else None,
        late,
    )


def stream_of(collection: ast.Expr) -> str:
    """The name of the stream that a loop ranges over; '' if it has none."""
    while isinstance(collection, (ast.Path, ast.Filter, ast.SimpleMap)):
        collection = collection.base if isinstance(collection, ast.Filter) else collection.left
    match collection:
        case ast.FunctionCall(name=name, arguments=(ast.StringLiteral(value=value),)) if name.expanded in STREAMS:
            return value
        case ast.VarRef(name=name):
            return name.local
    return ""


def joins_streams(body: ast.Node) -> bool:
    """Whether a query has best-match joins, whose streams may have an order."""
    return any(isinstance(node, ast.BestMatchClause) for node in body.walk())


def _of_stream(text: str, stream: str) -> str | None:
    """An option's value for one stream: the same for all, or separate ones."""
    parts = [_FOR_ONE.fullmatch(part) for part in text.split(",")]
    if any(part is None for part in parts):
        return text.strip()
    return next((part[2] for part in parts if part is not None and part[1] == stream), None)


def _path(text: str) -> ast.Expr:
    module = parse(text, "path of an item")
    assert isinstance(module, ast.MainModule)
    return module.body
