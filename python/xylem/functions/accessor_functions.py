"""fn:string and fn:data (F&O 3.1 §2), fn:error and fn:trace (§3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from xylem.errors import ERR_NAMESPACE, DynamicError
from xylem.values.atomic import type_of
from xylem.values.atomize import atomize
from xylem.values.casting import string_of
from xylem.values.description import describe_item
from xylem.values.node import Node
from xylem.values.qname import QName

from .context import Context
from .registry import function


@function("fn:string", "item()?", "xs:string", focus=True)
def string(item: Any) -> str:
    if item is None:
        return ""
    if type(item) is str:
        return item
    if isinstance(item, Node):
        return item.string_value
    if type_of(item) is None:
        raise DynamicError("FOTY0014", describe_item(item))
    return string_of(item)


@function("fn:data", "item()*", "xs:anyAtomicType*", lazy="sequence", focus=True)
def data(sequence: Iterable[Any]) -> Iterable[Any]:
    return atomize(sequence)


@function("fn:error", "xs:QName?, xs:string, item()*", "item()*")
def error(code: QName | None = None, description: str | None = None, value: Sequence[Any] = ()) -> NoReturn:
    raised = DynamicError(_code(code), description or "", value=value)
    # Only the query's own words: a code of the catalogue may be raised for any reason.
    if description:
        raised.title = ""
    raised.description = description
    raised.name = code
    raise raised


def _code(code: QName | None) -> str:
    if code is None:
        return "FOER0000"
    return code.local if code.uri == ERR_NAMESPACE else code.eqname


@function("fn:trace", "item()*, xs:string", "item()*", context=True)
def trace(ctx: Context, value: Sequence[Any], label: str = "") -> Sequence[Any]:
    from xylem.sink.serialization_parameters import SerializationParameters
    from xylem.sink.serialize import serialize

    shown = SerializationParameters(method="adaptive", item_separator=", ")
    ctx.run.trace(label, serialize(value, shown))
    return value
