"""The account of a stream program that `explain` prints, taken from the roles of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.near_siblings import ALL_SIBLINGS
from xylem.functions.registry import FN
from xylem.functions.traits import GROWS
from xylem.plan import flux
from xylem.plan.bounds import A_WINDOW, AN_ITEM, BY_GROUP, BY_QUERY, BY_TURN, THE_STREAM
from xylem.plan.flux_plan import Buffered
from xylem.plan.keyed_groups import FOUND_KEYS
from xylem.plan.scan_plan import Report
from xylem.plan.stream_account import Aggregated, StreamAccount, Streamed
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.roles import FeedRole, ItemRole, KeepRole, RegionRole, Role, ScopeRole, WindowRole

from .scan_paths import ScanPaths
from .window_account import held_by_windows


def account_of(program: StreamProgram) -> StreamAccount:
    """The account of one stream program."""
    paths = ScanPaths(program.scan)
    return StreamAccount(
        tuple(found for role in program.roles if (found := _streamed(role, program, paths)) is not None),
        tuple(_aggregated(role, paths) for role in program.roles if isinstance(role, FeedRole) and _is_folded(role)),
        _buffered(program, paths),
        program.plan.program,
        program.handlers.code,
        fusions=program.plan.fusions,
        by_code=program.by_code,
    )


def account_of_all(programs: Sequence[StreamProgram]) -> StreamAccount:
    """The account of programs that write parts of the answer one after the other."""
    found = [account_of(program) for program in programs]
    if len(found) == 1:
        return found[0]
    return replace(
        found[-1],
        streamed=tuple(streamed for one in found for streamed in one.streamed),
        aggregated=tuple(aggregated for one in found for aggregated in one.aggregated),
        buffered=tuple(buffered for one in found for buffered in one.buffered),
        program=flux.Sequence(tuple(one.program for one in found)),
        code="\n".join(one.code for one in found),
        by_code=tuple(dict.fromkeys(each for one in found for each in one.by_code)),
    )


def _streamed(role: Role, program: StreamProgram, paths: ScanPaths) -> Streamed | None:
    match role:
        case ScopeRole(parent=ScopeRole()):
            return Streamed(paths.absolute(role.step), role.variable, "child by child", ())
        case ItemRole():
            name, by_scan = program.slots[role.slot], program.scan.steps[role.step].result is not None
            if role.leaf_steps:
                return Streamed(paths.leaves(role.leaf_steps), name, _how(role.limit), (), by_scan)
            return Streamed(paths.absolute(role.step), name, _how(role.limit), paths.kept(role.step), by_scan)
        case RegionRole():
            return Streamed(paths.absolute(role.step), role.variable, _how(role.limit), paths.kept(role.step))
        case WindowRole():
            name = program.slots[role.slot]
            return Streamed(paths.absolute(role.step), name, "window by window", paths.kept(role.step))
    return None


def _how(limit: int | None) -> str:
    return "one at a time" if limit is None else f"one at a time, up to number {limit}"


def _is_folded(role: FeedRole) -> bool:
    """Whether records are reduced to a value; others are only collected."""
    return role.scope.aggregates[role.aggregate].function not in ("items", "first")


def _aggregated(role: FeedRole, paths: ScanPaths) -> Aggregated:
    step = paths.steps[role.step]
    by_scan = step.result is not None or bool(step.report & Report.COUNT)
    aggregate = role.scope.aggregates[role.aggregate]
    function = aggregate.function
    if aggregate.table is not None:
        by = "group" if any(key.kind in FOUND_KEYS for key in aggregate.table.keys) else "key"
        function = f"{', '.join(dict.fromkeys(part.function for part in aggregate.table.parts))} by {by}".strip()
    path = paths.leaves(role.leaf_steps) if role.leaf_steps else paths.absolute(role.step)
    return Aggregated(path, function, by_scan)


def _buffered(program: StreamProgram, paths: ScanPaths) -> tuple[Buffered, ...]:
    """The buffers of the roles. The plan overrides them if it knows duration and size more exactly."""
    planned = {buffer.variable: buffer for buffer in program.plan.buffers}
    found: dict[str, Buffered] = {}
    for role in program.roles:
        buffer = _kept_by(role, program, paths)
        if buffer is not None and buffer.variable not in found:
            told = planned.get(buffer.variable, buffer)
            found[buffer.variable] = replace(told, bound=THE_STREAM) if buffer.bound == THE_STREAM else told
    feeds = [role for role in program.roles if isinstance(role, FeedRole)]
    values = (_kept_value(role, paths) for role in feeds)
    open_records = (_kept_while_open(role, paths) for role in feeds)
    beside = (_kept_beside(role, program, paths) for role in program.roles if isinstance(role, (ItemRole, FeedRole)))
    return (
        *found.values(),
        *filter(None, values),
        *filter(None, open_records),
        *filter(None, beside),
        *held_by_windows(program),
    )


def _kept_beside(role: ItemRole | FeedRole, program: StreamProgram, paths: ScanPaths) -> Buffered | None:
    """Content kept in the parents of records; a parent may be the document's element."""
    awaits = program.scan.steps[role.step].awaits
    kept = [
        (_scope(scope, paths), path.removeprefix(".//").removeprefix("./"))
        for other, many, scope in awaits
        if many == ALL_SIBLINGS
        for path in paths.kept_with_name(other)
    ]
    if not kept:
        return None
    name = program.slots[role.slot]
    told = tuple(dict.fromkeys(f"{scope}/{path}" for scope, path in kept))
    ends = " and ".join(dict.fromkeys(f"${name}/{scope}" for scope, _ in kept))
    return Buffered(name, told, f"the end of {ends}", THE_STREAM)


