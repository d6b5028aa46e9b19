"""A program prepared for many documents: everything that does not depend on the document is created once.

Generated code is loaded for the first document and reused for the next ones; the variables of the prolog are reset.
Code that keeps more, such as indexes of joins or functions in the answer, is loaded again for each document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from types import FunctionType
from typing import Any

from xylem.functions.context import Context, Resources, RunPart
from xylem.syntax import ast
from xylem.values.datetimes import DateTime
from xylem.values.node import Node

from .deep_stack import with_deep_stack
from .program import Program, current_time
from .runtime.globals import Global

_MAKES_FUNCTIONS = (ast.InlineFunction, ast.NamedFunctionRef, ast.ArgumentPlaceholder)


class PreparedProgram:
    """Runs of a program with the same variables, at the same time; one document after another.

    Holds:  nothing of earlier documents.
    """

    def __init__(
        self,
        program: Program,
        resources: Resources,
        *,
        variables: Mapping[tuple[str, str], Any] | None = None,
        environment: Mapping[str, str] | None = None,
        now: DateTime | None = None,
    ) -> None:
        self._program = program
        self._run = RunPart(resources, now or current_time(), environment, dict(variables or {}))
        self._space: dict[str, Any] | None = None
        self._variables: list[Global] = []
        """The variables of the prolog in the loaded code."""
        self._keeps = any(isinstance(node, _MAKES_FUNCTIONS) for node in program.module.walk())

    def bind(self, variables: Mapping[tuple[str, str], Any]) -> None:
        """Set the values of external variables for the next documents."""
        self._run.variables.update(variables)
        for variable in self._variables:
            variable.forget()

    def items_now(self, document: Node, most: int) -> list[Any] | None:
        """The answer over one document at this time; None if it has more than the given number of items."""
        self._run.now = current_time()
        answer = self._program.guarded(self._main(document))
        found = list(islice(answer, most + 1))
        return found if len(found) <= most else None

    def items(self, document: Node) -> list[Any]:
        """The whole answer over one document."""
        main = self._main(document)
        if self._program.may_recurse:
            return with_deep_stack(lambda: list(self._program.guarded(main)))
        return list(self._program.guarded(main))

    def _main(self, document: Node) -> Callable[[], Any]:
        """The code that computes the answer over a document."""
        program = self._program
        space = self._space
        if space is None:
            space = program.namespace(self._run, (document,))
            if not self._keeps:
                self._load(space)
        else:
            space["context_item"].begin((document,))
            for variable in self._variables:
                variable.begin()
        main: Callable[[], Any] = space[program.main]
        return main

    def _load(self, space: dict[str, Any]) -> None:
        """Keep the code for the next documents, if it contains only functions, their contexts and variables."""
        given = {*self._program.constants, "Context", "run", "locate", "context_item", "__builtins__"}
        own = [value for name, value in space.items() if name not in given]
        if all(isinstance(value, (FunctionType, Context, Global)) for value in own):
            self._space = space
            self._variables = [value for value in own if isinstance(value, Global)]
        else:
            self._keeps = True
