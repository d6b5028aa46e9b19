"""Best-match joins: sides, orders and conditions become functions, the join itself is in `run/best_match/`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from xylem.analysis.bound_names import read_variables
from xylem.analysis.focus import read_behind
from xylem.analysis.free_variables import free_in
from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.stream_order import DeclaredOrder, declared_order, stream_of
from xylem.errors import StaticError
from xylem.functions.registry import FN
from xylem.plan.best_match_account import told
from xylem.plan.best_match_plan import BestMatchCriterion, BestMatchPlan, BestMatchSide, BestMatchTuples
from xylem.plan.best_match_window import MovingWindow, window_of
from xylem.plan.note import Note
from xylem.rewrite.best_match.join_clauses import BUILT_IN
from xylem.rewrite.substitution import Substitution
from xylem.run.best_match.criteria import Compared, Measured, Subset, checked_limit
from xylem.run.best_match.disorder import StreamOrder
from xylem.run.best_match.join_spec import ConditionSpec, JoinSpec, OrderSpec
from xylem.run.best_match.joining import Joining
from xylem.run.best_match.live_side import LiveSide
from xylem.run.best_match.match_index import MatchIndex
from xylem.run.best_match.scanned_side import ScannedPath, side_source
from xylem.run.best_match.side_rows import PathLeaf, SideRows
from xylem.run.best_match.tuple_join import best_tuples
from xylem.run.best_match.windowed_join import DeclaredSide, swept_tuples, tuples_of
from xylem.run.best_match.written_pairs import PairText
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.node_test import NodeTest

from .code import Code, Shape, atomic, many, one, optional
from .compiler import Compiler
from .control import check_binding
from .joins import placed
from .paths import node_test
from .scanned_sides import scanned_sides
from .writer import Frame
from .written_matches import WrittenMatch, written_match

Bound = list[tuple[tuple[str, str], Code]]
JOIN = "urn:xylem:join"
MOST_BEST = 2**32 - 1
"""The largest number of best partners that the kernel can count; more than there are items."""


def write_best_match(
    c: Compiler,
    plan: BestMatchPlan,
    rest: Sequence[ast.Clause],
    result: ast.Expr,
    wanted: set[tuple[str, str]],
    *,
    is_answer: bool = False,
) -> tuple[Bound, Bound]:
    """Write the loop over the pairs; return the variables of the left and right side that each iteration binds.

    `rest` and `result` follow the join: variables that are not read there, by the join, or by outer joins are not kept.
    `is_answer`: whether the results are the whole answer of the query.
    """
    behind = wanted | read_behind((*plan.lets, *rest), result)
    pair_reads = behind.union(*map(read_variables, (*plan.criteria, *plan.tests)))
    is_looked_up = _is_one_item(c, plan)
    live = [c.is_endless(side.binding.collection) for side in (plan.left, plan.right)]
    declared: list[DeclaredOrder] = []
    window = window_of(plan)
    if any(live):
        plan, declared, window = _with_stream_orders(c, plan)
    scanned = scanned_sides(plan, rest, result, c.functions.module)
    orders = [_spelled(c, criterion) for criterion in plan.criteria]
    is_scanned = [side is not None for side in scanned]
    for topic, text in told(plan, orders, is_scanned, is_looked_up, live, window, partial(_spelled, c)):
        c.writer.notes.append(Note(plan.span, topic, text))
    sides = ((plan.left, scanned[0]), (plan.right, scanned[1]))
    bounds: list[Bound] = [[], []]

    written = written_match(c, plan, rest, result) if is_answer and not any(live) and not is_looked_up else None

    def joining() -> str:
        """The code that computes the join from both sides."""
        limits = [_limit(c, criterion) for criterion in plan.criteria]
        constants = [c.bind(c.atomized(c.sequence(c.compile(value)))) for value in plan.constants]
        in_pair = partial(_in_pair, c, plan, bounds)
        criteria = [
            _criterion(c, criterion, limit, in_pair, (bounds[0], bounds[1]))
            for criterion, limit in zip(plan.criteria, limits, strict=True)
        ]
        tests = []
        for test in plan.tests:
            with c.writer.at(test.span):
                tests.append(in_pair("test", c.describe(test), partial(_return_truth, c, test.test)))
        reads = [any(name in behind for name, _ in side) for side in bounds]
        spec = _spec(c, plan)._replace(reads_left=reads[0], reads_right=reads[1], window=window)
        values = "".join(f"{c.as_sequence(code)}, " for code in constants)
        return (
            f"{c.rt(Joining)}({c.writer.constant(spec, 'join')}, {_tuple(criteria)}, {_tuple(tests)},"
            f" {_tuple(limits)}, ({values}), run.implicit_timezone_minutes, run.pages, run.left_out)"
        )

    if is_looked_up:
        first, second = (0, 1) if plan.left_is_first else (1, 0)
        coming, bounds[first] = _side(c, sides[first][0], pair_reads, None)

        def write() -> None:
            text, bounds[second] = _side(c, sides[second][0], pair_reads, sides[second][1])
            c.writer.line(f"return {joining()}, {text}")

        stays = c.lifted("stays", [], c.describe(plan.written), write)
        index = _placed_index(c, plan)
        source = f"({index} if {index}.built else {index}.build({c.writer.call(stays)})).tuples({coming}, run.at_hand)"
    else:
        texts = []
        for number, (side, scan) in enumerate(sides):
            text, bounds[number] = _side(c, side, pair_reads, None if any(live) else scan, is_live=live[number])
            texts.append(text)
        made = c.bind(many(joining()), "joining").text
        given = f"{made}, {', '.join(texts)}"
        if written is not None:
            given = f"{made}, {', '.join(c.bind(many(text), 'side').text for text in texts)}"
            _write_texts(c, written, made, given, partial(_in_pair, c, plan, bounds))
        source = f"{c.called(tuples_of)}({given})"
        if any(live):
            told_orders = c.writer.constant(_declared_sides(plan, declared), "orders")
            direction = -1 if declared[0].is_descending else 1
            around = f"{c.context()}.static.late_items, run.sweep"
            source = f"{c.called(swept_tuples)}({given}, {told_orders}, {direction}, {around})"
    lefts, rights = (_fresh(c, side) for side in bounds)
    reads = [any(name in behind for name, _ in side) for side in bounds]
    targets = [
        f"({''.join(f'{code.text}, ' for _, code in side)})" if is_read else "_"
        for side, is_read in zip((lefts, rights), reads, strict=True)
    ]
    c.writer.line(f"for {', '.join(targets)} in {source}:")
    return lefts if reads[0] else [], rights if reads[1] else []


def _in_pair(
    c: Compiler,
    plan: BestMatchPlan,
    bounds: Sequence[Bound],
    stem: str,
    comment: str,
    write: Callable[[], None],
) -> str:
    """A function of the rows of both sides, with the variables of the pair in scope."""
    from .flwor import write_let

    def body() -> None:
        _unpack(c, bounds[0], "left")
        _unpack(c, bounds[1], "right")
        for let in plan.lets:
            write_let(c, let)
        write()

    return _function(c, c.lifted(stem, ["left", "right"], comment, body), "left", "right")


def _write_texts(
    c: Compiler,
    written: WrittenMatch,
    joining: str,
    given: str,
    in_pair: Callable[[str, str, Callable[[], None]], str],
) -> None:
    """Write the code for an answer as text, which skips the loop over the pairs."""

    def hole(expr: ast.Expr) -> str:
        def write() -> None:
            c.writer.line(f"return {c.as_sequence(c.atomized(c.compile(expr)))}")

        return in_pair("gap", c.describe(expr), write)

    c.writer.can_write = True
    template = f"{c.writer.constant(written.template, 'template')}, {_tuple([hole(expr) for expr in written.holes])}"
    paths = c.writer.constant(written.paths, "paths")
    c.writer.line("if run.writes_text:")
    with c.writer.indented():
        c.writer.line(f"{joining}.written = {c.rt(PairText)}({template}, {paths})")
        c.writer.line(f"yield from {c.called(tuples_of)}({given})")
        c.writer.line("return")


def _spelled(c: Compiler, node: ast.Node) -> str:
    """A node as written in the query, on one line."""
    return " ".join(c.describe(node).split())


def _is_one_item(c: Compiler, plan: BestMatchPlan) -> bool:
    """Whether the first loop has a single item that is already bound, so the other side serves all outer iterations."""
    first = plan.left if plan.left_is_first else plan.right
    match first.binding:
        case ast.ForClause(collection=ast.VarRef(name=name), allowing_empty=False):
            known = c.scope.variables.get(name.expanded)
            return known is not None and known.code.shape is Shape.ONE
    return False


def _placed_index(c: Compiler, plan: BestMatchPlan) -> str:
    """The index of the side that stays, placed at the binding of the last variable that it or an order reads."""
    first, second = (plan.left, plan.right) if plan.left_is_first else (plan.right, plan.left)
    bound = {name.expanded for side in (first, second) for name in side.names} | {
        let.name.expanded for let in plan.lets
    }
    of_pairs = (*plan.criteria, *plan.tests, *plan.lets, *plan.constants)
    reads = free_in(second.binding.collection).union(
        *(free_in(node) - bound for node in (*second.clauses, *second.leaves, *of_pairs))
    )
    return placed(
        c,
        c.writer.fresh("matches"),
        f"{c.rt(MatchIndex)}()",
        reads,
        (second.binding.collection, *second.clauses, *of_pairs),
    )


# --- streams


def not_bounded(written: ast.BestMatchClause, why: str) -> StaticError:
    """The error for a join of streams that would have to keep everything."""
    return StaticError(
        "XYST0010",
        f"bestmatch join ← {why}",
        span=written.span,
        hint="bound the difference of a value by which both streams are ordered: on (abs($r/t - $s/t)) min 5, or a"
        " `where` before the join: $r/t - $s/t ge 0 and $r/t - $s/t le 5",
    )


def _with_stream_orders(
    c: Compiler, plan: BestMatchPlan
) -> tuple[BestMatchPlan, list[DeclaredOrder], MovingWindow]:
    """The plan with leaves for punctuation, the declared orders, and the values that windows move along."""
    both = (plan.left, plan.right)
    declared = [declared_order(c.functions.module.prolog, stream_of(side.binding.collection)) for side in both]
    paths = [
        None if order.path is None else _from_item(c, side, order.path)
        for side, order in zip(both, declared, strict=True)
    ]
    window = window_of(plan, lambda left, right: paths[0] in (None, left) and paths[1] in (None, right))
    if window is None:
        raise not_bounded(plan.written, "no bound says how far the items of a pair may be apart")
    if plan.pads_right or (plan.pads_left and plan.written.kind == "full"):
        raise not_bounded(plan.written, "`allowing empty` of the second loop asks for all items of the first")
    if declared[0].is_descending != declared[1].is_descending:
        raise StaticError("XYST0014", "the streams of a join go in the same direction", span=plan.span)
    left, right = (
        side
        if order.punctuation is None
        else replace(side, leaves=(*side.leaves, _from_item(c, side, order.punctuation)))
        for side, order in zip(both, declared, strict=True)
    )
    return replace(plan, left=left, right=right), declared, window


def _from_item(c: Compiler, side: BestMatchSide, path: ast.Expr) -> ast.Expr:
    """A path from an item of a side, as written in the query."""
    return Substitution({}, ast.VarRef(side.binding.name)).apply(resolve_names(path, c.static))


def _declared_sides(plan: BestMatchPlan, declared: Sequence[DeclaredOrder]) -> tuple[DeclaredSide, DeclaredSide]:
    made = []
    for side, order in zip((plan.left, plan.right), declared, strict=True):
        punctuation = None if order.punctuation is None else len(side.leaves) - 1
        said = StreamOrder(order.within, order.read_ahead, punctuation, order.late)
        made.append(DeclaredSide(f"${side.binding.name}", said))
    return made[0], made[1]


def _return_truth(c: Compiler, test: ast.Expr) -> None:
    c.writer.line(f"return {c.truth(test)}")


def _spec(c: Compiler, plan: BestMatchPlan) -> JoinSpec:
    orders = tuple(
        OrderSpec(criterion.written.direction, criterion.term, " ".join(c.describe(criterion).split()))
        for criterion in plan.criteria
    )
    tests = tuple(ConditionSpec(test.op, test.left, test.right, test.is_general) for test in plan.tests)
    clause = plan.written
    return JoinSpec(
        clause.kind,
        min(clause.best, MOST_BEST),
        plan.left_is_first,
        orders,
        tests,
        plan.pads_left,
        plan.pads_right,
        names=(str(plan.left.binding.name), str(plan.right.binding.name)),
    )


def _limit(c: Compiler, criterion: BestMatchCriterion) -> str:
    limit = criterion.written.limit
    if limit is None:
        return "None"
    with c.writer.at(limit.span):
        value = c.as_iterable(c.compile(limit))
        return c.bind(many(f"{c.called(checked_limit)}({value}, 'the limit')"), "limit").text


# --- sides


def _side(
    c: Compiler,
    side: BestMatchSide,
    read: set[tuple[str, str]],
    scanned: ScannedPath | None,
    *,
    is_live: bool = False,
) -> tuple[str, Bound]:
    """The source of a side's rows, and the variables of a row: the loop's, then those that are read later."""
    binding = side.binding
    wanted = set(read).union(*map(read_variables, side.leaves))
    clauses = _read_clauses(side.clauses, wanted)
    with c.writer.at(binding.span):
        compiled: list[Code] = []

        def items() -> None:
            compiled.append(c.compile(binding.collection))
            c.writer.line(f"return {c.as_iterable(compiled[0])}")

        source = c.lifted("items", [], c.describe(binding.collection), items)
        collection = compiled[0]
        kept: Bound = []

        def write() -> None:
            name = c.fresh_name(binding.name)
            position = None if binding.position is None else c.fresh_name(binding.position)
            c.writer.line(
                f"for {name} in items:" if position is None else f"for {position}, {name} in enumerate(items, 1):"
            )
            with c.writer.indented(block=True):
                _bind_item(c, binding, collection, name, position)
                _clauses(c, clauses, name if binding.allowing_empty else None, lambda: _yield(c, side, wanted, kept))

        frame = c.lifted("side", ["items"], c.describe(binding), write)
        frame.is_generator = True
        is_plain = not clauses and binding.type is None and len(kept) == 1
        rows = "None" if is_plain else _function(c, frame, "items")
        leaves = [_operand(c, leaf, kept, "row", is_atomic=True) for leaf in side.leaves]
        paths = tuple(path_leaf(leaf, binding.name) for leaf in side.leaves)
        given = f"{rows}, {_tuple(leaves)}, {c.writer.constant(paths, 'paths')}"
        if scanned is None:
            return f"{c.rt(LiveSide if is_live else SideRows)}({c.writer.call(source)}, {given})", kept
        where = f"{c.context()}, {c.writer.constant(scanned, 'scanned')}, {_function(c, source)}"
        return f"{c.called(side_source)}({where}, {given})", kept


def _read_clauses(clauses: Sequence[ast.Clause], read: set[tuple[str, str]]) -> list[ast.Clause]:
    """The clauses of a side without unused variables: terms already contain the values they read."""
    kept: list[ast.Clause] = []
    wanted = set(read)
    for clause in reversed(clauses):
        if not isinstance(clause, ast.LetClause) or clause.name.expanded in wanted or clause.type is not None:
            kept.append(clause)
            wanted |= read_variables(clause)
    return kept[::-1]


def path_leaf(leaf: ast.Expr, name: ast.Name) -> PathLeaf | None:
    """A leaf that is a path from the item of the loop, or such a path as a number."""
    is_lenient = False
    match leaf:
        case ast.FunctionCall(name=called, arguments=(argument,)) if called.expanded in _NUMBERS:
            leaf, is_lenient = argument, called.local == "number"
    steps: list[tuple[str, NodeTest]] = []
    while isinstance(leaf, ast.Path) and isinstance(leaf.right, ast.AxisStep):
        step, leaf = leaf.right, leaf.left
        if step.axis == "descendant-or-self" and isinstance(step.test, ast.AnyKindTest) and not step.predicates:
            if not steps or steps[-1][0] != "child":
                return None
            # //x → descendant::x
            steps[-1] = ("descendant", steps[-1][1])
            continue
        if step.predicates or step.axis not in ("child", "attribute", "descendant", "self"):
            return None
        if not isinstance(step.test, (ast.NameTest, ast.Wildcard, ast.TextTest)):
            return None
        steps.append((step.axis, node_test(step.axis, step.test)[0]))
    if not isinstance(leaf, ast.VarRef) or leaf.name.expanded != name.expanded:
        return None
    return PathLeaf(tuple(steps[::-1]), is_lenient)


_NUMBERS = ((FN, "number"), (FN, "data"))


def _bind_item(c: Compiler, binding: ast.ForClause, collection: Code, name: str, position: str | None) -> None:
    item = collection.item
    if binding.type is not None:
        item = check_binding(c, name, item, binding.type, f"${binding.name}")
    code = optional(name, item, simple=True) if binding.allowing_empty else one(name, item, simple=True)
    c.declare(binding.name.expanded, code, loops=True)
    if binding.position is not None:
        assert position is not None
        if binding.allowing_empty:
            c.writer.line(f"if {name} is None: {position} = 0")
        c.declare(binding.position.expanded, atomic(position, at.INTEGER, simple=True), loops=True)


def _clauses(c: Compiler, clauses: Sequence[ast.Clause], padded: str | None, then: Callable[[], None]) -> None:
    from .flwor import write_let

    if not clauses:
        then()
        return
    clause, rest = clauses[0], clauses[1:]
    with c.writer.at(clause.span):
        if isinstance(clause, ast.LetClause):
            write_let(c, clause)
            _clauses(c, rest, padded, then)
            return
        assert isinstance(clause, ast.WhereClause)
        # Conditions that rule items out do not prove that there is none.
        spared = "" if padded is None else f"{padded} is None or "
        c.writer.line(f"if {spared}{c.truth(clause.test)}:")
        with c.writer.indented():
            _clauses(c, rest, padded, then)


def _yield(c: Compiler, side: BestMatchSide, read: set[tuple[str, str]], kept: Bound) -> None:
    for name in side.names:
        if name is side.binding.name or name.expanded in read:
            kept.append((name.expanded, c.use(c.scope.variables[name.expanded])))
    values = "".join(f"{code.text}, " for _, code in kept)
    c.writer.line(f"yield ({values})")


# --- orders


def _criterion(
    c: Compiler,
    criterion: BestMatchCriterion,
    limit: str,
    in_pair: Callable[[str, str, Callable[[], None]], str],
    sides: tuple[Bound, Bound],
) -> str:
    order = criterion.written
    with c.writer.at(order.span):
        if criterion.value is not None:
            value = criterion.value

            def write() -> None:
                c.writer.line(f"return {c.atomic_operand(value, 'the value of an order').text}")

            text = in_pair("order", c.describe(order), write)
            return f"{c.rt(Measured)}({text}, {order.direction!r}, {limit}, run.implicit_timezone_minutes)"
        left = _operand(c, criterion.left, sides[0], "left")
        right = _operand(c, criterion.right, sides[1], "right")
        return compared(c, order, left, right)


def _comparison(c: Compiler, order: ast.BestMatchOrder, call: ast.FunctionCall) -> Code:
    """The call that compares two pairs; XPST0017 lists the functions allowed there."""
    try:
        return c.compile(call)
    except StaticError as error:
        if error.code != "XPST0017" or error.hint:
            raise
        local = call.name.local
        near = next((name for name in _ORDERS if name[:4].lower() == local[:4].lower()), "")
        hint = "an order is min, max, minAttrDist, subset, or a function of four parameters: declare function"
        hint += " local:better($r, $s, $other-r, $other-s) as xs:boolean? { … }"
        raise StaticError(
            error.code, error.why, span=order.span, hint=f"did you mean {near}? {hint}" if near else hint
        ) from None


_ORDERS = ("min", "max", "minAttrDist", "subset")


def compared(c: Compiler, order: ast.BestMatchOrder, left: str, right: str) -> str:
    """An order by a function, given how the operands of each side are computed."""
    assert order.function is not None
    name = order.function
    if name.expanded in BUILT_IN and not _is_declared(c, name):
        return f"{c.rt(Subset)}({left}, {right}, run.implicit_timezone_minutes)"
    places = [ast.Name(f"operand{number}", None, JOIN) for number in range(4)]

    def write() -> None:
        for place, parameter in zip(places, _PLACES, strict=True):
            c.declare(place.expanded, many(parameter, reread=True))
        call = ast.FunctionCall(name, tuple(ast.VarRef(place, span=order.span) for place in places), span=order.span)
        c.writer.line(f"return {c.as_sequence(_comparison(c, order, call))}")

    compare = _function(c, c.lifted("compare", list(_PLACES), c.describe(order), write), *_PLACES)
    return f"{c.rt(Compared)}({left}, {right}, {compare}, {f'{name}()'!r})"


_PLACES = ("r", "s", "other_r", "other_s")


def _is_declared(c: Compiler, name: ast.Name) -> bool:
    return c.functions.user_function(c, name, 4) is not None or c.functions.external(name, 4) is not None


def _operand(
    c: Compiler, operand: ast.Expr | None, side: Bound, parameter: str, *, is_atomic: bool = False
) -> str:
    if operand is None:
        return "None"

    def write() -> None:
        _unpack(c, side, parameter)
        code = c.compile(operand)
        c.writer.line(f"return {c.as_sequence(c.atomized(code) if is_atomic else code)}")

    return _function(c, c.lifted("operand", [parameter], c.describe(operand), write), parameter)


# --- joins over collected tuples


class Places(NamedTuple):
    """The variables that number the items of the left and right loop, and of the loops around them."""

    left: tuple[str, str]
    right: tuple[str, str]
    around: tuple[tuple[str, str], ...]


def with_positions(plan: BestMatchTuples) -> tuple[list[ast.Clause], Places]:
    """The clauses of the tuples, each of whose loops numbers its items."""
    loops: list[ast.ForClause] = []

    def numbered(loop: ast.ForClause) -> ast.ForClause:
        if loop.position is None:
            loop = replace(loop, position=ast.Name(f"place{len(loops)}", None, JOIN))
        loops.append(loop)
        return loop

    def in_clause(clause: ast.Clause) -> ast.Clause:
        match clause:
            case ast.ForClause():
                return numbered(clause)
            case BestMatchTuples(clauses=inner):
                return replace(clause, clauses=tuple(map(in_clause, inner)))
            case BestMatchPlan(left=left, right=right, left_is_first=is_first):
                first, second = (left, right) if is_first else (right, left)
                first = replace(first, binding=numbered(first.binding))
                second = replace(second, binding=numbered(second.binding))
                left, right = (first, second) if is_first else (second, first)
                return replace(clause, left=left, right=right)
        return clause

    clauses = [in_clause(clause) for clause in plan.clauses]
    # The later of two loops that bind the same name is meant.
    places = {loop.name.expanded: loop.position.expanded for loop in loops if loop.position is not None}
    around = [loop.position.expanded for loop in loops[: plan.loops_around] if loop.position is not None]
    written = plan.written
    return clauses, Places(places[written.left.name.expanded], places[written.right.name.expanded], tuple(around))


def tuple_criteria(c: Compiler, plan: BestMatchTuples, rows: str, kept: Bound) -> str:
    """The function that selects the best of some rows."""

    def in_row(stem: str, comment: str, write: Callable[[], None]) -> str:
        def body() -> None:
            _unpack(c, kept, "row")
            write()

        return _function(c, c.lifted(stem, ["row", "_"], comment, body), "row", "_")

    criteria = [
        _criterion(c, criterion, _limit(c, criterion), in_row, (kept, kept)) for criterion in plan.criteria
    ]
    return f"{c.called(best_tuples)}({rows}, {_tuple(criteria)}, {plan.written.kind!r}, {plan.written.best})"


# --- rows in generated code


def _unpack(c: Compiler, side: Bound, parameter: str) -> None:
    """Bring the variables of a row into scope."""
    fresh = _fresh(c, side)
    c.writer.line(f"{''.join(f'{code.text}, ' for _, code in fresh)} = {parameter}")
    for name, code in fresh:
        c.declare(name, code, loops=True)


def _fresh(c: Compiler, side: Bound) -> Bound:
    """The variables under fresh names."""
    return [(name, replace(code, text=c.writer.fresh("v"), simple=True, step=None, each="")) for name, code in side]


def _function(c: Compiler, frame: Frame, *parameters: str) -> str:
    """A function of the parameters only; its captured values are bound here."""
    if not frame.captures:
        return frame.name
    return f"(lambda {', '.join(parameters)}: {c.writer.call(frame, *parameters)})"


def _tuple(parts: Sequence[str]) -> str:
    return f"({''.join(f'{part}, ' for part in parts)})"
