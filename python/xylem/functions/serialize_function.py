"""fn:serialize (F&O 3.1 §14.1.3), with its parameters as an element or as a map."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xylem.errors import DynamicError
from xylem.sink import SerializationParameters, serialize
from xylem.values.description import describe_item
from xylem.values.map import XMap
from xylem.values.node import ELEMENT, Node

from .registry import function

_DEFAULTS = SerializationParameters(omit_xml_declaration=True)


@function("fn:serialize", "item()*, item()?", "xs:string", lazy="items")
def serialize_items(items: Iterable[Any], parameters: Any = None) -> str:
    return serialize(items, _read(parameters))


def _read(parameters: Any) -> SerializationParameters:
    if parameters is None:
        return _DEFAULTS
    if isinstance(parameters, XMap):
        return SerializationParameters.from_map(parameters, _DEFAULTS)
    if isinstance(parameters, Node) and parameters.kind == ELEMENT:
        return SerializationParameters.from_element(parameters, _DEFAULTS)
    raise DynamicError(
        "XPTY0004", f"expected a map or an element of serialisation parameters, found {describe_item(parameters)}"
    )
