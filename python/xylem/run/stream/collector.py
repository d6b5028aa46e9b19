"""Collect the answer of a stream as items, for callers that want values and not text."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from xylem.values.array import XArray
from xylem.values.arriving import Arriving
from xylem.values.atomic import TYPE_OF_CLASS
from xylem.values.builder import TreeBuilder
from xylem.values.node import Node
from xylem.values.qname import QName
from xylem.values.string_of import string_of

_NONE: Mapping[str, str] = {}


class Collector:
    """An output whose finished items can be taken as they become complete.

    Holds: the element under construction, if any, and finished items that were not taken yet.
    """

    takes_markup = False
    """Items are nodes here. Text that the scan wrote before that was known is parsed again."""

    def __init__(self, base_uri: str | None = None, copy_preserve: bool = True, copy_inherit: bool = True) -> None:
        self.ready: deque[Any] = deque()
        self._new_builder = partial(TreeBuilder, base_uri, copy_preserve, copy_inherit)
        self._builder: TreeBuilder | None = None
        self._depth = 0
        self._after_atomic = False

    def start_element(
        self, name: QName, declared: Mapping[str, str], around: Mapping[str, str] = _NONE, literal: bool = False
    ) -> None:
        """Open an element; the arguments are those of `TreeBuilder.start_element`."""
        self._after_atomic = False
        if self._builder is None:
            self._builder = self._new_builder()
        self._builder.start_element(name, declared, around, literal)
        self._depth += 1

    def attribute(self, name: QName, value: str) -> None:
        assert self._builder is not None
        self._builder.attribute(name, value)

    def text(self, value: str) -> None:
        """Add characters. They separate atomic values, even if they are empty."""
        self._after_atomic = False
        if self._builder is None:
            self.ready.append(value)
        else:
            self._builder.text(value)

    def item(self, item: Any) -> None:
        """Add an item; it belongs to the same enclosed expression as the one before, unless `text` came between."""
        builder = self._builder
        if builder is None:
            self.ready.append(item)
        elif type(item) in TYPE_OF_CLASS:
            if self._after_atomic:
                builder.text(" ")
            builder.text(string_of(item))
            self._after_atomic = True
        elif type(item) is XArray:
            for member in item:
                for below in member:
                    self.item(below)
        else:
            self._after_atomic = False
            builder.items((item,))

    def markup(
        self, text: str, items: int = 1, begins_with_atomic: bool = False, ends_with_atomic: bool = False
    ) -> None:
        """Add items that are already text (`plan/result_template.py`); atomic values are inside an element."""
        from xylem.source.xml_reader import read_document

        if begins_with_atomic and self._after_atomic:
            text = " " + text
        tree = read_document(f"<written>{text}</written>").tree
        for row in tree.children(1):
            self.item(Node(tree, row))
        self._after_atomic = ends_with_atomic

    def end_element(self) -> None:
        assert self._builder is not None
        self._after_atomic = False
        self._builder.end_element()
        self._depth -= 1
        if not self._depth:
            self.ready.append(self._builder.finish())
            self._builder = None

    def finish(self) -> None:
        """The answer is complete."""

    @property
    def is_between_items(self) -> bool:
        """Whether no element is under construction."""
        return self._builder is None

    def drawn(self, batches: Iterator[Any], pause: Callable[[], None] = lambda: None) -> Arriving:
        """Items as they become complete while the batches of a run are drawn; an error comes after those before it.

        `pause` is called when no further item is complete and the next batch may be long in coming.
        """
        return Arriving(self._pieces(batches, pause))

    def _pieces(self, batches: Iterator[Any], pause: Callable[[], None]) -> Iterator[Sequence[Any]]:
        running = True
        while running:
            try:
                running = next(batches, None) is not None
            except Exception:
                yield self._taken()
                raise
            yield self._taken()
            pause()

    def _taken(self) -> Sequence[Any]:
        taken, self.ready = self.ready, deque()
        return taken


class Recorder:
    """An output that only records its calls, for results that must wait for earlier ones."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def start_element(self, *arguments: Any) -> None:
        self.calls.append(("start_element", arguments))

    def attribute(self, name: QName, value: str) -> None:
        self.calls.append(("attribute", (name, value)))

    def text(self, value: str) -> None:
        self.calls.append(("text", (value,)))

    def item(self, item: Any) -> None:
        self.calls.append(("item", (item,)))

    def end_element(self) -> None:
        self.calls.append(("end_element", ()))

    def open_windows(self, *arguments: Any) -> None:
        self.calls.append(("open_windows", arguments))

    def give(self, node: Node) -> None:
        self.calls.append(("give", (node,)))

    def close_windows(self) -> None:
        self.calls.append(("close_windows", ()))

    def replay(self, output: Any) -> None:
        for method, arguments in self.calls:
            getattr(output, method)(*arguments)
