"""Prose with markup: the `text` and `description` elements of an auction document.

The shape was measured on the original generator's output: lengths are exponential, a mark (`bold`, `keyword`, `emph`)
begins after an exponential number of words, marks nest once, 28 % of the descriptions are lists and a fifth of the
top list's items are lists again.
"""

from __future__ import annotations

from random import Random

from .balanced import Balanced
from .vocabulary import word_pool

_TEXT_WORDS = 81.0  # words of a text outside its marks
_MARK_WORDS = 5.6
_WORDS_BETWEEN_MARKS = 46.5
_LIST_SHARE = 0.277
_NESTED_LIST_SHARE = 0.217
_MARKS = {"emph": 0.352, "bold": 0.327, "keyword": 0.321}
_NESTED = {"emph": ("bold", "keyword"), "bold": ("keyword", "emph"), "keyword": ("emph", "bold")}
_LIST_SIZES = {2: 0.425, 3: 0.36, 4: 0.125, 5: 0.09}


class Prose:
    """A source of running text; two sources made with equal generators write the same words."""

    def __init__(self, random: Random) -> None:
        draws = Balanced(random)
        self._is_second = draws.chance(0.5)
        self._choices = random.choices
        self._pool = word_pool()
        self._length = draws.exponential(_TEXT_WORDS)
        self._mark_length = draws.exponential(_MARK_WORDS)
        self._gap, self._nested_gap = (draws.exponential(_WORDS_BETWEEN_MARKS) for _ in "12")
        self._mark = draws.weighted(_MARKS)
        self._is_list = draws.chance(_LIST_SHARE)
        self._is_nested_list = draws.chance(_NESTED_LIST_SHARE)
        self._list_size = draws.weighted(_LIST_SIZES)

    def words(self, number: int) -> str:
        """Plain words, each followed by a space."""
        return " ".join(self._choices(self._pool, k=number)) + " " if number else ""

    def text(self) -> str:
        """A `text` element."""
        return f"<text>\n{self._mixed(int(self._length()) + 1, None)}\n</text>\n"

    def description(self) -> str:
        """A `description` element: running text, or a list of at most two levels."""
        content = self._parlist(1) if self._is_list() else self.text()
        return f"<description>\n{content}</description>\n"

    def _parlist(self, level: int) -> str:
        items = []
        for _ in range(self._list_size()):
            nested = level == 1 and self._is_nested_list()
            items.append(f"<listitem>\n{self._parlist(2) if nested else self.text()}</listitem>\n")
        return f"<parlist>\n{''.join(items)}</parlist>\n"

    def _mixed(self, length: int, enclosing: str | None) -> str:
        """This number of words with marks among them; the words of a mark are extra."""
        gap, parts = self._nested_gap if enclosing else self._gap, []
        while True:
            run = int(gap())
            if run >= length:
                parts.append(self.words(length))
                return "".join(parts)
            parts.append(self.words(run))
            length -= run
            parts.append(self._marked(enclosing))

    def _marked(self, enclosing: str | None) -> str:
        mark = _NESTED[enclosing][self._is_second()] if enclosing else self._mark()
        length = int(self._mark_length()) + 1
        content = self._mixed(length, mark) if enclosing is None else self.words(length)
        return f"<{mark}> {content}</{mark}> "
