"""The running operators of a plan: each holds the state that it needs to edit its part of the answer in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from xylem.errors import EngineBug
from xylem.functions.aggregate_functions import avg, sum_
from xylem.functions.context import Context
from xylem.functions.extreme_values import max_, min_
from xylem.plan import history as plan
from xylem.sink.display_edits import Edit, Part

from .accumulators import accumulator
from .commits import Commit
from .groups import GroupLoop
from .join_index import JoinedIndex
from .live_scope import LiveScope
from .loops import Compared, Condition, FoldLoop, ItemLoop, Live, LiveLoop, Read, RegionLoop, Turns
from .parts import ItemWriter, Parts
from .same_values import is_same
from .siblings import SiblingPlaces
from .timeline import Timeline, choice_of
from .windows import WindowFunctions, WindowLoop

if TYPE_CHECKING:
    from .engine import Engine

__all__ = ["Live", "LiveBuilder", "LiveComputed"]

Function = Callable[..., Any]
L = TypeVar("L", RegionLoop, ItemLoop, FoldLoop)


class LiveText(Live):
    size = 1

    def __init__(self, value: str) -> None:
        self._parts: Parts = ((value, 0),)
        self._is_told = False

    def parts(self) -> Parts:
        return self._parts

    def edits(self) -> list[Edit]:
        is_told, self._is_told = self._is_told, True
        return [] if is_told else [Edit(0, 0, self._parts)]


class LiveSequence(Live):
    """Parts one after the other. Each part's operator knows whether it changed."""

    def __init__(self, members: Sequence[Live]) -> None:
        self.members = members

    @property
    def size(self) -> int:
        return sum(member.size for member in self.members)

    def parts(self) -> Iterable[Part]:
        return chain.from_iterable(member.parts() for member in self.members)

    def is_blank(self) -> bool:
        # A space separates two values without characters.
        return all(member.is_blank() for member in self.members) and (self.size < 2 or super().is_blank())

    def edits(self) -> list[Edit]:
        found: list[Edit] = []
        base = 0
        for member in self.members:
            edits = member.edits()
            found += [Edit(base + place, removed, parts) for place, removed, parts in edits] if base else edits
            base += member.size
        return found


class LiveConstructor(LiveSequence):
    """An element around parts: each enclosed expression is a sequence of its own. Its tags are parts as well."""

    def __init__(self, described: plan.Constructor, members: Sequence[Live]) -> None:
        super().__init__(members)
        self._full: tuple[Part, Part] = ((f"{described.start}>", 0), (described.end, 0))
        self._empty: Part = (f"{described.start}/>", 0)
        self._was_blank: bool | None = None

    def is_blank(self) -> bool:
        return False

    @property
    def _is_blank(self) -> bool:
        return all(member.is_blank() for member in self.members)

    @property
    def size(self) -> int:
        return super().size + (1 if self._is_blank else 2)

    def parts(self) -> Iterable[Part]:
        inner = super().parts()
        return chain((self._empty,), inner) if self._is_blank else chain(self._full[:1], inner, self._full[1:])

    def edits(self) -> list[Edit]:
        was, self._was_blank = self._was_blank, self._is_blank
        found: list[Edit] = []
        if was is not self._was_blank:
            found.append(Edit(0, was is not None, (self._empty if self._was_blank else self._full[0],)))
        found += [Edit(place + 1, removed, parts) for place, removed, parts in super().edits()]
        if was is not self._was_blank and (was is not None or not self._was_blank):
            end = LiveSequence.size.fget(self) + 1  # type: ignore[attr-defined]  # without the tags
            found.append(Edit(end, 1, ()) if self._was_blank else Edit(end, 0, self._full[1:]))
        return found


class LiveConditional(Live):
    """One of two parts. Both are maintained, so a condition that changes shows the other at once."""

    def __init__(self, test: Read, then: Live, otherwise: Live) -> None:
        self._test = test
        self._branches = (otherwise, then)
        self._told: Live | None = None
        self._told_size = 0

    @property
    def _branch(self) -> Live:
        return self._branches[bool(self._test.values()[0])]

    @property
    def size(self) -> int:
        return self._branch.size

    def parts(self) -> Iterable[Part]:
        return self._branch.parts()

    def is_blank(self) -> bool:
        return self._branch.is_blank()

    def edits(self) -> list[Edit]:
        told, self._told = self._told, self._branch
        before, self._told_size = self._told_size, self._told.size
        # Edits of the hidden branch do not matter: it is shown again as a whole.
        of_branches = {branch: branch.edits() for branch in self._branches}
        if told is self._told:
            return of_branches[told]
        return [Edit(0, before, list(self._told.parts()))] if before or self._told_size else []


