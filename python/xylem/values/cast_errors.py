"""The two ways a cast fails, worded once for all families of targets."""

from __future__ import annotations

import re
from typing import Any

from xylem.errors import DynamicError

from .atomic import type_name
from .atomic_type import AtomicType

_LONGEST_SHOWN = 60
_TIME = re.compile(r"\s*-?(\d{4,}-\d\d-\d\d(?P<hours>T)?|\d\d:\d\d:|(?P<length>P)T?\d)")


def not_lexical(text: str, target: AtomicType) -> DynamicError:
    """FORG0001: the text is not in the target's lexical space."""
    shown = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    return DynamicError("FORG0001", f'"{shown}" is not a value of {target!r}', hint=_hint(text, target))


def _hint(text: str, target: AtomicType) -> str:
    """A hint: untyped content is a number in arithmetic, and in comparisons with numbers; times must be cast
    explicitly.
    """
    time = _TIME.match(text) if repr(target) == "xs:double" else None
    if time is None:
        return ""
    kind = "xs:dayTimeDuration" if time["length"] else "xs:dateTime" if time["hours"] else "xs:date"
    kind = "xs:time" if text.strip()[2:3] == ":" else kind
    return f"if it is a time, say so: {kind}(…)"


def not_castable(value: Any, target: AtomicType) -> DynamicError:
    """XPTY0004: no value of the source type can be cast to the target."""
    return DynamicError("XPTY0004", f"{type_name(value)} cannot be cast to {target!r}")
