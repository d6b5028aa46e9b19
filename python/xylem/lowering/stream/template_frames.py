"""A template under construction: the open elements and their content so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from xylem.plan.kernel_expression import KernelExpression
from xylem.plan.result_template import (
    Alike,
    Apply,
    Around,
    Characters,
    Computed,
    Construct,
    CopiedAttributes,
    CopiedItems,
    Copies,
    Each,
    EachBinding,
    EachNodeOf,
    EachValue,
    Functions,
    Hole,
    Items,
    Keyed,
    Let,
    Numbered,
    Part,
    Piece,
    Remark,
    Sorted,
    Values,
    When,
    WhenFilled,
)
from xylem.sink.character_expansion import escape_text
from xylem.values.qname import QName

from .template_namespaces import Opened, declared_inside, tag_inside
from .template_paths import NoTemplate

_SEPARATES = (Characters, Construct, Alike)
"""Parts that separate values before and after them; even empty text does."""


@dataclass
class _Frame:
    """A constructed element in progress, or the place outside all of them."""

    name: str = ""
    attributes: tuple[tuple[str, tuple[Piece, ...]], ...] = ()
    parts: list[Part] = field(default_factory=list)
    copied: list[CopiedAttributes | CopiedItems] = field(default_factory=list)
    alike: int | None = None
    """The loop, counted outwards, whose element gives it its name."""
    computed: KernelExpression | None = None
    """Its name, if that is computed."""


class TemplateFrames:
    """Takes parts in the order they are written."""

    def __init__(self, begins_output: bool = False, around: tuple[Opened, ...] = ()) -> None:
        """With `begins_output`, atomic values may be outside elements. `around` are the open elements around it."""
        self._begins_output = begins_output
        self._opened = around
        """The open elements, with their names and namespaces."""
        self._is_shared = False
        self._frames = [_Frame()]
        """The frames in progress: first the place outside elements, then the open ones."""
        self.depth = 0
        """Number of open elements, including those around a loop or condition."""
        self.has_outer_choice = False
        """Whether code decides about nodes outside elements."""

    def add(self, part: Part) -> None:
        parts = self._frames[-1].parts
        if self.depth and _is_value(part) and isinstance(_neighbour(parts), Hole):
            raise NoTemplate("values next to others that code computes")
        self.has_outer_choice |= isinstance(part, WhenFilled) and not self.depth
        parts.append(part)

    @property
    def can_have_hole(self) -> bool:
        """Whether the place is inside an element, and nothing before it may be a value."""
        neighbour = _neighbour(self._frames[-1].parts)
        return len(self._frames) > 1 and (neighbour is None or isinstance(neighbour, _SEPARATES))

    @property
    def can_have_choice(self) -> bool:
        """Whether code may decide about nodes here; outside elements, no values are then allowed anywhere."""
        return self.can_have_hole or not self.depth

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Undo the additions made inside, if that ends with `NoTemplate`."""
        frames, depth, lengths = list(self._frames), self.depth, [len(frame.parts) for frame in self._frames]
        opened = self._opened
        try:
            yield
        except NoTemplate:
            self._frames, self.depth, self._opened = frames, depth, opened
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
            # The output before the record determines whether a space precedes them.
            raise NoTemplate("atomic values outside of elements")
        self.add(part)

    def open(self, element: Opened, values: tuple[tuple[Piece, ...], ...]) -> None:
        """A start tag, with the values of its attributes."""
        if self._is_shared and not all(each.is_plain for each in (element, *self._opened)):
            raise NoTemplate("namespaces in a function that is applied in several places")
        tag = tag_inside(self._opened, element)
        declared = tuple((key, (Characters(uri),)) for key, uri in tag.declarations)
        attributes = (*declared, *zip(tag.attributes, values, strict=True))
        self._begin(_Frame(tag.name, attributes), element)

    def open_alike(self, up: int) -> None:
        """A start tag with the name of an element of the input."""
        self._begin(_Frame(alike=up), self._unnamed())

    def open_computed(self, name: KernelExpression) -> None:
        """A start tag with a computed name, in no namespace."""
        self._begin(_Frame(computed=name), self._unnamed())

    def _unnamed(self) -> Opened:
        if self.around is not Around.NOTHING:
            raise NoTemplate("a computed name where namespaces are declared")
        return Opened(QName("", "unnamed", ""))

    def _begin(self, frame: _Frame, element: Opened) -> None:
        self._frames.append(frame)
        self._opened = (*self._opened, element)
        self.depth += 1

    @property
    def around(self) -> Around:
        """The namespaces declared around the next part."""
        return declared_inside(self._opened)

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Inside a function, which is applied in several places."""
        if self.around is not Around.NOTHING:
            raise NoTemplate("a function that is applied where namespaces are declared")
        before, self._is_shared = self._is_shared, True
        try:
            yield
        finally:
            self._is_shared = before

    def markup(self, text: str) -> None:
        """A comment or processing instruction."""
        if not self.depth:
            raise NoTemplate("a comment or processing instruction outside of elements")
        self.add(Characters(text))

    def attribute(self, name: str, value: tuple[Piece, ...]) -> None:
        """An attribute of the innermost element."""
        frame = self._tag()
        if self.around is not Around.NOTHING or frame.copied or any(name == other for other, _ in frame.attributes):
            raise NoTemplate("an attribute behind others that are copied")
        frame.attributes = (*frame.attributes, (name, value))

    def copied(self, attributes: CopiedAttributes | CopiedItems) -> None:
        """Input attributes that become those of the innermost element."""
        self._tag().copied.append(attributes)

    def _tag(self) -> _Frame:
        frame = self._frames[-1]
        if len(self._frames) == 1 or frame.parts:
            # After content it is an error; under a condition it would have to wait for it.
            raise NoTemplate("an attribute that does not stand right behind a tag")
        return frame

    def close(self) -> None:
        if len(self._frames) == 1:
            raise NoTemplate("an element that begins elsewhere")
        frame = self._frames.pop()
        self._opened = self._opened[:-1]
        self.depth -= 1
        if frame.alike is not None:
            if frame.attributes:
                raise NoTemplate("computed attributes of an element that is called as another")
            self.add(Alike(frame.alike, tuple(frame.parts), tuple(frame.copied)))
            return
        name = frame.name if frame.computed is None else frame.computed
        self.add(Construct(name, frame.attributes, tuple(frame.parts), tuple(frame.copied)))

    def inner(self, write: Callable[[], None]) -> tuple[Part, ...]:
        """The conditional part of the template: whole elements."""
        around, self._frames = self._frames, [_Frame()]
        opened = self._opened
        try:
            write()
            if len(self._frames) > 1:
                raise NoTemplate("an element that ends elsewhere")
            return tuple(self._frames[0].parts)
        finally:
            self._frames, self._opened = around, opened


def _neighbour(parts: list[Part]) -> Part | None:
    """The last part other than nodes that may be missing."""
    return next((part for part in reversed(parts) if isinstance(part, _SEPARATES) or _is_value(part)), None)


def _is_value(part: Part) -> bool:
    """Whether a part may give atomic values. Text nodes need no separator."""
    if isinstance(part, Values):
        return bool(part.separator)
    return not isinstance(part, Characters) and not gives_nodes((part,))


def gives_nodes(parts: Iterable[Part]) -> bool:
    """Whether parts write only nodes."""
    rest = tuple(parts)
    while rest:
        if _begins_with_text_node(rest):
            rest = rest[3:]
        elif _is_nodes(rest[0]):
            rest = rest[1:]
        else:
            return False
    return True


def _begins_with_text_node(parts: tuple[Part, ...]) -> bool:
    """Whether the first parts are a text node: a value between empty texts, which separate it from others."""
    match parts:
        case (Characters(text=""), Computed() | Values(), Characters(text=""), *_):
            return True
    return False


def _is_nodes(part: Part) -> bool:
    match part:
        case Construct() | Copies() | Items() | Remark() | Let() | Alike() | Apply() | WhenFilled():
            return True
        case Values(separator=separator):
            return not separator
        case When(parts=parts, otherwise=otherwise):
            return gives_nodes((*parts, *otherwise))
        case Each(parts=parts) | EachValue(parts=parts) | Sorted(parts=parts) | Keyed(parts=parts):
            return gives_nodes(parts)
        case EachNodeOf(parts=parts) | EachBinding(parts=parts):
            return gives_nodes(parts)
        case Functions(parts=parts) | Numbered(parts=parts):
            return gives_nodes(parts)
    return False
