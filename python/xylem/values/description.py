"""Values in words, for error messages: the value found instead of the expected one."""

from __future__ import annotations

from collections.abc import Sequence

from .array import XArray
from .atomic import type_of
from .function_item import FunctionItem
from .map import XMap
from .node import KIND_NAMES, Node

_SHOWN = 40


def describe(sequence: Sequence[object]) -> str:
    """A sequence in words, as in `xs:string "abc"` or `several items, the first xs:integer 1`."""
    if not sequence:
        return "an empty sequence"
    first = describe_item(sequence[0])
    return first if len(sequence) == 1 else f"several items, the first {first}"


def describe_item(item: object) -> str:
    """An item in words: its type, and its value if that is short."""
    if isinstance(item, Node):
        name = item.name
        return f"{KIND_NAMES[item.kind]}({'' if name is None else name})"
    if isinstance(item, XMap):
        return f"a map of {_counted(len(item), 'entry', 'entries')}"
    if isinstance(item, XArray):
        return f"an array of {_counted(len(item), 'member', 'members')}"
    if isinstance(item, FunctionItem):
        return f"the function {item!r}" if item.name else f"a function of arity {item.arity}"
    return f"{type_of(item)!r} {_shown(item)}"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _shown(value: object) -> str:
    from .casting import string_of

    text = string_of(value)
    text = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return f'"{text}"' if isinstance(value, str) else text
