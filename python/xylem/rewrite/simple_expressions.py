"""Simple expressions (thesis Def. 3.8.1, 3.8.2): evaluated while the element passes, without a buffer.

Beyond the thesis: an expression that reads only attributes of the element, or nothing of it, counts as a fixed string,
since its value is known when the element starts.
"""

from __future__ import annotations

from xylem.analysis.projection import Projection
from xylem.plan.flux import (
    CloseWindows,
    Copy,
    Fixed,
    Flux,
    For,
    GiveItem,
    If,
    Leaf,
    Opening,
    OpenWindows,
    ProcessStream,
    Sequence,
)
from xylem.plan.needs import needs
from xylem.plan.streaming_atoms import is_simple_condition, is_streaming_function


def is_simple(body: Flux, variable: str) -> bool:
    """Whether a body can be evaluated on the current element, bound to `variable`, as it passes."""
    parts = body.parts if isinstance(body, Sequence) else (body,)
    copies = [index for index, part in enumerate(parts) if _is_copy(_unconditional(part), variable)]
    if len(copies) > 1:
        return False
    # Output before the copy, and its condition, must be known before the element has passed.
    before = parts[: copies[0]] if copies else ()
    after = parts[copies[0] + 1 :] if copies else parts
    if copies and not _is_decided(parts[copies[0]], variable):
        return False
    return all(_known_at_start(part, variable) for part in before) and all(_is_tail(p, variable) for p in after)


def _is_copy(part: Flux, variable: str) -> bool:
    return part == Copy(variable) or (isinstance(part, GiveItem) and part.variable == variable)


def _unconditional(part: Flux) -> Flux:
    return part.body if isinstance(part, If) else part


def _is_decided(part: Flux, variable: str) -> bool:
    return not isinstance(part, If) or _known_at_start(If(part.condition, Fixed("")), variable)


def _is_tail(part: Flux, variable: str) -> bool:
    """Whether a part can be written once the element has passed, without a buffer."""
    if isinstance(part, If) and not is_simple_condition(part.condition) and not _is_decided(part, variable):
        return False
    return _is_output(_unconditional(part), variable)


def _is_output(part: Flux, variable: str) -> bool:
    match part:
        case Fixed() | CloseWindows():
            return True
        case Opening() | OpenWindows():
            return _known_at_start(part, variable)
        case Leaf(expression=expression):
            return is_streaming_function(expression) or _known_at_start(part, variable)
    return False


def _known_at_start(part: Flux, variable: str) -> bool:
    return not isinstance(part, (For, ProcessStream)) and is_known_at_start(needs(part, [variable])[variable])


def is_known_at_start(needed: Projection) -> bool:
    """Whether only the start tag of an element is needed."""
    return not (needed.children or needed.leaves or needed.string or needed.subtree or needed.looks_behind)
