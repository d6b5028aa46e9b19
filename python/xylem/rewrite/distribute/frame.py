"""Divide a query into parts, which tasks compute, and a frame around them, which is evaluated once.

The module tries each expression as a part: an aggregate, the first items of a sequence, a loop that sorts or groups, a
map. An expression of another form stays in the frame if its operands can be parts; else the query is one task.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced, with_values
from xylem.analysis.bound_names import bound_in
from xylem.analysis.first_items import FirstItems, first_items
from xylem.analysis.free_variables import free_in
from xylem.analysis.reach import BeyondReach, Reach, ReachAnalysis
from xylem.functions.registry import FN
from xylem.functions.traits import COUNTS, MERGES
from xylem.plan.distribution import PartKind
from xylem.plan.spread import Grouping, Place, SpreadPart, Use
from xylem.source.byte_ranges import Scope
from xylem.syntax import ast

from ..distinct_groups import distinct_groups
from ..input_reads import ExpandedName, reads_input
from ..not_spread import NoParts, NotSpread
from ..scope_path import flattened, is_input_path
from .copied_nodes import gathered_reach
from .frame_rewrites import behind, converted, data_of, existence, is_document_element, is_once, once
from .seen_in_passing import ALL_ELEMENTS, ONLY_TAGS, is_seen_in_passing
from .spreading import Spread, Spreading, inlined, refuse_grouped
from .tables import is_table, table_part
from .uses import children_in_use

ANYTHING = Place(Use.ITEMS)
_NODE_CONSTRUCTORS = (ast.DirectElement, ast.ComputedElement, ast.DirectComment, ast.DirectPI)
_NEVER = (ast.Path, ast.Filter, ast.SimpleMap, ast.NodeComparison, ast.SetOperation, ast.InlineFunction)
"""Expressions that cannot be evaluated around parts."""
_WINDOWS = (ast.WindowClause, ast.ForseqClause, ast.BestMatchClause, ast.DataWindow)
_MAPS = (ast.Path, ast.Filter, ast.SimpleMap, ast.SetOperation, ast.OrderingExpr, ast.Flwor)


Signature = tuple[ast.SequenceTypeNode, ast.SequenceTypeNode]
"""The types of the values a user's aggregate takes, one by one, and of its result."""


