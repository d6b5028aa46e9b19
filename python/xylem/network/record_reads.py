"""How a query uses the records of a stream: the conditions on a record, and the rest of the query without them.

        for $p in $ROOT/photons/photon[ra > 120]     →     [$record/ra > 120, $record/en > 1.3]
        where $p/en > 1.3                                  for $p in $ROOT/photons/photon
        return <hot>{ $p/ra }</hot>                        return <hot>{ $p/ra }</hot>

Each place where a query takes records is a *use*, with conditions that it tests first. A record that meets the
conditions of no use can be left out of the stream without changing the answer: everything that follows, positions and
windows too, sees the same records in the same order. A condition that reads anything else, or counts positions, stays
where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.conjuncts import conjunction, conjuncts
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.focus import reads_focus, uses_position
from xylem.analysis.free_variables import free_in
from xylem.analysis.projection import NotProjectable, Projection, project
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN
from xylem.plan.flux import ROOT
from xylem.rewrite.negation import negated
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast

from .record_facts import RECORD, Names, RecordFacts, is_path
from .steady_conditions import is_constant, is_steady, spelled_out

ExpandedName = tuple[str, str]
Conditions = tuple[ast.Expr, ...]
THE_RECORD = ast.VarRef(RECORD)


CONSTANT, NOWHERE = 0, -1
"""In place of a loop: a value that does not depend on records; a choice among records that is no condition."""


class NotShared(Exception):
    """The query reads more than records: `why` is the reason."""

    def __init__(self, why: str, node: ast.Node | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.node = node


@dataclass(frozen=True)
class Around:
    """An element around the records, at a given depth."""

    depth: int


@dataclass(frozen=True)
class Records:
    """Records, under some conditions: each occurrence is a use."""

    conditions: Conditions


@dataclass(frozen=True)
class One:
    """One record of a loop, or a value that follows from it alone."""

    stands_for: ast.Expr
    loop: int
    """The loop that binds the record: it distinguishes the records of several loops."""


@dataclass(frozen=True)
class Item:
    """One of several items below a record of a loop: for $n in $p/note."""

    path: ast.Expr
    loop: int


Meaning = Around | Records | One | Item
Scope = Mapping[ExpandedName, Meaning]


@dataclass
class RecordReads:
    """Reads a query whose input is $ROOT. With `without`, conditions that need not be tested again are left out."""

    record: Names
    facts: RecordFacts
    constants: Mapping[ExpandedName, ast.Expr] = field(default_factory=dict)
    without: frozenset[ast.Expr] = frozenset()
    uses: list[Conditions] = field(default_factory=list)
    single_around: int = 1
    """Number of elements on the path to a record, from the root, that occur at most once."""
    given: frozenset[ast.Expr] = frozenset()
    """Values of a record, in words of `$record`, that need not be computed: they are left out."""
    given_texts: frozenset[ast.Expr] = frozenset()
    """Values that need not be computed where only their text is written."""
    given_contents: frozenset[ast.Expr] = frozenset()
    """Expressions that need not be computed where they are written into an element as they are."""
    _loops: int = 0
    _invented: int = 0

    def read(self, query: ast.Expr) -> ast.Expr:
        """The query without those conditions; `uses` holds the conditions of each use."""
        return self._walk(query, {})

    def _walk(self, expr: ast.Expr, scope: Scope) -> ast.Expr:
        return replaced(expr, lambda part: self._part(part, scope))

    def _walk_node(self, node: ast.DirectAttribute, scope: Scope) -> ast.DirectAttribute:
        return replaced(node, lambda part: None if part is node else self._part(part, scope))

    def _part(self, part: ast.Node, scope: Scope) -> ast.Node | None:
        if self.given and isinstance(part, ast.Expr) and not isinstance(part, ast.Flwor):
            value = self.of_one_record(part, scope)
            if value is not None and value.stands_for in self.given:
                return ast.SequenceExpr()
        match part:
            case ast.DirectAttribute(parts=parts) if any(self._is_given(one, scope, True) for one in parts):
                rest = tuple(one for one in parts if not self._is_given(one, scope, True))
                return self._walk_node(replace(part, parts=rest), scope)
            case ast.EnclosedExpr() if self._is_given(part, scope, False):
                return ast.EnclosedExpr(ast.SequenceExpr())
            case ast.Flwor():
                return self._flwor(part, scope)
            case ast.Quantified():
                return self._quantified(part, scope)
            case ast.InlineFunction() | ast.Typeswitch() | ast.TryCatch():
                if _names_in(part) & scope.keys() - free_in(part):
                    raise NotShared("a variable is bound again under the name of one that stands for records", part)
            case ast.Path() | ast.Filter() | ast.VarRef():
                found = self.place(part, scope)
                if found is None:
                    return self._below_records(part, scope) if isinstance(part, ast.Path) else None
                meaning, made = found
                if isinstance(meaning, Around):
                    raise NotShared("it reads more than the records: an element around them, or beside them", part)
                if isinstance(meaning, Records):
                    self.uses.append(meaning.conditions)
                return made
        return None

    def _is_given(self, part: object, scope: Scope, is_attribute: bool) -> bool:
        """Whether what is written there is known as it is written."""
        if not isinstance(part, ast.EnclosedExpr) or not (self.given_texts or self.given_contents):
            return False
        found = self.of_one_record(part.body, scope)
        if found is None:
            return False
        value = argument_of(found.stands_for, "data") or found.stands_for
        is_text = is_attribute or gives_values(found.stands_for)
        return (is_text and value in self.given_texts) or (not is_attribute and found.stands_for in self.given_contents)

    def _below_records(self, path: ast.Path, scope: Scope) -> ast.Expr | None:
        """A path that continues below records: it selects nothing for a record without such nodes."""
        found = self.split(path, scope)
        if found is None:
            return None
        (records, made), steps = found
        below: ast.Expr = THE_RECORD
        for step in steps:
            below = ast.Path(below, step)
            made = ast.Path(made, replaced(step, lambda part: self._part(part, scope)), span=path.span)
        self.uses.append((*records.conditions, *self.is_there(below)))
        return made

    def split(self, path: ast.Expr, scope: Scope) -> tuple[tuple[Records, ast.Expr], list[ast.AxisStep]] | None:
        """The records that a path begins with, and its steps below them."""
        steps: list[ast.AxisStep] = []
        while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
            steps.insert(0, path.right)
            path = path.left
            if isinstance(path, ast.VarRef) and path.name.expanded == ("", ROOT):
                return None
            found = self.place(path, scope)
            if found is not None:
                return ((found[0], found[1]), steps) if isinstance(found[0], Records) else None
        return None

    def is_there(self, path: ast.Expr) -> Conditions:
        """exists(PATH) as a condition on the record; nothing if it is not a condition, or always holds."""
        if self.facts.is_always_one(path):
            return ()
        condition = self._condition(_exists(path))
        return () if condition is None else (condition,)

    # --- the records of an expression

    def place(self, expr: ast.Expr, scope: Scope) -> tuple[Meaning, ast.Expr] | None:
        """The records that an expression refers to, and the expression without conditions; None if there are none."""
        match expr:
            case ast.VarRef(name=name):
                if name.expanded == ("", ROOT):
                    return Around(0), expr
                meaning = scope.get(name.expanded)
                return None if meaning is None else (meaning, expr)
            case ast.Path(left=left, right=ast.AxisStep() as step):
                found = self.place(left, scope)
                if found is None or not isinstance(found[0], Around):
                    return None
                return self._step(found[0], found[1], step, scope)
            case ast.Filter(base=base, predicate=predicate):
                found = self.place(base, scope)
                if found is None or not isinstance(found[0], Records):
                    return None
                return self._tested(found[0], found[1], (predicate,), scope)
        return None

    def _step(
        self, around: Around, left: ast.Expr, step: ast.AxisStep, scope: Scope
    ) -> tuple[Meaning, ast.Expr] | None:
        names = step.test.name.expanded if isinstance(step.test, ast.NameTest) else None
        if step.axis != "child" or names != self.record[around.depth]:
            raise NotShared("it reads more than the records: an element around them, or beside them", step)
        bare = ast.Path(left, replace(step, predicates=()), span=step.span)
        if around.depth + 1 < len(self.record):
            if step.predicates:
                raise NotShared("it tests an element around the records", step)
            return Around(around.depth + 1), bare
        if around.depth > self.single_around and not all(map(_is_condition, step.predicates)):
            raise NotShared("it counts records below each of the elements around them", step)
        return self._tested(Records(()), bare, step.predicates, scope)

    def _tested(
        self, records: Records, made: ast.Expr, predicates: tuple[ast.Expr, ...], scope: Scope
    ) -> tuple[Meaning, ast.Expr] | None:
        """Records under predicates; None if one of them needs more than the record itself."""
        conditions = list(records.conditions)
        for number, predicate in enumerate(map(spelled_out, predicates)):
            if not _is_condition(predicate):
                # For example a position: it still counts the records that passed the earlier tests.
                self.uses.append(tuple(conditions))
                rest = tuple(self._walk(one, scope) for one in predicates[number:])
                return One(ast.SequenceExpr(), NOWHERE), _with_predicates(made, rest)
            kept: list[ast.Expr] = []
            for test in conjuncts(predicate):
                condition = self._of_focus(test, scope)
                if condition is not None:
                    conditions.append(condition)
                if condition is None or condition not in self.without:
                    kept.append(self._walk(test, scope))
            remaining = conjunction(kept)
            if remaining is not None:
                made = _with_predicates(made, (remaining,))
        return Records(tuple(conditions)), made

    def _of_focus(self, test: ast.Expr, scope: Scope) -> ast.Expr | None:
        """A predicate as a condition on the record; None if it is not one."""
        known = {
            name: meaning.stands_for
            for name, meaning in scope.items()
            if isinstance(meaning, One) and meaning.loop == CONSTANT
        }
        try:
            condition = Substitution({**self.constants, **known}, THE_RECORD).apply(test)
        except FocusInTheWay:
            return None
        return self._condition(condition)

    def _condition(self, condition: ast.Expr) -> ast.Expr | None:
        """The condition in the form used for comparison; None if it depends on more than the record."""
        condition = spelled_out(condition)
        if free_in(condition) - {RECORD.expanded} or reads_focus(condition) or not is_steady(condition):
            return None
        found = Projection()
        try:
            project(condition, {RECORD.expanded: found})
        except NotProjectable:
            return None
        return condition if found.above is None else None

    # --- loops

    def _flwor(self, flwor: ast.Flwor, scope: Scope) -> ast.Expr:
        inside: dict[ExpandedName, Meaning] = dict(scope)
        own: dict[int, list[ast.Expr]] = {}
        sealed: set[int] = set()
        clauses: list[ast.Clause] = []
        for clause in self.loops_apart(flwor.clauses, scope):
            made: ast.Clause | None = clause
            match clause:
                case ast.ForClause():
                    made = self._for(clause, inside, own, sealed)
                case ast.LetClause():
                    made = self._let(clause, inside)
                case ast.WhereClause(test=test):
                    made = self._where(clause, test, inside, own, sealed)
                case _:
                    made = replaced(clause, lambda part, now=dict(inside): self._part(part, now))  # type: ignore[misc]
                    sealed |= own.keys()
                    for name in _bound_by(clause):
                        inside.pop(name, None)
            if made is not None:
                clauses.append(made)
        result = self._result(flwor.result, inside, own, sealed)
        clauses = _read_clauses(clauses, result)
        return replace(flwor, clauses=tuple(clauses), result=result) if clauses else result

    def loops_apart(self, clauses: tuple[ast.Clause, ...], scope: Scope) -> list[ast.Clause]:
        """for $n in /photons/photon/note  →  for $record in /photons/photon for $n in $record/note."""
        found: list[ast.Clause] = []
        for clause in clauses:
            is_plain = isinstance(clause, ast.ForClause) and clause.position is None and not clause.allowing_empty
            if is_plain and isinstance(clause, ast.ForClause) and isinstance(clause.collection, ast.Path):
                below = self._steps_below(clause.collection, scope)
                if below is not None:
                    self._invented += 1
                    name = ast.Name(f"record{self._invented}", None, RECORD.uri)
                    path: ast.Expr = ast.VarRef(name)
                    for step in below[1]:
                        path = ast.Path(path, step, span=clause.collection.span)
                    found.append(ast.ForClause(name, None, below[0], span=clause.span))
                    clause = replace(clause, collection=path)
            found.append(clause)
        return found

    def _steps_below(self, path: ast.Path, scope: Scope) -> tuple[ast.Expr, list[ast.AxisStep]] | None:
        """The records that a path from the input begins with, as written, and plain steps below them."""
        steps: list[ast.AxisStep] = []
        expr: ast.Expr = path
        while isinstance(expr, ast.Path) and isinstance(expr.right, ast.AxisStep):
            steps.insert(0, expr.right)
            expr = expr.left
        below = steps[len(self.record) :]
        if not below or not isinstance(expr, ast.VarRef) or expr.name.expanded != ("", ROOT):
            return None
        for step, names in zip(steps, self.record, strict=False):
            if step.axis != "child" or not isinstance(step.test, ast.NameTest) or step.test.name.expanded != names:
                return None
        if any(step.axis not in ("child", "attribute") for step in below):
            return None
        for step in steps[: len(self.record)]:
            expr = ast.Path(expr, step, span=path.span)
        return expr, below

    def _for(
        self,
        clause: ast.ForClause,
        inside: dict[ExpandedName, Meaning],
        own: dict[int, list[ast.Expr]],
        sealed: set[int],
    ) -> ast.Clause:
        found = self.place(clause.collection, inside)
        bound = [name.expanded for name in (clause.name, clause.position) if name is not None]
        if found is None or isinstance(found[0], (One, Item)):
            collection = self._walk(clause.collection, inside)
            alias = self.of_one_record(clause.collection, inside)
            for name in bound:
                inside.pop(name, None)
            is_one = alias is not None and self.facts.is_at_most_one(alias.stands_for)
            if alias is not None and is_one and not clause.allowing_empty and clause.position is None:
                # for $e in $p/en where $e > 1.3, with at most one en
                inside[clause.name.expanded] = alias
            elif alias is not None and is_path(alias.stands_for):
                inside[clause.name.expanded] = Item(alias.stands_for, alias.loop)
            is_path_of = alias is not None and not clause.allowing_empty and is_path(alias.stands_for)
            if alias is not None and is_path_of and alias.loop in own and alias.loop not in sealed:
                own[alias.loop] += self.is_there(alias.stands_for)
            return replace(clause, collection=collection)
        for name in bound:
            inside.pop(name, None)
        meaning, made = found
        if isinstance(meaning, Around):
            if meaning.depth > self.single_around:
                raise NotShared("it goes through the elements around the records one by one", clause)
            inside[clause.name.expanded] = meaning
            if clause.position is not None or clause.allowing_empty:
                raise NotShared("it counts the elements around the records", clause)
            return replace(clause, collection=made)
        assert isinstance(meaning, Records)
        self._loops += 1
        own[self._loops] = list(meaning.conditions)
        inside[clause.name.expanded] = One(THE_RECORD, self._loops)
        if clause.position is not None or clause.allowing_empty:
            sealed.add(self._loops)
        return replace(clause, collection=made)

    def of_one_record(self, expr: ast.Expr, scope: Scope) -> One | None:
        """An expression that reads only one record and constants, in terms of $record."""
        values: dict[ExpandedName, ast.Expr] = {}
        loops: set[int] = set()
        for name in free_in(expr) & scope.keys():
            meaning = scope[name]
            if not isinstance(meaning, One) or meaning.loop == NOWHERE:
                return None
            values[name] = meaning.stands_for
            loops.add(meaning.loop)
        loops.discard(CONSTANT)
        if len(loops) != 1:
            return None
        try:
            put = Substitution({**self.constants, **values}).apply(expr)
        except FocusInTheWay:
            return None
        condition = self._condition(put)
        return None if condition is None else One(condition, loops.pop())

    def _let(self, clause: ast.LetClause, inside: dict[ExpandedName, Meaning]) -> ast.Clause:
        found = self.place(clause.value, inside)
        if clause.type is None and found is not None and not isinstance(found[0], (One, Item)):
            inside[clause.name.expanded] = found[0]
            return replace(clause, value=found[1])
        value = self._walk(clause.value, inside)
        meaning = self.of_one_record(clause.value, inside) if clause.type is None else None
        inside.pop(clause.name.expanded, None)
        if meaning is not None:
            inside[clause.name.expanded] = meaning
        elif clause.type is None and not free_in(clause.value) and is_constant(clause.value):
            inside[clause.name.expanded] = One(clause.value, CONSTANT)
        return replace(clause, value=value)

    def _where(
        self,
        clause: ast.WhereClause,
        test: ast.Expr,
        inside: Scope,
        own: dict[int, list[ast.Expr]],
        sealed: set[int],
    ) -> ast.Clause | None:
        kept: list[ast.Expr] = []
        of_items: dict[ExpandedName, list[ast.Expr]] = {}
        for one in conjuncts(test):
            found = self.of_one_record(one, inside)
            if found is not None and found.loop in own and found.loop not in sealed:
                own[found.loop].append(found.stands_for)
                if found.stands_for in self.without:
                    continue
            items = [name for name in free_in(one) if isinstance(inside.get(name), Item)]
            if len(items) == 1:
                of_items.setdefault(items[0], []).append(one)
            kept.append(self._walk(one, inside))
        for name, tests in of_items.items():
            item = inside[name]
            assert isinstance(item, Item)
            if item.loop in own and item.loop not in sealed:
                own[item.loop] += self._some(name, item, tests)
        remaining = conjunction(kept)
        return None if remaining is None else replace(clause, test=remaining)

    def _some(self, name: ExpandedName, item: Item, tests: list[ast.Expr]) -> Conditions:
        """The condition on the record in a test of some of its items: some $n in PATH satisfies …."""
        variable = ast.Name(name[1], None, name[0])
        binding = ast.QuantifiedBinding(variable, None, item.path)
        satisfies = conjunction([Substitution(self.constants).apply(test) for test in tests])
        assert satisfies is not None
        condition = self._condition(ast.Quantified("some", (binding,), satisfies))
        return () if condition is None else (condition,)

    def _result(self, result: ast.Expr, inside: Scope, own: dict[int, list[ast.Expr]], sealed: set[int]) -> ast.Expr:
        """The return clause: a record without a result has the same effect as one that `where` refuses."""
        only = next(iter(own)) if len(own) == 1 else None
        if only is None or only in sealed:
            self.uses += [tuple(conditions) for conditions in own.values()]
            return self._walk(result, inside)
        for option in self._options(result, inside, only):
            self.uses.append((*own[only], *option))
        return self._walk(self._chosen(result, inside, only), inside)

    def _options(self, expr: ast.Expr, scope: Scope, loop: int) -> list[Conditions]:
        """The conditions on a loop's record under which an expression may return anything."""
        match expr:
            case ast.SequenceExpr(items=items):
                return [option for item in items for option in self._options(item, scope, loop)]
            case ast.If(test=test, then=then, otherwise=otherwise):
                first = [(*self._conditions(test, scope, loop), *rest) for rest in self._options(then, scope, loop)]
                no = self._conditions(negated(test), scope, loop)
                return first + [(*no, *rest) for rest in self._options(otherwise, scope, loop)]
            case ast.Filter(base=base, predicate=predicate) if _is_condition(predicate):
                found = self.of_one_record(base, scope)
                if found is None or found.loop != loop or found.stands_for != THE_RECORD:
                    return [()]
                conditions = [self._of_focus(test, scope) for test in conjuncts(predicate)]
                return [tuple(one for one in conditions if one is not None)]
            case ast.Path(left=ast.Filter() as left):
                return self._options(left, scope, loop)
        return [()]

    def _conditions(self, test: ast.Expr, scope: Scope, loop: int) -> Conditions:
        found = [self.of_one_record(one, scope) for one in conjuncts(test)]
        return tuple(one.stands_for for one in found if one is not None and one.loop == loop)

    def _chosen(self, expr: ast.Expr, scope: Scope, loop: int) -> ast.Expr:
        """The return clause without a test that need not be repeated."""
        match expr:
            case ast.If(test=test, then=then, otherwise=ast.SequenceExpr(items=())):
                parts = conjuncts(test)
                found = [self.of_one_record(one, scope) for one in parts]
                kept = [
                    part
                    for part, one in zip(parts, found, strict=True)
                    if one is None or one.loop != loop or one.stands_for not in self.without
                ]
                remaining = conjunction(kept)
                inner = self._chosen(then, scope, loop)
                return inner if remaining is None else replace(expr, test=remaining, then=inner)
        return expr

    def _quantified(self, quantified: ast.Quantified, scope: Scope) -> ast.Expr:
        inside = dict(scope)
        bindings: list[ast.QuantifiedBinding] = []
        own: dict[int, list[ast.Expr]] = {}
        for binding in quantified.bindings:
            found = self.place(binding.collection, inside)
            if found is None or not isinstance(found[0], Records):
                bindings.append(replace(binding, collection=self._walk(binding.collection, inside)))
                inside.pop(binding.name.expanded, None)
            else:
                self._loops += 1
                own[self._loops] = list(found[0].conditions)
                inside[binding.name.expanded] = One(THE_RECORD, self._loops)
                bindings.append(replace(binding, collection=found[1]))
        kept: list[ast.Expr] = []
        for test in conjuncts(quantified.satisfies):
            condition = self.of_one_record(test, inside) if quantified.kind == "some" else None
            if condition is not None and condition.loop in own:
                own[condition.loop].append(condition.stands_for)
                if condition.stands_for in self.without:
                    continue
            kept.append(self._walk(test, inside))
        self.uses += [tuple(conditions) for conditions in own.values()]
        satisfies = conjunction(kept) or ast.FunctionCall(ast.Name("true", "fn", FN))
        return replace(quantified, bindings=tuple(bindings), satisfies=satisfies)


