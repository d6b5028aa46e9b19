"""The steps of a scan that keep what a projection needs."""

from __future__ import annotations

from xylem.analysis.projection import Projection

from .scan_plan import Keep, Report, ScanStep


def keep_of(projection: Projection) -> Keep:
    """What is kept of an element itself."""
    if projection.subtree:
        return Keep.SUBTREE
    if projection.string:
        # A string value beside kept children needs the text in its place.
        return Keep.SUBTREE if projection.children or projection.leaves else Keep.STRING
    return Keep.NOTHING


def kept_step(parent: int, axis: str, uri: str | None, local: str | None, report: Report, kept: Projection) -> ScanStep:
    """A step that keeps the needed parts of the elements it reaches."""
    attributes = None if kept.all_attributes else tuple(sorted(kept.attributes))
    return ScanStep(parent, axis, uri, local, report, keep_of(kept), attributes, kept.text, remarks=kept.remarks)


def add_kept_steps(made: list[ScanStep], parent: int, projection: Projection) -> None:
    """Append the steps for a projection below a step."""
    if keep_of(projection) is Keep.SUBTREE:
        return
    for (axis, uri, local), below in projection.children.items():
        made.append(kept_step(parent, axis, uri, local, Report.NOTHING, below))
        add_kept_steps(made, len(made) - 1, below)
