"""Collations: the orders for comparing strings (F&O 3.1 §5.3).

Three kinds exist. The codepoint collation is Python's own order of strings. The HTML ASCII case-insensitive
collation folds A to Z. A URI `http://www.w3.org/2013/collation/UCA?…` gives an approximation of the Unicode
Collation Algorithm, which `uca_collation.py` describes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Any

from xylem.errors import DynamicError

from .uri import is_absolute, resolve

CODEPOINT_URI = "http://www.w3.org/2005/xpath-functions/collation/codepoint"
HTML_ASCII_URI = "http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive"
UCA_URI = "http://www.w3.org/2013/collation/UCA"


class Collation(ABC):
    """An order of strings. Where a collation is an argument in our code, None means the codepoint collation."""

    __slots__ = ("uri",)

    def __init__(self, uri: str) -> None:
        self.uri = uri

    @abstractmethod
    def key(self, text: str) -> str:
        """A key whose codepoint order is the order of this collation, and which is equal for equal strings."""

    @abstractmethod
    def find(self, text: str, part: str) -> tuple[int, int] | None:
        """Start and end of the first minimal match of `part` in `text`, as indexes; FOCH0004 if undefined."""

    @abstractmethod
    def starts_with(self, text: str, part: str) -> bool: ...

    @abstractmethod
    def ends_with(self, text: str, part: str) -> bool: ...

    def equal(self, a: str, b: str) -> bool:
        return self.key(a) == self.key(b)

    def compare(self, a: str, b: str) -> int:
        """-1, 0 or 1."""
        left, right = self.key(a), self.key(b)
        return -1 if left < right else int(left != right)

    def __repr__(self) -> str:
        return f"collation({self.uri!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return collation, (self.uri,)


class CodepointCollation(Collation):
    """By Unicode codepoints, Python's order of strings."""

    __slots__ = ()

    def key(self, text: str) -> str:
        return text

    def find(self, text: str, part: str) -> tuple[int, int] | None:
        start = text.find(part)
        return None if start < 0 else (start, start + len(part))

    def starts_with(self, text: str, part: str) -> bool:
        return text.startswith(part)

    def ends_with(self, text: str, part: str) -> bool:
        return text.endswith(part)


_FOLD_ASCII = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class HtmlAsciiCollation(CodepointCollation):
    """By codepoints, with A to Z folded to a to z (F&O 3.1 §5.3.5)."""

    __slots__ = ()

    def key(self, text: str) -> str:
        return text.translate(_FOLD_ASCII)

    # Folding keeps every character in its place, so an index in the folded text is also one in the original.
    def find(self, text: str, part: str) -> tuple[int, int] | None:
        return super().find(self.key(text), self.key(part))

    def starts_with(self, text: str, part: str) -> bool:
        return self.key(text).startswith(self.key(part))

    def ends_with(self, text: str, part: str) -> bool:
        return self.key(text).endswith(self.key(part))


CODEPOINT = CodepointCollation(CODEPOINT_URI)
HTML_ASCII = HtmlAsciiCollation(HTML_ASCII_URI)


@lru_cache(maxsize=256)
def collation(uri: str, base_uri: str | None = None) -> Collation:
    """The collation a URI names, a relative one being resolved first; FOCH0002 where there is none.

    >>> collation("http://www.w3.org/2005/xpath-functions/collation/codepoint") is CODEPOINT
    True
    """
    if base_uri is not None and not is_absolute(uri):
        uri = resolve(uri, base_uri)
    if uri == CODEPOINT_URI:
        return CODEPOINT
    if uri == HTML_ASCII_URI:
        return HTML_ASCII
    if uri == UCA_URI or uri.startswith(UCA_URI + "?"):
        from .uca_collation import uca_collation

        return uca_collation(uri)
    raise DynamicError("FOCH0002", repr(uri), hint=f"known are {CODEPOINT_URI}, {HTML_ASCII_URI} and {UCA_URI}?…")
