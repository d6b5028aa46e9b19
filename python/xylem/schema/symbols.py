"""The symbols plans ask about: `book`, `@id`, `text()`, `*`, and names with their namespace, `Q{uri}book`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache

from .content_model import Name, Wildcard

END = "⊙"
"""The end tag of the element itself (thesis §3.3)."""
TEXT = "text()"
ANY_ELEMENT = "*"


class SymbolKind(Enum):
    """What a symbol selects among the nodes below an element."""

    ELEMENT = "element"
    ATTRIBUTE = "attribute"
    OTHER = "other"
    """text(), comment(), node() …: white space, comments and instructions stand anywhere, whatever a schema says."""
    END = "end"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol taken apart. `local` None is any name, `uri` None any namespace."""

    kind: SymbolKind
    local: str | None = None
    uri: str | None = None

    def may_be(self, leaf: Name | Wildcard) -> bool:
        """Whether some element this leaf of a content model stands for is selected."""
        if isinstance(leaf, Wildcard):
            return leaf.admits(self.uri)
        return self.local in (None, leaf.local) and (None in (self.uri, leaf.uri) or self.uri == leaf.uri)

    def must_be(self, leaf: Name | Wildcard) -> bool:
        """Whether every element this leaf stands for is selected.

        Names of a DTD are taken to be in no namespace: one that gives its elements a namespace is not believed to
        know which, and nothing is certain about `Q{uri}book` then.
        """
        if isinstance(leaf, Wildcard):
            return self.local is None and self.uri is None
        return self.local in (None, leaf.local) and self.uri in (None, leaf.uri or "")


def element_symbol(local: str, uri: str | None = None) -> str:
    """The symbol of elements of a name, in any namespace where `uri` is None.

    >>> element_symbol("book", "urn:x"), element_symbol("book", ""), element_symbol("book")
    ('Q{urn:x}book', 'Q{}book', 'book')
    """
    return local if uri is None else f"Q{{{uri}}}{local}"


def readable(text: str) -> str:
    """A symbol without its namespace, as programs print it.

    >>> readable("Q{urn:x}book"), readable("text()")
    ('book', 'text()')
    """
    return text.rpartition("}")[2]


@cache
def symbol(text: str) -> Symbol:
    """A symbol from its text.

    A lexical prefix stands for any namespace: the plan knows namespaces, a DTD does not.

    >>> symbol("@id").kind, symbol("Q{urn:x}a").uri, symbol("p:a").local
    (<SymbolKind.ATTRIBUTE: 'attribute'>, 'urn:x', 'a')
    """
    if text == END:
        return Symbol(SymbolKind.END)
    if text.endswith(")"):
        return Symbol(SymbolKind.OTHER, text)
    kind = SymbolKind.ATTRIBUTE if text.startswith("@") else SymbolKind.ELEMENT
    name, uri = text.removeprefix("@"), None
    if name.startswith("Q{"):
        uri, _, name = name[2:].partition("}")
    local = name.rpartition(":")[2]
    return Symbol(kind, None if local == "*" else local, uri)
