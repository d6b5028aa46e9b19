"""Separates an answer by the names of its elements, so each kind of result goes to its own output.

    >>> from xylem.sink.routed_text import RoutedText
    >>> RoutedText(["toll"]).split('<answers><toll n="1"/><balance/></answers>')
    [(None, '<answers>'), ('toll', '<toll n="1"/>'), (None, '<balance/></answers>')]

An element with such a name is taken out if it is an item of the answer, or inside one. It is returned when it is
complete, with the namespaces declared around it; everything else is unchanged. The text is XML that was serialised
here, and may come in any pieces.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

_MARKUP = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![A-Z][^<>]*>|(?P<half><[!?].*)"
    r"|<(?P<end>/)?(?P<name>[^\s<>/!?]+)(?P<rest>(?:[^<>\"'/]|\"[^\"]*\"|'[^']*'|/(?!>))*)(?P<empty>/)?>",
    re.DOTALL,
)
_DECLARED = re.compile(r"""\s(xmlns(?::[^\s=]+)?)\s*=\s*("[^"]*"|'[^']*')""")

Piece = tuple[str | None, str]
"""The name of an output, or None for the rest; and its text."""


class RoutedText:
    """Divides the text of one answer. `state` is all that a later object needs to continue."""

    def __init__(self, names: Collection[str], state: Sequence[Any] = ()) -> None:
        self._names = frozenset(names)
        known: Sequence[Any] = state or (0, None, 0, "", "", "")
        self._depth: int = known[0]
        self._route: str | None = known[1]
        """The name of the element being taken out."""
        self._base: int = known[2]
        """Number of open elements around it."""
        self._open: str = known[3]
        """Its text so far."""
        self._rest: str = known[4]
        """An incomplete tag."""
        self._around: str = known[5]
        """The namespaces that the item declares."""

    @property
    def state(self) -> list[Any]:
        """As plain values."""
        return [self._depth, self._route, self._base, self._open, self._rest, self._around]

    def split(self, text: str) -> list[Piece]:
        """The pieces completed by another piece of the answer, in order."""
        text = self._rest + text
        found: list[Piece] = []
        start = place = 0
        for tag in _MARKUP.finditer(text):
            name = tag["name"]
            if name is None:
                place = tag.start() if tag["half"] else tag.end()
                continue
            if tag["end"]:
                self._depth -= 1
            elif self._route is None and self._depth <= 1 and name in self._names:
                self._give(found, text[start : tag.start()])
                start = tag.start()
                self._route, self._base = name, self._depth
                if self._depth and self._around:
                    self._open = _declaring(tag, self._around)
                    start = tag.end()
                if not tag["empty"]:
                    self._depth += 1
            elif not tag["empty"]:
                if not self._depth:
                    self._around = "".join(f" {name}={value}" for name, value in _DECLARED.findall(tag["rest"]))
                self._depth += 1
            if self._route is not None and self._depth == self._base:
                found.append((self._route, self._open + text[start : tag.end()]))
                self._route, self._open, start = None, "", tag.end()
            place = tag.end()
        # Half a tag, or half a comment, waits for its end.
        half = text.find("<", place)
        end = len(text) if half < 0 else half
        self._rest = text[end:]
        if self._route is None:
            self._give(found, text[start:end])
        else:
            self._open += text[start:end]
        return found

    def _give(self, found: list[Piece], text: str) -> None:
        if text:
            found.append((None, text))


def _declaring(tag: re.Match[str], around: str) -> str:
    """A start tag with the namespaces that are declared around it but not by itself."""
    own = {name for name, _ in _DECLARED.findall(tag["rest"])}
    more = "".join(f" {name}={value}" for name, value in _DECLARED.findall(around) if name not in own)
    return f"<{tag['name']}{more}{tag['rest']}{tag['empty'] or ''}>"
