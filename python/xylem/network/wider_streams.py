"""Let streams become wider for a new subscription, where one wider stream costs less than two.

The new subscription reads the wider stream afterwards, and may then share another one with the other readers of that
stream. So what few links need comes out of what many links need, and each stream is as narrow as its readers allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .planner import LEAST_GAIN, Asked, Placed, Planner
from .site_names import ELSEWHERE

MOST_WIDENED = 8
"""Number of streams that are considered in each turn."""
MOST_TURNS = 3


def widen_streams(
    planner: Planner,
    asked: Asked,
    before: Mapping[str, Placed],
    wide: Callable[[Asked, Asked], Asked | None],
    stays: Callable[[str], bool],
) -> None:
    """Change the plans of a planner that has admitted a subscription to cheaper ones with wider streams.

    `before` has the plans without it; `wide` makes a stream that serves two subscriptions, and `stays` says whether a
    stream is read by its own subscription or outside.
    """
    without, made = dict(before), set[str]()
    least_cost = planner.phi(planner.counted(without).load)
    for _ in range(MOST_TURNS):
        turn = _best_turn(planner, asked, without, wide, lambda name: name not in made and stays(name), least_cost)
        if turn is None:
            return
        name, planner.placed = turn
        made.add(name)
        read = {one.uses for one in planner.placed.values()}
        planner.placed = {key: one for key, one in planner.placed.items() if key in read or key not in made}
        without = {key: one for key, one in planner.placed.items() if key != asked.name}
        if asked.name in read:
            return


def _best_turn(
    planner: Planner,
    asked: Asked,
    without: Mapping[str, Placed],
    wide: Callable[[Asked, Asked], Asked | None],
    stays: Callable[[str], bool],
    least_cost: float,
) -> tuple[str, dict[str, Placed]] | None:
    """The cheapest plans with one stream wider, and its name; None if none are cheaper than the present ones."""
    kept, best = planner.placed, planner.phi()
    found = None
    uses = kept[asked.name].uses
    streams = [(name, one) for name, one in without.items() if one.uses != ELSEWHERE and name != uses]
    # Those that come from the same stream first, and of these the ones that keep most.
    streams.sort(key=lambda each: (each[1].uses != uses, -each[1].asked.statistics.filter.bytes))
    for name, one in streams[:MOST_WIDENED]:
        made = wide(one.asked, asked)
        if made is None or made.name in without:
            continue
        planner.placed = dict(without)
        plans = planner.widened(asked, name, made, stays=stays(name))
        if plans is None:
            continue
        planner.placed = plans
        phi = planner.phi()
        if phi < best - LEAST_GAIN * (best - least_cost):
            best, found = phi, (made.name, plans)
    planner.placed = kept
    return found
