"""Joins: a `JoinClause` becomes an index, built at its first use, and a lookup at each turn of the loops.

The index belongs to the scope of the last variable that the collection or the key reads: it is built once for each
value of that variable, or once in a run if they read only global variables and the input. `count`, `exists` and `empty`
of a join ask the index for a number and touch no item.
"""

from __future__ import annotations

from collections.abc import Sequence

from xylem.analysis.facts.standard_calls import argument_of, is_call
from xylem.analysis.focus import reads_focus, reads_item
from xylem.analysis.free_variables import free_in
from xylem.errors import DynamicError
from xylem.functions.registry import PREFIXES
from xylem.plan.note import Note
from xylem.run.runtime import joins as rt
from xylem.run.runtime.anchored_values import AnchoredValues
from xylem.run.runtime.many_keys import FailedKeys, ManyKeysIndex
from xylem.run.runtime.shared_values import of_each_parent
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import ItemType

from .code import Code, atomic, many, one, optional
from .compiler import Compiler
from .control import check_binding
from .scope import Variable
from .writer import Line


def write_join(c: Compiler, join: ast.JoinClause) -> tuple[str, ItemType]:
    """Write the index and its use; return the source of the loop and the type of its items."""
    index, asked, item = _index(c, join)
    method = "matches" if join.position is None else "positions_and_matches"
    found = f"{index}.{method}({asked}, run.implicit_timezone_minutes)"
    return found if join.place is None else f"{c.rt(of_each_parent)}({found}, {join.place})", item


def number_of_matches(c: Compiler, node: ast.Expr, function: str) -> str | None:
    """count, exists or empty of a join as Python; None if the join's results are not the items of its index."""
    match node:
        case ast.Flwor(clauses=(*lets, ast.JoinClause(place=None) as join), result=result):
            if result != ast.VarRef(join.name) and not isinstance(result, _ONE_ITEM):
                return None
        case _:
            return None
    if not is_behind_anchor(lets, join):
        return None
    index, asked, _ = index_behind(c, lets, join)
    method = "count" if function == "count" else "any"
    text = f"{index}.{method}({asked}, run.implicit_timezone_minutes)"
    return f"(not {text})" if function == "empty" else text


def one_match(c: Compiler, node: ast.Expr, predicate: ast.Expr) -> Code | None:
    """The first or the last result of a join, taken from its index; None for other expressions."""
    match node:
        case ast.Flwor(clauses=(*lets, ast.JoinClause(place=None) as join), result=ast.VarRef(name=name)):
            if name != join.name or len(join.tests) == 1 or not is_behind_anchor(lets, join):
                return None
            if any(test.op in ast.NODE_ORDERS and test.key != ast.VarRef(name) for test in join.tests):
                # Other nodes than the items may be in another order than the items.
                return None
        case _:
            return None
    if predicate != ast.IntegerLiteral(1) and not is_call(predicate, "last"):
        return None
    index, asked, item = index_behind(c, lets, join)
    which = 0 if isinstance(predicate, ast.IntegerLiteral) else -1
    return optional(f"{index}.match_at({which}, {asked}, run.implicit_timezone_minutes)", item)


_ONE_ITEM = (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)


def is_behind_anchor(lets: Sequence[ast.Clause], join: ast.JoinClause) -> bool:
    """Whether the clause before a join only binds its anchor."""
    if join.anchor is None:
        return not lets
    return len(lets) == 1 and isinstance(lets[0], ast.LetClause) and lets[0].name == join.anchor


def index_behind(c: Compiler, lets: Sequence[ast.Clause], join: ast.JoinClause) -> tuple[str, str, ItemType]:
    from .flwor import write_let

    with c.scoped():
        for let in lets:
            assert isinstance(let, ast.LetClause)
            write_let(c, let)
        return _index(c, join)


def _index(c: Compiler, join: ast.JoinClause) -> tuple[str, str, ItemType]:
    """The built index, the requested values, and the type of its items."""
    item: list[ItemType] = []

    def write() -> None:
        collection = c.compile(join.collection)
        item.append(collection.item)
        name = c.fresh_name(join.name)
        source, position = c.as_iterable(collection), join.position
        if position is not None and any(position.expanded in free_in(test.key) for test in join.tests):
            number = c.fresh_name(position)
            c.writer.line(f"for {number}, {name} in enumerate({source}, 1):")
            c.declare(position.expanded, atomic(number, at.INTEGER, simple=True), loops=True)
        else:
            c.writer.line(f"for {name} in {source}:")
        with c.writer.indented(block=True):
            if join.type is not None:
                item.append(check_binding(c, name, collection.item, join.type, f"${join.name}"))
            c.declare(join.name.expanded, one(name, item[-1], simple=True), loops=True)
            keys = [_key(c, test, number) for number, test in enumerate(join.tests)]
            c.writer.line(f"yield {_tuple(keys)}, {name}")

    keys = tuple(test.key for test in join.tests)
    told_keys = ", ".join(dict.fromkeys(map(c.describe, keys)))
    build = c.lifted("index", [], f"{c.describe(join.collection)} by {told_keys}", write)
    build.is_generator = True
    probes = ", ".join(dict.fromkeys(c.describe(test.probe) for test in join.tests))
    first = join.tests[0]
    is_hashed = any(test.op in ("=", "eq", "!=", "ne") for test in join.tests)
    told = f"looks up {probes} in an index by {told_keys}, built once"
    c.writer.notes.append(Note(join.span, "hash join" if is_hashed else "sorted join", told))
    if len(join.tests) == 1:
        kind, arguments = c.rt(rt.JoinIndex), f"{first.op!r}, {first.negated}"
    else:
        ops = tuple(test.op for test in join.tests)
        kind, arguments = c.rt(ManyKeysIndex), f"{ops!r}, is_one_key={_is_one_key(join)}"
    # The join's variable is not bound here: it stands for none of the outer variables.
    with c.scoped(c.scope.without_variable(join.name.expanded)):
        name = c.writer.fresh("join")
        if join.anchor is None:
            index = placed_for(c, name, f"{kind}({arguments})", (join.collection, *keys), join.is_of_input)
        else:
            made = f"{c.rt(AnchoredValues)}({kind}, {arguments})"
            index = placed_at_anchor(c, name, made, join.anchor, (join.collection, *keys), join.is_of_input)
    c.writer.indexes[name] = join.span
    asked = _tuple([_values(c, test.probe, test.op) for test in join.tests])
    return f"({index} if {index}.built else {index}.build({c.writer.call(build)}))", asked, item[-1]


