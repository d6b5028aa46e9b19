"""The parts of a document that an expression can read: the paths that must be kept for it to have the same value.

Every expression is followed from the variables that hold nodes of the stream. A step leads to a node of the projection.
The use of its nodes determines how much is needed: only their existence, their string value, or everything below. An
expression that the analysis does not understand keeps everything, so the projection is never too small. (After
"Projecting XML documents", Marian and Siméon; the thesis builds its buffer trees from the same facts, §3.7.3.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from xylem.analysis.near_siblings import (
    EITHER_SIDE,
    NearSibling,
    Scope,
    children_of,
    counted_siblings,
    near_sibling,
    nearest,
    nearest_named,
)
from xylem.analysis.streamable_paths import is_descend
from xylem.functions.library import look_up
from xylem.functions.registry import FN, PREFIXES
from xylem.functions.traits import AROUND, OUTSIDE, PASSES, standard
from xylem.syntax import ast

ExpandedName = tuple[str, str]
Test = tuple[str, str | None, str | None]
"""(axis, uri, local); None is any."""


class Use(IntEnum):
    """The use of nodes, from the least to the most."""

    PRESENCE = 0
    """They are counted, tested for existence, or asked for their name."""
    STRING = 1
    """They are atomised."""
    SUBTREE = 2
    """They are copied, returned, or passed to an unknown function."""


class NotProjectable(Exception):
    """The expression looks beyond its nodes: sideways, or at the whole document."""

    def __init__(self, node: ast.Node, why: str) -> None:
        super().__init__(why)
        self.node = node
        self.why = why


@dataclass(eq=False)
class Projection:
    """A node of the projection: an element reached by a path, and the needed parts of it."""

    children: dict[Test, Projection] = field(default_factory=dict)
    attributes: set[ExpandedName] = field(default_factory=set)
    all_attributes: bool = False
    text: bool = False
    remarks: bool = False
    """Comments and processing instructions that are its children."""
    string: bool = False
    subtree: bool = False
    parent: Projection | None = field(default=None, repr=False)
    """The node it was reached from; None for a variable."""
    via: str = ""
    """The axis it was reached by: child, or descendant."""
    scope: Scope | None = None
    """Which one ancestor of a variable's node it represents, if it is known and its children can be kept."""
    above: Projection | None = field(default=None, repr=False)
    """The needed parts of the ancestors of a variable's node, by the names of its `children`."""
    siblings: dict[NearSibling, Projection] = field(default_factory=dict)
    """The projection of the nearest siblings of a variable's node, separately."""
    is_counted: bool = False
    """For a sibling: whether the number of them is needed too."""
    is_inspected: bool = False
    """Whether its string value decides something: any number of such elements may be read for a short result."""
    given: list[Projection] = field(default_factory=list, repr=False)
    """Its attributes, texts and string values, each as often as it is read: whether they are part of the result."""
    is_between: bool = False
    """Whether it represents elements of any name between `parent` and something below: they exist in any case."""

    def itself(self) -> Projection:
        """The projection of the elements themselves."""
        return self.parent.child("descendant", None, None) if self.is_between and self.parent is not None else self

    def child(self, axis: str, uri: str | None, local: str | None) -> Projection:
        if self.is_between and self.parent is not None:
            # What is below something below.
            return self.parent.child("descendant", uri, local)
        found = self.children.get((axis, uri, local))
        if found is None:
            found = self.children[axis, uri, local] = Projection(parent=self, via=axis)
        return found

    def around(self, uri: str | None, local: str | None, scope: Scope | None = None) -> Projection:
        """The ancestors of a variable's node with a name, or one of them."""
        if self.above is None:
            self.above = Projection()
        return self.above.ancestor(uri, local, scope)

    def ancestor(self, uri: str | None, local: str | None, scope: Scope | None) -> Projection:
        """The same, of what is above it."""
        found = self.child("ancestor" if scope is None else str(scope), uri, local)
        found.scope = scope
        return found

    def beside(self, sibling: NearSibling) -> Projection:
        """A sibling of a variable's node."""
        if self.above is None:
            self.above = Projection()
        found = self.above.siblings.get(sibling)
        if found is None:
            found = self.above.siblings[sibling] = Projection(parent=self.above, via=sibling.axis)
        return found

    def beside_it(self, test: ast.NodeTest) -> Projection:
        """The children of an ancestor of a variable's node, which this represents: siblings, on either side."""
        assert self.scope is not None
        assert self.parent is not None
        sibling = children_of(self.scope, test)
        found = self.parent.siblings.get(sibling)
        if found is None:
            found = self.parent.siblings[sibling] = Projection(parent=self.parent, via=EITHER_SIDE)
        return found

    def need(self, use: Use) -> None:
        if use is Use.STRING:
            self.itself().string = True
            self.is_inspected = True
        elif use is Use.SUBTREE:
            self.itself().subtree = True

    def give_string(self) -> Projection:
        """Need the string value; the value that an expression may return."""
        self.itself().string = True
        return self.value()

    def value(self) -> Projection:
        """An attribute, text or string value that is read of it."""
        made = Projection(parent=self, via="child")
        self.given.append(made)
        return made

    def merge(self, other: Projection) -> None:
        """Add the needs of the other."""
        self.is_inspected |= other.is_inspected
        self.given += other.given
        for test, below in other.children.items():
            self.child(*test).merge(below)
        self.attributes |= other.attributes
        self.all_attributes |= other.all_attributes
        self.text |= other.text
        self.remarks |= other.remarks
        self.string |= other.string
        self.subtree |= other.subtree
        if other.above is not None:
            for (_, uri, local), above in other.above.children.items():
                self.around(uri, local, above.scope).merge(above)
            for sibling, near in other.above.siblings.items():
                own = self.beside(sibling)
                own.merge(near)
                own.is_counted |= near.is_counted

    @property
    def looks_above(self) -> bool:
        """Whether more of the ancestors is needed than their names and attributes, which an open element has.

        Keeping the parent's content for each node would copy it repeatedly. Other reads of it may be the same for all
        nodes in the parent, and are computed once if all of it is kept.
        """
        if self.above is None:
            return False
        if any(one.axis == EITHER_SIDE and not beside.is_copied for one, beside in self.above.siblings.items()):
            return True
        return any(one.children or one.leaves or one.string or one.subtree for one in self.above.children.values())

    @property
    def is_copied(self) -> bool:
        """Whether all that is read of the elements is in the result, which is then as long as what is kept for it."""
        if self.subtree:
            return True
        if self.is_inspected or self.is_counted:
            return False
        if not all(value.is_copied and not value.is_inspected for value in self.given):
            return False
        return bool(self.given or self.children) and all(below.is_copied for below in self.children.values())

    @property
    def looks_at_values(self) -> bool:
        """Whether values are read of siblings on either side, or of elements in them."""
        if self.above is None:
            return False
        return any(one.axis == EITHER_SIDE and beside.has_values for one, beside in self.above.siblings.items())

    @property
    def has_values(self) -> bool:
        """Whether attributes, texts or string values are read of it, or of elements in it."""
        if self.subtree:
            return False
        own = self.attributes or self.all_attributes or self.leaves or self.string or self.is_counted
        return bool(own) or any(below.has_values for below in self.children.values())

    @property
    def looks_far(self) -> bool:
        """Whether children are needed of an ancestor of a variable's node further up than its parent."""
        return self.above is not None and any(one.scope != Scope() for one in self.above.siblings)

    @property
    def looks_behind(self) -> bool:
        """Whether following siblings of the node itself are needed."""
        return self.above is not None and any(one.is_behind for one in self.above.siblings)

    @property
    def leaves(self) -> bool:
        """Whether childless nodes that are its children are needed."""
        return self.text or self.remarks

    @property
    def is_bare(self) -> bool:
        """Whether only the presence of the element is needed."""
        reads_inside = self.children or self.leaves or self.string or self.subtree
        return not (reads_inside or self.attributes or self.all_attributes)

    def paths(self, prefix: str = "") -> list[str]:
        """The kept paths in readable form: `book/title`, `@id`, `price/string()`, `author//`."""
        if self.subtree:
            return [f"{prefix}//" if prefix else "everything"]
        here = f"{prefix}/" if prefix else ""
        found = [f"{here}@{local}" for _, local in sorted(self.attributes)]
        if self.all_attributes:
            found.append(f"{here}@*")
        if self.text:
            found.append(f"{here}text()")
        if self.remarks:
            found.append(f"{here}comment()")
        if self.string:
            found.append(f"{here}string()")
        for (axis, _, local), below in self.children.items():
            slash = "//" if axis == "descendant" else "/"
            found += below.paths(f"{prefix}{slash}{local or '*'}".removeprefix("/" if slash == "/" else ""))
        return found or ([prefix] if prefix else [])


