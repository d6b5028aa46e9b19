"""How far the content of a stream is final, counted from its beginning.

    frontier = FinalContent(stream.document, is_open)
    frontier.advance()          # elements that have become final since the last call, in the order of their ends

Content is final up to the first region that is not frozen, and up to the end of the base so far. The frontier never
moves back, so it walks over the content once in total.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .content import Content, Document, Element, Leaf, Owner, Slot

_AFTER = 2
_NOTHING = Document()


class _Walk:
    """A position in a list of content, or in a slot with the content beside it."""

    __slots__ = ("at", "owner", "phase", "slot")

    def __init__(self, owner: Document | Element, slot: Slot | None = None) -> None:
        self.owner = owner
        self.slot = slot
        self.at = 0
        self.phase = 0
        """Position at a slot: before it, at it, or after it."""

    @property
    def items(self) -> Sequence[Content]:
        slot = self.slot
        if slot is None:
            return self.owner.content
        if self.phase == 0:
            return slot.before
        # Of the slots inserted after it, the last one stands nearest.
        return slot.versions[-1].content if self.phase < _AFTER else slot.after[::-1]


class FinalContent:
    """Walks over final content.

    Holds:  the elements and slots around the first content that is not final.
    """

    def __init__(self, document: Document, is_open: Callable[[Owner], bool]) -> None:
        """`is_open`: whether the base may add more to an owner of content."""
        self._is_open = is_open
        self._stack = [_Walk(document)]

    @property
    def around(self) -> list[Element]:
        """The elements that have begun and are not final."""
        return [walk.owner for walk in self._stack if isinstance(walk.owner, Element)]

    def advance(self) -> list[Element]:
        """The elements that have become final."""
        passed: list[Element] = []
        while True:
            walk = self._stack[-1]
            items = walk.items
            if walk.at < len(items):
                if not self._is_entered(items[walk.at]):
                    return passed
                walk.at += 1
            elif walk.slot is not None and walk.phase < _AFTER:
                walk.phase, walk.at = walk.phase + 1, 0
            else:
                if walk.slot is None:
                    if isinstance(walk.owner, Document) or self._is_open(walk.owner):
                        return passed
                    passed.append(walk.owner)
                self._stack.pop()

    def _is_entered(self, item: Content) -> bool:
        """Enter the next content; False if it may change."""
        if isinstance(item, Slot):
            if not item.is_frozen:
                return False
            self._stack.append(_Walk(_NOTHING, item))
        elif not item.shown:
            return False
        elif not isinstance(item, Leaf):
            self._stack.append(_Walk(item))
        return True
