"""What a stream program will do with its stream, read off the roles of its steps: the account `explain` gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.functions.registry import FN
from xylem.functions.traits import GROWS
from xylem.plan import flux
from xylem.plan.buffers import A_WINDOW, AN_ITEM, THE_STREAM
from xylem.plan.flux_plan import Buffered
from xylem.plan.keyed_groups import FOUND_KEYS
from xylem.plan.scan_plan import (
    AttributeTest,
    Keep,
    NameTest,
    PositionTest,
    PresenceTest,
    Report,
    ScanPlan,
    ScanStep,
)
from xylem.plan.stream_account import Aggregated, StreamAccount, Streamed
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.roles import FeedRole, ItemRole, KeepRole, RegionRole, Role, ScopeRole, WindowRole

from .window_account import held_by_windows

BY_TURN = "as many as its loops have turns"
BY_GROUP = "as many as there are groups"
BY_QUERY = "what the query lets it become"


def account_of(program: StreamProgram) -> StreamAccount:
    """The account of one program."""
    paths = _Paths(program.scan)
    return StreamAccount(
        tuple(found for role in program.roles if (found := _streamed(role, program, paths)) is not None),
        tuple(_aggregated(role, paths) for role in program.roles if isinstance(role, FeedRole) and _is_folded(role)),
        _buffered(program, paths),
        program.plan.program,
        program.handlers.code,
        fusions=program.plan.fusions,
    )


def account_of_all(programs: Sequence[StreamProgram]) -> StreamAccount:
    """The account of programs that give an answer one after the other."""
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
    )


def _streamed(role: Role, program: StreamProgram, paths: _Paths) -> Streamed | None:
    match role:
        case ScopeRole(parent=ScopeRole()):
            return Streamed(paths.absolute(role.step), role.variable, "child by child", ())
        case ItemRole():
            name, by_scan = program.slots[role.slot], program.scan.steps[role.step].result is not None
            if role.text_steps:
                return Streamed(_text_path(role, paths), name, _how(role.limit), (), by_scan)
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
    """Whether records become a value; others are only collected."""
    return role.scope.aggregates[role.aggregate].function not in ("items", "first")


def _aggregated(role: FeedRole, paths: _Paths) -> Aggregated:
    step = paths.steps[role.step]
    by_scan = step.result is not None or bool(step.report & Report.COUNT)
    aggregate = role.scope.aggregates[role.aggregate]
    function = aggregate.function
    if aggregate.table is not None:
        by = "group" if any(key.kind in FOUND_KEYS for key in aggregate.table.keys) else "key"
        function = f"{', '.join(dict.fromkeys(part.function for part in aggregate.table.parts))} by {by}".strip()
    path = _text_path(role, paths) if role.text_steps else paths.absolute(role.step)
    return Aggregated(path, function, by_scan)


def _text_path(role: ItemRole | FeedRole, paths: _Paths) -> str:
    return f"{paths.absolute(role.text_steps[0])}{'/' * len(role.text_steps)}text()"


def _buffered(program: StreamProgram, paths: _Paths) -> tuple[Buffered, ...]:
    """What the roles keep. Where the plan says more exactly until when, and how much, its word counts."""
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
    return (*found.values(), *filter(None, values), *filter(None, open_records), *held_by_windows(program))


def _kept_while_open(role: FeedRole, paths: _Paths) -> Buffered | None:
    """What the scan keeps of a record that may be the document's own element: it is complete when all has passed."""
    if not role.scope.is_single or not paths.may_hold_all(role.step):
        return None
    path = paths.absolute(role.step)
    return Buffered(role.scope.variable, paths.kept_as(path, role.step), f"the end of the outermost {path}", THE_STREAM)


def _kept_value(role: FeedRole, paths: _Paths) -> Buffered | None:
    """What an aggregate holds that is more than a number."""
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


def _kept_by(role: Role, program: StreamProgram, paths: _Paths) -> Buffered | None:
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
        case WindowRole(slot=slot):
            name = program.slots[slot]
            return Buffered(name, paths.kept(role.step), "the window has moved on", A_WINDOW)
    return None


class _Paths:
    """The steps of a scan as paths that a person reads."""

    def __init__(self, scan: ScanPlan) -> None:
        self.steps = scan.steps

    def absolute(self, index: int) -> str:
        text = ""
        while index > 0:
            text = _written(self.steps[index]) + text
            index = self.steps[index].parent
        return text or "/"

    def name(self, index: int) -> str:
        return self.steps[index].local or "*"

    def kept(self, index: int) -> tuple[str, ...]:
        """What is kept of each element that a step reaches, relative to it."""
        step = self.steps[index]
        if step.keep is Keep.SUBTREE:
            return ("everything",)
        found = ["string()"] if step.keep is Keep.STRING else []
        found += _own(step)
        for below, candidate in enumerate(self.steps):
            if candidate.parent == index and not candidate.report:
                found += self.kept_with_name(below)
        return tuple(dict.fromkeys(found))

    def may_hold_all(self, index: int) -> bool:
        """Whether an element that is reported when it is complete may be one around all the others.

        One that is asked for by any name may, and the document's own; of others it is not said how large they become.
        """
        step = self.steps[index]
        if not step.report & Report.ITEM or not any(not kept.startswith("@") for kept in self.kept(index)):
            return False
        if step.axis == "child":
            return step.parent == 0
        return step.local is None and not step.name_tests

    def kept_as(self, path: str, index: int) -> tuple[str, ...]:
        """The same, each after a path."""
        kept = self.kept(index)
        return tuple(path if one == "everything" else f"{path}/{one}" for one in kept) or (path,)

    def kept_with_name(self, index: int) -> tuple[str, ...]:
        """The same, relative to its parent."""
        name = _written(self.steps[index]).removeprefix("/")
        name = f".{name}" if name.startswith("/") else name
        inner = self.kept(index)
        if inner == ("everything",) or not inner:
            return (name,)
        return tuple(f"{name}/{path}" for path in inner)


def _written(step: ScanStep) -> str:
    slash = "//" if step.axis == "descendant" else "/"
    names = "".join(f"[{_names(test)}]" for test in step.name_tests)
    tests = "".join(f"[{_start_test(test)}]" for test in step.start_tests)
    return f"{slash}{step.local or '*'}{names}{tests}"


def _start_test(test: AttributeTest | PresenceTest | PositionTest) -> str:
    match test:
        case AttributeTest():
            return f"@{test.local} {test.op} {_constant(test.string, test.number)}"
        case PresenceTest():
            return f"@{test.local}"
    if test.first == test.last:
        return f"{test.first}"
    return f"position() >= {test.first}" if test.last is None else f"position() = {test.first} to {test.last}"


def _names(test: NameTest) -> str:
    return " or ".join(f"self::{local or '*'}" for _, local in test.names)


def _constant(string: str | None, number: float | None) -> str:
    return f"'{string}'" if number is None else f"{number:g}"


def _own(step: ScanStep) -> list[str]:
    attributes = ["@*"] if step.attributes is None else [f"@{local}" for _, local in step.attributes]
    return attributes + (["text()"] if step.text else [])