Bindings = Mapping[ExpandedName, list[Projection]]


@dataclass(frozen=True)
class _Scope:
    variables: Bindings
    focus: list[Projection] | None
    """None: the focus is not a node of the stream."""
    root: list[Projection] | None
    """The document node, if a leading / may refer to it."""


def project(
    expression: ast.Expr,
    variables: Mapping[ExpandedName, Projection],
    *,
    focus: Projection | None = None,
    root: Projection | None = None,
    use: Use = Use.SUBTREE,
) -> None:
    """Add the needs of the expression to the projections of its variables."""
    scope = _Scope(
        {name: [projection] for name, projection in variables.items()},
        None if focus is None else [focus],
        None if root is None else [root],
    )
    _consume(expression, scope, use)


def _consume(node: ast.Expr, scope: _Scope, use: Use) -> None:
    for projection in _nodes(node, scope):
        projection.need(use)


def _nodes(node: ast.Expr, scope: _Scope) -> list[Projection]:
    """The projections of the nodes an expression returns; nodes that it only inspects are recorded on the way."""
    match node:
        case ast.VarRef(name=name):
            found = scope.variables.get(name.expanded)
            # Other variables do not matter here.
            return [Projection()] if found is None else list(found)
        case ast.ContextItem():
            return _focus(scope, node)
        case ast.Root():
            if scope.root is None:
                raise NotProjectable(node, "a leading / looks at the whole document")
            return list(scope.root)
        case ast.Path():
            return _path(node, scope)
        case ast.AxisStep():
            return _step(node, _focus(scope, node), scope)
        case ast.Filter(base=base, predicate=predicate):
            found = _nodes(base, scope)
            _consume(predicate, _Scope(scope.variables, found, scope.root), Use.PRESENCE)
            return found
        case ast.SimpleMap(left=left, right=right):
            return _nodes(right, _Scope(scope.variables, _nodes(left, scope), scope.root))
        case ast.SequenceExpr(items=items):
            return [p for item in items for p in _nodes(item, scope)]
        case ast.SetOperation(left=left, right=right):
            return [*_nodes(left, scope), *_nodes(right, scope)]
        case ast.If(test=test, then=then, otherwise=otherwise):
            _consume(test, scope, Use.PRESENCE)
            return [*_nodes(then, scope), *_nodes(otherwise, scope)]
        case ast.Flwor():
            return _flwor(node, scope)
        case ast.FunctionCall():
            return _call(node, scope)
        case ast.DataWindow(base=base, reference=reference, size=size, step=step):
            found = _nodes(base, scope)
            if node.kind != "count":
                _consume(reference or ast.ContextItem(), _Scope(scope.variables, found, scope.root), Use.STRING)
            for number in (size, step):
                if number is not None:
                    _consume(number, scope, Use.STRING)
            return found
        case ast.Arithmetic(left=left, right=right) | ast.StringConcat(left=left, right=right):
            return [*_strings(left, scope), *_strings(right, scope)]
        case ast.CastAs(operand=operand):
            return _strings(operand, scope)
        case ast.TreatAs(operand=operand) | ast.OrderingExpr(body=operand) | ast.EnclosedExpr(body=operand):
            return _nodes(operand, scope)
    _look_at(node, scope)
    return []


