"""The units of a query's loops as content is added and removed, and the units that an update affects.

A unit is an element that a loop iterates over, or a slot in which a query chooses versions. Content is walked once when
it is added and once when it is removed. A slot remembers the units that read it, so an update finds them at once.
Places (`places.py`) keep the order of units and of the slots that may hold some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from xylem.plan.history import Kept, Source

from .commits import Change, History, Stream
from .content import Content, Element, Owner, Slot, Version
from .paths import Paths, Standing
from .places import Order, Place
from .text_regions import TextRegion, forget_text, text_region
from .unit_notes import (
    NOTHING_AROUND,
    Around,
    OpenContent,
    Unit,
    Unsuitable,
    Watch,
    declared_around,
    has_leaves_only,
    has_name,
    holds_none,
    in_order,
    value_of,
)
from .unit_tree import UnitTrees

__all__ = ["Units"]


class Units:
    """The units of all sources.

    Holds:  the units, and a note for each slot that some unit reads or that may get one.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        trees: UnitTrees,
        kept: Sequence[Kept] = (),
        *,
        truncates: History | None = None,
        moves: bool = True,
    ) -> None:
        """`truncates`: keep the histories of its slots as short as `kept` allows. `moves`: see `_moves`."""
        self.sources = sources
        self._may_move = moves
        self._trees = trees
        self._truncates = truncates
        self.forget_native: Callable[[Unit], None] = _keep
        """Called for units that the kernel must not answer any more."""
        self.texts_grow = False
        """Whether regions may be followed as texts before they have all versions that are kept."""
        self.longest = 1
        """The longest history of any slot."""
        self.order = Order()
        self.added: list[list[Unit]] = [[] for _ in sources]
        self.removed: list[list[Unit]] = [[] for _ in sources]
        self.dirty: list[list[Unit]] = [[] for _ in sources]
        """Changes since the last commit, by source number."""
        self.count = 0
        self._paths = Paths(sources, kept)
        self._keeps_versions = bool(kept)
        self._knows_parents = any(source.knows_parents for source in sources)
        self._watches: dict[Slot, Watch] = {}
        self._unread: list[Slot] = []
        """Replaced slots that no unit reads, unless the commit adds one."""
        self._units: dict[Element | Slot, list[Unit]] = {}
        self._ends: dict[str, Place] = {}
        self._open: dict[str, dict[Owner, OpenContent]] = {}

    # --- effects of an update

    def apply(self, change: Change) -> None:
        """Follow one change of a stream."""
        if change.kind == "content":
            self._content(change.stream, change.owner, change.node)
        elif change.kind == "inserted":
            self._inserted(change)
        else:
            self._replaced(change)

    def _replaced(self, change: Change) -> None:
        slot = change.slot
        assert slot is not None
        watch = self._watches.get(slot)
        if watch is None:
            if self._truncates is not None:
                self._unread.append(slot)
            return
        if self._is_value(slot, watch):
            self.note_text_region(slot, watch)
            return
        forget_text(slot, self.forget_native)
        self._touch(watch, since=slot)
        if watch.standing.projected and self._completed(slot, watch):
            self.truncate(slot, watch)
            return
        old, new = watch.version, slot.versions[-1]
        if new is old:
            # It was already walked as the newest version, with content of the same commit.
            return
        watch.version, watch.value = new, None
        if self._keeps_versions:
            self._retire(old.content)
            self._walk_past(slot, old, watch)
        else:
            self.forget(old.content)
        standing = watch.standing.past if watch.is_past else watch.standing
        # Added after the existing ones: a unit and its replacement are reported as one change.
        at = watch.begin if watch.end is None else watch.end.before
        self._walk(new.content, standing, watch.around, watch.depth, at, watch.projected, is_slot=True)
        self.truncate(slot, watch)
        if len(slot.versions) > self.longest:
            self.longest = len(slot.versions)

    def _is_value(self, slot: Slot, watch: Watch) -> bool:
        """Follow an update that replaces the text of an element; False if it does anything else."""
        old, standing, versions = watch.version, watch.standing, slot.versions
        if len(versions) < 2 or versions[-2] is not old or type(slot.owner) is Version:
            return False
        if watch.is_past or watch.projected or standing.projected:
            return False
        new = versions[-1]
        now = value_of(new)
        if now is None or (before := watch.value or value_of(old)) is None:
            return False
        element, leaf = now
        name = element.name
        if name is not before[0].name and (name != before[0].name or name.prefix != before[0].name.prefix):
            return False
        if standing.positions and standing.below(name)[1] and not self._moves(slot, watch, before[0], element):
            return False
        key = (name.uri, name.local)
        trees = self._trees
        for unit in self._units.get(element, ()):
            trees.patch(unit, slot, element, leaf)
            self.touch(unit)
        for unit in watch.around.readers:
            children = unit.source.children
            if children is not None and key not in children and unit.depth == watch.depth - 1:
                if holds_none(versions, children):
                    continue
                trees.let_go(unit)
            else:
                trees.patch(unit, slot, element, leaf)
            if not unit.is_dirty and unit.is_alive:
                unit.is_dirty = True
                self.dirty[unit.source.number].append(unit)
        watch.version = new
        watch.value = now
        self.truncate(slot, watch)
        if len(versions) > self.longest:
            self.longest = len(versions)
        return True

    def _moves(self, slot: Slot, watch: Watch, old: Element, new: Element) -> bool:
        """Whether the units that an element is go on with the one in its place: no version of it is kept."""
        units = self._units.get(old)
        if not units or not self._may_move or self._truncates is None or self._kept_of(slot, watch) != (1, None):
            return False
        for unit in units:
            unit.item = new
        self._units[new] = self._units.pop(old)
        return True

    def note_text_region(self, slot: Slot, watch: Watch | None = None) -> TextRegion | None:
        """Note the state of a slot that holds only a text from now on."""
        watch = watch or self._watches.get(slot)
        if self._truncates is None or not self._truncates.writes_texts or watch is None:
            return None
        number, seconds = self._kept_of(slot, watch)
        slot.text_region = None
        if seconds is None and (value := value_of(slot.versions[-1])) is not None:
            own = self._units.get(value[0], ())
            slot.text_region = text_region(slot, watch, number, own, grows=self.texts_grow)
        return slot.text_region

    def follow_text(self, region: TextRegion) -> None:
        """Follow the replacement of a region's text."""
        slot = region.slot
        value = region.watch.value
        assert value is not None
        element, leaf = value
        patch = self._trees.patch
        for unit in region.units:
            patch(unit, slot, element, leaf)
            if not unit.is_dirty and unit.is_alive:
                unit.is_dirty = True
                self.dirty[unit.source.number].append(unit)

    def _kept_of(self, slot: Slot, watch: Watch) -> tuple[int, Decimal | None]:
        """The number of versions to keep of a slot, and for how long."""
        number = 1
        seconds: Decimal | None = None
        for kept in watch.standing.kept:
            if _may_be_asked(slot, kept):
                number = max(number, kept.versions)
                if kept.seconds is not None and (seconds is None or Decimal(kept.seconds) > seconds):
                    seconds = Decimal(kept.seconds)
        return number, seconds

    def truncate(self, slot: Slot, watch: Watch | None = None) -> None:
        """Drop the versions of a slot that will not be read."""
        history = self._truncates
        watch = watch or self._watches.get(slot)
        if history is None or watch is None:
            return
        versions = slot.versions
        if not self._keeps_versions:
            history.let_go(slot, len(versions) - 1)
            return
        number, seconds = self._kept_of(slot, watch)
        gone = max(len(versions) - number, 0)
        if seconds is not None:
            since = history.now - seconds
            # A version ends when the next one is shown.
            young = 0
            while young < gone and (ended := versions[young + 1].shown) and history.time_of(ended) < since:
                young += 1
            gone = min(gone, young)
        for version in versions[:gone]:
            self.forget(version.content)
        history.let_go(slot, gone)

    def _inserted(self, change: Change) -> None:
        slot, anchor = change.slot, change.anchor
        assert slot is not None and anchor is not None
        beside = self._watches.get(anchor)
        if beside is None:
            return
        forget_text(anchor, self.forget_native)
        self._touch(beside, is_beside=True, since=slot)
        if slot in self._watches:
            return
        at: Place | None = None
        if beside.begin is not None and beside.end is not None:
            at = beside.end if change.side == "after" else beside.begin.before
        projected, around = beside.projected, beside.around
        if slot.is_inner:
            for unit in projected:
                self.touch(unit)
            if beside.standing.projected and self._completed(slot, beside):
                return
        else:
            around = around.without(projected)
            projected = ()
        standing = beside.standing.past if beside.is_past else beside.standing
        # With it come slots that were inserted beside it before it had its place.
        self._walk([slot], standing, around, beside.depth, at, projected, is_slot=slot.is_inner)
        if beside.is_past and slot in self._watches:
            self._watches[slot].standing, self._watches[slot].is_past = beside.standing, True

    def _walk_past(self, slot: Slot, since: Version | None, watch: Watch) -> None:
        """Tell units of versions that were shown and superseded within one commit."""
        versions = slot.versions[:-1]
        if since is not None and since in versions:
            versions = versions[versions.index(since) + 1 :]
        for version in versions:
            self._walk(
                version.content, watch.standing.past, watch.around, watch.depth, None, watch.projected, is_slot=True
            )
            if watch.standing.projected:
                self._may_yet_be_chosen(version.content, watch.standing)

    def _may_yet_be_chosen(self, content: Sequence[Content], standing: Standing) -> None:
        """Note that content of slots directly in an earlier version may be chosen as of the outer slot."""
        for item in in_order(content):
            watch = self._watches.get(item) if type(item) is Slot else None
            if watch is not None and type(item) is Slot:
                forget_text(item, self.forget_native)
                watch.standing, watch.is_past = standing, True
                for version in item.versions:
                    self._may_yet_be_chosen(version.content, standing)

    def _completed(self, slot: Slot, watch: Watch) -> bool:
        """Whether versions of a slot are chosen from now on, because it first contains an element of their name."""
        known = {unit.source.number for unit in watch.projected}
        new = [number for number in watch.standing.projected if number not in known]
        outer = slot
        while isinstance(outer.owner, Version):
            outer = outer.owner.slot
        new = [number for number in new if has_name(outer, self.sources[number].steps[-1].test)]
        outer_watch = self._watches.get(outer)
        if not new or outer_watch is None or not outer_watch.standing.has_units:
            return False
        around = outer_watch.around.without(outer_watch.projected)
        made, _ = self._project(outer, new, around, outer_watch.depth, outer_watch.begin)
        outer_watch.projected = (*outer_watch.projected, *made)
        outer_watch.around = outer_watch.around.with_readers(made)
        self.forget(outer_watch.version.content)
        for past in outer.versions[:-1]:
            self.forget(past.content)
        outer_watch.version = version = outer.versions[-1]
        outer_watch.value = None
        forget_text(outer, self.forget_native)
        self._walk_past(outer, None, outer_watch)
        self._walk(
            version.content,
            outer_watch.standing,
            outer_watch.around,
            outer_watch.depth,
            outer_watch.begin,
            outer_watch.projected,
            is_slot=True,
        )
        return True

    def _touch(self, watch: Watch, *, is_beside: bool = False, since: Slot | None = None) -> None:
        """Mark the units that read a slot for reevaluation, unless it never held a child that they read.

        A change inside another slot makes a version of the outer slot, too, with all its content.
        """
        for unit in watch.around.readers:
            children = unit.source.children
            if since is not None and children is not None and unit.depth == watch.depth - 1:
                is_counted = since.is_inner and unit.source.looks_back
                if not is_counted and holds_none(since.versions, children):
                    continue
            self._trees.let_go(unit)
            self.touch(unit)
        if not is_beside:
            for unit in watch.projected:
                self.touch(unit)

    def touch(self, unit: Unit) -> None:
        """Mark a unit for reevaluation."""
        if not unit.is_dirty and unit.is_alive:
            unit.is_dirty = True
            self.dirty[unit.source.number].append(unit)

    # --- the base

    def _content(self, stream: Stream, owner: Owner | None, node: Content | None) -> None:
        assert owner is not None and node is not None
        known = self._open.get(stream.name)
        if known is None:
            known = self._open[stream.name] = {}
            begin = self.order.append()
            self._ends[stream.name] = self.order.insert_far_after(begin)
            known[stream.document] = OpenContent(self._paths.of_stream(stream.name), NOTHING_AROUND, 0)
        here = known.get(owner)
        if here is None:
            # No path leads there, and no unit contains it.
            return
        for unit in here.around.readers:
            self._trees.let_go(unit)
            self.touch(unit)
        for unit in here.projected:
            self.touch(unit)
        end = self._ends[stream.name].before
        is_slot = isinstance(owner, Version)
        self._walk((node,), here.standing, here.around, here.depth, end, here.projected, is_slot=is_slot, open=known)

    def forget_unread(self) -> None:
        """After all changes of a commit, keep only the newest version of unread slots."""
        for slot in self._unread:
            if slot not in self._watches and self._truncates is not None:
                self._truncates.let_go(slot, len(slot.versions) - 1)
        self._unread.clear()

    def close_commit(self, stream: Stream) -> None:
        """Close the commit: in the base, only the last content at each level may still grow."""
        known = self._open.get(stream.name)
        if known is None:
            return
        spine: dict[Owner, OpenContent] = {}
        owner: Owner | None = stream.document
        while owner is not None and owner in known:
            spine[owner] = known[owner]
            last = owner.content[-1] if owner.content else None
            if isinstance(last, Slot):
                owner = last.versions[0]
            else:
                owner = last if isinstance(last, Element) else None
        self._open[stream.name] = spine

    # --- walking

    def _walk(
        self,
        content: Iterable[Content],
        standing: Standing,
        around: Around,
        depth: int,
        at: Place | None,
        projected: tuple[Unit, ...],
        *,
        is_slot: bool = False,
        open: dict[Owner, OpenContent] | None = None,
    ) -> Place | None:
        """Make units of new content and note them in its slots; return the last position used.

        `is_slot`: the content stands directly in a slot, whose units are `projected`.
        """
        for item in in_order(content) if type(content) is list else content:
            if type(item) is Element:
                at = self._enter(item, standing, around, depth, at, is_slot, open)
            elif type(item) is Slot:
                at = self._enter_slot(item, standing, around, depth, at, projected, is_slot, open)
        return at

    def _enter(
        self,
        element: Element,
        standing: Standing,
        around: Around,
        depth: int,
        at: Place | None,
        is_slot: bool,
        open: dict[Owner, OpenContent] | None,
    ) -> Place | None:
        inside = standing
        if standing.positions:
            if standing.projected and not is_slot:
                projected, at = self._project(element, standing.projected, around, depth, at)
                around = around.with_readers(projected)
            inside, units = standing.below(element.name)
            if units:
                around, at = self._units_of(element, units, around, depth, at)
        if open is None and has_leaves_only(element.content):
            return at
        if around.readers:
            key = (element.name.uri, element.name.local)
            around = around._replace(
                readers=tuple(
                    unit
                    for unit in around.readers
                    if unit.depth != depth - 1 or unit.source.children is None or key in unit.source.children
                )
            )
        if element.declared:
            around = around._replace(scope=declared_around(element, around.scope))
        if not around.readers and not inside.positions:
            return at
        if self._knows_parents:
            around = around._replace(parent=element)
        if open is not None:
            open[element] = OpenContent(inside, around, depth + 1)
        return self._walk(element.content, inside, around, depth + 1, at, (), open=open)

    def _units_of(
        self, element: Element, numbers: Sequence[int], around: Around, depth: int, at: Place | None
    ) -> tuple[Around, Place | None]:
        for number in numbers:
            source = self.sources[number]
            if source.is_flat and any(unit.source is source for unit in around.within):
                raise Unsuitable(f"elements of {source.path} stand inside each other")
            assert at is not None
            at = self.order.insert_after(at)
            unit = self._add(source, element, at, depth, around)
            around = around.with_readers((unit,))
            if source.function is not None:
                around = around._replace(holders=(*around.holders, unit))
        return around, at

    def _add(self, source: Source, item: Element | Slot, at: Place, depth: int, around: Around) -> Unit:
        unit = Unit(source, item, at, depth)
        unit.scope = around.scope
        unit.parent = around.parent
        if source.condition is not None:
            wanted = depth - source.levels
            for holder in around.holders:
                if holder.source.number == source.condition and holder.depth == wanted:
                    unit.condition = holder
                    if holder.dependents is None:
                        holder.dependents = {}
                    holder.dependents[unit] = None
        self._units.setdefault(item, []).append(unit)
        self.added[source.number].append(unit)
        self.count += 1
        return unit

    def _project(
        self, item: Element | Slot, numbers: Iterable[int], around: Around, depth: int, at: Place | None
    ) -> tuple[tuple[Unit, ...], Place | None]:
        """The units of sources that choose versions: an outermost slot, or a node outside slots."""
        made = []
        for number in numbers:
            source = self.sources[number]
            if not has_name(item, source.steps[-1].test):
                continue
            if any(unit.source is source for unit in around.within):
                raise Unsuitable(f"elements of {source.path} with versions stand inside each other")
            assert at is not None
            at = self.order.insert_after(at)
            made.append(self._add(source, item, at, depth, around))
        return tuple(made), at

    def _enter_slot(
        self,
        slot: Slot,
        standing: Standing,
        around: Around,
        depth: int,
        at: Place | None,
        projected: tuple[Unit, ...],
        is_slot: bool,
        open: dict[Owner, OpenContent] | None,
    ) -> Place | None:
        begin: Place | None = None
        if standing.has_units:
            assert at is not None
            begin = at = self.order.insert_after(at)
            if standing.projected and not is_slot:
                projected, at = self._project(slot, standing.projected, around, depth, at)
        inner = around.with_readers(unit for unit in projected if unit not in around.readers) if projected else around
        version = slot.versions[-1]
        watch = self._watches[slot] = Watch(standing, inner, depth, begin, None, projected, version)
        forget_text(slot, self.forget_native)
        if open is not None:
            open[version] = OpenContent(standing, inner, depth, projected)
        if self._keeps_versions and len(slot.versions) > 1:
            self._walk_past(slot, None, watch)
        at = self._walk(version.content, standing, inner, depth, at, projected, is_slot=True, open=open)
        if begin is not None:
            assert at is not None
            watch.end = at = self.order.insert_after(at)
        return at

    # --- removed content

    def forget(self, content: Sequence[Content]) -> None:
        """Remove content with its units and the notes of its slots."""
        for item in in_order(content):
            if type(item) is Slot:
                watch = self._watches.pop(item, None)
                forget_text(item, self.forget_native)
                self._drop(item)
                if watch is not None:
                    for version in item.versions:
                        self.forget(version.content)
                    if watch.begin is not None and watch.end is not None:
                        self.order.remove(watch.begin)
                        self.order.remove(watch.end)
            elif type(item) is Element:
                if item in self._units:
                    self._drop(item)
                if not has_leaves_only(item.content):
                    self.forget(item.content)

    def _retire(self, content: Sequence[Content]) -> None:
        """Move content to the past: it has no units any more, but the units around it may still read it."""
        for item in in_order(content):
            if type(item) is Slot:
                self._drop(item)
                forget_text(item, self.forget_native)
                watch = self._watches.get(item)
                if watch is not None:
                    if item.is_inner and watch.standing.projected:
                        # Content added to it may yet be chosen, as an earlier version of the outer slot.
                        watch.is_past = True
                    else:
                        watch.standing = watch.standing.past
                    if watch.begin is not None and watch.end is not None:
                        self.order.remove(watch.begin)
                        self.order.remove(watch.end)
                    watch.begin = watch.end = None
                    for version in item.versions:
                        self._retire(version.content)
                    if not watch.around.readers and not watch.is_past and not watch.standing.positions:
                        del self._watches[item]
            elif type(item) is Element:
                if item in self._units:
                    self._drop(item)
                if not has_leaves_only(item.content):
                    self._retire(item.content)

    def _drop(self, item: Element | Slot) -> None:
        for unit in self._units.pop(item, ()):
            unit.is_alive = False
            self._trees.let_go(unit)
            if unit.native is not None:
                self.forget_native(unit)
            self.count -= 1
            self.removed[unit.source.number].append(unit)
            if unit.condition is not None and unit.condition.dependents is not None:
                unit.condition.dependents.pop(unit, None)

    def release(self, unit: Unit) -> None:
        """The operators have dropped the unit: its place can be removed."""
        self.order.remove(unit.place)

    # --- reports

    def of(self, item: Element, number: int) -> list[Unit]:
        """The units of a source for an element."""
        return [unit for unit in self._units.get(item, ()) if unit.source.number == number]

    @property
    def slots(self) -> int:
        return len(self._watches)


def _keep(unit: Unit) -> None:
    """Stop the kernel from answering any unit."""


def _may_be_asked(slot: Slot, kept: Kept) -> bool:
    """Whether a slot holds elements of the name whose versions are kept, or may get one."""
    test = kept.steps[-1].test
    for version in reversed(slot.versions):
        for item in version.content:
            if type(item) is Element and test.takes(item.name.uri, item.name.local):
                return True
    # Content directly in a version may get the name even after the version is superseded.
    if slot.is_inner or any(type(item) is Slot for version in slot.versions for item in version.content):
        return True
    return has_name(slot, test)
