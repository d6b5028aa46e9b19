"""The plan of a streamed query: its FluX program, its buffers, and the rules that led to it."""

from __future__ import annotations

from typing import Any

from xylem.syntax import ast
from xylem.syntax.ast.node import ast_node

from .flux import Flux, Record


@ast_node
class Buffered(Record):
    """The buffer of one variable: its content, how long it is kept, and how large it may be."""

    variable: str
    paths: tuple[str, ...]
    until: str
    bound: str
    """One item, a window, or the whole stream."""
    passes_on: bool = False
    """Whether results are written while it is kept: nothing waits for its end."""

    def to_dict(self) -> dict[str, Any]:
        return {"variable": self.variable, "paths": list(self.paths), "until": self.until, "bound": self.bound}


@ast_node
class Applied(Record):
    """A rule that changed something."""

    rule: str
    before: Flux
    after: Flux


@ast_node
class AnswerPart(Record):
    """A part of the answer, written after earlier ones."""

    text: str
    reads_input: bool


@ast_node
class FluxPlan(Record):
    """A query over one stream."""

    program: Flux
    normal_form: Flux
    """XQuery⁻, before it became a program."""
    source: ast.Expr | None = None
    """The call that names the streamed document; None for the context item."""
    reads_input: bool = True
    """Whether the query reads the streamed document at all."""
    buffers: tuple[Buffered, ...] = ()
    steps: tuple[Applied, ...] = ()
    """The rules that were applied, in their order."""
    fusions: tuple[str, ...] = ()
    """The rewritings that turned many passes into one, in words."""
    parts: tuple[AnswerPart, ...] = ()
    """The consecutive parts of the answer."""
    whole: Flux | None = None
    """The whole query, if the program writes only some parts of it."""
