"""A template under construction: the open elements and their content so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from xylem.plan.result_template import Alike, Characters, Construct, CopiedAttributes, Copies, Hole, Part, Piece
from xylem.sink.character_expansion import escape_text
from xylem.syntax import ast

from .template_paths import NoTemplate

_NO_VALUES = (Characters, Construct, Copies, Alike)
"""Parts that are no atomic values, and end a row of such."""


@dataclass
class _Frame:
    """A constructed element under way, or the place outside of all of them."""

    name: str = ""
    attributes: tuple[tuple[str, tuple[Piece, ...]], ...] = ()
    parts: list[Part] = field(default_factory=list)
    copied: list[CopiedAttributes] = field(default_factory=list)
    alike: int | None = None
    """It is called as the element so many loops further out."""


class TemplateFrames:
    """Takes parts as they are written."""

    def __init__(self, begins_output: bool = False) -> None:
        """With `begins_output`, the template is the first output: atomic values may be outside elements."""
        self._begins_output = begins_output
        self._frames = [_Frame()]
        """What is under way: first what stands outside of elements, then the open ones."""
        self.depth = 0
        """Open elements, those around a loop or condition included."""

    def add(self, part: Part) -> None:
        parts = self._frames[-1].parts
        if parts and isinstance(parts[-1], Hole) and not isinstance(part, _NO_VALUES):
            raise NoTemplate("values next to others that code computes")
        parts.append(part)

    @property
    def can_have_hole(self) -> bool:
        """Whether the place is inside an element, and nothing that may be a value stands before it."""
        parts = self._frames[-1].parts
        return len(self._frames) > 1 and (not parts or isinstance(parts[-1], _NO_VALUES))

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Take back what was added inside, where that ends with `NoTemplate`."""
        frames, depth, lengths = list(self._frames), self.depth, [len(frame.parts) for frame in self._frames]
        try:
            yield
        except NoTemplate:
            self._frames, self.depth = frames, depth
            for frame, length in zip(frames, lengths, strict=True):
                del frame.parts[length:]
            raise

    def text(self, text: str) -> None:
        """Add the characters of a text node; even an empty one separates atomic values."""
        if not self.depth:
            raise NoTemplate("text outside of elements")
        parts = self._frames[-1].parts
        if text or (parts and not isinstance(parts[-1], Construct)):
            self.add(Characters(escape_text(text)))

    def atomic(self, part: Piece) -> None:
        """Atomic values."""
        if not self.depth and not self._begins_output:
            # Whether a blank stands before them depends on what came before the record.
            raise NoTemplate("atomic values outside of elements")
        self.add(part)

    def open(self, element: ast.DirectElement, attributes: tuple[tuple[str, tuple[Piece, ...]], ...]) -> None:
        if element.namespaces or element.name.uri or element.name.prefix:
            raise NoTemplate("an element in a namespace", element)
        self._frames.append(_Frame(element.name.local, attributes))
        self.depth += 1

    def open_alike(self, up: int) -> None:
        """A start tag with the name of an element of the input."""
        self._frames.append(_Frame(alike=up))
        self.depth += 1

    def markup(self, text: str) -> None:
        """A comment or processing instruction."""
        if not self.depth:
            raise NoTemplate("a comment or processing instruction outside of elements")
        self.add(Characters(text))

    def attribute(self, name: str, value: tuple[Piece, ...]) -> None:
        """An attribute of the element that was opened last."""
        frame = self._tag()
        if frame.copied or any(name == other for other, _ in frame.attributes):
            raise NoTemplate("an attribute behind others that are copied")
        frame.attributes = (*frame.attributes, (name, value))

    def copied(self, attributes: CopiedAttributes) -> None:
        """Attributes of the input become those of the element that was opened last."""
        self._tag().copied.append(attributes)

    def _tag(self) -> _Frame:
        frame = self._frames[-1]
        if len(self._frames) == 1 or frame.parts:
            # Behind content it is an error; under a condition it would have to wait for it.
            raise NoTemplate("an attribute that does not stand right behind a tag")
        return frame

    def close(self) -> None:
        if len(self._frames) == 1:
            raise NoTemplate("an element that begins elsewhere")
        frame = self._frames.pop()
        self.depth -= 1
        if frame.alike is not None:
            if frame.attributes:
                raise NoTemplate("computed attributes of an element that is called as another")
            self.add(Alike(frame.alike, tuple(frame.parts), tuple(frame.copied)))
            return
        self.add(Construct(frame.name, frame.attributes, tuple(frame.parts), tuple(frame.copied)))

    def inner(self, write: Callable[[], None]) -> tuple[Part, ...]:
        """The conditional part of the template: whole elements."""
        around, self._frames = self._frames, [_Frame()]
        try:
            write()
            if len(self._frames) > 1:
                raise NoTemplate("an element that ends elsewhere")
            return tuple(self._frames[0].parts)
        finally:
            self._frames = around
