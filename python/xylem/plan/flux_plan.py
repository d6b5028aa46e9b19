"""The plan of a streamed query: its FluX program, what is buffered for it, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xylem.syntax import ast

from .flux import Flux


@dataclass(frozen=True)
class Buffered:
    """What is kept of one variable, until when, and how much that can become."""

    variable: str
    paths: tuple[str, ...]
    until: str
    bound: str
    """one item, a window, or the whole stream"""

    def to_dict(self) -> dict[str, Any]:
        return {"variable": self.variable, "paths": list(self.paths), "until": self.until, "bound": self.bound}


@dataclass(frozen=True)
class Applied:
    """A rule that changed something."""

    rule: str
    before: Flux
    after: Flux


@dataclass(frozen=True)
class FluxPlan:
    """A query over one stream."""

    program: Flux
    normal_form: Flux
    """XQuery⁻, before it became a program."""
    source: ast.Expr | None = None
    """The call that names the streamed document; None for the context item."""
    buffers: tuple[Buffered, ...] = ()
    steps: tuple[Applied, ...] = ()
    """The rules that were applied, in their order."""