class Frame:
    """Takes one query apart. `parts` are in the order of their numbers, from 1."""

    def __init__(
        self,
        functions: Iterable[ast.FunctionDecl],
        is_one_document: bool,
        is_empty_greatest: bool = False,
        user_aggregates: Mapping[ExpandedName, Signature] | None = None,
        keeps_windows: bool = False,
        unmerged: Container[ExpandedName] = (),
        divides: bool = False,
    ) -> None:
        """`keeps_windows`: the input is a stream, and windows may be kept open from one of its batches to the next."""
        self.keeps_windows = keeps_windows
        self._unmerged = unmerged
        self._divides = divides
        self._gathered_for = ""
        """The reason why a split value is gathered, if known."""
        self.user_aggregates = dict(user_aggregates or {})
        self.parts: list[SpreadPart] = []
        self.copies: dict[ExpandedName, Reach] = {}
        """Part variables that hold nodes of the input, which are used as copies."""
        self.grouped: dict[int, Reach] = {}
        """Facts about the nodes in the tuples of groups, by part number."""
        self.unspliced: set[int] = set()
        """Groups of places where text cannot be inserted unchanged."""
        self.is_one_document = is_one_document
        self.is_empty_greatest = is_empty_greatest
        self.analysis = ReachAnalysis(functions, Reach.ITEM | Reach.COPY)
        self.spreading = Spreading(self.analysis, self._extract, lambda: dict(self.copies), is_one_document)
        self._kept: list[ast.LetClause] = []
        self._guards = 0
        self._groups = 0

    # --- an expression

    def split(self, expr: ast.Expr, place: Place) -> ast.Expr:
        """The replacement of an expression in the frame; NotSpread if parts cannot compute it."""
        if not reads_input(expr):
            return expr
        before = len(self.parts)
        refused: NotSpread | None = None
        shapes = (
            self._of_document_element,
            self._windows,
            self._aggregate,
            self._first_items,
            self._tuples,
            self._divided,
            self._map,
        )
        for shape in shapes:
            try:
                made = shape(expr, place)
            except NotSpread as why:
                self._forget(before)
                refused = refused or why
                continue
            if made is not None:
                return made
        try:
            return self._around(expr, place)
        except NotSpread:
            self._forget(before)
            if refused is not None and not isinstance(refused, NoParts) and _is_of_input(expr):
                raise refused from None
            raise

    def _forget(self, before: int) -> None:
        """Undo the additions of an attempt."""
        for part in self.parts[before:]:
            self.copies.pop(part.variable.name.expanded, None)
        del self.parts[before:]

    def _extract(self, expr: ast.Expr, use: Use) -> ast.Expr:
        """Turn what a part reads from the rest of the input into parts of an earlier stage."""
        with self.guarded():
            return self.split(expr, Place(use))

    def guarded(self) -> Guard:
        """Mark expressions that may never be evaluated while they are taken apart."""
        return Guard(self)

    def add(
        self,
        kind: PartKind,
        source: ast.Expr,
        body: ast.Expr,
        scopes: tuple[Scope, ...],
        place: Place,
        grouping: Grouping | None = None,
        **more: object,
    ) -> ast.VarRef:
        """A new part, or an existing one that computes the same."""
        made = self.closed(body)
        free = free_in(made) if grouping is None else free_in(made) | free_in(grouping.finish)
        needs = tuple(part.number for part in self.parts if part.variable.name.expanded in free)
        stage = max((self.parts[number - 1].stage + 1 for number in needs), default=0)
        part = SpreadPart(
            len(self.parts) + 1,
            kind,
            source,
            self.closed(source),
            made,
            scopes,
            stage,
            needs,
            place,
            grouping=grouping,
            is_guarded=self._guards > 0,
            **more,  # type: ignore[arg-type]
        )
        for known in self.parts:
            if known.place.group is None and replace(part, number=known.number, is_guarded=known.is_guarded) == known:
                return known.variable
        self.parts.append(part)
        return part.variable

    def closed(self, body: ast.Expr) -> ast.Expr:
        """The body of a part with the bindings of the frame that it reads."""
        needed: list[ast.Clause] = []
        free = free_in(body)
        for let in reversed(self._kept):
            if let.name.expanded in free:
                needed.insert(0, let)
                free = (free - {let.name.expanded}) | free_in(let.value)
        return ast.Flwor(tuple(needed), body, span=body.span) if needed else body

    # --- shapes

    def _of_document_element(self, expr: ast.Expr, place: Place) -> ast.Expr | None:
        """/site/@version, name(/*), exists(/site): available in every part of a document."""
        if not self.is_one_document or isinstance(expr, (ast.DirectElement, ast.SequenceExpr)):
            return None
        element = ast.Name("document-element", None, "urn:xylem:part")
        seen = replaced(expr, lambda node: ast.VarRef(element) if is_document_element(node) else None)
        if reads_input(seen) or element.expanded not in free_in(seen):
            return None
        try:
            self.analysis.read(seen, {**self.copies, element.expanded: Reach.AROUND})
        except BeyondReach:
            return None
        why = "of the document element only names and attributes: the first part of the input is asked"
        return self.add(
            PartKind.MAP, expr, self._used(expr, place), (), replace(place, group=None), is_first_only=True, why=why
        )

    def _aggregate(self, expr: ast.Expr, place: Place) -> ast.Expr | None:
        if (
            place.use is Use.TRUTH
            and is_input_path(expr)
            and isinstance(flattened(expr)[1][-1], ast.AxisStep | ast.Filter)
        ):
            # The effective boolean value of nodes: whether there are any.
            return self._aggregate(ast.FunctionCall(ast.Name("exists", "fn", FN), (expr,), span=expr.span), place)
        if isinstance(expr, ast.Quantified) and len(expr.bindings) == 1:
            return self._aggregate(existence(expr), place)
        if not isinstance(expr, ast.FunctionCall):
            return None
        if is_table(expr):
            return table_part(self, expr)
        if expr.name.expanded in self.user_aggregates and len(expr.arguments) == 1:
            return self._user_aggregate(expr, self.user_aggregates[expr.name.expanded])
        if expr.name.expanded not in MERGES:
            return None
        if not expr.arguments or any(reads_input(argument) for argument in expr.arguments[1:]):
            return None
        argument, *others = expr.arguments
        function = expr.name.local
        arguments = tuple(self.closed(other) for other in others)
        found = None if self.keeps_windows else self._in_passing(expr, argument, function, arguments)
        if found is not None:
            return found
        spread = self.spreading.spread(argument)
        body = spread.body if (FN, function) in COUNTS else data_of(spread.body)
        return self.add(PartKind.AGGREGATE, expr, body, spread.scopes, ANYTHING, function=function, arguments=arguments)

    def _in_passing(
        self, expr: ast.Expr, argument: ast.Expr, function: str, arguments: tuple[ast.Expr, ...]
    ) -> ast.Expr | None:
        """An aggregate over start tags or texts, anywhere in the document."""
        is_counted = (FN, function) in COUNTS
        if not is_seen_in_passing(argument, self.analysis, self.copies, counted=is_counted):
            return None
        body = argument if is_counted else data_of(argument)
        return self.add(
            PartKind.AGGREGATE,
            expr,
            body,
            (ALL_ELEMENTS,),
            ANYTHING,
            function=function,
            arguments=arguments,
            why=ONLY_TAGS,
            cuts_anywhere=True,
        )

    def _user_aggregate(self, call: ast.FunctionCall, signature: Signature) -> ast.Expr:
        """A Python function that merges its states: values are converted before it, and the result after it."""
        spread = self.spreading.spread(call.arguments[0])
        taken, given = signature
        body = ast.SimpleMap(data_of(spread.body), converted(ast.ContextItem(), taken), span=call.span)
        function = f"Q{{{call.name.uri}}}{call.name.local}"
        part = self.add(PartKind.AGGREGATE, call, body, spread.scopes, ANYTHING, function=function)
        return converted(part, given)

    def _first_items(self, expr: ast.Expr, place: Place) -> ast.Expr | None:
        found = first_items(expr)
        if found is None:
            return None
        if isinstance(found.base, ast.Flwor):
            ordered = self._tuples(found.base, replace(place, group=None), found.count)
            if ordered is not None:
                return expr_of(found, ordered)
        spread = self.spreading.spread(found.base)
        own = replace(place, group=None) if found.around is not None else place
        variable = self._value(expr, spread, own, limit=found.count)
        return expr_of(found, variable)

    def _divided(self, expr: ast.Expr, place: Place) -> ast.Expr | None:
        from .divided_loop import divided

        return divided(self, expr) if self._divides and isinstance(expr, ast.Flwor) else None

    def _is_divisible(self, expr: ast.Expr) -> bool:
        """Whether the items of a loop could be divided themselves."""
        from .divided_loop import divided

        before = len(self.parts)
        try:
            return isinstance(expr, ast.Flwor) and divided(self, expr) is not None
        except NotSpread:
            return False
        finally:
            self._forget(before)

    def _map(self, expr: ast.Expr, place: Place) -> ast.Expr | None:
        if not isinstance(expr, _MAPS) and not _is_passed_on(expr):
            return None
        return self._value(expr, self.spreading.spread(expr), place)

    def _value(self, expr: ast.Expr, spread: Spread, place: Place, limit: int | None = None) -> ast.VarRef:
        body = self._used(spread.body, place)
        why = f"its items are gathered where they are needed{self._gathered_for}"
        why = why if place.group is None else _whole_items(spread.body)
        is_divisible = limit is None and self._is_divisible(expr)
        if is_divisible:
            why += ("; " if why else "") + "where a document has too few of them, it is cut inside them"
        variable = self.add(
            PartKind.MAP, expr, body, spread.scopes, place, limit=limit, why=why, is_divisible=is_divisible
        )
        if place.use is not Use.VALUE and spread.reach:
            self.copies[variable.name.expanded] = Reach.COPY if limit == 1 else gathered_reach(expr, spread.is_nested)
        return variable

    def _used(self, body: ast.Expr, place: Place) -> ast.Expr:
        return data_of(body) if place.use is Use.VALUE else body

    def _tuples(self, expr: ast.Expr, place: Place, limit: int | None = None) -> ast.Expr | None:
        from .tuple_shapes import tuples

        if not isinstance(expr, ast.Flwor):
            return None
        grouped = distinct_groups(expr, lambda items: self.spreading.spread(items).is_nested)
        return tuples(self, expr if grouped is None else grouped, place, limit)

    def _windows(self, expr: ast.Expr, place: Place) -> ast.Expr | None:
        from .windowed import windowed

        return windowed(self, expr, place) if self.keeps_windows else None

    # --- around parts

    def _around(self, expr: ast.Expr, place: Place) -> ast.Expr:
        _refuse_windows(expr)
        match expr:
            case ast.Root():
                raise NotSpread("it asks for the document as a whole", expr)
            case ast.DirectElement():
                return self._element(expr, place)
            case ast.SequenceExpr():
                return self._sequence(expr, place)
            case ast.Flwor():
                return self._flwor(expr, place)
            case ast.If(test=test, then=then, otherwise=otherwise):
                decided = self.split(test, Place(Use.TRUTH))
                with self.guarded():
                    return replace(
                        expr, test=decided, then=self.split(then, place), otherwise=self.split(otherwise, place)
                    )
            case ast.OrderingExpr(body=body):
                return replace(expr, body=self.split(body, place))
            case ast.Path(left=left) | ast.SimpleMap(left=left) if _takes_first(left) and not reads_input(expr.right):
                return replace(expr, left=self.split(left, ANYTHING))
        if isinstance(expr, ast.FunctionCall) and expr.name.expanded in self._unmerged:
            return self._unmerged_aggregate(expr)
        if isinstance(expr, (ast.NodeComparison, ast.SetOperation)):
            raise NotSpread("it compares nodes of the input by their identity or order", expr)
        if isinstance(expr, _NEVER):
            raise NoParts(expr)
        return self._children(expr, bound_in(expr))

    def _unmerged_aggregate(self, call: ast.FunctionCall) -> ast.Expr:
        """A Python function that folds values but cannot merge the results of parts."""
        before = self._gathered_for
        self._gathered_for = f", since {call.name.prefix or 'udf'}:{call.name.local} has no `merge`"
        try:
            return self._children(call, bound_in(call))
        finally:
            self._gathered_for = before

    def _element(self, element: ast.DirectElement, place: Place) -> ast.Expr:
        bare = replace(element, attributes=(), content=())
        attributes = tuple(self._attribute(attribute) for attribute in element.attributes)
        # Only direct constructors make the surroundings known.
        is_known = place.group is not None
        content = []
        for member in element.content:
            if isinstance(member, ast.EnclosedExpr):
                enclosing = replace(bare, content=(replace(member, body=ast.SequenceExpr()),))
                inner = Place(Use.ANSWER, (*place.wrappers, enclosing), self.new_group() if is_known else None)
                member = replace(member, body=self.split(member.body, inner))
            elif isinstance(member, ast.DirectElement):
                own = Place(Use.ANSWER, (*place.wrappers, bare), self.new_group() if is_known else None)
                member = self._element(member, own)
            content.append(member)
        return replace(element, attributes=attributes, content=tuple(content))

    def _attribute(self, attribute: ast.DirectAttribute) -> ast.DirectAttribute:
        made = self._node(attribute, Use.VALUE, frozenset())
        assert isinstance(made, ast.DirectAttribute)
        return made

    def new_group(self) -> int:
        """A number for a group of places in the text."""
        self._groups += 1
        return self._groups

    def _sequence(self, expr: ast.SequenceExpr, place: Place) -> ast.Expr:
        made = []
        for item in expr.items:
            split = self.split(item, place)
            if not isinstance(split, _NODE_CONSTRUCTORS) and not self._is_own_text(split, place):
                # An atomic value next to the text of a part: whether a space separates them is unknown.
                self.unspliced.update(() if place.group is None else (place.group,))
            made.append(split)
        return replace(expr, items=tuple(made))

    def _is_own_text(self, expr: ast.Expr, place: Place) -> bool:
        return any(part.place == place and part.variable == expr for part in self.parts)

    def _flwor(self, flwor: ast.Flwor, place: Place) -> ast.Expr:
        clauses = flwor.clauses
        first, rest = clauses[0], ast.Flwor(clauses[1:], flwor.result, span=flwor.span)
        inner: ast.Expr = rest if rest.clauses else flwor.result
        if isinstance(first, ast.LetClause) and reads_input(first.value):
            _refuse_identity(first, rest)
            made = inlined(first, rest, frozenset())
            return self.split(made if made.clauses else made.result, place)
        if isinstance(first, ast.LetClause):
            refuse_grouped(first, rest)
            self._kept.append(first)
            try:
                return behind(first, self.split(inner, place), flwor)
            finally:
                self._kept.pop()
        if isinstance(first, ast.WhereClause):
            test = self.split(first.test, Place(Use.TRUTH))
            with self.guarded():
                return ast.If(test, self.split(inner, place), ast.SequenceExpr(), span=flwor.span)
        if isinstance(first, ast.ForClause) and self.is_one_document and is_once(first):
            return self.split(once(first, rest), place)
        if isinstance(first, ast.ForClause) and is_input_path(first.collection):
            # The frame could loop over the items itself, but only with all of them in one place.
            raise NoParts(first)
        return self._children(flwor, bound_in(flwor))

    def _children(self, node: ast.Expr, bound: frozenset[ExpandedName]) -> ast.Expr:
        made = self._node(node, Use.ITEMS, bound, is_outermost=True)
        assert isinstance(made, ast.Expr)
        return made

    def _node(self, node: ast.Node, use: Use, bound: frozenset[ExpandedName], is_outermost: bool = False) -> ast.Node:
        """The node with parts for the expressions directly below it, even below nodes that are not expressions."""
        if not reads_input(node):
            return node
        if isinstance(node, ast.Expr) and not is_outermost and not isinstance(node, ast.EnclosedExpr):
            used = free_in(node) & bound
            if not used:
                with self.guarded():
                    return self.split(node, Place(use))
            if isinstance(node, (*_NEVER, ast.Flwor)):
                name = min(local for _, local in used)
                raise NotSpread(f"it reads the whole input again for each ${name}", node)
        uses = {id(child): child_use for child, child_use in children_in_use(node)}

        def change(value: object) -> object:
            if isinstance(value, ast.Node):
                inherited = use if isinstance(node, ast.EnclosedExpr) else uses.get(id(value), Use.ITEMS)
                return self._node(value, inherited, bound)
            if isinstance(value, tuple):
                members = tuple(change(member) for member in value)
                return value if all(a is b for a, b in zip(value, members, strict=True)) else members
            return value

        return with_values(node, change)


