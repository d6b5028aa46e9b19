"""The steps of a path in the kernel's form: codes of a name pool instead of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from .axis_selection import nothing, selection
from .node_test import NO_KIND, NodeTest

if TYPE_CHECKING:
    from .name_pool import NamePool
    from .native_rows import NativePlan, NativeStep
    from .tree_interface import TreeInterface

PlanFor = Callable[["TreeInterface"], "NativePlan | None"]


def native_plan(steps: Iterable[tuple[str, NodeTest]]) -> PlanFor:
    """The plan of a path for a tree in the kernel; None if a test needs more than kinds and names."""
    steps = list(steps)
    if any(test.element is not None for _, test in steps):
        return lambda tree: None
    has_wildcards = any(_is_wildcard(test) for _, test in steps)
    pool: NamePool | None = None
    size = 0
    plan: NativePlan | None = None

    def plan_for(tree: TreeInterface) -> NativePlan | None:
        nonlocal pool, size, plan
        names = tree.names
        # The meaning of a wildcard grows with the pool.
        if names is not pool or (has_wildcards and len(names) != size):
            assert tree.native is not None
            plan = tree.native.plan([_native_step(axis, test, names) for axis, test in steps])
            pool, size = names, len(names)
        return plan

    return plan_for


def _is_wildcard(test: NodeTest) -> bool:
    return not test.is_exact and (test.uri is not None or test.local is not None)


def _native_step(axis: str, test: NodeTest, names: NamePool) -> NativeStep:
    if selection(axis, test) is nothing or test.kind == NO_KIND:
        return axis, "nothing", ()
    if test.kind is None:
        return axis, "any", ()
    if test.is_exact:
        return axis, "code", (test.code(names),)
    if _is_wildcard(test):
        return axis, "codes", tuple(names.matching(test.kind, test.uri, test.local))
    return axis, "kind", (test.kind,)
