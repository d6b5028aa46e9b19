"""All stages from the body of a query to its parts and frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from xylem.analysis.focus import reads_focus
from xylem.analysis.projection import NotProjectable, Projection, project
from xylem.analysis.reach import UNSURE, BeyondReach, Reach
from xylem.analysis.reached_declarations import reached_declarations
from xylem.analysis.readable_names import with_readable_names
from xylem.analysis.statements import Statements
from xylem.plan.distribution import Distribution, InputOf, Part, PartKind
from xylem.plan.spread import Place, SpreadPart, SpreadQuery, Use, part_variable
from xylem.syntax import ast, print_query

from ..inline_prolog import inline_functions, inline_prolog
from ..input_reads import named_input, read_from_collection, read_from_document, reads_input
from ..normalise import normalise
from ..not_spread import NotSpread
from ..query_rule import QueryFacts
from ..single_pass.fold_associative import FoldAssociative
from .frame import Frame, Signature
from .gathered_parts import joined_by_key, told_joins
from .lookups import with_lookups
from .match_ranges import with_match_ranges
from .tables import with_tables


def distribute(
    body: ast.Expr,
    prolog: Iterable[ast.Declaration],
    *,
    is_one_document: bool = True,
    is_empty_greatest: bool = False,
    user_aggregates: Mapping[tuple[str, str], Signature] | None = None,
    unmerged: Container[tuple[str, str]] = (),
    keeps_windows: bool = False,
    divides: bool = False,
    input_of: InputOf = InputOf.NAMED,
    without: Collection[str] = (),
) -> SpreadQuery:
    """Divide a query into tasks over parts of its input, or return the reason why it is one task.

    `prolog` has the declarations of the module and its imports, with resolved names. With `is_one_document` off, the
    input is a sequence of documents, and a leading `/` means each of them. `is_empty_greatest`: the prolog's rule for
    empty keys of `order by`. `user_aggregates`: the functions in Python that can merge their states, with the types of
    a value and of the result; `unmerged`: those that cannot. `keeps_windows`: the input is a stream, whose windows may
    stay open from one of its batches to the next. `divides`: items may be divided themselves, for documents that have a
    few large ones. `input_of`: whether doc() may be a name of the input. `without`: rules that are switched off.
    """
    declared = list(prolog)
    is_ordered = not _is_unordered(body, declared)
    try:
        functions = _functions(declared)
        frame = partial(
            Frame, functions, is_one_document, is_empty_greatest, user_aggregates, keeps_windows, unmerged, divides
        )
        return _spread(body, declared, frame, is_ordered, input_of, without)
    except NotSpread as refused:
        return _one_task(body if is_one_document else _of_collection(body, declared), refused, is_ordered)


def _of_collection(body: ast.Expr, declared: list[ast.Declaration]) -> ast.Expr:
    """The body for several documents, with the global variables that read them in it."""
    if any(isinstance(one, ast.VariableDecl) and one.value is not None and reads_focus(one.value) for one in declared):
        body = inline_prolog(body, declared)
    return read_from_collection(body)


def _functions(declared: list[ast.Declaration]) -> list[ast.FunctionDecl]:
    return [declaration for declaration in declared if isinstance(declaration, ast.FunctionDecl)]


def _spread(
    body: ast.Expr,
    declared: list[ast.Declaration],
    new_frame: Callable[[], Frame],
    is_ordered: bool,
    input_of: InputOf,
    without: Collection[str],
) -> SpreadQuery:
    for declaration in declared:
        if isinstance(declaration, ast.ContextItemDecl):
            raise NotSpread("the query declares its context item", declaration)
    _refuse_statements(body, declared)
    body = inline_prolog(body, declared)
    if input_of is InputOf.NOTHING:
        raise NotSpread("there is no input", None)
    if input_of is InputOf.WHOLE:
        raise NotSpread("items of this input lie inside each other, and their nodes must be told apart", None)
    named = named_input(body) if input_of is InputOf.NAMED else None
    body = read_from_document(body, new_frame().is_one_document, may_be_named=input_of is InputOf.NAMED)
    if not reads_input(body):
        raise NotSpread("it reads no input", None)
    body = _without_recursion(normalise(body, declared, without)[0], declared)
    frame, made = _taken_apart(body, declared, new_frame)
    for declaration in reached_declarations([made, *(part.body for part in frame.parts)], declared):
        value = declaration.value if isinstance(declaration, ast.VariableDecl) else None
        if value is not None and (reads_focus(value) or reads_input(value)):
            raise NotSpread(f"the global variable ${declaration.name} reads the input", declaration)
    parts = tuple(_flat(_projected(_placed(part, frame), frame, made), frame) for part in frame.parts)
    is_collated = any(isinstance(declaration, ast.DefaultCollationDecl) for declaration in declared)
    if not is_collated:
        parts = tuple(_with_lookups(part) for part in parts)
    parts = joined_by_key(parts, made)
    told = tuple(_described(part, parts, is_collated) for part in parts)
    return SpreadQuery(parts, made, Distribution(told, _printed(made), is_ordered), named)


def _refuse_statements(body: ast.Expr, declared: list[ast.Declaration]) -> None:
    """Refuse statements: later code may read variables they set, and tasks and merges do not know what ran before."""
    for statement in Statements.of(body, declared).changed.values():
        raise NotSpread(f"the program sets ${statement.name}, step by step", statement)


def _taken_apart(
    body: ast.Expr, declared: list[ast.Declaration], new_frame: Callable[[], Frame]
) -> tuple[Frame, ast.Expr]:
    """The parts of a body and the frame around them; aggregates in loops become tables if tables can be parts."""
    ranged = with_match_ranges(body)
    with_keys = with_tables(body, declared)
    for tried in (made for made in (ranged, with_keys, body) if made is not None):
        frame = new_frame()
        try:
            made = frame.split(tried, Place(Use.ANSWER, (), frame.new_group()))
            frame.analysis.of(made, frame.copies)
            return frame, made
        except BeyondReach as beyond:
            refused = NotSpread(beyond.why, beyond.node)
        except NotSpread as why:
            refused = why
    raise refused


def _without_recursion(body: ast.Expr, declared: list[ast.Declaration]) -> ast.Expr:
    """Replace recursions that are really aggregates: parts of them are computed separately, and merged."""
    made = FoldAssociative().apply(body, QueryFacts.of(body, declared))
    return body if made is body else inline_functions(made, declared)


def _flat(part: SpreadPart, frame: Frame) -> SpreadPart:
    """If a path reads copies of nodes that may contain each other, let the tasks test whether they do."""
    copied = frame.copies.get(part.variable.name.expanded, Reach.NONE) | frame.grouped.get(part.number, Reach.NONE)
    if not frame.analysis.needs_flat or not copied & UNSURE:
        return part
    why = "one task if items lie inside each other, or are there twice"
    return replace(part, must_be_flat=True, why=f"{part.why}; {why}" if part.why else why)


def _placed(part: SpreadPart, frame: Frame) -> SpreadPart:
    if part.place.group in frame.unspliced or any(part.number in other.needs for other in frame.parts):
        return replace(part, place=replace(part.place, group=None))
    return part


def _projected(part: SpreadPart, frame: Frame, made: ast.Expr) -> SpreadPart:
    """Reduce gathered nodes to the parts that the query reads."""
    name = part.variable.name.expanded
    if part.kind is not PartKind.MAP or part.place.group is not None or name not in frame.copies:
        return part
    kept = Projection()
    users = [made, *(other.body for other in frame.parts)]
    users += [other.grouping.finish for other in frame.parts if other.grouping is not None]
    try:
        for user in users:
            project(user, {name: kept}, focus=Projection(), root=Projection())
    except NotProjectable:
        kept.subtree = True
    if kept.subtree:
        return replace(part, keeps=Projection(subtree=True))
    told = ", ".join(kept.paths()) or "its presence"
    return replace(part, keeps=kept, why=f"{part.why}, of each {told}")


def _with_lookups(part: SpreadPart) -> SpreadPart:
    body, lookups = with_lookups(part.body, [part_variable(number).name.expanded for number in part.needs])
    return replace(part, body=body, lookups=lookups) if lookups else part


def _one_task(body: ast.Expr, refused: NotSpread, is_ordered: bool) -> SpreadQuery:
    place = Place(Use.ANSWER, (), 1)
    part = SpreadPart(1, PartKind.SEQUENTIAL, body, body, body, (), 0, (), place, why=_told(refused))
    frame = part_variable(1)
    return SpreadQuery((part,), frame, Distribution((_described(part, (part,)),), _printed(frame), is_ordered))


def _told(refused: NotSpread) -> str:
    if refused.node is None or refused.node.span.source is None or not refused.node.span.source.text:
        return refused.why
    return f"{refused.why} ({refused.node.span.line}:{refused.node.span.column})"


def _described(part: SpreadPart, parts: tuple[SpreadPart, ...], is_collated: bool = False) -> Part:
    span = part.source.span
    return Part(
        part.number,
        part.kind,
        _printed(part.source),
        part.scopes,
        part.stage,
        part.needs,
        part.why,
        tuple(_shuffles(part)),
        ", ".join(map(_order, part.orders)),
        tuple(told_joins(part, parts, _printed, is_collated)),
        span.line,
        span.column,
        part.is_divisible,
        part.cuts_anywhere,
    )


def _shuffles(part: SpreadPart) -> Iterator[str]:
    if part.grouping is not None and part.grouping.keys:
        yield "by group, " + ", ".join(f"${spec.name.local}" for spec in part.grouping.keys)


def _order(spec: ast.OrderSpec) -> str:
    """An order key on one line, as written."""
    words = [*_printed(spec.key).split()]
    if spec.descending:
        words.append("descending")
    if spec.empty == "greatest":
        words.append("empty greatest")
    if spec.collation is not None:
        words.append(f'collation "{spec.collation}"')
    return " ".join(words)


def _printed(expr: ast.Expr) -> str:
    """An expression as a user would write it."""
    return print_query(with_readable_names(expr))


def _is_unordered(body: ast.Expr, declared: Iterable[ast.Declaration]) -> bool:
    if isinstance(body, ast.OrderingExpr):
        return body.mode == "unordered"
    return any(isinstance(d, ast.OrderingModeDecl) and d.mode == "unordered" for d in declared)
