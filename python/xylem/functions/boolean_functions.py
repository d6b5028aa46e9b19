"""Functions on booleans (F&O 3.1 §7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xylem.values.effective_boolean import effective_boolean

from .registry import function


@function("fn:true", "", "xs:boolean")
def true() -> bool:
    return True


@function("fn:false", "", "xs:boolean")
def false() -> bool:
    return False


@function("fn:boolean", "item()*", "xs:boolean", lazy="sequence")
def boolean(sequence: Iterable[Any]) -> bool:
    return effective_boolean(sequence)


@function("fn:not", "item()*", "xs:boolean", lazy="sequence")
def not_(sequence: Iterable[Any]) -> bool:
    return not effective_boolean(sequence)
