"""A text generator that waits for its input: it runs in a thread that blocks until the next piece arrives.

A reader of a `Flow` waits when it is used up; `TextWriter.wait` returns at that moment, with all text written so far.
So code that reads from iterators and writes text, designed for complete inputs, answers a stream batch by batch.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Abandoned(BaseException):
    """The rest is not wanted any more."""


class Flow(Generic[T]):
    """Values passed to the thread that draws them."""

    def __init__(self) -> None:
        self._values: deque[T] = deque()
        self._changed = threading.Condition()
        self._has_ended = self._is_abandoned = False
        self.is_starved = False
        """Whether the thread waits here, with all values used up."""
        self.on_starved: Callable[[], object] = lambda: None

    def give(self, values: Iterable[T]) -> None:
        """Add values to draw."""
        with self._changed:
            self._values.extend(values)
            if self._values:
                self.is_starved = False
            self._changed.notify_all()

    def end(self) -> None:
        """No more values come."""
        with self._changed:
            self._has_ended, self.is_starved = True, False
            self._changed.notify_all()

    def abandon(self) -> None:
        """Make the waiting thread give up."""
        with self._changed:
            self._is_abandoned = True
            self._changed.notify_all()

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        with self._changed:
            while not self._values:
                if self._is_abandoned:
                    raise Abandoned
                if self._has_ended:
                    raise StopIteration
                self.is_starved = True
                self.on_starved()
                self._changed.wait()
            return self._values.popleft()


class TextWriter:
    """Text written in a thread by code that draws from flows."""

    def __init__(self, produce: Callable[[Callable[[str], None]], object], flows: dict[int, Flow[T]]) -> None:
        self._produce = produce
        self._flows = flows
        self._text: list[str] = []
        self._event = threading.Event()
        self._error: BaseException | None = None
        self._is_done = False
        for flow in flows.values():
            flow.on_starved = self._event.set
        threading.Thread(target=self._run, name="answer", daemon=True).start()

    def _run(self) -> None:
        try:
            self._produce(self._text.append)
        except Abandoned:
            pass
        except BaseException as error:
            self._error = error
        finally:
            self._is_done = True
            self._event.set()

    @property
    def waits_for(self) -> int | None:
        """The flow whose values come next in the text."""
        return next((name for name, flow in self._flows.items() if flow.is_starved), None)

    def wait(self) -> str:
        """Run until the input so far is used up or the text is complete; returns the text written meanwhile."""
        while not self._is_done and self.waits_for is None:
            self._event.wait()
            self._event.clear()
        if self._error is not None:
            raise self._error
        text = "".join(self._text)
        self._text.clear()
        return text

    def put_back(self, text: str) -> None:
        """Return this text with the next output."""
        self._text.insert(0, text)

    def close(self) -> None:
        """Give up: the thread ends."""
        for flow in self._flows.values():
            flow.abandon()