def _scope(scope: int, paths: ScanPaths) -> str:
    """The ancestor that a record waits for, as a path."""
    return "/".join([".."] * scope) if scope > 0 else f"ancestor::{paths.steps[-scope].local}[1]"


def _kept_while_open(role: FeedRole, paths: ScanPaths) -> Buffered | None:
    """The buffers of a record that may be the document element, which is complete only at the end of the input."""
    if not role.scope.is_single or not paths.may_hold_all(role.step):
        return None
    path = paths.absolute(role.step)
    return Buffered(role.scope.variable, paths.kept_as(path, role.step), f"the end of the outermost {path}", THE_STREAM)


def _kept_value(role: FeedRole, paths: ScanPaths) -> Buffered | None:
    """The state of an aggregate that is more than a number."""
    variable, function = role.scope.variable, role.scope.aggregates[role.aggregate].function
    table = role.scope.aggregates[role.aggregate].table
    if table is not None and any(key.kind in FOUND_KEYS for key in table.keys):
        cells = f"the aggregates of each group of {paths.absolute(role.step)}"
        grows = any((FN, part.function) in GROWS for part in table.parts)
        bound = THE_STREAM if grows and role.scope.is_single else BY_GROUP
        return Buffered(variable, (cells,), f"the end of ${variable}", bound)
    if table is not None:
        are_known = all(key.items is not None for key in table.keys)
        cells = f"accumulators by key of {paths.absolute(role.step)}"
        bound = BY_TURN if are_known or not role.scope.is_single else THE_STREAM
        return Buffered(variable, (cells,), f"the end of ${variable}", bound)
    first = role.scope.aggregates[role.aggregate].first
    if first is not None:
        which = f"the {'last' if first.is_last else 'first'} in order of"
        kept_paths = tuple(f"{which} {one}" for one in paths.kept_as(paths.absolute(role.step), role.step))
        return Buffered(variable, kept_paths, f"the end of ${variable}", first.told)
    if function not in ("string-join", "distinct-values", "last", "fold-left", "items"):
        return None
    path = paths.absolute(role.step)
    if function == "items":
        bound = THE_STREAM if role.scope.is_single else AN_ITEM
        return Buffered(variable, paths.kept_as(path, role.step), f"the end of ${variable}", bound)
    last = role.scope.aggregates[role.aggregate].parameter or "1"
    kept = {
        "string-join": f"the text of {path}",
        "distinct-values": f"the different values of {path}",
        "last": f"the last {path}" if last == "1" else f"the last {last} of {path}",
        "fold-left": f"the value folded from {path}",
    }[function]
    bound = AN_ITEM if function != "last" or last == "1" else f"{last} items"
    grows = (FN, function) in GROWS or role.scope.aggregates[role.aggregate].grows
    if function == "fold-left":
        bound = BY_QUERY
    bound = THE_STREAM if grows and role.scope.is_single else bound
    return Buffered(variable, (kept,), f"the end of ${variable}", bound)


def _kept_by(role: Role, program: StreamProgram, paths: ScanPaths) -> Buffered | None:
    match role:
        case ScopeRole(keeps_children=True, variable=variable):
            keeps = [r.step for r in program.roles if isinstance(r, KeepRole) and r.scope is role]
            kept = tuple(path for step in keeps for path in paths.kept_with_name(step))
            bound = THE_STREAM if role.parent is None else AN_ITEM
            return Buffered(variable, kept, f"the end of ${variable}", bound)
        case ItemRole(held_as=str(variable)):
            bound = THE_STREAM if role.scope.is_single and paths.may_hold_all(role.step) else AN_ITEM
            return Buffered(variable, paths.kept(role.step), f"the end of ${variable}", bound)
        case RegionRole(variable=variable, candidates=candidates):
            names = [paths.name(candidate.step) for candidate in candidates]
            kept = paths.kept(role.step) or ("the start tag",)
            bound = THE_STREAM if "*" in names and role.scope.is_single else AN_ITEM
            return Buffered(variable, kept, f"the predicate of {' and '.join(names)} is decided", bound)
        case WindowRole(slot=slot, aggregates=[]):
            name = program.slots[slot]
            return Buffered(name, paths.kept(role.step), "the window has moved on", A_WINDOW)
    return None
