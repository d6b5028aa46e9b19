"""Text of the answer that tasks write, and how to join it without parsing it.

A task writes its items in their context in the answer: inside the constructors of the frame, whose namespaces determine
the declarations of elements. Only one thing depends on other tasks: a space between adjacent atomic values. So each row
records whether its text begins and ends with an atomic value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xylem.sink.event_writer import EventWriter
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.shaped_xml import text_of_shaped
from xylem.values.atomic import TYPE_OF_CLASS

BEGINS_WITH_ATOMIC = 1
ENDS_WITH_ATOMIC = 2
HAS_NO_ITEMS = 4
"""The row has no text, which separates nothing: it has a place in an order, or reports a complete window."""
IS_BUNDLE = 64
"""The value of the row is XML of gathered elements."""
HAS_ERROR = 128

StartElement = tuple[Any, ...]
"""The arguments of a call of `start_element`."""


class AnswerText:
    """Writes the items of one task, or of one row of it, as text."""

    def __init__(
        self,
        parameters: SerializationParameters,
        wrappers: Sequence[StartElement],
        copy_namespaces: tuple[bool, bool] = (True, True),
    ) -> None:
        self._pieces: list[str] = []
        preserve, inherit = copy_namespaces
        bare = parameters.with_values(omit_xml_declaration=True, standalone=None)
        self._writer = EventWriter(bare, self._pieces.append, copy_preserve=preserve, copy_inherit=inherit)
        for arguments in wrappers:
            self._writer.start_element(*arguments)
        self._writer.begin_content()
        self._has_begun = False
        self._begins_with_atomic = False
        self.takes_markup = self._writer.takes_markup and self._writer.declares_nothing
        """Whether the scan may pass on results it has written itself."""
        self.taken()

    # --- the output of a run

    def item(self, item: Any) -> None:
        if not self._has_begun:
            self._begin(type(item) in TYPE_OF_CLASS)
        self._writer.item(item)

    def start_element(self, *arguments: Any) -> None:
        if not self._has_begun:
            self._begin(False)
        self._writer.start_element(*arguments)

    def text(self, value: str) -> None:
        if not self._has_begun:
            self._begin(False)
        self._writer.text(value)

    def markup(
        self, text: str, items: int = 1, begins_with_atomic: bool = False, ends_with_atomic: bool = False
    ) -> None:
        if not self._has_begun:
            self._begin(begins_with_atomic)
        self._writer.markup(text, items, begins_with_atomic, ends_with_atomic)

    def attribute(self, name: Any, value: str) -> None:
        self._writer.attribute(name, value)

    def end_element(self) -> None:
        self._writer.end_element()

    def finish(self) -> None:
        """End the output; the outer constructors stay open for others."""

    def _begin(self, with_atomic: bool) -> None:
        self._has_begun = True
        self._begins_with_atomic = with_atomic
        # From here on calls go straight to the writer.
        for method in ("item", "start_element", "text", "markup", "attribute", "end_element"):
            setattr(self, method, getattr(self._writer, method))

    # --- results

    def taken(self) -> str:
        """The text written since the last call."""
        self._writer.flush()
        text = "".join(self._pieces)
        self._pieces.clear()
        return text

    @property
    def has_begun(self) -> bool:
        """Whether there was any item, even one without text."""
        return self._has_begun

    @property
    def flags(self) -> int:
        """Whether the text so far begins and ends with an atomic value."""
        begins = BEGINS_WITH_ATOMIC if self._begins_with_atomic else 0
        return begins | (ENDS_WITH_ATOMIC if self._writer.is_after_atomic else 0)

    def alone(self, items: Sequence[Any]) -> tuple[int, str]:
        """The flags and the text of some items, with nothing before them."""
        if self.takes_markup and len(items) == 1:
            text = text_of_shaped(items[0])
            if text is not None:
                return 0, text
        flags = 0 if items else HAS_NO_ITEMS
        is_first = True
        self._writer.set_apart()
        for item in items:
            if type(item) in TYPE_OF_CLASS:
                flags |= ENDS_WITH_ATOMIC | (BEGINS_WITH_ATOMIC if is_first else 0)
            else:
                flags &= ~ENDS_WITH_ATOMIC
            is_first = False
            self._writer.item(item)
        return flags, self.taken()
