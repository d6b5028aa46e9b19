"""How far an expression looks around one item of the input: into it, at its ancestors, or further.

A task with a part of a document has each of its items whole. Of the open elements around an item it has names,
attributes and namespaces, and no other content. This analysis tracks the places of nodes through an expression, and
finds the part that needs more:

    $p/name, $p//x[1], $p/a/following-sibling::b      inside the item
    $p/../@id, name($p/..), count($p/ancestor::*)     its ancestors, but only what a part of a document has
    $p/../title, $p/following-sibling::*, root($p)    more: `BeyondReach` names it and its place
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntFlag

from xylem.functions.library import look_up
from xylem.functions.registry import FN, PREFIXES
from xylem.functions.traits import BY_IDENTITY, BY_PLACE, ELSEWHERE, OUTSIDE, PICKS, PICKS_ONE, TRUTHS
from xylem.syntax import ast

ExpandedName = tuple[str, str]
FunctionKey = tuple[str, str, int]


class Reach(IntFlag):
    """The possible places of a sequence's nodes. No flag: values, constructed nodes, nodes of other documents."""

    NONE = 0
    INSIDE = 1
    """Strictly below the item."""
    ITEM = 2
    """The item itself, or below it."""
    AROUND = 4
    """An ancestor of the item, or the document node: its content is not there."""
    AROUND_ATTRIBUTE = 8
    COPY = 16
    """Copies of elements from elsewhere in the input, each separate: one, or several in document order, none of them
    repeated or nested. So their content has its identity and its order."""
    COPY_INSIDE = 32
    NESTED = 64
    """The same, but some may be nested, which are then in two copies."""
    REPEATED = 128
    """Copies of neighbours in any order, perhaps repeated: their makers can see whether they are."""
    MIXED = 256
    """Copies in any order, perhaps repeated."""


_LITERALS = (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)
UNSURE = Reach.NESTED | Reach.REPEATED | Reach.MIXED
COPIES = Reach.COPY | Reach.COPY_INSIDE | UNSURE


def one_of(reach: Reach) -> Reach:
    """The place of one node of a sequence: a single copy has no uncertainty."""
    return (reach & ~UNSURE) | Reach.COPY if reach & UNSURE else reach


def mixed(reach: Reach) -> Reach:
    """The place of nodes that are combined in a new order."""
    return (reach & ~COPIES) | Reach.MIXED if reach & COPIES else reach


Variables = Mapping[ExpandedName, Reach]


class BeyondReach(Exception):
    """Why an expression needs more than an item and the open elements around it."""

    def __init__(self, why: str, node: ast.Node | None) -> None:
        super().__init__(why)
        self.why = why
        self.node = node


_DOWN = frozenset({"child", "descendant", "attribute", "namespace"})
_STAY = frozenset({"self", "descendant-or-self"})
_SIBLINGS = frozenset({"following-sibling", "preceding-sibling"})
_BEYOND_PART = ELSEWHERE | BY_IDENTITY
"""Functions that look around in the document, or distinguish nodes of different documents."""


def step_reach(reach: Reach, step: ast.AxisStep) -> Reach:
    """The places of a step's nodes, from nodes that are at `reach`."""
    found = Reach.NONE
    for place in reach:
        found |= _step(place, step)
    return found


def _step(place: Reach, step: ast.AxisStep) -> Reach:
    axis = step.axis
    match place:
        case Reach.INSIDE | Reach.COPY_INSIDE:
            item = Reach.ITEM if place is Reach.INSIDE else Reach.COPY
            if axis in _DOWN or axis in _STAY or axis in _SIBLINGS:
                return place
            if axis == "parent":
                return item
            if axis in ("ancestor", "ancestor-or-self") and place is Reach.INSIDE:
                return Reach.AROUND | Reach.ITEM | (place if axis == "ancestor-or-self" else Reach.NONE)
        case Reach.ITEM | Reach.COPY | Reach.NESTED | Reach.REPEATED | Reach.MIXED:
            if axis in _DOWN:
                return Reach.INSIDE if place is Reach.ITEM else Reach.COPY_INSIDE
            if axis in _STAY:
                return place
            if axis in ("parent", "ancestor", "ancestor-or-self") and place is Reach.ITEM:
                return Reach.AROUND | Reach.ITEM
        case Reach.AROUND:
            if axis == "attribute":
                return Reach.AROUND_ATTRIBUTE
            if axis in ("self", "parent", "ancestor", "ancestor-or-self"):
                return place
            raise BeyondReach("it reads the content of an element around the item", step)
        case Reach.AROUND_ATTRIBUTE:
            if axis in ("parent", "ancestor"):
                return Reach.AROUND
            return place if axis == "self" else Reach.NONE
    what = "siblings of the item" if axis in _SIBLINGS else f"the axis {axis}"
    raise BeyondReach(f"{what} may be in another part of the document", step)


