"""What every rule must leave as it was, whatever else it changes."""

from __future__ import annotations

from collections import Counter

from xylem.plan.flux import ROOT, Fixed, Flux, For, If, Opening, Sequence
from xylem.plan.flux_plan import Applied
from xylem.plan.flux_variables import free_variables


def broken_by(change: Applied) -> list[str]:
    """Invariants that one application of a rule breaks."""
    found = []
    new = free_variables(change.after) - free_variables(change.before)
    if new:
        found.append(f"{change.rule} reads {sorted(new)}, which nothing there bound")
    twice = [name for name, times in Counter(bound(change.after)).items() if times > 1]
    if twice:
        found.append(f"{change.rule} binds {twice} twice")
    if not _is_subsequence(tags(change.after), tags(change.before)):
        found.append(f"{change.rule} writes other tags, or in another order")
    return found


def broken_in(query: Flux) -> list[str]:
    """Invariants that a whole query in normal form breaks."""
    found = [f"{name} is not bound" for name in free_variables(query) - {ROOT}]
    depth = 0
    for kind, _ in tags(query):
        depth += {"open": 1, "close": -1, "text": 0}[kind]
        if depth < 0:
            found.append("an end tag comes before its start tag")
    return found if depth == 0 else [*found, "a tag stays open"]


def bound(body: Flux) -> list[str]:
    """The variables bound inside, one entry per binding."""
    match body:
        case Sequence(parts=parts):
            return [name for part in parts for name in bound(part)]
        case For(variable=variable, position=position, body=inner):
            return [variable, *([position] if position else []), *bound(inner)]
        case If(body=inner):
            return bound(inner)
    return []


def tags(body: Flux) -> list[tuple[str, str]]:
    """What is written, in its order, whatever the conditions."""
    match body:
        case Sequence(parts=parts):
            return [tag for part in parts for tag in tags(part)]
        case For(body=inner) | If(body=inner):
            return tags(inner)
        case Opening(element=element):
            return [("open", str(element.name))]
        case Fixed(text=text, opens=opens, closes=closes):
            if opens is not None and closes is None:
                return [("open", str(opens.name))]
            return [("close", str(closes.name))] if closes is not None and opens is None else [("text", text)]
    return []


def _is_subsequence(some: list[tuple[str, str]], of: list[tuple[str, str]]) -> bool:
    rest = iter(of)
    return all(tag in rest for tag in some)
