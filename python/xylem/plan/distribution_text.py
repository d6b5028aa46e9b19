"""`xylem explain --on spark`: how a query is divided into tasks, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from xylem.source.byte_ranges import PathStep, Scope

from .distribution import BROADCAST_BYTES, Distribution, Join, Part

_INDENT = "    "
_BROADCAST_LIMIT = f"{BROADCAST_BYTES >> 20} MB"


def distribution_text(distribution: Distribution) -> str:
    """The whole of it, in a few lines for each part."""
    if not distribution.is_parallel:
        (part,) = distribution.parts
        return "\n".join(["one task, over the whole input", f"{_INDENT}{part.why}"]) + "\n"
    lines = ["split", *_indented(_split_lines(distribution.parts))]
    stages = 1 + max(part.stage for part in distribution.parts)
    shuffles = sum(len(part.shuffles) for part in distribution.parts)
    order = "in its order" if distribution.ordered else "in any order"
    joins = sum(join.is_by_key for part in distribution.parts for join in part.joins)
    joined = f", {_number(joins, 'join')} by key" if joins else ""
    sorts = sum(bool(part.order) for part in distribution.parts)
    is_sorted = f", {_number(sorts, 'sort')}" if sorts else ""
    passes = _number(stages, "pass", "passes")
    lines += ["", f"{passes} over the input, {_number(shuffles, 'shuffle')}{is_sorted}{joined}, answer {order}"]
    for part in distribution.parts:
        lines += ["", *_part_lines(part, stages)]
    lines += ["", "frame, once on the driver", *_indented(distribution.frame.splitlines())]
    return "\n".join(lines) + "\n"


def distribution_facts(distribution: Distribution) -> dict[str, Any]:
    """Plain data, for JSON."""
    return {
        "parallel": distribution.is_parallel,
        "ordered": distribution.ordered,
        "scopes": scope_paths(distribution.parts),
        "stages": 1 + max((part.stage for part in distribution.parts), default=0),
        "parts": [_part_facts(part) for part in distribution.parts],
        "frame": distribution.frame,
    }


def scope_path(scope: Scope) -> str:
    """A scope as a path: /site/people/person, //item."""
    return "".join(map(_step, scope))


def scope_paths(parts: Iterable[Part]) -> list[str]:
    """The scopes of some parts, each once."""
    return list(dict.fromkeys(scope_path(scope) for part in parts for scope in part.scopes))


def _split_lines(parts: Sequence[Part]) -> Iterator[str]:
    """Where documents are cut: before the elements of scopes, and never inside them."""
    whole = [part for part in parts if not part.cuts_anywhere]
    has_items = any(part.scopes for part in whole)
    if len(whole) < len(parts) and not has_items:
        yield "between any two tags"
        return
    is_anywhere, parts = len(whole) < len(parts), whole
    roots = [scope_path(scope) for part in parts for scope in part.scopes if _is_root(scope)]
    if roots and not any(part.is_divisible for part in parts):
        yield f"nowhere: {roots[0]} leads to the root element, so each file is one range"
        return
    yield from (f"before each {path}" for path in scope_paths(parts))
    if is_anywhere:
        yield "between any two tags outside of these"
    if not has_items:
        yield "nowhere: each file is one range"


def _is_root(scope: Scope) -> bool:
    """Whether one of these is the root element of any document: `//*`."""
    return len(scope) == 1 and scope[0][1:] == (None, None)


def _step(step: PathStep) -> str:
    axis, uri, local = step
    if uri:
        name = f"Q{{{uri}}}{local or '*'}"
    else:
        name = local or "*" if uri is None or local else "Q{}*"
    return ("//" if axis == "descendant" else "/") + name


def _part_lines(part: Part, stages: int) -> list[str]:
    when = f", pass {part.stage + 1}" if stages > 1 else ""
    lines = [f"part {part.number}, line {part.line}: {part.kind.value}{when}"]
    lines += _indented(part.text.splitlines())
    for shuffle in part.shuffles:
        lines.append(f"{_INDENT}- shuffled {shuffle}")
    if part.order:
        lines.append(f"{_INDENT}- sorted by {part.order}: each task sorts its rows, the driver merges them")
    lines += [f"{_INDENT}- {line}" for line in _join_lines(part.joins)]
    if part.why:
        lines.append(f"{_INDENT}- {part.why}")
    return lines


def _join_lines(joins: Iterable[Join]) -> Iterator[str]:
    plain = [f"part {join.part}" for join in joins if not join.is_by_key and not join.why]
    if plain:
        yield f"every task is given {', '.join(plain)}"
    for join in joins:
        if join.is_by_key:
            by = " and ".join(f"`{equality}`" for equality in join.equalities)
            yield (
                f"joined with part {join.part} by key, {by}: every task is given all of it up to {_BROADCAST_LIMIT}, "
                "beyond that both sides are shuffled by key and each task is given what may match"
            )
        elif join.why:
            yield f"every task is given part {join.part}, whatever its size: {join.why}"


def _part_facts(part: Part) -> dict[str, Any]:
    return {
        "number": part.number,
        "kind": part.kind.name.lower(),
        "line": part.line,
        "column": part.column,
        "query": part.text,
        "scopes": [scope_path(scope) for scope in part.scopes],
        "cuts_anywhere": part.cuts_anywhere,
        "stage": part.stage,
        "needs": list(part.needs),
        "shuffles": list(part.shuffles),
        "order": part.order,
        "joins": [
            {"part": join.part, "by_key": join.is_by_key, "equalities": list(join.equalities), "why": join.why}
            for join in part.joins
        ],
        "why": part.why,
    }


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"{_INDENT}{line}".rstrip() for line in lines]


def _number(count: int, one: str, many: str = "") -> str:
    return f"{count or 'no'} {one if count <= 1 else many or one + 's'}"