def _focus(scope: _Scope, node: ast.Node) -> list[Projection]:
    if scope.focus is None:
        raise NotProjectable(node, "the context item is not known here")
    return list(scope.focus)


# --- paths


def _path(node: ast.Path, scope: _Scope) -> list[Projection]:
    steps: list[ast.Expr] = []
    rest: ast.Expr = node
    while isinstance(rest, ast.Path):
        steps.append(rest.right)
        rest = rest.left
    found = _nodes(rest, scope)
    descends = False
    for expr in reversed(steps):
        if is_descend(expr):
            descends = True
            continue
        inner = _Scope(scope.variables, found, scope.root)
        if isinstance(expr, ast.AxisStep):
            found = _step(expr, found, inner, descends)
        elif descends:
            for projection in found:
                projection.need(Use.SUBTREE)
            found = _nodes(expr, inner)
        else:
            found = _nodes(expr, inner)
        descends = False
    if descends:
        for projection in found:
            projection.need(Use.SUBTREE)
    return found


def _step(node: ast.AxisStep, context: list[Projection], scope: _Scope, descends: bool = False) -> list[Projection]:
    found = _along(node, context, descends)
    for predicate in node.predicates:
        _consume(predicate, _Scope(scope.variables, found, scope.root), Use.PRESENCE)
    return found


