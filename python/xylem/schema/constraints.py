"""The guarantees of a schema about the children of an element, as plans need them (thesis §3.2, §3.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class ElementConstraints(Protocol):
    """Order and cardinality of the children of one element.

    Symbols are local names of child elements, `@name` for attributes (which come before all children, and together),
    and `text()`. A name may carry its namespace, `Q{uri}book`; without one it means all of that local name. `*` is any
    child element: as a member of `symbols`, one that the schema does not name.
    """

    @property
    def symbols(self) -> frozenset[str]:
        """symb(ρ): all symbols that can occur directly below the element."""

    @property
    def elements(self) -> frozenset[str]:
        """The child elements among the symbols, with their namespaces if known: `Q{uri}book`."""

    def ordered(self, first: str, second: str) -> bool:
        """Ord(first, second): when a `second` starts, every `first` has been read. Never true of a symbol and itself.

        True if `first` does not occur at all, false if only `second` does not.
        """

    def past_implies(self, names: Iterable[str], other: str) -> bool:
        """Whether, whenever `past(names)` has become true, every `other` has been read too.

        This is what `on-first past(S)` needs of each symbol it depends on. It is more than `other` ∈ S or
        Ord(other, a) for an a ∈ S, which Def. 3.4.18 asks: in `(b* | a)` past(a) is true at the first b.
        """

    def implied_past(self, label: str) -> frozenset[str]:
        """The symbols of the element that are ordered before `label`: read completely once a `label` starts."""

    def never(self, name: str) -> bool:
        """||0: the symbol does not occur below the element."""

    def at_most_once(self, name: str) -> bool:
        """||≤1. Not even text of an element without children is: a comment may split it."""

    def exactly_once(self, name: str) -> bool:
        """||=1."""

    def child(self, name: str) -> ElementConstraints | None:
        """The constraints of a child element; None if nothing is known of it."""


class Schema(Protocol):
    """A whole schema."""

    def element(self, local: str, uri: str | None = None) -> ElementConstraints | None:
        """The constraints of an element type in any context; None if it is not declared, or in several ways.

        If the parent is known, `child` of its constraints knows more. A DTD has no namespaces and ignores `uri`.
        """

    def document(self) -> ElementConstraints:
        """The constraints of the document node: its only child is a root element."""