def placed_at_anchor(
    c: Compiler, name: str, made: str, anchor: ast.Name, reading: Sequence[ast.Node], is_of_input: bool = False
) -> str:
    """Write the cache for an anchor where the last variable beside it is bound; return this turn's entry."""
    reads = frozenset[ExpandedName]().union(*map(free_in, reading)) - {anchor.expanded}
    kept = placed(c, name, made, reads, reading, is_of_input)
    node = c.as_sequence(c.use(c.scope.variables[anchor.expanded]))
    of_this_turn = c.writer.fresh("kept")
    c.writer.line(f"{of_this_turn} = {kept}.of({node})")
    return of_this_turn


def _values(c: Compiler, expr: ast.Expr, op: str) -> str:
    """The operands of a comparison: values, or positions in document order."""
    code = c.compile(expr)
    if op in ast.NODE_ORDERS:
        return f"{c.rt(rt.order_keys)}({c.as_sequence(code)}, {op!r})"
    return c.as_sequence(c.atomized(code))


def _key(c: Compiler, test: ast.JoinTest, number: int) -> str:
    """The keys of an item. A failing key of a later test counts only if the earlier tests hold."""
    if number == 0 or _never_fails(test.key):
        return _values(c, test.key, test.op)
    keys, error = c.writer.fresh("keys"), c.writer.fresh("error")
    c.writer.line("try:")
    with c.writer.indented(block=True):
        c.writer.line(f"{keys} = {_values(c, test.key, test.op)}")
    c.writer.line(f"except {c.rt(DynamicError)} as {error}:")
    with c.writer.indented(block=True):
        c.writer.line(f"{keys} = {c.rt(FailedKeys)}({error})")
    return keys


def _never_fails(key: ast.Expr) -> bool:
    """Whether a key cannot fail: paths, variables, and the identity of nodes."""
    inside = key.arguments[0] if isinstance(key, ast.FunctionCall) and key.name.uri == PREFIXES["_places"] else key
    expressions = (node for node in (argument_of(inside, "generate-id") or inside).walk() if isinstance(node, ast.Expr))
    return all(isinstance(node, (ast.Path, ast.AxisStep, ast.VarRef)) for node in expressions)


def _is_one_key(join: ast.JoinClause) -> bool:
    """Whether the first two orders compare the same key unconverted: `eq` and the like take it as a string."""
    orders = [test for test in join.tests if test.op not in ("=", "eq")]
    if len(orders) < 2 or orders[0].key != orders[1].key:
        return False
    return (orders[0].op in ast.GENERAL_OPERATORS) == (orders[1].op in ast.GENERAL_OPERATORS)


def _tuple(parts: list[str]) -> str:
    """A single value unchanged, several as a tuple."""
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


ExpandedName = tuple[str, str]


def placed_for(c: Compiler, name: str, made: str, reading: tuple[ast.Expr, ...], is_of_input: bool) -> str:
    """Compute a value once for many iterations, where its last variable is bound; return its name here."""
    reads = frozenset[tuple[str, str]]().union(*map(free_in, reading))
    return placed(c, name, made, reads, reading, is_of_input)


def placed(
    c: Compiler,
    name: str,
    made: str,
    reads: frozenset[tuple[str, str]],
    reading: Sequence[ast.Node],
    is_of_input: bool = False,
) -> str:
    """Like `placed_for`, for given variables, if not all variables that it reads are bound here."""
    visible = [c.scope.variables[one] for one in reads if one in c.scope.variables]
    focus = c.scope.focus
    reads_it = any(map(reads_item if is_of_input else reads_focus, reading))
    if focus.item is not None and not focus.is_global and reads_it:
        visible.append(focus.item)
    latest = max(visible, key=lambda variable: variable.order, default=None)
    made = f"{name} = {made}"
    if latest is None or latest.mark is None:
        c.writer.top.append(made)
        return name
    latest.mark.lines.append(Line(latest.mark.depth, made, c.writer.span))
    return c.use(Variable(many(name), latest.frame, latest.mark, latest.order, False)).text
