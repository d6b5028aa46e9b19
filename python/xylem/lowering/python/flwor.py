"""FLWOR expressions: clauses become nested loops of one generator function.

`order by` and `group by` end a run of loops: the tuples collected so far are sorted or grouped, and a new
loop over them starts. Those tuples do not keep variables that nothing reads later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from xylem.analysis.focus import read_behind
from xylem.analysis.static_context import resolved_uri
from xylem.analysis.types import sequence_type
from xylem.errors import DynamicError, Span, StaticError
from xylem.plan.best_match_plan import BestMatchPlan, BestMatchTuples
from xylem.plan.window_plan import WindowPlan
from xylem.run.runtime import control as control_rt
from xylem.run.runtime import sequences
from xylem.run.runtime import tuples as rt
from xylem.run.runtime.data_windows import windows
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.collations import CODEPOINT, collation
from xylem.values.sequence_type import ANY_ITEM, AtomicItem, FunctionItemType, ItemType, Occurrence, SequenceType

from .code import Code, Shape, atomic, many, one, optional, shape_of
from .code_gap import CodeGap
from .compiler import NO_ITEM, YIELD, Compiler, Sink, compiles, not_executable, pushes, tails
from .control import Finish, check_binding
from .fed_loops import pauses, reads_fed_items, settled, write_fed_loop
from .joins import write_join
from .operators import default_collation
from .record_rows import matched, row_or_value, whole_record
from .resumed_windows import forms_windows_in_batches, resumed_windows
from .scope import Place
from .step_texts import repeated_steps


@compiles(ast.Flwor)
def compile_flwor(c: Compiler, node: ast.Flwor) -> Code:
    if _only_lets(node):
        with c.scoped():
            straight_on(c, node)
            for clause in node.clauses:
                write_let(c, clause)  # type: ignore[arg-type]
            return c.compile(node.result)
    return c.generator(node, "flwor")


@tails(ast.Flwor)
def tail_flwor(c: Compiler, node: ast.Flwor, finish: Finish) -> None:
    if not _only_lets(node):
        finish(compile_flwor(c, node))
        return
    with c.scoped():
        straight_on(c, node)
        for clause in node.clauses:
            write_let(c, clause)  # type: ignore[arg-type]
        c.tail(node.result, finish)


def straight_on(c: Compiler, node: ast.Flwor | None = None) -> None:
    """The statements that follow each other without branches, in an expression or its rest."""
    if c.static.is_sequential:
        # Variables may change from one statement to the next.
        return
    repeated = c.scope.repeated if node is None else c.scope.repeated | repeated_steps(node)
    if repeated:
        c.scope = replace(c.scope, place=Place.of(c.writer.frame), repeated=repeated)


_PLAIN_CLAUSES = (
    *(ast.ForClause, ast.JoinClause, ast.LetClause, ast.WhereClause),
    *(ast.OrderByClause, ast.GroupByClause, ast.CountClause),
)


def _only_lets(node: ast.Flwor) -> bool:
    return all(isinstance(clause, ast.LetClause) for clause in node.clauses)


@pushes(ast.Flwor)
def push_flwor(c: Compiler, node: ast.Flwor, sink: Sink) -> ItemType:
    if c.writer.frame.blocks > 12 or c.is_indented_far:
        # Python allows twenty nested loops in one function.
        return c.push_code(compile_flwor(c, node), sink)
    is_answer = node is c.writer.answer and sink is YIELD
    node = _planned(c, node)
    with c.scoped():
        return _Loops(c, node, sink, is_answer=is_answer).write(list(node.clauses))


def _planned(c: Compiler, node: ast.Flwor) -> ast.Flwor:
    """The expression with planned joins and window clauses, which the program keeps for `explain`."""
    made = with_plans(c, node)
    if made is not node:
        c.writer.planned[node] = made
    return made


def with_plans(c: Compiler, node: ast.Flwor) -> ast.Flwor:
    """The expression with its joins and window clauses planned."""
    if any(isinstance(clause, ast.BestMatchClause) for clause in node.clauses):
        from xylem.rewrite.best_match import plan_best_matches

        node = plan_best_matches(_with_endless_joins(c, node))
    if not any(isinstance(clause, (ast.WindowClause, ast.ForseqClause)) for clause in node.clauses):
        return node
    from xylem.rewrite.windows import WindowFacts, plan_windows

    facts = c.writer.window_facts or WindowFacts()
    here = replace(
        facts,
        is_sequential=c.static.is_sequential,
        by_code_points=default_collation(c) == "None",
        is_infinite=c.is_endless,
    )
    return plan_windows(node, here)


def _with_endless_joins(c: Compiler, node: ast.Flwor) -> ast.Flwor:
    """The expression with the joins of loops that never end, one item of them at a time."""
    from xylem.rewrite.best_match import one_at_a_time

    clauses = list(node.clauses)
    for place in range(len(clauses)):
        clause = clauses[place]
        if isinstance(clause, ast.ForClause) and c.is_endless(clause.collection):
            made = one_at_a_time(clauses[place:])
            others = [loop.collection for loop in clauses[place + 1 :] if isinstance(loop, ast.ForClause)]
            if made is not None and not any(map(c.is_endless, others)):
                return replace(node, clauses=(*clauses[:place], made[0], *made[1]))
    return node


def write_let(c: Compiler, clause: ast.LetClause) -> str:
    """Bind a `let` variable; return its Python name."""
    with c.writer.at(clause.span):
        code = _collected(c, clause.value)
        if code is None:
            code = row_or_value(c, clause.value)
            if code.endless:
                return _write_endless_let(c, clause, code)
            code = c.sequence(code)
        if clause.type is not None:
            expected, what = sequence_type(clause.type), f"${clause.name}"
            row = matched(c, code, expected, what) if code.row else None
            code = row or checked(c, whole_record(c, code), expected, what)
        name = c.fresh_name(clause.name)
        c.writer.line(f"{name} = {code.text}")
        c.declare(clause.name.expanded, replace(code, text=name, simple=True))
        return name


def _collected(c: Compiler, value: ast.Expr) -> Code | None:
    """The items of a loop in a list, filled in place without a generator. None for anything else."""
    if not isinstance(value, ast.Flwor) or _only_lets(value) or c.is_endless(value):
        return None
    if not all(isinstance(clause, _PLAIN_CLAUSES) for clause in value.clauses):
        return None
    if any(isinstance(n, ast.DataWindow) or (isinstance(n, ast.VarRef) and pauses(c, n)) for n in value.walk()):
        # A loop that pauses yields its pauses, so it needs a generator.
        return None
    items = c.writer.fresh("items")
    c.writer.line(f"{items} = []")
    item = c.push(value, Sink(CodeGap(f"{items}.append(", ")"), CodeGap(f"{items}.extend(", ")")))
    kind = SequenceType(ANY_ITEM if item == NO_ITEM else item, Occurrence.MANY)
    return Code(items, Shape.SEQUENCE, kind, simple=True)


def _write_endless_let(c: Compiler, clause: ast.LetClause, code: Code) -> str:
    from .endless import checked_lazily, shared

    if clause.type is not None:
        code = checked_lazily(c, code, sequence_type(clause.type), f"${clause.name}")
    assert c.writer.bounds is not None
    code = shared(c, code, c.writer.bounds.let_readers.get(id(clause)), f"${clause.name}")
    name = c.fresh_name(clause.name)
    c.writer.line(f"{name} = {code.text}")
    c.declare(clause.name.expanded, replace(code, text=name, simple=True))
    return name


def checked(c: Compiler, code: Code, expected: SequenceType, what: str) -> Code:
    """A declared type: matched, never converted."""
    if code.type.within(expected) and code.shape is shape_of(expected.occurrence):
        return code
    if code.item.within(expected.item) and not code.endless and not isinstance(expected.item, FunctionItemType):
        shaped = c.shaped(code, expected, what)
        if shaped is not None:
            return shaped
    text = f"{c.rt(control_rt.checked)}({c.as_sequence(code)}, {c.type_constant(expected)}, {what!r})"
    shape = shape_of(expected.occurrence)
    if shape is Shape.ONE:
        text += "[0]"
    elif shape is Shape.OPTIONAL:
        text = f"next(iter({text}), None)"
    return Code(text, shape, expected, ordered=code.ordered)


def order_by_keys(c: Compiler, clause: ast.OrderByClause) -> str:
    """A Python tuple of the keys of one tuple."""
    keys = [c.bind(c.atomic_operand(spec.key, "an order by key")).text for spec in clause.specs]
    return f"({''.join(key + ', ' for key in keys)})"


def order_columns(c: Compiler, clause: ast.OrderByClause) -> tuple[rt.OrderColumn, ...]:
    """The comparison of tuple keys."""
    return tuple(_order_column(c, spec) for spec in clause.specs)


def _order_column(c: Compiler, spec: ast.OrderSpec) -> rt.OrderColumn:
    greatest = c.static.empty_greatest if spec.empty is None else spec.empty == "greatest"
    return rt.OrderColumn(spec.descending, greatest, _collation_of(c, spec.collation, spec))


def _collation_of(c: Compiler, uri: str | None, node: ast.Node) -> object:
    uri = c.static.default_collation if uri is None else resolved_uri(c.static.base_uri, uri)
    try:
        found = collation(uri, c.static.base_uri)
    except DynamicError as reason:
        raise StaticError("XQST0076", reason.why, span=node.span, hint=reason.hint) from None
    return None if found is CODEPOINT else found


def write_tuples(c: Compiler, node: ast.Flwor, clauses: tuple[ast.Clause, ...], then: Callable[[], None]) -> None:
    """The loops of some clauses of an expression; `then` writes the statements for each tuple."""
    loops = _Loops(c, node, Sink(CodeGap(""), CodeGap("")))
    loops.write_clauses(list(_planned(c, replace(node, clauses=clauses)).clauses), then)


class _Tuples(NamedTuple):
    """Tuples that `order by` or `group by` collected: a Python iterable, and the variables each one holds."""

    source: str
    variables: list[tuple[tuple[str, str], Code]]
    span: Span


class _Loops:
    """Writes the loops of one FLWOR expression."""

    def __init__(self, c: Compiler, node: ast.Flwor, sink: Sink, *, is_answer: bool = False) -> None:
        """`is_answer`: whether the expression is the whole query."""
        self.c = c
        self.is_answer = is_answer
        self.node = node
        self.sink = sink
        self.bound: dict[tuple[str, str], None] = {}
        """Variables of this expression, in the order they were bound."""
        self.behind: list[ast.Clause] = []
        """The clauses after those being written, from the next `order by`, `group by` or join on."""
        self.wanted: set[tuple[str, str]] = set()
        """Variables that outer joins need."""
        self.pushed: ItemType = NO_ITEM

    def write(self, clauses: list[ast.Clause]) -> ItemType:
        straight_on(self.c, self.node)
        is_resumed = any(map(forms_windows_in_batches, clauses))
        counts = [cl for cl in clauses if isinstance(cl, ast.CountClause)]
        self._counters = {id(cl): self._counter(number, is_resumed) for number, cl in enumerate(counts)}
        self._segment(clauses)
        return self.pushed

    def write_clauses(self, clauses: list[ast.Clause], then: Callable[[], None]) -> None:
        """Clauses that neither sort nor group nor count."""
        self._run(clauses, None, then)

    def _counter(self, number: int, is_resumed: bool) -> object:
        name = self.c.writer.fresh("counter")
        made = f"{resumed_windows(self.c)}.counter({number})" if is_resumed else f"{self.c.rt(count)}(1)"
        self.c.writer.line(f"{name} = {made}")
        return self.c.variable(atomic(name, at.ANY_ATOMIC, simple=True))

    def _segment(self, clauses: list[ast.Clause], tuples: _Tuples | None = None) -> None:
        """Clauses up to the next `order by` or `group by`, that clause, and the rest.

        `tuples` is the result of the last such clause; the loops of this segment run over it.
        """
        stops = [i for i, cl in enumerate(clauses) if isinstance(cl, (ast.OrderByClause, ast.GroupByClause))]
        if not stops:
            self.behind = []
            self._run(clauses, tuples, self._result)
            return
        stop = stops[0]
        self.behind = clauses[stop:]
        before, clause, rest = clauses[:stop], clauses[stop], clauses[stop + 1 :]
        with self.c.writer.at(clause.span):
            if isinstance(clause, ast.OrderByClause):
                left = self._order_by(before, tuples, clause, rest)
            else:
                assert isinstance(clause, ast.GroupByClause)
                left = self._group_by(before, tuples, clause, rest)
        self._segment(rest, left)

    def _run(self, clauses: list[ast.Clause], tuples: _Tuples | None, then: Callable[[], None]) -> None:
        """The clauses of a segment, inside the loop over its initial tuples."""
        c = self.c
        with c.scoped():
            if tuples is None:
                self._clauses(clauses, then)
                return
            targets = "".join(f"{code.text}, " for _, code in tuples.variables)
            with c.writer.at(tuples.span):
                c.writer.line(f"for {f'({targets})' if targets else '_'} in {tuples.source}:")
            with c.writer.indented(block=True):
                for name, code in tuples.variables:
                    c.declare(name, code, loops=True)
                self._clauses(clauses, then)

    def _result(self) -> None:
        self.pushed = self.c.push(self.node.result, self.sink)

    # --- clause by clause

    def _clauses(self, clauses: list[ast.Clause], then: Callable[[], None]) -> None:
        straight_on(self.c)
        if not clauses:
            then()
            return
        c = self.c
        if c.writer.frame.blocks > 14 or c.writer.frame.depth > 60:
            self._continue_elsewhere(clauses, then)
            return
        clause, rest = clauses[0], clauses[1:]
        with c.writer.at(clause.span):
            match clause:
                case ast.ForClause():
                    self._for(clause, rest, then)
                case ast.JoinClause():
                    self._join(clause, rest, then)
                case ast.LetClause():
                    write_let(c, clause)
                    self.bound[clause.name.expanded] = None
                    self._clauses(rest, then)
                case ast.WhereClause():
                    c.writer.line(f"if {c.truth(clause.test)}:")
                    with c.writer.indented():
                        self._clauses(rest, then)
                case ast.CountClause():
                    name = c.fresh_name(clause.name)
                    counter = c.use(self._counters[id(clause)])  # type: ignore[arg-type]
                    c.writer.line(f"{name} = next({counter.text})")
                    c.declare(clause.name.expanded, atomic(name, at.INTEGER, simple=True))
                    self.bound[clause.name.expanded] = None
                    self._clauses(rest, then)
                case WindowPlan():
                    from .windows import check_window_types, write_window

                    bound = write_window(c, settled(clause, self.node.result))
                    with c.writer.indented(block=True):
                        for variable, code in bound:
                            c.declare(variable, code, loops=True)
                            self.bound[variable] = None
                        check_window_types(c, clause)
                        self._clauses(rest, then)
                case BestMatchPlan():
                    self._best_match(clause, rest, then)
                case BestMatchTuples():
                    self._best_tuples(clause, rest, then)
                case _:
                    raise not_executable(clause)

    def _continue_elsewhere(self, clauses: list[ast.Clause], then: Callable[[], None]) -> None:
        """Too deep for one Python function: the rest runs in a separate generator of tuples or items."""
        c = self.c
        outer_sink, self.sink = self.sink, YIELD
        frame = c.lifted("flwor", [], "", lambda: self._clauses(clauses, then))
        frame.is_generator = True
        self.sink = outer_sink
        if then == self._result:
            c.push_code(many(c.writer.call(frame)), outer_sink)
        else:
            # Only effects on the list of tuples are wanted.
            c.writer.line(f"for _ in {c.writer.call(frame)}: pass")

    def _for(self, clause: ast.ForClause, rest: list[ast.Clause], then: Callable[[], None]) -> None:
        c = self.c
        if isinstance(clause.collection, ast.DataWindow) and (clause.allowing_empty or clause.type is not None):
            raise StaticError("XYST0002", "`allowing empty` or a type with a data window", span=clause.span)
        window = clause.collection if isinstance(clause.collection, ast.DataWindow) else None
        is_fed = pauses(c, clause.collection)
        if window is not None:
            from xylem.analysis.event_order_call import event_order_call

            from .event_order import in_event_order
            from .resumed_windows import reads_stream_in_batches
            from .windows import data_window_cursor

            order = event_order_call(window.base)
            window = window if order is None else replace(window, base=order.items)
            items = c.compile(window.base)
            cursor = data_window_cursor(c, window, items.item)
            cursor = cursor if order is None else in_event_order(c, order, cursor, items.item)
            is_fed = reads_fed_items(window.base)
            source, item = f"{c.rt(windows)}({c.as_iterable(items)}, {cursor})", items.item
            if is_fed:
                source = f"{items.text}.over({cursor})"
            elif reads_stream_in_batches(window.base):
                source = f"{resumed_windows(c)}.over({cursor})"
        else:
            collection = c.compile(clause.collection)
            source, item = c.as_iterable(collection), collection.item
        name = c.fresh_name(clause.name)
        if clause.allowing_empty:
            source = f"{c.rt(sequences.or_empty)}({source})"
        if is_fed:
            if clause.position is not None:
                position = c.fresh_name(clause.position)
                c.writer.line(f"{position} = 0")
            write_fed_loop(c, name, source)
            if clause.position is not None:
                with c.writer.indented():
                    c.writer.line(f"{position} += 1")
        elif clause.position is None:
            c.writer.line(f"for {name} in {source}:")
        else:
            position = c.fresh_name(clause.position)
            c.writer.line(f"for {position}, {name} in enumerate({source}, 1):")
        with c.writer.indented(block=True):
            code = one(name, item, simple=True)
            if window is not None:
                code = Code(name, Shape.SEQUENCE, SequenceType(item, Occurrence.MANY), simple=True)
            if clause.allowing_empty:
                code = optional(name, item, simple=True)
                if clause.position is not None:
                    c.writer.line(f"if {name} is None: {position} = 0")
            if clause.type is not None:
                code = self._checked_item(clause, code)
            c.declare(clause.name.expanded, code, loops=True)
            self.bound[clause.name.expanded] = None
            if clause.position is not None:
                c.declare(clause.position.expanded, atomic(position, at.INTEGER, simple=True), loops=True)
                self.bound[clause.position.expanded] = None
            self._clauses(rest, then)

    def _join(self, clause: ast.JoinClause, rest: list[ast.Clause], then: Callable[[], None]) -> None:
        c = self.c
        source, item = write_join(c, clause)
        bound = [(clause.name.expanded, one(c.fresh_name(clause.name), item, simple=True))]
        if clause.position is not None:
            position = atomic(c.fresh_name(clause.position), at.INTEGER, simple=True)
            bound.insert(0, (clause.position.expanded, position))
        c.writer.line(f"for {', '.join(code.text for _, code in bound)} in {source}:")
        with c.writer.indented(block=True):
            for name, code in bound:
                c.declare(name, code, loops=True)
                self.bound[name] = None
            self._clauses(rest, then)

    def _best_match(self, plan: BestMatchPlan, rest: list[ast.Clause], then: Callable[[], None]) -> None:
        from .best_match import write_best_match

        c = self.c
        is_answer = self.is_answer and self.node.clauses[0] is plan
        after = [*rest, *self.behind]
        left, right = write_best_match(c, plan, after, self.node.result, self.wanted, is_answer=is_answer)
        with c.writer.indented(block=True):
            for name, code in (*left, *right):
                c.declare(name, code, loops=True)
                self.bound[name] = None
            for let in plan.lets:
                write_let(c, let)
                self.bound[let.name.expanded] = None
            self._clauses(rest, then)

    def _best_tuples(self, plan: BestMatchTuples, rest: list[ast.Clause], then: Callable[[], None]) -> None:
        """Collect the tuples; the best ones continue."""
        from .best_match import not_bounded, tuple_criteria, with_positions

        c = self.c
        for loop in plan.clauses:
            if isinstance(loop, ast.ForClause) and c.is_endless(loop.collection):
                raise not_bounded(plan.written, "one of its loops depends on another one")
        rows = c.writer.fresh("rows")
        c.writer.line(f"{rows} = []")
        rows_variable = c.variable(many(rows, reread=True))
        kept: list[tuple[tuple[str, str], Code]] = []
        clauses, places = with_positions(plan)

        outer = self.behind, self.wanted

        def append() -> None:
            self.behind, self.wanted = outer
            for name in self._kept([*rest, *self.behind], plan.criteria):
                kept.append((name, c.use(c.scope.variables[name])))
            values = "".join(f"{code.text}, " for _, code in kept)
            left, right, *around = (c.use(c.scope.variables[place]).text for place in asked)
            turn = "".join(f"{place}, " for place in around)
            c.writer.line(f"{c.use(rows_variable).text}.append((({turn}), {left}, {right}, ({values})))")

        asked = (places.left, places.right, *places.around)
        self.behind, self.wanted = [plan.written, *rest, *self.behind], {*self.wanted, *asked}
        self._run(clauses, None, append)
        self.behind, self.wanted = outer
        source = tuple_criteria(c, plan, rows, kept)
        targets = "".join(f"{code.text}, " for _, code in kept)
        c.writer.line(f"for {f'({targets})' if targets else '_'} in {source}:")
        with c.writer.indented(block=True):
            for name, code in kept:
                c.declare(name, code, loops=True)
            self._clauses(rest, then)

    def _checked_item(self, clause: ast.ForClause, code: Code) -> Code:
        c = self.c
        assert clause.type is not None
        if code.shape is Shape.ONE:
            return replace(
                code, type=SequenceType(check_binding(c, code.text, code.item, clause.type, f"${clause.name}"))
            )
        expected = c.type_constant(sequence_type(clause.type))
        items = c.as_iterable(code)
        c.writer.line(f"{c.rt(control_rt.check_type)}({items}, {expected}, {f'${clause.name}'!r})")
        return code

    # --- order by, group by

    def _kept(self, rest: list[ast.Clause], extra: tuple[ast.Node, ...] = ()) -> list[tuple[str, str]]:
        """The bound variables that are read later."""
        read = self.wanted | read_behind((*rest, *extra), self.node.result)
        return [name for name in self.bound if name in read]

    def _order_by(
        self, before: list[ast.Clause], tuples: _Tuples | None, clause: ast.OrderByClause, rest: list[ast.Clause]
    ) -> _Tuples:
        c = self.c
        rows = c.writer.fresh("rows")
        c.writer.line(f"{rows} = []")
        rows_variable = c.variable(many(rows, reread=True))
        kept: list[tuple[tuple[str, str], Code]] = []

        def append() -> None:
            keys = order_by_keys(c, clause)
            for name in self._kept(rest):
                kept.append((name, c.use(c.scope.variables[name])))
            values = "".join(f"{code.text}, " for _, code in kept)
            c.writer.line(f"{c.use(rows_variable).text}.append(({keys}, ({values})))")

        self._run(before, tuples, append)
        ordering = c.writer.constant(order_columns(c, clause), "ordering")
        return _Tuples(f"{c.rt(rt.ordered)}({rows}, {ordering}, run.implicit_timezone_minutes)", kept, clause.span)

    def _group_by(
        self, before: list[ast.Clause], tuples: _Tuples | None, clause: ast.GroupByClause, rest: list[ast.Clause]
    ) -> _Tuples:
        c = self.c
        groups = c.writer.fresh("groups")
        c.writer.line(f"{groups} = {{}}")
        groups_variable = c.variable(many(groups, reread=True))
        keys: list[tuple[tuple[str, str], Code]] = []
        kept: list[tuple[tuple[str, str], Code]] = []

        def add() -> None:
            keys.extend(self._grouping_keys(clause))
            named = {name for name, _ in keys}
            kept.extend((name, c.use(c.scope.variables[name])) for name in self._kept(rest) if name not in named)
            specs = {spec.name.expanded: spec for spec in clause.specs}
            key_of, timezone = c.rt(rt.group_key), "run.implicit_timezone_minutes"
            hashes = "".join(
                f"{key_of}({code.text}, {self._collation_text(specs[name])}, {timezone}), " for name, code in keys
            )
            key_values = "".join(f"{code.text}, " for _, code in keys)
            values = "".join(f"{c.as_sequence(code)}, " for _, code in kept)
            target = c.use(groups_variable).text
            c.writer.line(f"{c.rt(rt.add_to_group)}({target}, ({hashes}), ({key_values}), ({values}))")

        self._run(before, tuples, add)
        collected = [
            (name, Code(code.text, Shape.SEQUENCE, SequenceType(code.item, Occurrence.MANY), simple=True))
            for name, code in kept
        ]
        self.bound = dict.fromkeys(name for name, _ in (*keys, *collected))
        return _Tuples(f"{c.rt(rt.groups_of)}({groups})", [*keys, *collected], clause.span)

    def _grouping_keys(self, clause: ast.GroupByClause) -> list[tuple[tuple[str, str], Code]]:
        c = self.c
        keys: dict[tuple[str, str], Code] = {}
        for spec in clause.specs:
            name = spec.name.expanded
            if spec.value is not None:
                operand = c.atomized(c.sequence(c.compile(spec.value)))
            elif name in self.bound:
                operand = c.atomized(c.use(c.scope.variables[name]))
            else:
                raise StaticError("XQST0094", f"${spec.name}", span=spec.span)
            what = f"the grouping key ${spec.name}"
            python = c.fresh_name(spec.name)
            text = c.as_optional(operand, what)
            c.writer.line(f"{python} = {text}")
            code = Code(python, Shape.OPTIONAL, SequenceType(operand.item, Occurrence.OPTIONAL), simple=True)
            if operand.shape is Shape.ONE:
                code = one(python, operand.item, simple=True)
            if operand.is_empty:
                code = optional(python, AtomicItem(at.ANY_ATOMIC), simple=True)
            if spec.type is not None:
                expected = sequence_type(spec.type)
                check = f"{c.rt(control_rt.check_type)}({c.as_iterable(code)}, {c.type_constant(expected)}, {what!r})"
                c.writer.line(check)
            c.declare(name, code)
            self.bound[name] = None
            # A name bound twice hides the first one, also as a key.
            keys[name] = code
        return list(keys.items())

    def _collation_text(self, spec: ast.GroupingSpec) -> str:
        if spec.collation is None:
            return default_collation(self.c)
        found = _collation_of(self.c, spec.collation, spec)
        return "None" if found is None else self.c.writer.constant(found, "collation", spec.collation)