def _along(node: ast.AxisStep, context: list[Projection], descends: bool) -> list[Projection]:
    axis = node.axis
    if axis == "attribute":
        return [leaf for projection in context for leaf in _attributes(node.test, projection, descends)]
    if axis == "self" and not descends:
        return context
    if axis in ast.UPWARDS or axis in _SIDEWAYS:
        if descends or not context:
            raise NotProjectable(node, f"the {axis} axis looks beyond what has been kept")
        return _upward(node, context) if axis in ast.UPWARDS else _sideways(node, context)
    if axis not in ("child", "descendant", "descendant-or-self", "self"):
        raise NotProjectable(node, f"the {axis} axis looks beyond what has been kept")
    reached: list[Projection] = []
    below = "descendant" if descends or axis != "child" else "child"
    for projection in context:
        if axis in ("descendant-or-self", "self"):
            reached.append(projection)
        match node.test:
            case ast.NameTest() | ast.Wildcard() | ast.ElementTest():
                if projection.scope is not None and axis == "child" and not descends and not node.predicates:
                    reached.append(projection.beside_it(node.test))
                else:
                    reached.append(projection.child(below, *_name(node.test)))
            case ast.TextTest() | ast.CommentTest() | ast.PITest():
                holders = [projection.itself()]
                if below == "descendant":
                    holders.append(projection.child("descendant", None, None))
                leaf = projection.value()
                leaf.via = below
                for holder in holders:
                    holder.text |= isinstance(node.test, ast.TextTest)
                    holder.remarks |= not isinstance(node.test, ast.TextTest)
                    if holder is not projection:
                        holder.given.append(leaf)
                reached.append(leaf)
            case _:
                projection.need(Use.SUBTREE)
                reached.append(Projection(parent=projection, via="descendant"))
    return reached


_SIDEWAYS = {"preceding-sibling", "following-sibling"}
MOST_HEIGHT = 8
"""Children of an ancestor further up are not kept one by one."""


def _is_around(projection: Projection) -> bool:
    """Whether it represents an ancestor of a variable's node."""
    return projection.via == "ancestor" or projection.scope is not None


def _name(test: ast.NodeTest) -> tuple[str | None, str | None]:
    match test:
        case ast.NameTest(name=name):
            return name.expanded
        case ast.Wildcard(uri=uri, local=local):
            return uri, local
        case ast.ElementTest(name=name) if name is not None:
            return name.expanded
    return None, None


def _upward(node: ast.AxisStep, context: list[Projection]) -> list[Projection]:
    """The ancestors: those on the way from the variable, and then those around its node."""
    reached = list(context) if node.axis == "ancestor-or-self" else []
    for projection in context:
        at = projection
        if _is_beside(at):
            raise NotProjectable(node, f"the {node.axis} axis looks beyond what has been kept")
        if _is_around(at) and at.parent is not None:
            # It is an ancestor of the variable's node, like everything above it.
            reached.append(at.parent.ancestor(*_name(node.test), _scope(node, at.scope)))
            continue
        while at.parent is not None:
            reached.append(at.parent)
            if at.via != "child":
                reached.append(_between(at.parent, node.test))
            at = at.parent
            if node.axis == "parent":
                break
        if node.axis != "parent" or projection.parent is None:
            scope = _scope(node, Scope(0)) if projection.parent is None else None
            reached.append(at.around(*_name(node.test), scope))
    return reached


