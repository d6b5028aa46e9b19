"""Split an expression over the input: the path of its records, their conditions, and the value taken from each.

    /s/p[x = $i]/v                                     →     /s/p,  [$r/x = $i],   $r/v
    for $q in /s/p where $q/x = $i return f($q)        →     /s/p,  [$q/x = $i],   f($r)
    /s/p[x = $i] ! f(.)                                →     /s/p,  [$r/x = $i],   $r ! f(.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.focus import reads_focus, uses_position
from xylem.analysis.streamable_paths import is_descend, is_test
from xylem.syntax import ast

from ..substitution import FocusInTheWay, Substitution


@dataclass(frozen=True)
class RecordSource:
    path: ast.Expr
    """The path to the records, without predicates."""
    conditions: tuple[ast.Expr, ...]
    """The conditions on a record, in terms of the variable."""
    taken: ast.Expr
    """The value taken from a record."""
    nests: bool
    """Whether records may be nested."""

    @property
    def leaves_order(self) -> bool:
        """Whether the values taken from the records in turn may be out of document order."""
        return self.nests and isinstance(self.taken, ast.Path)


def record_source(expr: ast.Expr, record: ast.VarRef) -> RecordSource | None:
    """The expression taken apart, with the variable for a record; None if it has another form."""
    try:
        match expr:
            case ast.Flwor():
                return _of_loop(expr, record)
            case ast.SimpleMap(left=left, right=right) if not uses_position(right):
                found = record_source(left, record)
                return None if found is None else replace(found, taken=replace(expr, left=found.taken))
            case ast.Filter(base=base, predicate=predicate) if is_test(predicate) and not uses_position(predicate):
                found = record_source(base, record)
                if found is None or found.taken != record:
                    return None
                return replace(found, conditions=(*found.conditions, *_of_record(predicate, record)))
            case ast.Path() | ast.AxisStep():
                return _of_path(expr, record)
    except FocusInTheWay:
        pass
    return None


def _of_record(predicate: ast.Expr, record: ast.VarRef) -> list[ast.Expr]:
    return conjuncts(Substitution({}, record).apply(predicate))


def _of_loop(loop: ast.Flwor, record: ast.VarRef) -> RecordSource | None:
    first, *rest = loop.clauses
    if not isinstance(first, ast.ForClause) or first.position or first.allowing_empty or first.type is not None:
        return None
    if not all(isinstance(clause, (ast.ForClause, ast.LetClause, ast.WhereClause)) for clause in rest):
        return None
    found = record_source(first.collection, record)
    if found is None or any(reads_focus(part) for part in (*rest, loop.result)):
        return None
    if found.taken != record:
        return replace(found, taken=replace(loop, clauses=(replace(first, collection=found.taken), *rest)))
    tests: list[ast.Expr] = []
    while rest and isinstance(rest[0], ast.WhereClause):
        tests += conjuncts(rest.pop(0).test)  # type: ignore[attr-defined]
    put_in = Substitution({first.name.expanded: record})
    inner: ast.Expr = replace(loop, clauses=tuple(rest)) if rest else loop.result
    conditions = (*found.conditions, *(put_in.apply(test) for test in tests))
    return replace(found, conditions=conditions, taken=put_in.apply(inner))


def _of_path(expr: ast.Expr, record: ast.VarRef) -> RecordSource | None:
    parts: list[ast.Expr] = []
    base = expr
    while isinstance(base, ast.Path):
        parts.append(base.right)
        base = base.left
    if isinstance(base, ast.AxisStep):
        parts.append(base)
        start: ast.Expr | None = None
    elif isinstance(base, (ast.Root, ast.ContextItem, ast.VarRef)):
        start = base
    else:
        return None
    parts.reverse()
    predicated = (n for n, part in enumerate(parts, 1) if isinstance(part, ast.AxisStep) and part.predicates)
    length = next(predicated, len(parts))
    if length == len(parts):
        # Without a predicate, the last element of the path is the record.
        while length and not _is_element_step(parts[length - 1]):
            length -= 1
    if not length or not all(is_descend(part) or _is_element_step(part) for part in parts[:length]):
        return None
    last = parts[length - 1]
    if not isinstance(last, ast.AxisStep) or is_descend(last):
        return None
    if not all(is_test(p) and not uses_position(p) for p in last.predicates):
        return None
    steps = [*parts[: length - 1], replace(last, predicates=())]
    descends = any(is_descend(part) or part.axis != "child" for part in steps if isinstance(part, ast.AxisStep))
    taken = _taken(parts[length:], record, descends)
    if taken is None:
        return None
    conditions = [condition for predicate in last.predicates for condition in _of_record(predicate, record)]
    return RecordSource(_path(start, steps), tuple(conditions), taken, descends)


def _is_element_step(part: ast.Expr) -> bool:
    if not isinstance(part, ast.AxisStep) or part.axis not in ("child", "descendant"):
        return False
    return isinstance(part.test, (ast.NameTest, ast.Wildcard, ast.ElementTest))


def _taken(parts: list[ast.Expr], record: ast.VarRef, nests: bool) -> ast.Expr | None:
    """$r/a/b; None if nested records could lead to the same node twice."""
    taken: ast.Expr = record
    for number, part in enumerate(parts, 1):
        if isinstance(part, ast.AxisStep):
            if part.axis not in ("child", "attribute", "descendant", "self") or (
                nests and part.axis not in ("child", "attribute")
            ):
                return None
        elif number < len(parts) or uses_position(part):
            return None
        taken = ast.Path(taken, part, span=part.span)
    return taken


def _path(start: ast.Expr | None, steps: list[ast.Expr]) -> ast.Expr:
    made = start
    for step in steps:
        made = step if made is None else ast.Path(made, step, span=step.span)
    assert made is not None
    return made
