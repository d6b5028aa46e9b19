"""Names for the variables of a program: each is bound once, and the query uses none of them for another purpose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import copy

from xylem.analysis.bound_names import bound_names
from xylem.plan.flux import ROOT
from xylem.syntax import ast


class Names:
    """Creates unique names. The query's own names stay if they are bound only once."""

    def __init__(self, body: ast.Node, declared: Iterable[ast.Declaration] = ()) -> None:
        bound: Counter[str] = Counter()
        read: set[tuple[str, str]] = set()
        for node in body.walk():
            if isinstance(node, ast.VarRef):
                read.add(node.name.expanded)
            else:
                bound.update(name.local for name in bound_names(node))
        globals_read = {local for uri, local in read if not bound[local] or uri}
        prolog = {declaration.name.local for declaration in declared if isinstance(declaration, ast.VariableDecl)}
        self._taken = {ROOT, *globals_read, *prolog, *(local for local, times in bound.items() if times > 1)}
        self._others = set(bound)
        """Names bound once in the query: only that binding may use the name unchanged."""

    def copy(self) -> Names:
        """The same names, for a program that is made from the same expressions."""
        made = copy(self)
        made._taken = set(self._taken)
        return made

    def keep(self, name: ast.Name) -> str:
        """A name for a variable of the query."""
        return self._give(name.local, self._taken)

    def invent(self, like: str) -> str:
        """A name for a variable that the query does not have."""
        base = "".join(c for c in like if c.isalnum() or c in "_-.") or "x"
        return self._give(base if not base[0].isdigit() else f"x{base}", self._taken | self._others)

    def _give(self, base: str, taken: set[str]) -> str:
        name, count = base, 1
        while name in taken or (count > 1 and name in self._others):
            count += 1
            name = f"{base}{count}"
        self._taken.add(name)
        return name