class ReachAnalysis:
    """Follows nodes through the expressions of one query."""

    def __init__(self, functions: Iterable[ast.FunctionDecl], nodes: Reach) -> None:
        """`nodes`: an upper bound for the arguments of functions called through function items."""
        self._functions = {(*f.name.expanded, len(f.parameters)): f for f in functions}
        self._nodes = nodes
        self._known: dict[tuple[FunctionKey, tuple[Reach, ...]], Reach] = {}
        self._open: list[tuple[FunctionKey, tuple[Reach, ...]]] = []
        """The calls whose results are being found."""
        self.needs_flat = False
        """Whether there is a path that is only correct if no copy is nested or repeated."""

    def of(self, expr: ast.Expr, variables: Variables, focus: Reach = Reach.NONE) -> Reach:
        """The places of a value's nodes; BeyondReach if computing it needs more than an item."""
        return self._value(expr, dict(variables), focus)

    def clauses(
        self, clauses: Iterable[ast.Clause], variables: Variables, focus: Reach = Reach.NONE
    ) -> dict[ExpandedName, Reach]:
        """The variables after some clauses of a FLWOR expression."""
        scope = dict(variables)
        for clause in clauses:
            self._clause(clause, scope, focus)
        return scope

    # --- expressions

    def _value(self, node: ast.Expr, scope: dict[ExpandedName, Reach], focus: Reach) -> Reach:
        match node:
            case ast.VarRef(name=name):
                return scope.get(name.expanded, Reach.NONE)
            case ast.ContextItem():
                return focus
            case ast.Root():
                if focus & ~COPIES or not focus:
                    raise BeyondReach("it looks at the whole input from inside an item", node)
                raise BeyondReach("it looks at the whole input", node)
            case ast.AxisStep(predicates=predicates):
                found = step_reach(focus, node)
                for predicate in predicates:
                    self._truth(predicate, scope, one_of(found))
                return found
            case ast.Path(left=left, right=right):
                return self._path(node, self._value(left, scope, focus), right, scope)
            case ast.SimpleMap(left=left, right=right):
                base = self._value(left, scope, focus)
                return mixed(self._value(right, scope, one_of(base)))
            case ast.Filter(base=inner, predicate=predicate):
                found = self._value(inner, scope, focus)
                self._truth(predicate, scope, one_of(found))
                return found
            case ast.Flwor(clauses=clauses, result=result):
                inner_scope = self._after(clauses, scope, focus)
                selected = _selected(node)
                if selected is not None:
                    return self._value(selected, scope, focus)
                found = self._value(result, inner_scope, focus)
                return found if all(isinstance(clause, ast.LetClause) for clause in clauses) else mixed(found)
            case ast.Quantified(bindings=bindings, satisfies=satisfies):
                inner_scope = dict(scope)
                for binding in bindings:
                    inner_scope[binding.name.expanded] = one_of(self._truth(binding.collection, inner_scope, focus))
                self._truth(satisfies, inner_scope, focus)
                return Reach.NONE
            case ast.GeneralComparison(left=left, right=right):
                for operand in (left, right):
                    if self._truth(operand, scope, focus) & Reach.AROUND:
                        raise BeyondReach("it reads an element around the item as a whole", operand)
                return Reach.NONE
            case ast.Typeswitch():
                return self._typeswitch(node, scope, focus)
            case ast.InlineFunction():
                self._function_item(node, scope)
                return Reach.NONE
            case ast.NamedFunctionRef(name=name, arity=arity):
                self._named_function(node, name, arity)
                return Reach.NONE
            case ast.FunctionCall(name=name, arguments=arguments):
                return self._call(node, name, arguments, scope, focus)
            case ast.DynamicCall():
                for child in node.children():
                    if isinstance(child, ast.Expr):
                        self._read(child, scope, focus)
                return self._given_nodes
            case ast.NodeComparison(left=left, right=right):
                if (self._value(left, scope, focus) | self._value(right, scope, focus)) & COPIES:
                    raise BeyondReach("it compares the identity or order of nodes that are copies here", node)
                return Reach.NONE
            case ast.SetOperation(left=left, right=right):
                found = self._value(left, scope, focus) | self._value(right, scope, focus)
                if found & COPIES:
                    raise BeyondReach("it compares the identity of nodes that are copies here", node)
                return found
            case ast.InstanceOf(operand=operand):
                self._value(operand, scope, focus)
                return Reach.NONE
            case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
                self._truth(left, scope, focus)
                self._truth(right, scope, focus)
                return Reach.NONE
            case ast.If(test=test, then=then, otherwise=otherwise):
                self._truth(test, scope, focus)
                return self._value(then, scope, focus) | self._value(otherwise, scope, focus)
            case ast.Switch(operand=operand, cases=cases, default=default):
                self._read(operand, scope, focus)
                found = self._value(default, scope, focus)
                for case in cases:
                    for member in case.operands:
                        self._read(member, scope, focus)
                    found |= self._value(case.result, scope, focus)
                return found
            case (
                ast.SequenceExpr()
                | ast.OrderingExpr()
                | ast.TreatAs()
                | ast.TryCatch()
                | ast.MapConstructor()
                | ast.SquareArray()
                | ast.CurlyArray()
                | ast.Lookup()
                | ast.ExtensionExpr()
            ):
                return self._children(node, scope, focus)
            case ast.UnaryLookup():
                self._children(node, scope, focus)
                return focus
            case ast.DataWindow(base=inner, reference=reference):
                found = self._value(inner, scope, focus)
                if reference is not None:
                    self._value(reference, scope, found)
                return found
            case ast.VersionProjection() | ast.TimeProjection() | ast.VersionWindow() | ast.TimeWindow():
                raise BeyondReach("history is kept in one place", node)
        # All other expressions atomise their operands, or copy them into a new node.
        self._read_children(node, scope, focus)
        return Reach.NONE

    def _path(
        self, node: ast.Path, base: Reach, right: ast.Expr, scope: dict[ExpandedName, Reach], is_truth: bool = False
    ) -> Reach:
        """The nodes of a path, in document order and each once: for copies, that is only certain if none overlap."""
        found = self._value(right, scope, one_of(base))
        _refuse_mixture(found, node)
        if not found & COPIES or not base & UNSURE:
            return found
        axis = right.axis if isinstance(right, ast.AxisStep) else ""
        if is_truth:
            return mixed(found)
        if base & Reach.MIXED:
            raise BeyondReach("it orders nodes that are copies here, or takes one of several of the same", node)
        if base & Reach.REPEATED or axis not in ("self", "attribute"):
            self.needs_flat = True
        return base if axis == "self" else found

    def _truth(self, node: ast.Expr, scope: dict[ExpandedName, Reach], focus: Reach) -> Reach:
        """An expression used only by the existence of its values: neither order nor number of its items matter."""
        if isinstance(node, ast.Path):
            base = self._truth(node.left, scope, focus)
            return self._path(node, base, node.right, scope, is_truth=True)
        return self._value(node, scope, focus)

    @property
    def _given_nodes(self) -> Reach:
        """The possible results of a function called through a function item."""
        return mixed(self._nodes)

    def _children(self, node: ast.Node, scope: dict[ExpandedName, Reach], focus: Reach) -> Reach:
        found = Reach.NONE
        for child in node.children():
            own = (
                self._value(child, scope, focus) if isinstance(child, ast.Expr) else self._children(child, scope, focus)
            )
            found = mixed(found | own) if found & COPIES and own & COPIES else found | own
        return found

    def _read_children(self, node: ast.Node, scope: dict[ExpandedName, Reach], focus: Reach) -> None:
        for child in node.children():
            if isinstance(child, ast.Expr):
                self._read(child, scope, focus)
            else:
                self._read_children(child, scope, focus)

    def _read(self, expr: ast.Expr, scope: dict[ExpandedName, Reach], focus: Reach) -> Reach:
        """An expression whose nodes are read whole: atomised, or copied."""
        found = self._value(expr, scope, focus)
        if found & Reach.AROUND:
            raise BeyondReach("it reads an element around the item as a whole", expr)
        return found

    def read(self, expr: ast.Expr, variables: Variables, focus: Reach = Reach.NONE) -> Reach:
        """Like `of`, for an expression whose nodes are part of the answer, or atomised."""
        return self._read(expr, dict(variables), focus)

    def _typeswitch(self, node: ast.Typeswitch, scope: dict[ExpandedName, Reach], focus: Reach) -> Reach:
        operand = self._value(node.operand, scope, focus)
        found = Reach.NONE
        branches = [(case.variable, case.result) for case in node.cases]
        for variable, result in [*branches, (node.default_variable, node.default)]:
            inner = scope if variable is None else {**scope, variable.expanded: operand}
            found |= self._value(result, inner, focus)
        return found

    def _after(
        self, clauses: Iterable[ast.Clause], scope: dict[ExpandedName, Reach], focus: Reach
    ) -> dict[ExpandedName, Reach]:
        """The variables after the clauses of a FLWOR expression inside an item."""
        inner = dict(scope)
        loops: dict[ExpandedName, Reach] = {}
        for clause in clauses:
            before = set(inner.items())
            self._clause(clause, inner, focus)
            if isinstance(clause, ast.ForClause):
                loops[clause.name.expanded] = self._value(clause.collection, dict(before), focus)
            elif isinstance(clause, ast.GroupByClause):
                own = {name: mixed(reach) for name, reach in inner.items() if scope.get(name) != reach}
                # For the only loop, a group has its items in order.
                kept = {name: reach for name, reach in loops.items() if len(loops) == 1 and inner[name]}
                inner.update({**own, **kept})
        return inner

    def _clause(self, clause: ast.Clause, scope: dict[ExpandedName, Reach], focus: Reach) -> None:
        match clause:
            case ast.ForClause(name=name, collection=value, position=position):
                scope[name.expanded] = one_of(self._value(value, scope, focus))
                if position is not None:
                    scope[position.expanded] = Reach.NONE
            case ast.LetClause(name=name, value=value):
                scope[name.expanded] = self._value(value, scope, focus)
            case ast.WhereClause(test=test):
                self._truth(test, scope, focus)
            case ast.CountClause(name=name):
                scope[name.expanded] = Reach.NONE
            case ast.GroupByClause(specs=specs):
                for spec in specs:
                    if spec.value is not None:
                        self._read(spec.value, scope, focus)
                    elif scope.get(spec.name.expanded, Reach.NONE) & Reach.AROUND:
                        raise BeyondReach("it reads an element around the item as a whole", spec)
                    scope[spec.name.expanded] = Reach.NONE
            case ast.OrderByClause(specs=specs):
                for order in specs:
                    self._read(order.key, scope, focus)
            case ast.WindowClause() | ast.ForseqClause():
                self._window(clause, scope, focus)
            case ast.BestMatchClause(orders=orders):
                for one in orders:
                    self._read_children(one, scope, focus)
            case _:
                self._read_children(clause, scope, focus)

    def _window(
        self, clause: ast.WindowClause | ast.ForseqClause, scope: dict[ExpandedName, Reach], focus: Reach
    ) -> None:
        found = self._value(clause.collection, scope, focus)
        for node in clause.walk():
            if isinstance(node, ast.WindowVariables):
                names = (node.current, node.position, node.previous, node.next)
                scope.update({name.expanded: found for name in names if name is not None})
            elif isinstance(node, ast.ForseqVariable):
                scope[node.name.expanded] = found
        for node in clause.walk():
            when = node.when if isinstance(node, (ast.WindowCondition, ast.ForseqCondition)) else None
            if when is not None:
                self._value(when, scope, focus)
        scope[clause.name.expanded] = found

    # --- functions

    def _call(
        self,
        node: ast.Expr,
        name: ast.Name,
        arguments: tuple[ast.Expr, ...],
        scope: dict[ExpandedName, Reach],
        focus: Reach,
    ) -> Reach:
        key = (*name.expanded, len(arguments))
        declared = self._functions.get(key)
        if declared is not None:
            given = tuple(self._value(argument, scope, focus) for argument in arguments)
            return self._declared(key, declared, given, node)
        if name.uri == FN:
            return self._builtin(node, name.local, arguments, scope, focus)
        together = Reach.NONE
        for argument in arguments:
            together |= self._read(argument, scope, focus)
        if name.uri == PREFIXES["xs"]:
            return Reach.NONE
        builtin = look_up(*key)
        if builtin is None:
            # A function in Python gets the nodes themselves, and may return them, or those that function items return.
            return mixed(together) if all(map(_is_no_function, arguments)) else self._given_nodes
        calls_functions = any("function(" in parameter for parameter in builtin.parameters)
        passed = mixed(together) if _passes_nodes(builtin.returns) else Reach.NONE
        return passed | (self._given_nodes if calls_functions else Reach.NONE)

    def _builtin(
        self,
        node: ast.Expr,
        local: str,
        arguments: tuple[ast.Expr, ...],
        scope: dict[ExpandedName, Reach],
        focus: Reach,
    ) -> Reach:
        builtin = look_up(FN, local, len(arguments)) or look_up(FN, local, len(arguments) + 1)
        evaluate = self._truth if (FN, local) in TRUTHS else self._value
        reached = [evaluate(argument, scope, focus) for argument in arguments]
        if builtin is not None and builtin.focus and len(arguments) < builtin.most:
            reached.append(focus)
        together = Reach.NONE
        for place in reached:
            together |= place
        if (FN, local) in _BEYOND_PART and together:
            raise BeyondReach(f"{local}() looks around in the document", node)
        if (FN, local) in BY_PLACE:
            return self._by_place(node, local, together)
        if local in ("base-uri", "document-uri") and together & COPIES:
            raise BeyondReach(f"{local}() asks for the origin of a node that is a copy here", node)
        if local == "collection" and not arguments:
            raise BeyondReach("it looks at the whole input from inside an item", node)
        if (FN, local) in OUTSIDE:
            return Reach.NONE
        if builtin is None or not _passes_nodes(builtin.returns):
            if together & Reach.AROUND:
                raise BeyondReach(f"{local}() reads an element around the item as a whole", node)
            return Reach.NONE
        calls_functions = any("function(" in parameter for parameter in builtin.parameters)
        is_one, is_some = (FN, local) in PICKS_ONE, (FN, local) in PICKS
        passed = one_of(together) if is_one else together if is_some else mixed(together)
        return passed | (self._given_nodes if calls_functions else Reach.NONE)

    def _by_place(self, node: ast.Expr, local: str, reach: Reach) -> Reach:
        """Functions that inspect nesting: for copies, that is only certain if none overlap."""
        _refuse_mixture(reach, node)
        if reach & Reach.AROUND:
            raise BeyondReach(f"{local}() asks what is inside an element around the item", node)
        if reach & Reach.MIXED:
            raise BeyondReach(f"{local}() asks which nodes stand inside others, of copies", node)
        self.needs_flat = self.needs_flat or bool(reach & UNSURE)
        return reach

    def _declared(
        self, key: FunctionKey, declared: ast.FunctionDecl, given: tuple[Reach, ...], node: ast.Expr
    ) -> Reach:
        if declared.body is None:
            return self._given_nodes
        known = self._known.get((key, given))
        if known is not None:
            return known
        # A recursive call returns the results found so far, until there are no new ones.
        found = self._known[key, given] = Reach.NONE
        names = [parameter.name.expanded for parameter in declared.parameters]
        self._open.append((key, given))
        try:
            while True:
                reached = self._value(declared.body, dict(zip(names, given, strict=True)), Reach.NONE)
                if reached | found == found:
                    return found
                found |= reached
                # What calls this function was given less.
                self._known = {one: self._known[one] for one in self._open}
                self._known[key, given] = found
        except BeyondReach:
            # None of the results so far is one: the next time, the same part is found again.
            self._known.clear()
            raise
        finally:
            self._open.pop()

    def _function_item(self, node: ast.InlineFunction, scope: dict[ExpandedName, Reach]) -> None:
        inner = {**scope, **{parameter.name.expanded: self._nodes for parameter in node.parameters}}
        if self._value(node.body, inner, Reach.NONE) & Reach.AROUND:
            raise BeyondReach("a function gives elements around the item", node)

    def _named_function(self, node: ast.Expr, name: ast.Name, arity: int) -> None:
        key = (*name.expanded, arity)
        declared = self._functions.get(key)
        if declared is not None:
            if self._declared(key, declared, (self._nodes,) * arity, node) & Reach.AROUND:
                raise BeyondReach("a function gives elements around the item", node)
        elif name.expanded in _BEYOND_PART | BY_PLACE:
            raise BeyondReach(f"{name.local}() looks around in the document", node)


def _passes_nodes(returns: str) -> bool:
    return returns.startswith(("item()", "node()", "element(", "map(", "array(", "function("))


def _selected(flwor: ast.Flwor) -> ast.Expr | None:
    """E of `for $x in E where … return $x`: some of its items, in order, with the same repetitions."""
    first, *rest = flwor.clauses
    if not isinstance(first, ast.ForClause) or flwor.result != ast.VarRef(first.name):
        return None
    return first.collection if all(isinstance(clause, ast.WhereClause) for clause in rest) else None


def _refuse_mixture(reach: Reach, node: ast.Node) -> None:
    if reach & COPIES and reach & ~COPIES:
        raise BeyondReach("it compares the order of nodes, and some of them are copies here", node)


def _is_no_function(argument: ast.Expr) -> bool:
    """Whether an argument certainly holds no function items, by its form alone."""
    match argument:
        case ast.Path(right=right):
            return isinstance(right, ast.AxisStep)
        case ast.FunctionCall(name=name, arguments=arguments):
            builtin = look_up(*name.expanded, len(arguments))
            return builtin is not None and builtin.returns.startswith("xs:")
    return isinstance(argument, (ast.AxisStep, ast.ContextItem, *_LITERALS))