def _exists(path: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(ast.Name("exists", None, FN), (path,))


def _is_condition(predicate: ast.Expr) -> bool:
    """Whether a predicate is true or false for each record separately."""
    match predicate:
        case ast.If(then=then, otherwise=otherwise):
            return _is_condition(then) and _is_condition(otherwise) and not uses_position(predicate)
    return is_test(predicate)


def _with_predicates(expr: ast.Expr, predicates: tuple[ast.Expr, ...]) -> ast.Expr:
    if isinstance(expr, ast.Path) and isinstance(expr.right, ast.AxisStep):
        step = replace(expr.right, predicates=(*expr.right.predicates, *predicates))
        return replace(expr, right=step)
    for predicate in predicates:
        expr = ast.Filter(expr, predicate, span=expr.span)
    return expr


def _read_clauses(clauses: list[ast.Clause], result: ast.Expr) -> list[ast.Clause]:
    """The clauses without values that are no longer read."""
    kept: list[ast.Clause] = []
    for clause in reversed(clauses):
        # Conservatively by name alone: a rebound variable of the same name counts as a reader.
        if isinstance(clause, ast.LetClause) and not any(
            isinstance(node, ast.VarRef) and node.name.expanded == clause.name.expanded
            for part in (*kept, result)
            for node in part.walk()
        ):
            continue
        kept.append(clause)
    return kept[::-1]


def _names_in(node: ast.Node) -> set[ExpandedName]:
    return {part.expanded for part in node.walk() if isinstance(part, ast.Name)}


def _bound_by(clause: ast.Clause) -> set[ExpandedName]:
    """The variables that a clause binds; inner bindings of its expressions are local to them."""
    match clause:
        case ast.OrderByClause():
            return set()
        case ast.GroupByClause(specs=specs):
            return {spec.name.expanded for spec in specs}
        case ast.CountClause(name=name):
            return {name.expanded}
        case ast.WindowClause(name=name, start=start, end=end):
            conditions = [start] if end is None else [start, end]
            return {name.expanded}.union(*(_names_in(condition.variables) for condition in conditions))
        case ast.ForseqClause(name=name, window=window):
            variables = () if window is None else (*window.start.variables, *window.end.variables)
            return {name.expanded, *(variable.name.expanded for variable in variables)}
    raise NotShared("a clause of its own kind is not understood here", clause)
