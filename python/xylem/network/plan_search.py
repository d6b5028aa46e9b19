"""Look for cheaper plans by changing the choices of one subscription, or of several at once.

One subscription reads another stream, or is filtered or computed elsewhere. Several together: a stream is brought to a
peer, all subscriptions that it can serve read it there, and each goes back that was better off before. Single changes
never bring a large stream nearer to its readers, since that pays only for all of them together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from .arrangement import Arrangement, Choice
from .site_names import SOURCE

_GAIN = 1e-7
"""Share of the cost: smaller gains may be rounding errors of sums."""


class PlanSearch:
    """A search over one arrangement, which ends with the best choices found."""

    def __init__(self, arrangement: Arrangement, fixed: Collection[str] = (), most_tries: int = 200_000) -> None:
        """The answers of `fixed` subscriptions stay in place. A search ends after a number of tries."""
        self._all = arrangement
        self._fixed = fixed
        self._left = most_tries
        self._gain = _GAIN * arrangement.total

    def run(self, streams: Iterable[str] | None = None) -> float:
        """Make cheaper changes until there are none; return the gain.

        Only these streams are brought to other peers, and only subscriptions that they serve change.
        """
        before = self._all.total
        brought = [SOURCE, *self._all.choices] if streams is None else list(streams)
        names = [name for name in self._all.choices if streams is None or self._is_concerned(name, brought)]
        self._all.add_prices()
        while self._left > 0:
            start = self._all.total
            for name in names:
                self._improve(name, self._single_changes(name))
            for stream in brought:
                for peer in self._all.able:
                    self._bring(stream, peer)
            self._find_ways(names)
            if self._all.total > start - self._gain:
                break
        return before - self._all.total

    def _is_concerned(self, name: str, streams: Collection[str]) -> bool:
        return name in streams or any(one in streams for one in self._all.origins[name] if one != SOURCE)

    def _may_have(self, name: str, choice: Choice) -> bool:
        known = self._all.choices[name]
        is_moved = choice.transform_at != known.transform_at
        if is_moved and (name in self._fixed or choice.transform_at not in self._all.computers[name]):
            return False
        if self._all.asked[name].properties is None and choice.filter_at != choice.transform_at:
            return False
        return choice.uses == known.uses or not self._all.comes_from(choice.uses, name)

    def _improve(self, name: str, others: Iterable[Choice]) -> bool:
        """Give a subscription the best of some choices; return whether that is another one."""
        best = known = self._all.choices[name]
        least = self._all.total - self._gain
        for choice in others:
            if choice == known or not self._may_have(name, choice):
                continue
            self._left -= 1
            self._all.change(name, choice)
            if self._all.total < least:
                best, least = choice, self._all.total - self._gain
            self._all.change(name, known)
        self._all.change(name, best)
        return best != known

    def _single_changes(self, name: str) -> Iterator[Choice]:
        known = self._all.choices[name]
        places = [known.transform_at] if name in self._fixed else self._all.computers[name]
        is_filtered = self._all.asked[name].properties is not None
        for uses in self._all.origins[name]:
            for there in places:
                for at in self._all.able if is_filtered else (there,):
                    yield replace(known, uses=uses, filter_at=at, transform_at=there)

    def _bring(self, stream: str, peer: str) -> None:
        """Bring a stream to a peer, and let all subscriptions that it can serve read it there, if that costs less."""
        every = self._all
        users = [name for name in every.choices if stream in every.origins[name] and self._is_filtered(name)]
        users = [name for name in users if name != stream and not every.comes_from(stream, name)]
        if not users or self._left <= 0:
            return
        kept, before = dict(every.choices), every.total
        moved = [*users, *((stream,) if stream in every.choices else ())]
        for name in moved:
            choice = self._at(name, kept[name], peer)
            if name != stream:
                choice = replace(choice, uses=stream, filter_at=peer)
            if self._may_have(name, choice):
                every.change(name, choice)
        for _ in range(2):
            if not sum(self._improve(name, self._beside(name, kept[name], stream, peer)) for name in moved):
                break
        if every.total > before - self._gain:
            self._restore(kept, moved)

    def _restore(self, kept: dict[str, Choice], moved: Iterable[str]) -> None:
        # Changing one after another may pass through two that use each other: first all of them read the source.
        for name in moved:
            self._all.change(name, replace(self._all.choices[name], uses=SOURCE))
        for name in moved:
            self._all.change(name, kept[name])

    def _is_filtered(self, name: str) -> bool:
        return self._all.asked[name].properties is not None

    def _at(self, name: str, known: Choice, peer: str) -> Choice:
        is_free = name not in self._fixed and peer in self._all.computers[name]
        return replace(known, transform_at=peer) if is_free else known

    def _beside(self, name: str, known: Choice, stream: str, peer: str) -> Iterator[Choice]:
        """The choices of a subscription when a stream is brought to a peer."""
        own = self._all.asked[name].peer
        origins = [known]
        if name != stream:
            origins += [replace(known, uses=stream), replace(known, uses=stream, filter_at=peer)]
        for one in origins:
            yield one
            yield self._at(name, one, peer)
            yield self._at(name, one, own)

    def _find_ways(self, names: Iterable[str]) -> None:
        """Let streams and results take other routes, by other prices."""
        every = self._all
        best, least = every.source_by, every.total - self._gain
        for by in range(len(every.trees)):
            every.change_source_ways(by)
            if every.total < least:
                best, least = by, every.total - self._gain
        every.change_source_ways(best)
        for name in names:
            for by in range(len(every.trees)):
                self._improve(name, [replace(every.choices[name], by=by)])
                self._improve(name, [replace(every.choices[name], result_by=by)])