class LiveFold(Compared):
    """An aggregate of a loop's results."""

    def __init__(self, loop: FoldLoop, writer: ItemWriter) -> None:
        self._loop = loop
        self.writer = writer

    @property
    def changed_at(self) -> int:  # type: ignore[override]  # that of its loop
        return self._loop.changed_at

    def values(self) -> list[Any]:
        return self._loop.accumulator.result()


class LiveSlice(Compared):
    """The items of a loop between two places."""

    def __init__(self, loop: ItemLoop, described: plan.Slice, writer: ItemWriter) -> None:
        self._loop = loop
        self._start = described.start
        self._end = described.end
        self.writer = writer

    @property
    def changed_at(self) -> int:  # type: ignore[override]  # that of its loop
        return self._loop.changed_at

    def values(self) -> list[Any]:
        size = self._loop.rows.weight
        start = self._start if self._start >= 0 else max(size + self._start, 0)
        end = size if self._end is None else min(self._end, size)
        found: list[Any] = []
        if start >= end:
            return found
        for items, base in self._loop.rows.from_item(start):
            if base >= end:
                break
            found += items[max(start - base, 0) : end - base]
        return found


class LiveComputed(Compared):
    """An expression that is recomputed when something it reads has changed.

    Holds:  its value; with a timeline, also the earlier values that may be requested.
    """

    def __init__(
        self, engine: Engine, described: plan.Computed, function: Function, holes: Sequence[Read], writer: ItemWriter
    ) -> None:
        self._engine = engine
        self._function = function
        self._holes = holes
        self.writer = writer
        self._value: list[Any] | None = None
        self._given: list[Any] | None = None
        chosen = described.timeline
        self._timeline = None if chosen is None else Timeline(choice_of(chosen))

    def update(self, commit: Commit) -> bool:
        """Follow a commit, after all loops; return whether the value may have changed."""
        number = commit.number
        is_stale = self._value is None or any(hole.changed_at == number for hole in self._holes)
        if is_stale:
            value = list(self._function(*(hole.values() for hole in self._holes)))
        else:
            assert self._value is not None
            value = self._value
        if self._timeline is not None:
            if is_stale:
                self._value = value
                self._timeline.push(commit.time, value)
            value = self._timeline.chosen(commit.time)
        elif not is_stale:
            return False
        else:
            self._value = value
        before, self._given = self._given, value
        if before is not None and len(before) == len(value) and all(map(is_same, before, value)):
            return False
        self.changed_at = number
        return True

    def values(self) -> list[Any]:
        assert self._given is not None
        return self._given


def _last_source(operator: plan.Operator) -> int:
    """The number of the last source that an operator reads."""
    match operator:
        case plan.Loop(source=source):
            return source.number
        case plan.Fold(loop=loop) | plan.Slice(loop=loop):
            return loop.source.number
        case plan.Computed(holes=holes):
            return max(map(_last_source, holes), default=-1)
    return -1


