"""Regions whose updates replace one text with another: `<u:replace of="i" t="5"><quote>120</quote></u:replace>`.

Most updates of most streams are of this kind. After such an update, when the readers of the region are known, the next
one needs neither a new version nor a walk over content: the text is written into the version that would be dropped, and
the units that read the region are known. Any other change of the region ends this until the next update of the kind
(`Units` sets `Slot.text_region` to None).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xylem.values.qname import QName

from .content import Element, Leaf, Slot, Version
from .unit_notes import Unit, Watch, holds_none, value_of

__all__ = ["TextRegion", "forget_text", "text_region"]


class TextRegion:
    """State for such a region. In a commit it stands for the only change: the new text of the region."""

    __slots__ = ("most", "name", "number", "slot", "units", "watch")

    def __init__(self, slot: Slot, watch: Watch, name: QName, units: tuple[Unit, ...], most: int) -> None:
        self.slot = slot
        self.watch = watch
        self.most = most
        """How many versions are kept of it."""
        self.name = name
        """Name of the element around the text, in all kept versions."""
        self.units = units
        """The units that read the text."""
        self.number = -1
        """Its number in the kernel; -1 if it is in no document."""

    def write(self, text: str, number: int, commit: int) -> None:
        """The next version, with an update number, shown by a commit. It replaces the oldest one."""
        versions = self.slot.versions
        if len(versions) < self.most:
            version = Version(self.slot, [Element(self.name, content=[Leaf("")])], number)
            versions.append(version)
        else:
            version = versions[0]
            if len(versions) > 1:
                del versions[0]
                versions.append(version)
        element = version.content[0]
        leaf = element.content[0]  # type: ignore[union-attr]  # an element with a text alone
        leaf.value = text  # type: ignore[union-attr]
        version.number = number
        version.shown = element.shown = leaf.shown = commit  # type: ignore[union-attr]
        watch = self.watch
        if watch.version is not version:
            watch.version = version
            watch.value = element, leaf  # type: ignore[assignment]


def forget_text(slot: Slot, forget: Callable[[Unit], None]) -> None:
    """Anything else happens to a region; `forget` receives its units that the kernel answers."""
    region, slot.text_region = slot.text_region, None
    for unit in region.units if region is not None else ():
        if unit.native is not None:
            forget(unit)


def text_region(
    slot: Slot, watch: Watch, most: int, own: Sequence[Unit] = (), *, grows: bool = False
) -> TextRegion | None:
    """The region of a slot whose text was replaced by an update; None if a version holds anything else.

    `most`: how many versions are kept of it; with `grows`, it may have fewer. `own`: the units that its element is.
    """
    versions = slot.versions
    if len(versions) > most or slot.before or slot.after or (own and most > 1):
        return None
    sizes = {version.size for version in versions}
    if not grows and (len(versions) != most or len(sizes) != 1):
        return None
    values = [value_of(version) for version in versions]
    name = None if values[0] is None else values[0][0].name
    if name is None or any(value is None or value[0].name is not name for value in values):
        return None
    reading = list(own)
    for unit in watch.around.readers:
        children = unit.source.children
        if children is None or unit.depth != watch.depth - 1 or (name.uri, name.local) in children:
            reading.append(unit)
        elif not holds_none(versions, children):
            return None
    return TextRegion(slot, watch, name, tuple(reading), most)
