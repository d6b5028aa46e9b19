"""Collecting the answer of a stream as items, for callers that want values and not text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from xylem.values.builder import TreeBuilder
from xylem.values.qname import QName


class Collector:
    """An output whose finished items can be taken as they become complete.

    Holds: the element under construction, if any, and what has not been taken yet.
    """

    def __init__(self, base_uri: str | None = None, copy_preserve: bool = True, copy_inherit: bool = True) -> None:
        self.ready: deque[Any] = deque()
        self._new_builder = partial(TreeBuilder, base_uri, copy_preserve, copy_inherit)
        self._builder: TreeBuilder | None = None
        self._depth = 0

    def start_element(self, name: QName, declarations: Mapping[str, str]) -> None:
        if self._builder is None:
            self._builder = self._new_builder()
        self._builder.start_element(name, dict(declarations))
        self._depth += 1

    def attribute(self, name: QName, value: str) -> None:
        assert self._builder is not None
        self._builder.attribute(name, value)

    def text(self, value: str) -> None:
        if self._builder is None:
            self.ready.append(value)
        else:
            self._builder.text(value)

    def item(self, item: Any) -> None:
        if self._builder is None:
            self.ready.append(item)
        else:
            self._builder.items((item,))

    def items(self, items: Iterable[Any]) -> None:
        if self._builder is None:
            self.ready.extend(items)
        else:
            self._builder.items(items)

    def end_element(self) -> None:
        assert self._builder is not None
        self._builder.end_element()
        self._depth -= 1
        if not self._depth:
            self.ready.append(self._builder.finish())
            self._builder = None

    def finish(self) -> None:
        """The answer is complete."""


class Recorder:
    """An output that only remembers what it was told, for results that must wait for earlier ones."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def start_element(self, name: QName, declarations: Mapping[str, str]) -> None:
        self.calls.append(("start_element", (name, declarations)))

    def attribute(self, name: QName, value: str) -> None:
        self.calls.append(("attribute", (name, value)))

    def text(self, value: str) -> None:
        self.calls.append(("text", (value,)))

    def item(self, item: Any) -> None:
        self.calls.append(("item", (item,)))

    def items(self, items: Iterable[Any]) -> None:
        self.calls.append(("items", (list(items),)))

    def end_element(self) -> None:
        self.calls.append(("end_element", ()))

    def replay(self, output: Any) -> None:
        for method, arguments in self.calls:
            getattr(output, method)(*arguments)
