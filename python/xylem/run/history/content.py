"""The content of an update stream: elements, leaves, and slots that hold versions.

Content is a list of elements, leaves and slots. A slot is a region that may be updated: a `u:mutable`, an element with
`u:id`, or the content of an insert. It holds versions, each of them content again. A node outside slots acts like a
slot with one version. Content is never removed: `shown` is the commit that showed it first, so the state as of a commit
is all content shown by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from xylem.values.node import ELEMENT, TEXT
from xylem.values.qname import QName

if TYPE_CHECKING:
    from .text_regions import TextRegion

PENDING = 0
"""Number for the next commit: nothing sees content with it yet."""


class Leaf:
    """A text node, comment or processing instruction."""

    __slots__ = ("kind", "name", "shown", "value")

    def __init__(self, value: str, kind: int = TEXT, name: str = "") -> None:
        self.kind = kind
        self.name = name
        self.value = value
        self.shown = PENDING

    def __repr__(self) -> str:
        return f"Leaf({self.value!r})"


class Element:
    """An element; its content may grow while it is open, and slots in it change."""

    __slots__ = ("attributes", "content", "declared", "name", "shown")
    kind = ELEMENT

    def __init__(
        self,
        name: QName,
        attributes: Sequence[tuple[QName, str]] = (),
        declared: Mapping[str, str] | None = None,
        content: list[Content] | None = None,
    ) -> None:
        self.name = name
        self.attributes = attributes
        self.declared = declared
        """The namespaces declared here, by prefix; None for none."""
        self.content: list[Content] = [] if content is None else content
        self.shown = PENDING

    def __repr__(self) -> str:
        return f"<{self.name}>{self.content!r}"


class Document:
    """The root of a stream."""

    __slots__ = ("content", "uri")

    def __init__(self, uri: str | None = None) -> None:
        self.content: list[Content] = []
        self.uri = uri


class Version:
    """The content of a slot between two updates. A removed version has none."""

    __slots__ = ("content", "number", "shown", "size", "slot")

    def __init__(self, slot: Slot, content: list[Content], number: int) -> None:
        self.size = 0
        """Approximate size in bytes of the update."""
        self.slot = slot
        self.content = content
        self.number = number
        """Number of the update that made it, counted over the stream: updates of one commit have an order, too."""
        self.shown = PENDING


class Slot:
    """A place whose content changes. Slots that were inserted beside it hang from it, the nearest last."""

    __slots__ = ("after", "before", "is_frozen", "names", "owner", "text_region", "versions")

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        """The node that contains the slot, directly or by its place beside another slot."""
        self.versions: list[Version] = []
        """Oldest first."""
        # Most slots never have any.
        self.before: list[Slot] | tuple[()] = ()
        self.after: list[Slot] | tuple[()] = ()
        self.is_frozen = False
        self.names = 0
        """Number of ids that name it."""
        self.text_region: TextRegion | None = None
        """State for a region whose updates replace one text with another."""

    def beside(self, side: str) -> list[Slot]:
        """The slots before or after it, to add to."""
        found = self.before if side == "before" else self.after
        if isinstance(found, tuple):
            found = []
            if side == "before":
                self.before = found
            else:
                self.after = found
        return found

    @property
    def is_inner(self) -> bool:
        """Whether it is a direct child of another slot, so that both share one history."""
        return isinstance(self.owner, Version)


Node: TypeAlias = Element | Leaf
Content: TypeAlias = Element | Leaf | Slot
Owner: TypeAlias = Document | Element | Version


def placed(content: Sequence[Content]) -> Iterator[Content]:
    """Content in document order, including content inserted beside its slots."""
    for item in content:
        if type(item) is not Slot or not (item.before or item.after):
            yield item
            continue
        # Inserts may hang from inserts without limit, so this keeps its own stack.
        stack: list[tuple[Slot, bool]] = [(item, False)]
        while stack:
            slot, is_opened = stack.pop()
            if is_opened or not (slot.before or slot.after):
                yield slot
                continue
            stack.extend((each, False) for each in slot.after)
            stack.append((slot, True))
            stack.extend((each, False) for each in reversed(slot.before))


def is_value(content: Sequence[Content]) -> bool:
    """Whether some content is a text, or one element around a text: it contains no slot."""
    if len(content) == 1 and type(element := content[0]) is Element:
        content = element.content
    return not content or (len(content) == 1 and type(content[0]) is Leaf)


def brought_into(content: Sequence[Content]) -> int:
    """Approximate bytes that updates have added to the slots of some content."""
    size = 0
    waiting: list[Content] = [*content]
    while waiting:
        item = waiting.pop()
        if type(item) is Element:
            waiting += item.content
        elif type(item) is Slot:
            waiting += item.before
            waiting += item.after
            for version in item.versions:
                size += version.size
                waiting += version.content
    return size


def is_shown(shown: int, commit: int) -> bool:
    """Whether content first shown by one commit is part of the state at another."""
    return PENDING < shown <= commit
