"""Options given to a function as a map (F&O 3.1 §1.5, "options"): unknown ones are ignored, known ones converted."""

from __future__ import annotations

from typing import Any

from xylem.values import atomic_type as at
from xylem.values.conversion import convert
from xylem.values.map import XMap
from xylem.values.sequence_type import AtomicItem, FunctionItemType, SequenceType

ONE_BOOLEAN = SequenceType(AtomicItem(at.BOOLEAN))
ONE_STRING = SequenceType(AtomicItem(at.STRING))
STRING_FUNCTION = SequenceType(FunctionItemType((ONE_STRING,), ONE_STRING))


def option(options: XMap | None, name: str, expected: SequenceType, default: Any) -> Any:
    """The value of an option, converted to its type in the calling convention; XPTY0004 if that is impossible."""
    value = None if options is None else options.get(name)
    return default if value is None else convert(value, expected, f"the option {name}")
