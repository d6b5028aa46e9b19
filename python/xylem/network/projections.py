"""Decide whether one projection of a record keeps everything that another needs."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.analysis.projection import Projection, Test


def missing_paths(kept: Projection, needed: Projection) -> list[str]:
    """The needed paths that are not kept, in readable form; empty if everything is there."""
    return list(_missing(kept, needed, ""))


def _missing(kept: Projection, needed: Projection, prefix: str) -> Iterator[str]:
    if kept.subtree:
        return
    here = f"{prefix}/" if prefix else ""
    if needed.subtree:
        yield prefix or "the whole record"
        return
    if needed.string and not kept.string:
        yield f"{here}string()"
    # The text of an element is not part of a string that is kept of it along with other text.
    if needed.text and not kept.text:
        yield f"{here}text()"
    if needed.remarks and not kept.remarks:
        yield f"{here}comment()"
    if not kept.all_attributes:
        if needed.all_attributes:
            yield f"{here}@*"
        for _, local in sorted(needed.attributes - kept.attributes):
            yield f"{here}@{local}"
    for test, below in needed.children.items():
        lacking = [list(_missing(found, below, f"{here}{_step(test)}")) for found in _covering(kept, test)]
        if not lacking:
            yield f"{here}{_step(test)}"
        elif all(lacking):
            yield from min(lacking, key=len)


def _covering(kept: Projection, sought: Test) -> Iterator[Projection]:
    """The kept parts of all elements whose tests include the given one: `*` covers all children, `//en` every en."""
    axis, uri, local = sought
    for (own_axis, own_uri, own_local), found in kept.children.items():
        if own_axis not in (axis, "descendant") or (own_axis == "child" and axis == "descendant"):
            continue
        if own_uri in (None, uri) and own_local in (None, local):
            yield found


def _step(test: Test) -> str:
    axis, _, local = test
    return f"{'/' if axis == 'descendant' else ''}{local or '*'}"


def copied(projection: Projection) -> Projection:
    """A separate copy of a projection."""
    made = Projection()
    made.merge(projection)
    return made