class LiveBuilder:
    """Makes the operators of a plan."""

    def __init__(self, engine: Engine, functions: Sequence[Function]) -> None:
        self._engine = engine
        self._functions = functions
        self._writer = ItemWriter()
        self._by_source: dict[int, LiveLoop] = {}
        self._computed: list[tuple[int, LiveComputed | LiveScope]] = []
        self._sequences = 1
        self.looking_back: dict[int, list[plan.Projection]] = {}
        """How units look back in time, by source number."""
        sources = engine.program.plan.sources
        for source in sources:
            if source.function is not None:
                self._by_source[source.number] = Condition(engine, source, functions[source.function])
                self.looking_back[source.number] = list(source.by_time)

    @property
    def steps(self) -> list[tuple[int, LiveLoop | LiveComputed | LiveScope]]:
        """The steps at a commit, in dependency order: loops with their source numbers."""
        loops: list[tuple[int, int, LiveLoop | LiveComputed | LiveScope]] = [
            (number, -1, loop) for number, loop in self._by_source.items()
        ]
        computed = [(number, index, one) for index, (number, one) in enumerate(self._computed)]
        return [(number, one) for number, _, one in sorted([*loops, *computed], key=lambda step: step[:2])]

    def build(self, operator: plan.Operator, sequence: int = 1) -> Live:
        """`sequence`: the number of the sequence that its values belong to."""
        made = self._built(operator, sequence)
        made.sequence = sequence
        return made

    def _built(self, operator: plan.Operator, sequence: int) -> Live:
        match operator:
            case plan.Text(value=value):
                return LiveText(value)
            case plan.Sequence(parts=parts):
                return LiveSequence([self.build(part, sequence) for part in parts])
            case plan.Constructor(parts=parts):
                members = []
                for part in parts:
                    self._sequences += 1
                    members.append(self.build(part, self._sequences))
                return LiveConstructor(operator, members)
            case plan.Conditional(test=test, then=then, otherwise=otherwise):
                return LiveConditional(self._hole(test), self.build(then, sequence), self.build(otherwise, sequence))
            case plan.Loop():
                return self._loop(operator, RegionLoop)
            case plan.Fold(name=name, loop=loop):
                made = self._loop(loop, FoldLoop)
                made.accumulator = accumulator(name, self._fold(name))
                return LiveFold(made, self._writer)
            case plan.Slice(loop=loop):
                return LiveSlice(self._loop(loop, ItemLoop), operator, self._writer)
            case plan.Computed(function=function, holes=holes):
                computed = LiveComputed(
                    self._engine, operator, self._functions[function], list(map(self._hole, holes)), self._writer
                )
                self._computed.append((max(map(_last_source, holes), default=-1), computed))
                return computed
            case plan.Scope(number=number):
                scope = LiveScope(self._engine.scopes[number], self._writer)
                self._computed.append((-1, scope))
                return scope
        raise EngineBug("XYBUG0001", f"{type(operator).__name__} has no operator")

    def _fold(self, name: str) -> Callable[[Sequence[Any]], Any]:
        context = Context(self._engine.static, self._engine.run)
        folds: dict[str, Callable[[Sequence[Any]], Any]] = {
            "sum": sum_,
            "avg": avg,
            "min": partial(min_, context),
            "max": partial(max_, context),
        }
        return folds.get(name, len)

    def _hole(self, operator: plan.Operator) -> Read:
        """A value that one operator reads from another."""
        made = self._loop(operator, ItemLoop) if isinstance(operator, plan.Loop) else self.build(operator)
        if not isinstance(made, Read):
            raise EngineBug("XYBUG0001", f"{type(operator).__name__} gives nothing to read")
        return made

    def _loop(self, described: plan.Loop, kind: type[L]) -> L:
        """The loop whose rows are read; if they are first grouped or put into windows, another loop evaluates units."""
        holes = list(map(self._hole, described.holes))
        lookups = [self._lookup(one) for one in described.lookups]
        function = self._functions[described.function]
        given = (self._engine, described, function, holes, lookups, self._writer)
        made: L
        running: Turns
        if described.windows is not None:
            windows = described.windows
            shown = replace(described, order=windows.order, columns=windows.columns, is_numbered=False)
            made = kind(self._engine, shown, function, (), (), self._writer)
            running = self._window_loop(given, windows, made)
        elif described.group is not None:
            made = kind(*given)
            running = self._group_loop(given, described.group, made)
        else:
            made = running = kind(*given)
            if described.template is not None and isinstance(made, RegionLoop):
                made.template = self._functions[described.template.function], described.template
        for one in described.timelines:
            running.timelines.append((self._functions[one.function], choice_of(one.projection)))
        self._note_time(described)
        places = described.siblings
        if places is not None:
            passing = None if places.function is None else self._functions[places.function]
            running.siblings = SiblingPlaces(places, passing)
        self._by_source[described.source.number] = running
        return made

    def _group_loop(self, given: tuple[Any, ...], group: plan.Grouping, sink: Turns) -> GroupLoop:
        return GroupLoop(
            *given,
            group=self._functions[group.function],
            group_holes=list(map(self._hole, group.holes)),
            accumulators=[partial(accumulator, name, self._fold(name)) for name in group.folds],
            sink=sink,
        )

    def _window_loop(self, given: tuple[Any, ...], windows: plan.Windows, sink: Turns) -> WindowLoop:
        functions = WindowFunctions(
            self._functions[windows.start],
            None if windows.end is None else self._functions[windows.end],
            self._functions[windows.result],
        )
        holes = list(map(self._hole, windows.holes))
        return WindowLoop(*given, functions=functions, window_holes=holes, sink=sink, windows=windows)

    def _lookup(self, described: plan.Lookup) -> JoinedIndex:
        loop = described.loop
        made = JoinedIndex(self._engine, loop.source, self._functions[loop.function], len(described.operators))
        self._by_source[loop.source.number] = made
        self._note_time(loop)
        return made

    def _note_time(self, loop: plan.Loop) -> None:
        found = list(loop.by_time)
        chosen = loop.source.projection
        if chosen is not None and chosen.sign.startswith("?"):
            found.append(chosen)
        self.looking_back[loop.source.number] = found
