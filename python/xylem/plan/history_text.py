"""A plan over update streams in words: how each part of the answer is maintained, and which versions are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xylem.analysis.history.demand import Demand
from xylem.errors import Span

from . import history as plan

__all__ = ["history_facts", "history_text"]


def history_text(described: plan.HistoryPlan, demand: Demand) -> str:
    """The output of `xylem explain --updates`. `demand`: the retention of each region for the query as a whole."""
    lines = ["over update streams, after each commit"]
    if described.whole:
        (span, _), *_ = described.notes
        lines.append(f"    the whole query is evaluated again{_at(span)}: {described.whole}")
    else:
        lines += [f"    {line}" for line in _operator(described.root)]
    lines += ["", "history"]
    lines += [f"    {line}" for line in map(kept_line, described.kept)]
    if described.whole or described.scopes_look_back:
        lines.append(f"    {demand_line(demand)}")
    elif not described.kept:
        lines.append("    none: of each region the newest version is kept")
    return "\n".join(lines) + "\n"


def history_facts(described: plan.HistoryPlan, demand: Demand) -> dict[str, Any]:
    """The same for programs."""
    return {
        "whole": described.whole or None,
        "kept": demand_line(demand) if described.whole or described.scopes_look_back else None,
        "operators": [] if described.whole else [line.strip() for line in _operator(described.root)],
        "history": [
            {
                "expression": one.expression,
                "line": None if one.span is None else one.span.line,
                "column": None if one.span is None else one.span.column,
                "path": one.path or None,
                "versions": one.versions or None,
                "seconds": None if one.seconds is None else float(one.seconds),
                "rule": one.rule,
            }
            for one in described.kept
        ],
    }


def demand_line(demand: Demand) -> str:
    """The retention of each region if the whole query is reevaluated."""
    if demand.is_everything:
        place = "" if demand.why is None else _at(demand.why.span)
        return f"every version of each region is kept{place}: the query can ask for any"
    if not demand.versions and demand.seconds is None:
        return "none: of each region the newest version is kept"
    told = (
        []
        if demand.seconds is None
        else [f"the versions of the last {demand.seconds} seconds, and the one before them"]
    )
    told += [f"{demand.versions + 1} versions"] if demand.versions else []
    return f"{' and '.join(told)}, of each region: as far as all projections together look back"


def kept_line(one: plan.Kept) -> str:
    """The retention of one history, and the reason."""
    number = f"{one.versions} version{'s' if one.versions > 1 else ''}"
    if one.seconds is not None:
        number = f"the versions of the last {one.seconds} seconds, and the one before them,"
    of = f"of {one.path}" if one.rule == "S" else "of the value"
    return f"{one.expression}{_at(one.span)}: {number} {of}; rule {one.rule}"


def _at(span: Span | None) -> str:
    return "" if span is None else f" ({span.line}:{span.column})"


def _operator(operator: plan.Operator, indent: str = "") -> Iterator[str]:
    inside = indent + "    "
    match operator:
        case plan.Text():
            return
        case plan.Sequence(parts=parts):
            for part in parts:
                yield from _operator(part, indent)
        case plan.Constructor(name=name, parts=parts):
            yield f"{indent}<{name}>: regions inside it change in place"
            for part in parts:
                yield from _operator(part, inside)
        case plan.Conditional(test=test, then=then, otherwise=otherwise):
            yield f"{indent}if: both branches are kept, a condition that flips shows the other one"
            for part in (test, then, otherwise):
                yield from _operator(part, inside)
        case plan.Fold(name=name, loop=loop):
            yield f"{indent}{name}(): {_FOLDS.get(name, 'folded again from the values that are held')}"
            yield from _operator(loop, inside)
        case plan.Slice(loop=loop):
            yield f"{indent}positions: found in a tree that counts items"
            yield from _operator(loop, inside)
        case plan.Computed(holes=holes, timeline=timeline):
            if holes:
                kept = "" if timeline is None else "; the values it had are kept"
                yield f"{indent}an expression{_at(operator.span)}: computed again when what it reads changes{kept}"
            for hole in holes:
                yield from _operator(hole, inside)
        case plan.Scope(why=why, span=span):
            yield f"{indent}an expression{_at(span)}: evaluated again after each commit, over all there is: {why}"
        case plan.Loop():
            yield from _loop(operator, indent)


_FOLDS = {
    "count": "a number, changed by differences",
    "exists": "a number of witnesses",
    "empty": "a number of witnesses",
    "sum": "changed by differences while they are exact, else added again",
    "avg": "changed by differences while they are exact, else added again",
    "min": "a sorted list",
    "max": "a sorted list",
}


def _loop(loop: plan.Loop, indent: str) -> Iterator[str]:
    inside = indent + "    "
    source = loop.source
    scope = f"{source.path}{_projected(source.projection)}"
    read = "all of it"
    if source.children is not None:
        read = ", ".join(sorted(local for _, local in source.children)) or "nothing"
    yield f"{indent}for each {scope}{_at(loop.span)}: one is evaluated again when what is read of it changes ({read})"
    if source.condition is not None:
        yield f"{inside}and when the condition on an element around it flips"
    if loop.order:
        yield f"{inside}order by: a tree by key and document order"
    if loop.siblings is not None:
        yield f"{inside}places among siblings: found in a tree for each parent"
    if loop.is_numbered:
        yield f"{inside}numbers: found in a tree that counts; those behind are evaluated again where they move"
    for one in loop.lookups:
        yield f"{inside}join with {one.loop.source.path}: a hash index; who asked for a key is evaluated again"
    if loop.group is not None:
        folds = f", with {', '.join(loop.group.folds)} kept by differences" if loop.group.folds else ""
        yield f"{inside}group by: groups that changed are given again{folds}"
    if loop.windows is not None:
        moved = ", and those whose items have moved" if loop.windows.has_positions else ""
        told = f"windows: those that reach a changed item are formed again{moved}"
        yield f"{inside}{'numbers behind it: those that move are given again' if loop.windows.is_rank else told}"
        if loop.windows.columns:
            yield f"{inside}order by: a tree by key and document order"
    if loop.timelines:
        yield f"{inside}the values it had are kept for each"
    if loop.by_time or (source.projection is not None and source.projection.sign[0] == "?"):
        yield f"{inside}and when time alone changes which versions are chosen"
    behind = loop.group or loop.windows
    for hole in (*loop.holes, *(behind.holes if behind is not None else ())):
        yield f"{inside}all of them again when this changes:"
        yield from _operator(hole, inside + "    ")


def _projected(chosen: plan.Projection | None) -> str:
    if chosen is None or (chosen.sign, chosen.amount) == ("#", "0"):
        return ""
    sign = chosen.sign[0]
    return f"{sign}[{chosen.amount}]" if chosen.sign.endswith("[]") else f"{sign}{chosen.amount}"
