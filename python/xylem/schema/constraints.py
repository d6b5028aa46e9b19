"""What a schema says about the children of an element, as plans ask for it (thesis §3.2, §3.3)."""

from __future__ import annotations

from typing import Protocol


class ElementConstraints(Protocol):
    """Order and cardinality of the children of one element.

    Symbols are local names of child elements, `@name` for attributes (which come before all children) and `text()`.
    """

    @property
    def symbols(self) -> frozenset[str]:
        """symb(ρ): everything that can occur directly below the element."""

    def ordered(self, first: str, second: str) -> bool:
        """Ord(first, second): no `first` can come after a `second`."""

    def at_most_once(self, symbol: str) -> bool: ...

    def exactly_once(self, symbol: str) -> bool: ...

    def child(self, symbol: str) -> ElementConstraints | None:
        """The constraints of a child element; None where nothing is known of it."""


class Schema(Protocol):
    """A whole schema."""

    def element(self, local: str, uri: str = "") -> ElementConstraints | None:
        """The constraints of an element type; None where it is not declared."""

    def document(self) -> ElementConstraints:
        """The constraints of the document node: its only child is a root element."""
