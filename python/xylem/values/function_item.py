"""Functions as values.

The calling convention, the same for built-in, user-defined, inline and partially applied functions:
an argument or result whose type has the occurrence

    exactly one   is the item itself
    `?`           is the item, or None for the empty sequence
    `*` or `+`    is a sequence: list, tuple or range for arguments; any iterable, read once, for results
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .qname import QName

if TYPE_CHECKING:
    from .sequence_type import SequenceType


class FunctionItem:
    """A function value: its signature, and a Python callable that follows the calling convention."""

    __slots__ = ("annotations", "call", "name", "parameters", "returns")

    def __init__(
        self,
        name: QName | None,
        parameters: tuple[SequenceType, ...],
        returns: SequenceType,
        call: Callable[..., Any],
        annotations: tuple[QName, ...] = (),
    ) -> None:
        self.name = name
        self.parameters = parameters
        self.returns = returns
        self.call = call
        self.annotations = annotations

    @property
    def arity(self) -> int:
        return len(self.parameters)

    def __repr__(self) -> str:
        return f"{self.name or '(anonymous)'}#{self.arity}"