def _scope(node: ast.AxisStep, below: Scope | None) -> Scope | None:
    """The one ancestor that a step leads to from a node, or from an ancestor of it; None if it is not known."""
    if below is None or below.name is not None:
        return None
    if node.axis == "parent":
        return Scope(below.height + 1) if below.height < MOST_HEIGHT else None
    return nearest_named(node) if below.height == 0 else None


def _between(above: Projection, test: ast.NodeTest) -> Projection:
    """The elements between an element and something below it: with a given name, or any."""
    uri, local = _name(test)
    if uri is None and local is None:
        return Projection(parent=above, via="descendant", is_between=True)
    return above.child("descendant", uri, local)


def _sideways(node: ast.AxisStep, context: list[Projection]) -> list[Projection]:
    """The siblings of a node, by way of its parent; those of a variable's node are kept separately."""
    reached: list[Projection] = []
    for projection in context:
        parent = projection.parent
        if parent is None:
            near = near_sibling(node)
            if near is None:
                raise NotProjectable(node, f"the {node.axis} axis looks beyond what has been kept")
            reached.append(projection.beside(near))
            continue
        if _is_around(projection):
            # An open element: preceding siblings stay, following ones are still to come.
            near = near_sibling(node) if node.axis == "preceding-sibling" else None
            if near is None:
                raise NotProjectable(node, f"the {node.axis} axis looks beyond what has been kept")
            reached.append(projection.beside(near))
            continue
        if _is_beside(projection):
            raise NotProjectable(node, f"the {node.axis} axis looks beyond what has been kept")
        match node.test:
            case ast.NameTest() | ast.Wildcard() | ast.ElementTest():
                # Siblings of descendants are descendants, too.
                reached.append(parent.child(projection.via, *_name(node.test)))
            case _:
                parent.need(Use.SUBTREE)
                reached.append(Projection(parent=parent, via=projection.via))
    return reached


def _is_beside(projection: Projection) -> bool:
    """Whether it represents a sibling of a variable's node, or something in one."""
    at: Projection | None = projection
    while at is not None:
        if at.via in _SIDEWAYS or at.via == EITHER_SIDE:
            return True
        at = at.parent
    return False


def _attributes(test: ast.NodeTest, projection: Projection, descends: bool) -> Iterator[Projection]:
    """Record the attributes of an element, and with `descends` of those below it; return their projections."""
    _attribute(test, projection.itself())
    yield projection.value()
    if descends:
        below = projection.child("descendant", None, None)
        _attribute(test, below)
        yield below.value()


def _attribute(test: ast.NodeTest, projection: Projection) -> None:
    match test:
        case ast.NameTest(name=name):
            projection.attributes.add(name.expanded)
        case ast.AttributeTest(name=name) if name is not None:
            projection.attributes.add(name.expanded)
        case _:
            projection.all_attributes = True


# --- clauses and calls


