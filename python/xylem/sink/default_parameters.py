"""The default serialization parameters of an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xylem.values.array import XArray
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.node import ATTRIBUTE, NAMESPACE, Node

if TYPE_CHECKING:
    from .serialization_parameters import SerializationParameters

DEFAULT_PARAMETERS = {"omit-xml-declaration": "yes"}
"""Results are mostly fragments; a declaration is only written if the query or the caller requests one."""
_PLAIN = tuple(DEFAULT_PARAMETERS.items())
_ADAPTIVE = (*_PLAIN, ("method", "adaptive"))


def chosen_parameters(
    output: Mapping[str, str], given: Mapping[str, Any], begins_with_text: Callable[[], bool]
) -> SerializationParameters:
    """Output declarations and the caller's parameters; if neither names a method, the answer's beginning decides."""
    if not output and not given:
        return _parameters(_PLAIN if begins_with_text() else _ADAPTIVE)
    merged = merged_options(output, given)
    if "method" not in merged and not begins_with_text():
        merged["method"] = "adaptive"
    return _parameters(tuple(merged.items()))


@lru_cache(maxsize=64)
def _parameters(options: tuple[tuple[str, str], ...]) -> SerializationParameters:
    """One record for all answers with the same options: for a small answer, creating it takes longer than writing."""
    from .serialization_parameters import SerializationParameters

    return SerializationParameters.from_options(dict(options))


def merged_options(output: Mapping[str, str], given: Mapping[str, Any]) -> dict[str, str]:
    """Output declarations, overridden by the caller's parameters, with the defaults of this engine."""
    named = {name.replace("_", "-"): _lexical(value) for name, value in given.items()}
    return {**DEFAULT_PARAMETERS, **output, **named}


def has_xml_text(item: Any) -> bool:
    """Whether the xml method can write an item; adaptive can write any."""
    if isinstance(item, Node):
        return item.kind not in (ATTRIBUTE, NAMESPACE)
    return not isinstance(item, (XMap, XArray, FunctionItem))


def _lexical(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
