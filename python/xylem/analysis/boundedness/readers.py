"""Count the readers of a value: an infinite sequence that is read once need not be kept for others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xylem.analysis.facts.best_match_loops import join_of
from xylem.analysis.free_variables import free_in
from xylem.analysis.keyed_input import keyed_at
from xylem.syntax import ast

IsReader = Callable[[ast.Node], bool]


def variable_readers(name: tuple[str, str], nodes: Iterable[ast.Node]) -> int | None:
    """The possible number of readers of a variable; None if it depends on the data, as inside a loop."""
    return readers(lambda node: isinstance(node, ast.VarRef) and node.name.expanded == name, nodes)


def readers(is_reader: IsReader, nodes: Iterable[ast.Node]) -> int | None:
    """How many times the reads here can happen."""
    return _sum(_in(is_reader, node) for node in nodes)


def _in(test: IsReader, node: ast.Node) -> int | None:
    if test(node):
        return 1
    match node:
        case ast.If(test=condition, then=then, otherwise=otherwise):
            return _sum([_in(test, condition), _greatest([_in(test, then), _in(test, otherwise)])])
        case ast.Flwor(clauses=clauses, result=result):
            return _flwor(test, clauses, result)
        case ast.Path(left=left, right=right) | ast.SimpleMap(left=left, right=right):
            return _sum([_in(test, left), _many(test, right)])
        case ast.Filter(base=base, predicate=predicate):
            return _sum([_in(test, base), _many(test, predicate)])
        case ast.Quantified(bindings=bindings, satisfies=satisfies):
            first, *others = bindings
            return _sum([_in(test, first.collection), *(_many(test, part) for part in (*others, satisfies))])
        case ast.InlineFunction() | ast.FunctionDecl() | ast.AxisStep():
            return _sum(_many(test, child) for child in node.children())
    return _sum(_in(test, child) for child in node.children())


def _flwor(test: IsReader, clauses: tuple[ast.Clause, ...], result: ast.Expr) -> int | None:
    total: int | None = 0
    loops = False
    keyed_until = 0
    for index, clause in enumerate(clauses):
        if index < keyed_until:
            continue
        keyed = None if loops else keyed_at(clauses, index, result)
        if keyed is not None:
            # Several clauses, one reader: the loop over keys is not a separate one.
            keyed_until = index + keyed.length - 1
            if keyed.item is not None:
                total, loops = _sum([total, _in(test, keyed.collection)]), True
            continue
        if isinstance(clause, (ast.ForClause, ast.WindowClause, ast.ForseqClause)) and not loops:
            rest = [child for child in clause.children() if child is not clause.collection]
            total = _sum([total, _in(test, clause.collection), *(_many(test, part) for part in rest)])
            loops = True
        elif isinstance(clause, ast.ForClause) and _is_other_side(clauses, index):
            rest = [child for child in clause.children() if child is not clause.collection]
            total = _sum([total, _in(test, clause.collection), *(_many(test, part) for part in rest)])
        else:
            total = _sum([total, _many(test, clause) if loops else _in(test, clause)])
    return _sum([total, _many(test, result) if loops else _in(test, result)])


def _is_other_side(clauses: tuple[ast.Clause, ...], index: int) -> bool:
    """Whether a loop is the second one of a best-match join with the only outer loop: both are read once."""
    loops = [place for place in range(index) if not isinstance(clauses[place], (ast.LetClause, ast.WhereClause))]
    if len(loops) != 1 or not isinstance(clauses[loops[0]], ast.ForClause):
        return False
    join, second = join_of(clauses, loops[0]), clauses[index]
    assert isinstance(second, ast.ForClause)
    if join is None or second.name.expanded not in (join.left.name.expanded, join.right.name.expanded):
        return False
    between = [clause for clause in clauses[loops[0] : clauses.index(join)] if isinstance(clause, ast.ForClause)]
    around = [child for clause in clauses[loops[0] : index] for child in clause.children()]
    bound = {name.expanded for name in around if isinstance(name, ast.Name)}
    return len(between) == 2 and not free_in(second.collection) & bound


def _many(test: IsReader, node: ast.Node) -> int | None:
    """Inside a loop: no reader, or an unknown number."""
    return None if any(map(test, node.walk())) else 0


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _greatest(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else max(count for count in known if count is not None)