def _flwor(node: ast.Flwor, scope: _Scope) -> list[Projection]:
    variables = dict(scope.variables)
    for clause in node.clauses:
        here = _Scope(variables, scope.focus, scope.root)
        match clause:
            case ast.ForClause(name=name, collection=collection):
                variables[name.expanded] = _nodes(collection, here)
                if clause.position is not None:
                    variables[clause.position.expanded] = []
            case ast.JoinClause(name=name, collection=collection):
                for test in clause.tests:
                    _consume(test.probe, here, Use.STRING)
                variables[name.expanded] = _nodes(collection, here)
                if clause.position is not None:
                    variables[clause.position.expanded] = []
                for test in clause.tests:
                    _consume(test.key, _Scope(variables, scope.focus, scope.root), Use.STRING)
            case ast.LetClause(name=name, value=value):
                variables[name.expanded] = _nodes(value, here)
            case ast.WhereClause():
                _consume(clause.test, here, Use.PRESENCE)
            case ast.OrderByClause(specs=specs):
                for spec in specs:
                    _consume(spec.key, here, Use.STRING)
            case ast.GroupByClause(specs=groups):
                for group in groups:
                    if group.value is not None:
                        _consume(group.value, here, Use.STRING)
                    else:
                        for projection in variables.get(group.name.expanded, ()):
                            projection.need(Use.STRING)
                    variables[group.name.expanded] = []
            case ast.WindowClause():
                _window(clause, variables, here)
            case ast.CountClause(name=name):
                variables[name.expanded] = []
            case ast.ForseqClause():
                _forseq(clause, variables, here)
            case ast.BestMatchClause(orders=orders):
                for order in orders:
                    for operand in order.operands:
                        # `min` and `max` compare a value; a function may inspect all of its operands.
                        _consume(operand, here, Use.STRING if order.function is None else Use.SUBTREE)
                    if order.limit is not None:
                        _consume(order.limit, here, Use.STRING)
            case _:
                _look_at(clause, here)
    return _nodes(node.result, _Scope(variables, scope.focus, scope.root))


def _window(clause: ast.WindowClause, variables: dict[ExpandedName, list[Projection]], scope: _Scope) -> None:
    items = _nodes(clause.collection, scope)
    variables[clause.name.expanded] = items
    for condition in (clause.start, clause.end):
        if condition is None:
            continue
        for part in ("current", "previous", "next", "position"):
            name = getattr(condition.variables, part)
            if name is not None:
                variables[name.expanded] = [] if part == "position" else items
        _consume(condition.when, _Scope(variables, scope.focus, scope.root), Use.PRESENCE)


def _forseq(clause: ast.ForseqClause, variables: dict[ExpandedName, list[Projection]], scope: _Scope) -> None:
    items = _nodes(clause.collection, scope)
    if clause.window is not None:
        for condition in (clause.window.start, clause.window.end):
            for part in condition.variables:
                variables[part.name.expanded] = [] if part.role == "position" else items
            if condition.when is not None:
                _consume(condition.when, _Scope(variables, scope.focus, scope.root), Use.PRESENCE)
    variables[clause.name.expanded] = items


_BEYOND = AROUND | standard("has-children in-scope-prefixes namespace-uri-for-prefix nilled")
"""Functions that read, besides ancestors, the existence of children, and namespaces; neither is kept."""
# The name argument of resolve-QName is read as a string.
_PRESENCE_ONLY = OUTSIDE - _BEYOND - standard("resolve-QName")
_GIVES_STRINGS = standard("string data concat string-join")
"""Functions whose results have the string values of their arguments in them."""
# A traced value is shown as a whole.
_PASS_THROUGH = PASSES - standard("trace")


def _call(node: ast.FunctionCall, scope: _Scope) -> list[Projection]:
    name, arguments = node.name, node.arguments
    counted = counted_siblings(node)
    if counted is not None and _count_siblings(node, *counted, scope):
        return []
    if name.expanded in _BEYOND:
        raise NotProjectable(node, f"{name.local}() looks beyond what has been kept")
    if name.expanded in _PASS_THROUGH:
        return [p for argument in arguments for p in _nodes(argument, scope)]
    builtin = look_up(name.uri or "", name.local, len(arguments))
    if builtin is not None and len(arguments) < builtin.least and scope.focus is not None:
        arguments = (*arguments, ast.ContextItem(span=node.span))
    given: list[Projection] = []
    for index, argument in enumerate(arguments):
        if name.expanded in _PRESENCE_ONLY:
            _consume(argument, scope, Use.PRESENCE)
        elif name.expanded in _GIVES_STRINGS or _takes_one(name, builtin, index):
            given += _strings(argument, scope)
        elif _takes_atoms(name, builtin, index):
            _consume(argument, scope, Use.STRING)
        else:
            _consume(argument, scope, Use.SUBTREE)
    return given


