"""A join of two streams: the items of each, their keys, and the result of a pair.

    for $o in stream("orders")//order, $p in stream("payments")//payment
    where $o/@id = $p/@order and $p/amount >= $o/total
    return <paid id="{ $o/@id }"/>

    left    for $o in collection()//order   return array { data($o/@id), $o }      over the orders
    right   for $p in collection()//payment return array { data($p/@order), $p }   over the payments
    pair    where … return …                                                       for each pair with a key in common

Tasks find the items of both sides; the driver keeps them while a partner may arrive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.free_variables import free_in
from xylem.analysis.input_functions import STREAMS
from xylem.analysis.resolved_module import resolved_module
from xylem.errors import StaticError
from xylem.functions.registry import FN
from xylem.run.deep_stack import compiled_deep
from xylem.syntax import ast, print_query

ExpandedName = tuple[str, str]
StreamNames = dict[int, str]
"""By the `id` of a call of stream(): the name in it."""
NOT_JOINED = "XYRT0027"


@dataclass(frozen=True)
class JoinSide:
    """One of the streams."""

    stream: str
    """The name that the query gives it."""
    variable: ast.Name
    text: str
    """The query that finds its items, each as an array: its keys, then the item."""


@dataclass(frozen=True)
class JoinPlan:
    """Both sides, and the query for each pair, with the items as external variables."""

    sides: tuple[JoinSide, JoinSide]
    pair: str


def join_plan(module: ast.Module, streams: tuple[str, str]) -> JoinPlan:
    """The plan of a query over two streams; XYRT0027 with the reason if it has none."""
    body = module.body if isinstance(module, ast.MainModule) else None
    if not isinstance(body, ast.Flwor) or len(body.clauses) < 3:
        raise refused("it is no loop over both streams", body)
    first, second, *others = body.clauses
    if not isinstance(first, ast.ForClause) or not isinstance(second, ast.ForClause):
        raise refused("it does not begin with a `for` over each of the streams", body)
    named = named_streams(module)
    loops = {stream_of(loop, named): loop for loop in (first, second)}
    if set(loops) != set(streams):
        raise refused(f"it does not loop over stream({streams[0]!r}) and stream({streams[1]!r})", body)
    tests = [clause.test for clause in others if isinstance(clause, ast.WhereClause)]
    for clause in others:
        if not isinstance(clause, (ast.WhereClause, ast.LetClause)):
            raise refused("besides `let` and `where`, nothing may stand between the loops and `return`", clause)
    if any(id(node) in named for part in (*others, body.result) for node in part.walk()):
        raise refused("a stream is read elsewhere, too", body)
    ordered = (loops[streams[0]], loops[streams[1]])
    keys = _keys(tests, ordered, body)
    assert isinstance(module, ast.MainModule)
    sides = [
        JoinSide(stream, loop.name, _side(module, loop, key, named))
        for stream, loop, key in zip(streams, ordered, keys, strict=True)
    ]
    rest = ast.Flwor((_once(), *others), body.result, span=body.span)
    return JoinPlan((sides[0], sides[1]), print_query(replace(module, prolog=_with_items(module, ordered), body=rest)))


def stream_of(loop: ast.ForClause, named: StreamNames, *, may_be_empty: bool = False) -> str | None:
    """The stream that a loop ranges over; None if there is none, or several."""
    if loop.position is not None or (loop.allowing_empty and not may_be_empty):
        raise refused("positions in a stream that is joined are not known", loop)
    names = [named[id(node)] for node in loop.collection.walk() if id(node) in named]
    return names[0] if len(names) == 1 else None


def named_streams(module: ast.Module) -> StreamNames:
    """The calls stream("…"); names are printed as written, and resolved by the prolog."""
    named: StreamNames = {}
    for written, resolved in zip(module.walk(), compiled_deep(lambda: resolved_module(module)).walk(), strict=True):
        match resolved:
            case ast.FunctionCall(name=name, arguments=(ast.StringLiteral(value=stream),)) if name.expanded in STREAMS:
                named[id(written)] = stream
    return named


def _keys(
    tests: list[ast.Expr], loops: tuple[ast.ForClause, ast.ForClause], body: ast.Expr
) -> tuple[ast.Expr, ast.Expr]:
    """The equality: an expression over the item of each side."""
    left, right = ({_name(loop)} for loop in loops)
    for test in (conjunct for each in tests for conjunct in conjuncts(each)):
        if isinstance(test, (ast.GeneralComparison, ast.ValueComparison)) and test.op in ("=", "eq"):
            both = {_name_of(name) for name in free_in(test.left)}, {_name_of(name) for name in free_in(test.right)}
            if both == (left, right):
                return test.left, test.right
            if both == (right, left):
                return test.right, test.left
    raise refused("no `where` says that something of one item equals something of the other", body)


def _name(loop: ast.ForClause) -> str:
    return loop.name.local


def _name_of(name: ExpandedName) -> str:
    return name[1]


def _side(module: ast.MainModule, loop: ast.ForClause, key: ast.Expr, named: StreamNames) -> str:
    """The loop over a single stream, returning items with their keys."""
    collection = ast.FunctionCall(ast.Name("collection", uri=FN), ())
    items = replaced(loop.collection, lambda node: collection if id(node) in named else None)
    variable = ast.VarRef(loop.name)
    result = ast.CurlyArray(ast.SequenceExpr((ast.FunctionCall(ast.Name("data", uri=FN), (key,)), variable)))
    body = ast.Flwor((replace(loop, collection=items),), result)
    return print_query(replace(module, body=body))


def _with_items(module: ast.MainModule, loops: tuple[ast.ForClause, ast.ForClause]) -> tuple[ast.Declaration, ...]:
    return (*module.prolog, *(ast.VariableDecl(loop.name, None, None, external=True) for loop in loops))


def _once() -> ast.ForClause:
    return ast.ForClause(ast.Name("xylem-pair"), None, ast.IntegerLiteral(1))


def refused(why: str, node: ast.Node | None) -> StaticError:
    """The error of streams that cannot be joined."""
    return StaticError(NOT_JOINED, why, span=None if node is None else node.span)
