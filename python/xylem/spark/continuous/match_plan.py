"""A best-match join of two streams: the items of each, and the join of the items so far.

    for $t in stream("trades")//trade for $q in stream("quotes")//quote[@p]
    where $t left outer bestmatch join $q on (abs($t/@at - $q/@at)) min 5
    return <priced>{ $t/@id, $q/@p }</priced>

    sides   for $t in collection()//trade return $t            over the trades
            for $q in collection()//quote[@p] return $q        over the quotes
    match   for $t in stream("trades") for $q in stream("quotes") where … return …

Tasks find the items of both sides; the driver sweeps over them (`run/best_match/carried_sweep.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.stream_order import OPTIONS, joins_streams
from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast, print_query

from .join_plan import StreamNames, named_streams, refused, stream_of


@dataclass(frozen=True)
class MatchSide:
    """One of the streams."""

    stream: str
    """The name that the query gives it."""
    variable: str
    """With a dollar, as in reports."""
    text: str
    """The query that finds its items."""


@dataclass(frozen=True)
class MatchPlan:
    """Both sides, in the order of the inputs, and the query over the items of both streams."""

    sides: tuple[MatchSide, MatchSide]
    match: str


def is_match(module: ast.Module) -> bool:
    """Whether a query finds the best matches of its streams."""
    return isinstance(module, ast.MainModule) and joins_streams(module.body)


def match_plan(module: ast.Module, streams: tuple[str, str]) -> MatchPlan:
    """The plan of a best-match join of two streams; XYRT0027 with the reason if it has none."""
    body = module.body if isinstance(module, ast.MainModule) else None
    if not isinstance(body, ast.Flwor) or not isinstance(module, ast.MainModule):
        raise refused("it is no loop over both streams", body)
    named = named_streams(module)
    loops = [clause for clause in body.clauses if isinstance(clause, ast.ForClause)]
    found = {stream_of(loop, named, may_be_empty=True): loop for loop in loops}
    if len(loops) != 2 or set(found) != set(streams):
        raise refused(f"it does not loop over stream({streams[0]!r}) and stream({streams[1]!r})", body)
    joins = [clause for clause in body.clauses if isinstance(clause, ast.BestMatchClause)]
    if len(joins) > 1:
        raise refused("there is more than one best-match join", joins[1])
    for clause in body.clauses:
        if not isinstance(clause, (ast.ForClause, ast.WhereClause, ast.LetClause, ast.BestMatchClause)):
            raise refused("besides `let` and `where`, nothing may stand around a join of streams", clause)
    others = [part for part in (*body.clauses, body.result) if part not in loops]
    if any(id(node) in named for part in others for node in part.walk()):
        raise refused("a stream is read elsewhere, too", body)
    sides = [
        MatchSide(stream, f"${found[stream].name}", _items_of(module, found[stream], named)) for stream in streams
    ]
    clauses = [_of_items(one, named) if isinstance(one, ast.ForClause) else one for one in body.clauses]
    match = replace(module, body=replace(body, clauses=tuple(clauses)))
    return MatchPlan((sides[0], sides[1]), print_query(match))


def _items_of(module: ast.MainModule, loop: ast.ForClause, named: StreamNames) -> str:
    """The query for the items of one stream; declarations about the order of streams concern only the join."""
    collection = ast.FunctionCall(ast.Name("collection", uri=FN), ())
    items = replaced(loop.collection, lambda node: collection if id(node) in named else None)
    own = replace(loop, collection=items, type=None, allowing_empty=False)
    prolog = tuple(one for one in module.prolog if not _is_about_order(one))
    return print_query(replace(module, prolog=prolog, body=ast.Flwor((own,), ast.VarRef(loop.name))))


def _is_about_order(one: ast.Declaration) -> bool:
    uris = (PREFIXES["xylem"], None)
    return isinstance(one, ast.OptionDecl) and one.name.local in OPTIONS and one.name.uri in uris


def _of_items(loop: ast.ForClause, named: StreamNames) -> ast.ForClause:
    """The loop over the items that tasks have found."""
    stream = next(node for node in loop.collection.walk() if id(node) in named)
    assert isinstance(stream, ast.Expr)
    return replace(loop, collection=stream)
