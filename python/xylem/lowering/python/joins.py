"""Joins: `for $x in E … where A($x) = B` becomes a look-up in an index of E by A; likewise for <, <=, > and >=.

        for $p in //person                          index := E by A, built once
        let $a := for $t in //closed_auction   →    for $p in //person
                  where $t/buyer/@person = $p/@id   let $a := index[B]
                  return $t

Gain:   E is read once instead of once per turn of the loops around it; the answer takes linear time.
Needs:  neither E nor A reads a variable bound by a loop in between, and B does not read $x; E is finite, and no
        variable can be set while the query runs.
Safe:   the index gives the same items in the same order; the comparison is the general one with all its casts
        (`runtime/joins.py`). Conditions may be tested earlier than written, as XQuery 3.1 §2.3.4 allows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xylem.analysis.focus import read_variables, reads_focus
from xylem.plan.note import Note
from xylem.run.runtime import joins as rt
from xylem.syntax import ast
from xylem.values.sequence_type import ItemType

from .code import many, one
from .compiler import Compiler
from .operators import default_collation
from .scope import Variable

_TURNED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Join:
    """A `for` clause answered from an index."""

    op: str
    """The comparison, with the key of the index on its left."""
    build_key: ast.Expr
    probe: ast.Expr
    latest: Variable | None
    """The variable bound last among those the index reads; None where it reads only globals."""
    rest: list[ast.Clause]
    """The following clauses without the condition the index answers."""


def find_join(c: Compiler, clause: ast.ForClause, rest: list[ast.Clause]) -> Join | None:
    """A join that this clause can be turned into, if it pays."""
    if clause.allowing_empty or default_collation(c) != "None" or clause.type is not None:
        return None
    if c.static.is_sequential or c.is_endless(clause.collection):
        return None
    later: set[tuple[str, str]] = set()
    for index, following in enumerate(rest):
        match following:
            case ast.WhereClause(test=test):
                for conjunct in _conjuncts(test):
                    join = _join_on(c, clause, conjunct, later)
                    if join is not None:
                        without = _without(following, conjunct)
                        return replace(join, rest=[*rest[:index], *without, *rest[index + 1 :]])
            case ast.ForClause(name=name, position=position):
                later |= {name.expanded} | ({position.expanded} if position else set())
            case ast.LetClause(name=name):
                later.add(name.expanded)
            case _:
                return None
    return None


def _conjuncts(test: ast.Expr) -> list[ast.Expr]:
    if isinstance(test, ast.And):
        return [*_conjuncts(test.left), *_conjuncts(test.right)]
    return [test]


def _without(where: ast.WhereClause, conjunct: ast.Expr) -> list[ast.Clause]:
    left = [part for part in _conjuncts(where.test) if part is not conjunct]
    return [replace(where, test=part) for part in left]


def _join_on(c: Compiler, clause: ast.ForClause, test: ast.Expr, later: set[tuple[str, str]]) -> Join | None:
    if not isinstance(test, ast.GeneralComparison) or test.op == "!=" or read_variables(test) & later:
        return None
    own = {clause.name.expanded} | ({clause.position.expanded} if clause.position else set())
    if reads_focus(test):
        return None
    for op, build_key, probe in ((test.op, test.left, test.right), (_TURNED[test.op], test.right, test.left)):
        if clause.name.expanded not in read_variables(build_key) or read_variables(probe) & own:
            continue
        if clause.position is not None and clause.position.expanded in read_variables(build_key):
            continue
        reads = (read_variables(clause.collection) | read_variables(build_key)) - {clause.name.expanded}
        if clause.name.expanded in read_variables(clause.collection):
            return None
        visible = [c.scope.variables[name] for name in reads if name in c.scope.variables]
        if reads_focus(clause.collection):
            focus = c.scope.focus
            if focus.item is None:
                return None
            if not focus.is_global:
                visible.append(focus.item)
        latest = max(visible, key=lambda variable: variable.order, default=None)
        if _repeats(c, latest) and not _makes_nodes(clause.collection):
            return Join(op, build_key, probe, latest, [])
    return None


def _repeats(c: Compiler, latest: Variable | None) -> bool:
    """Whether a loop stands between the index's last input and this place."""
    order = 0 if latest is None else latest.order
    return any(variable.loops and variable.order > order for variable in c.scope.variables.values())


def _makes_nodes(node: ast.Expr) -> bool:
    """New nodes are other nodes at each turn: an index would share them."""
    kinds = (ast.DirectElement, ast.ComputedElement, ast.ComputedDocument, ast.ComputedText, ast.ComputedAttribute)
    return any(isinstance(n, (*kinds, ast.FunctionCall)) and _is_constructing(n) for n in node.walk())


def _is_constructing(node: ast.Node) -> bool:
    from xylem.functions.library import look_up

    if not isinstance(node, ast.FunctionCall):
        return True
    # A user-defined function may construct nodes; a built-in one does only where it parses or analyses text.
    builtin = look_up(*node.name.expanded, len(node.arguments))
    return builtin is None or node.name.local.startswith(("parse-", "json-to-xml", "analyze-string", "random"))


def write_join(c: Compiler, clause: ast.ForClause, join: Join) -> tuple[str, ItemType]:
    """Write the index and its use; gives the source of the loop and the type of its items."""
    item: list[ItemType] = []
    positions = clause.position is not None

    def write() -> None:
        collection = c.compile(clause.collection)
        item.append(collection.item)
        name = c.fresh_name(clause.name)
        c.writer.line(f"for {name} in {c.as_iterable(collection)}:")
        with c.writer.indented(block=True):
            c.declare(clause.name.expanded, one(name, collection.item, simple=True), loops=True)
            key = c.atomized(c.compile(join.build_key))
            c.writer.line(f"yield {c.as_sequence(key)}, {name}")

    build = c.lifted("index", [], f"{c.describe(clause.collection)} by {c.describe(join.build_key)}", write)
    told = f"looks up {c.describe(join.probe)} in an index by {c.describe(join.build_key)}, built once"
    c.writer.notes.append(Note(clause.span, "hash join", told))
    build.is_generator = True
    index = c.writer.fresh("join")
    made = f"{index} = {c.rt(rt.JoinIndex)}({join.op!r})"
    if join.latest is None or join.latest.mark is None:
        c.writer.top.append(made)
        index_code = many(index)
    else:
        from .writer import Line

        join.latest.mark.lines.append(Line(join.latest.mark.depth, made, c.writer.span))
        holder = replace_variable(join.latest, index)
        index_code = c.use(holder)
    probe = c.atomized(c.compile(join.probe))
    c.writer.line(f"if not {index_code.text}.built: {index_code.text}.build({c.writer.call(build)})")
    method = "positions_and_matches" if positions else "matches"
    return f"{index_code.text}.{method}({c.as_sequence(probe)}, run.implicit_timezone_minutes)", item[0]


def replace_variable(model: Variable, name: str) -> Variable:
    """A variable that lives where another one does."""
    return Variable(many(name), model.frame, model.mark, model.order, False)
