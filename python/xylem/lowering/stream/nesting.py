"""Whether the elements that a step reaches may be nested."""

from __future__ import annotations

from xylem.plan.flux import Step
from xylem.plan.needs import element_names
from xylem.plan.symbols import may_contain
from xylem.schema.constraints import ElementConstraints


def may_nest(step: Step, of: ElementConstraints | None) -> bool:
    """Whether an element that a step reaches may contain another one."""
    uri, local = element_names(step)
    return local is None or may_contain(of, local, uri)
