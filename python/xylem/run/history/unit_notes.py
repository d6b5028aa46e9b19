"""Records about units, about slots that units read, and about content that may still grow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from xylem.plan.history import NameTest, Source
from xylem.values.node import TEXT

from .content import Content, Element, Leaf, Slot, Version, placed
from .paths import Standing
from .places import Place

__all__ = [
    "NOTHING_AROUND",
    "Around",
    "OpenContent",
    "Unit",
    "Unsuitable",
    "Watch",
    "declared_around",
    "has_leaves_only",
    "has_name",
    "holds_none",
    "in_order",
    "value_of",
]


class Unsuitable(Exception):
    """The input cannot be maintained by units: from here on the query is evaluated as a whole."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Unit:
    """One turn of a loop."""

    __slots__ = (
        "condition", "dependents", "depth", "is_alive", "is_dirty", "item", "made", "named", "native", "parent",
        "place", "scope", "source", "timelines", "wake",
    )  # fmt: skip

    def __init__(self, source: Source, item: Element | Slot, place: Place, depth: int) -> None:
        self.source = source
        self.item = item
        self.place = place
        self.depth = depth
        self.scope: Mapping[str, str] | None = None
        """The namespaces declared around it."""
        self.parent: Element | None = None
        """Its parent element if that is needed; None for the document."""
        self.condition: Unit | None = None
        """The outer unit that must hold as well."""
        self.dependents: dict[Unit, None] | None = None
        """The units that have this one as their condition."""
        self.native: int | None = None
        """If the kernel answers updates of its texts: the number of its document; -1 if others have them in theirs."""
        self.named: Sequence[str] = ()
        """The ids of texts that the kernel has answered."""
        self.is_alive = True
        self.is_dirty = False
        self.made: Any = None
        """The operator's result for it."""
        self.timelines: Any = None
        """Its earlier values, if their history is requested."""
        self.wake: Any = None
        """When time alone may change its result."""


class Around(NamedTuple):
    """The units around some content."""

    readers: tuple[Unit, ...] = ()
    """The units that read the content."""
    holders: tuple[Unit, ...] = ()
    """Conditions of units that may appear in the content, whether or not they read it."""
    scope: Mapping[str, str] | None = None
    """The namespaces declared around it, by prefix."""
    parent: Element | None = None
    """Its parent element, if units are counted among their siblings."""
    within: tuple[Unit, ...] = ()
    """The units of sources that must not nest, whether or not they read the content."""

    def with_readers(self, more: Iterable[Unit]) -> Around:
        added = tuple(more)
        alone = tuple(unit for unit in added if unit.source.is_flat or unit.source.projection is not None)
        return self._replace(readers=(*self.readers, *added), within=(*self.within, *alone))

    def without(self, some: Collection[Unit]) -> Around:
        return self._replace(
            readers=tuple(unit for unit in self.readers if unit not in some),
            within=tuple(unit for unit in self.within if unit not in some),
        )


NOTHING_AROUND = Around()


class Watch:
    """The notes of a slot."""

    __slots__ = ("around", "begin", "depth", "end", "is_past", "projected", "standing", "value", "version")

    def __init__(
        self,
        standing: Standing,
        around: Around,
        depth: int,
        begin: Place | None,
        end: Place | None,
        projected: tuple[Unit, ...],
        version: Version,
    ) -> None:
        self.standing = standing
        self.version = version
        """The version whose content was walked."""
        self.value: tuple[Element, Leaf] | None = None
        """The only element of that version and its text, if known."""
        self.is_past = False
        """Whether it stands in a superseded version, whose content has no units."""
        self.around = around
        self.depth = depth
        self.begin = begin
        self.end = end
        self.projected = projected
        """The units that are this slot, or the outermost slot it stands directly in."""


class OpenContent:
    """A place where content of the base may still arrive, with the facts known there."""

    __slots__ = ("around", "depth", "projected", "standing")

    def __init__(self, standing: Standing, around: Around, depth: int, projected: tuple[Unit, ...] = ()) -> None:
        self.standing = standing
        self.around = around
        self.depth = depth
        self.projected = projected


def declared_around(element: Element, scope: Mapping[str, str] | None) -> dict[str, str]:
    """The namespaces in scope of an element: its own first, then those around it, the nearest first."""
    found = dict(element.declared or {})
    for prefix, uri in (scope or {}).items():
        found.setdefault(prefix, uri)
    return found


def holds_none(versions: Sequence[Version], children: frozenset[tuple[str, str]]) -> bool:
    """Whether no version has elements of the given names, nor can any get one."""
    for version in versions:
        for item in version.content:
            if type(item) is Slot or (type(item) is Element and (item.name.uri, item.name.local) in children):
                return False
    return True


def value_of(version: Version) -> tuple[Element, Leaf] | None:
    """The only element of a version and the text in it, if there is nothing else."""
    content = version.content
    if len(content) != 1 or type(element := content[0]) is not Element or element.attributes or element.declared:
        return None
    inside = element.content
    if len(inside) != 1 or type(leaf := inside[0]) is not Leaf or leaf.kind != TEXT:
        return None
    return element, leaf


def has_leaves_only(content: Sequence[Content]) -> bool:
    """Whether some content needs no walk."""
    return not content or (len(content) == 1 and type(content[0]) is Leaf)


def in_order(content: Sequence[Content]) -> Iterable[Content]:
    """Content in document order; unchanged if nothing was inserted beside a slot."""
    for item in content:
        if type(item) is Slot and (item.before or item.after):
            return placed(content)
    return content


def has_name(item: Content, test: NameTest) -> bool:
    """Whether an element has a name, or one of the elements directly in any version of a slot."""
    if type(item) is Element:
        return test.takes(item.name.uri, item.name.local)
    return type(item) is Slot and any(
        has_name(inner, test) for version in item.versions for inner in placed(version.content)
    )