def _strings(node: ast.Expr, scope: _Scope) -> list[Projection]:
    """The string values of nodes, from each of which a result has one value."""
    return [projection.give_string() for projection in _nodes(node, scope)]


def _count_siblings(node: ast.Node, start: ast.Expr | None, step: ast.AxisStep, scope: _Scope) -> bool:
    """Record that the preceding siblings of a variable's node are counted; return whether it is such a node."""
    context = _focus(scope, node) if start is None else _nodes(start, scope)
    if not context or any(one.parent is not None and not _is_around(one) for one in context):
        return False
    near = near_sibling(nearest(step))
    if near is None:
        return False
    for projection in context:
        found = projection.beside(near)
        found.is_counted = True
        for predicate in step.predicates:
            _consume(predicate, _Scope(scope.variables, [found], scope.root), Use.PRESENCE)
    return True


def _takes_one(name: ast.Name, builtin: object, index: int) -> bool:
    """Whether an argument is atomised and may have one value at most."""
    from xylem.functions.registry import Builtin

    if name.uri == PREFIXES["xs"] or (name.uri == FN and name.local == "number"):
        return True
    if not isinstance(builtin, Builtin) or not _takes_atoms(name, builtin, index):
        return False
    return not builtin.parameters[min(index, len(builtin.parameters) - 1)].endswith(("*", "+"))


def _takes_atoms(name: ast.Name, builtin: object, index: int) -> bool:
    """Whether an argument is atomised: apart from their text, descendants of its elements do not matter."""
    from xylem.functions.registry import Builtin

    if name.uri == PREFIXES["xs"] or (name.uri == FN and name.local in ("string", "data", "number")):
        return True
    if not isinstance(builtin, Builtin):
        return False
    return builtin.parameters[min(index, len(builtin.parameters) - 1)].startswith("xs:")


# --- everything else


_ATOMISING = (
    ast.ValueComparison,
    ast.GeneralComparison,
    ast.Arithmetic,
    ast.Unary,
    ast.StringConcat,
    ast.Range,
    ast.CastAs,
    ast.CastableAs,
    ast.DirectAttribute,
    ast.ComputedAttribute,
    ast.ComputedText,
    ast.ComputedComment,
    ast.StringConstructor,
)
_TRUTHS = (ast.And, ast.Or)


def _look_at(node: ast.Node, scope: _Scope) -> None:
    """Consume all expressions below a node as this kind of node does."""
    if isinstance(node, ast.Quantified):
        _quantified(node, scope)
        return
    scope = _inside(node, scope)
    use = Use.STRING if isinstance(node, _ATOMISING) else Use.PRESENCE if isinstance(node, _TRUTHS) else Use.SUBTREE
    for child in _expressions(node.children()):
        if not isinstance(child, ast.Expr):
            _look_at(child, scope)
        else:
            _consume(child, scope, use)


def _inside(node: ast.Node, scope: _Scope) -> _Scope:
    """The scope of the parts of a node: its variables may hold any node, which is kept whole, without ancestors."""
    bound: list[ast.Name | None] = []
    match node:
        case ast.InlineFunction(parameters=parameters):
            bound = [parameter.name for parameter in parameters]
        case ast.Typeswitch(default_variable=name) | ast.TypeswitchCase(variable=name):
            bound = [name]
    return _Scope({**scope.variables, **_unknown(bound)}, scope.focus, scope.root) if bound else scope


def _unknown(names: Iterable[ast.Name | None]) -> dict[ExpandedName, list[Projection]]:
    return {name.expanded: [] for name in names if name is not None}


def _expressions(nodes: Iterable[ast.Node]) -> Iterable[ast.Node]:
    return (node for node in nodes if not isinstance(node, (ast.Name, ast.ItemTypeNode, ast.SequenceTypeNode)))


def _quantified(node: ast.Quantified, scope: _Scope) -> None:
    variables = dict(scope.variables)
    for binding in node.bindings:
        here = _Scope(variables, scope.focus, scope.root)
        variables[binding.name.expanded] = _nodes(binding.collection, here)
    _consume(node.satisfies, _Scope(variables, scope.focus, scope.root), Use.PRESENCE)
