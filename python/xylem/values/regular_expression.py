"""Compiled regular expressions, as fn:matches, fn:replace, fn:tokenize and fn:analyze-string use them (F&O 3.1 §5.6).

Matching is bounded in time: an expression such as `(a+)+b` can take for ever on a text it almost matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError

if TYPE_CHECKING:
    from .regex_translation import Translation

TIME_LIMIT_SECONDS = 10.0
"""Time limit of one search in one text."""

# Watching the clock multiplies the cost of a short search; this many steps take no noticeable time.
_FEW_STEPS = 10**7

Span = tuple[int, int]


@lru_cache(maxsize=512)
def regular_expression(pattern: str, flags: str = "") -> RegularExpression:
    """Compile an expression of XPath; FORX0001 for unknown flags, FORX0002 for a faulty expression.

    >>> regular_expression("^[a-z]+$").matches("xylem")
    True
    """
    for flag in flags:
        if flag not in "smixq":
            raise DynamicError("FORX0001", f"{flag!r} in {flags!r}")
    from .regex_translation import translate  # Imported here, because few queries need it.

    return RegularExpression(pattern, flags, translate(pattern, flags))


class RegularExpression:
    """An expression that can be searched for in texts."""

    __slots__ = ("_compiled", "_degree", "flags", "group_parents", "literal", "matches_empty", "pattern")

    def __init__(self, pattern: str, flags: str, translation: Translation) -> None:
        self.pattern = pattern
        self.flags = flags
        self.group_parents = translation.group_parents
        self.literal = translation.literal
        """The text itself, if the expression is only a literal text."""
        self._degree = translation.degree
        self._compiled: Any = None
        if self.literal is None:
            self._compiled = _compiled(translation.pattern, pattern)
            self.matches_empty = self._compiled.search("") is not None
        else:
            self.matches_empty = not self.literal

    @property
    def group_count(self) -> int:
        return len(self.group_parents)

    def matches(self, text: str) -> bool:
        """Whether the expression matches somewhere in a text."""
        if self.literal is not None:
            return self.literal in text
        if len(text) ** self._degree <= _FEW_STEPS:
            return self._compiled.search(text) is not None
        try:
            return self._compiled.search(text, timeout=TIME_LIMIT_SECONDS) is not None
        except TimeoutError as late:
            raise self._too_slow() from late

    def split(self, text: str) -> list[str]:
        """The parts of a text between the matches, without groups."""
        if self.literal is not None:
            return text.split(self.literal)
        parts, start = [], 0
        for spans in self.matches_in(text):
            first, last = spans[0]
            parts.append(text[start:first])
            start = last
        parts.append(text[start:])
        return parts

    def replace(self, text: str, replacement: Callable[[list[str]], str]) -> str:
        """A text with each match replaced; the function gets the match and its groups, '' for none."""

        def expand(match: Any) -> str:
            return replacement([match[0], *(match.groups(""))])

        if self.literal is not None:
            return replacement([self.literal]).join(text.split(self.literal))
        try:
            result: str = self._compiled.sub(expand, text, timeout=TIME_LIMIT_SECONDS)
        except TimeoutError as late:
            raise self._too_slow() from late
        return result

    def matches_in(self, text: str) -> Iterator[list[Span]]:
        """For each match in turn, the span of the whole and of its groups; (-1, -1) for a group that took no part."""
        if self.literal is not None:
            start = text.find(self.literal)
            while start >= 0:
                end = start + len(self.literal)
                yield [(start, end)]
                start = text.find(self.literal, end)
            return
        try:
            for match in self._compiled.finditer(text, timeout=TIME_LIMIT_SECONDS):
                yield list(match.regs)
        except TimeoutError as late:
            raise self._too_slow() from late

    def _too_slow(self) -> DynamicError:
        return DynamicError(
            "XYDY0003",
            f"{self.pattern!r} after {TIME_LIMIT_SECONDS:g} seconds",
            hint="nested quantifiers such as (a+)+ make it slow; write the expression without them",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return regular_expression, (self.pattern, self.flags)


def _compiled(translated: str, pattern: str) -> Any:
    import regex  # Imported here, since it takes a while to load and few queries need it.

    try:
        return regex.compile(translated, regex.VERSION0)
    except (regex.error, OverflowError, MemoryError, RecursionError) as fault:
        raise DynamicError("FORX0002", f"{pattern!r}: {fault}") from fault