def _takes_first(expr: ast.Expr) -> bool:
    """Whether a path continues from the first few items of a sequence."""
    while isinstance(expr, (ast.Path, ast.SimpleMap)):
        expr = expr.left
    return first_items(expr) is not None


def _refuse_windows(expr: ast.Expr) -> None:
    for node in (expr, *(expr.clauses if isinstance(expr, ast.Flwor) else ())):
        if isinstance(node, _WINDOWS) and reads_input(node):
            raise NotSpread("windows and best matches need the one order of the whole input", node)


class Guard:
    """Counts the conditions that may keep a part from being read."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __enter__(self) -> None:
        self._frame._guards += 1

    def __exit__(self, *error: object) -> None:
        self._frame._guards -= 1


def _refuse_identity(let: ast.LetClause, rest: ast.Node) -> None:
    """Refuse a constructed node that is bound once and read twice: one node would become two where its value is
    inserted.
    """
    makes = any(isinstance(node, (*_NODE_CONSTRUCTORS, ast.ComputedDocument)) for node in let.value.walk())
    compares = (ast.NodeComparison, ast.SetOperation)
    if makes and any(isinstance(node, compares) for node in rest.walk()):
        raise NotSpread(f"${let.name} is compared by identity", let)


_INWARDS = frozenset({"child", "descendant", "descendant-or-self"})


def _whole_items(expr: ast.Expr) -> str:
    """The reason to keep items whole, such as an aggregate over the content of one; empty without a reason."""
    if not isinstance(expr, ast.Flwor):
        return ""
    first = next(clause for clause in expr.clauses if isinstance(clause, ast.ForClause))
    for node in expr.result.walk():
        if isinstance(node, ast.FunctionCall) and node.name.expanded in MERGES:
            start, steps = flattened(node.arguments[0]) if node.arguments else (None, [])
            goes_inside = bool(steps) and isinstance(steps[0], ast.AxisStep) and steps[0].axis in _INWARDS
            if goes_inside and isinstance(start, ast.VarRef) and start.name.expanded == first.name.expanded:
                return f"each ${first.name} is read whole by one task: {node.name.local}() is of all that it contains"
    return ""


def _is_passed_on(expr: ast.Expr) -> bool:
    return isinstance(expr, ast.FunctionCall) and expr.name.expanded in ((FN, "data"), (FN, "unordered"))


def _is_of_input(expr: ast.Expr) -> bool:
    """Whether the reason why an expression is not a part also prevents distributing the query."""
    if isinstance(expr, ast.Flwor):
        first = expr.clauses[0]
        return isinstance(first, ast.ForClause) and reads_input(first.collection)
    return isinstance(expr, _MAPS)


def expr_of(found: FirstItems, variable: ast.Expr) -> ast.Expr:
    """The expression that takes the first items, with a part for its sequence."""
    return variable if found.around is None else found.around(variable)
