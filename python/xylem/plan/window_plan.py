"""The decisions about one window clause before its code is generated.

`forseq` and the two window clauses of XQuery 3.1 become the same description: they differ only in the order of their
windows. It is a clause like any other, so traversals of FLWOR expressions handle it too.
"""

from __future__ import annotations

from collections.abc import Iterator

from xylem.syntax import ast
from xylem.syntax.ast.node import ast_node

ROLES = ("current", "position", "previous", "next")
_FORSEQ_ROLES = {"curItem": "current", "position": "position", "prevItem": "previous", "nextItem": "next"}


@ast_node
class BoundaryVariable(ast.Node):
    """A variable of a condition: role is one of ROLES."""

    role: str
    name: ast.Name
    type: ast.SequenceTypeNode | None = None


@ast_node
class Boundary(ast.Node):
    """The variables of a start or an end, and its condition."""

    variables: tuple[BoundaryVariable, ...] = ()
    when: ast.Expr | None = None
    """None: wherever the next window starts."""

    def named(self, role: str) -> ast.Name | None:
        return next((variable.name for variable in self.variables if variable.role == role), None)

    @property
    def names(self) -> frozenset[tuple[str, str]]:
        return frozenset(variable.name.expanded for variable in self.variables)


@ast_node
class WindowIndex(ast.Node):
    """Finds the open windows that an item may end, without testing each of them (windows paper, 6.3.3).

    `hash`: those whose `start_key` equals the item's `end_key`. `queue`: those whose key fulfils `end_key op
    start_key`. For a difference, `$e - $s ge N`, N is the `offset` added to start keys.
    """

    kind: str
    op: str
    start_key: ast.Expr
    end_key: ast.Expr
    is_general: bool = False
    offset: ast.Expr | None = None


@ast_node
class WindowAggregate(ast.Node):
    """A value kept while the items of a window pass, under a name of its own."""

    name: ast.Name
    function: ast.Name
    item: ast.Name
    """The variable for one item in `values`."""
    values: ast.Expr
    """The values that one item adds."""
    source: ast.Expr
    """The call as written."""
    is_path: bool = False
    """Whether it takes a path from the window, which sorts and deduplicates nodes."""


@ast_node
class AggregateRead(ast.Expr):
    """The value of an aggregate of a window, in place of its call."""

    variable: ast.VarRef
    function: ast.Name


@ast_node
class WindowPartition(ast.Node):
    """Windows for each value of a key: `for $name in distinct-values(S/key) forseq $w in S[key eq $name] …`."""

    name: ast.Name
    key: ast.Expr
    """A function of an item: as the context item, or as `item`."""
    item: ast.Name | None = None
    keeps_empty: bool = False
    """Whether items without a key have windows, too."""
    number: ast.Name | None = None
    """Holds the number of the key, in order of first appearance."""
    may_have_several: bool = False
    """Whether an item may have several keys."""

    @property
    def names(self) -> frozenset[tuple[str, str]]:
        """The variables it binds."""
        return frozenset(name.expanded for name in (self.name, self.number) if name is not None)


@ast_node
class WindowPlan(ast.Clause):
    """A window clause with the decisions about it."""

    kind: str
    """tumbling, sliding or landmark; '' for every sub-sequence."""
    is_standard: bool
    """A clause of XQuery 3.1: windows in the order of their first items, not of their last."""
    name: ast.Name
    type: ast.SequenceTypeNode | None
    collection: ast.Expr
    start: Boundary = Boundary()
    end: Boundary = Boundary()
    force: bool = False
    """Whether windows still open when the input ends are dropped."""
    is_split: bool = False
    """Whether the following parts of the end condition are tested, and not the whole."""
    partition: WindowPartition | None = None
    """The key that partitions the items of an infinite collection."""
    opening: ast.Expr | None = None
    """The part that is decided when a window opens: if it is false, the window is hopeless."""
    shared: ast.Expr | None = None
    """The part that is the same for all open windows."""
    own: ast.Expr | None = None
    """The part that remains to be tested for each window."""
    index: WindowIndex | None = None
    longest: ast.Expr | None = None
    """A window with more items is hopeless."""
    has_one_start: bool = False
    """Whether at most one item of the input can start a window."""
    keeps_items: bool = True
    """Whether anything reads the items of a window."""
    aggregates: tuple[WindowAggregate, ...] = ()
    forgets_keys: bool = False
    """Whether a key can be dropped when none of its windows is open."""
    written: str = ""
    """The kind in the query, if a cheaper one replaces it."""
    early: str = ""
    """`start`: a window is returned when it opens. `items`: its items are returned as they arrive."""

    @property
    def names(self) -> frozenset[tuple[str, str]]:
        """Every variable the clause binds."""
        kept = frozenset(aggregate.name.expanded for aggregate in self.aggregates)
        own = frozenset({self.name.expanded}) | (frozenset() if self.partition is None else self.partition.names)
        return own | self.start.names | self.end.names | kept

    @property
    def is_newstart(self) -> bool:
        """Windows end where the next one starts."""
        return self.end.when is None


def window_plan(clause: ast.Clause) -> WindowPlan | None:
    """The description of a window clause before any decision; None for other clauses."""
    match clause:
        case ast.WindowClause(kind=kind, name=name, type=declared, collection=collection, start=start, end=end):
            return WindowPlan(
                kind,
                True,
                name,
                declared,
                collection,
                _standard(start),
                Boundary() if end is None else _standard(end),
                end is not None and end.only,
                span=clause.span,
            )
        case ast.ForseqClause(name=name, type=declared, collection=collection, window=None):
            return WindowPlan("", False, name, declared, collection, span=clause.span)
        case ast.ForseqClause(name=name, type=declared, collection=collection, window=window):
            assert window is not None
            return WindowPlan(
                window.kind,
                False,
                name,
                declared,
                collection,
                _forseq(window.start),
                _forseq(window.end),
                window.end.force,
                span=clause.span,
            )
    return None


def _standard(condition: ast.WindowCondition) -> Boundary:
    named = ((role, getattr(condition.variables, role)) for role in ROLES)
    variables = tuple(BoundaryVariable(role, name, span=name.span) for role, name in named if name is not None)
    return Boundary(variables, condition.when, span=condition.span)


def _forseq(condition: ast.ForseqCondition) -> Boundary:
    variables = tuple(
        BoundaryVariable(_FORSEQ_ROLES[variable.role], variable.name, variable.type, span=variable.span)
        for variable in condition.variables
    )
    return Boundary(variables, condition.when, span=condition.span)


def written_clause(plan: WindowPlan) -> ast.Clause:
    """The clause as it would be written in a query, without parts that XQuery cannot express."""
    if not plan.kind:
        return ast.ForseqClause(plan.name, plan.type, plan.collection, span=plan.span)
    if plan.is_standard and plan.kind != "landmark":
        return _written_standard(plan)
    roles = {ours: theirs for theirs, ours in _FORSEQ_ROLES.items()}
    start, end = (
        ast.ForseqCondition(
            tuple(ast.ForseqVariable(roles[v.role], v.name, v.type) for v in boundary.variables), boundary.when
        )
        for boundary in (plan.start, plan.end)
    )
    forced = ast.ForseqCondition(end.variables, end.when, plan.force)
    return ast.ForseqClause(plan.name, plan.type, plan.collection, ast.ForseqWindow(plan.kind, start, forced))


def _written_standard(plan: WindowPlan) -> ast.Clause:
    def condition(boundary: Boundary, only: bool) -> ast.WindowCondition:
        assert boundary.when is not None
        return ast.WindowCondition(ast.WindowVariables(*(boundary.named(role) for role in ROLES)), boundary.when, only)

    end = None if plan.is_newstart else condition(plan.end, plan.force)
    return ast.WindowClause(
        plan.kind, plan.name, plan.type, plan.collection, condition(plan.start, False), end, span=plan.span
    )


def decisions(plan: WindowPlan) -> Iterator[tuple[str, str]]:
    """The decisions in words: (topic, text)."""
    from xylem.analysis.readable_names import with_readable_names
    from xylem.syntax import print_query

    def told(expr: ast.Expr) -> str:
        return " ".join(print_query(with_readable_names(expr)).split())

    if plan.partition is not None:
        yield "windows by key", f"the windows of all {told(plan.partition.key)} at the same time, in one pass"
    if plan.forgets_keys:
        yield "keys", "a key without an open window is forgotten"
    if plan.written:
        yield "cheaper window", f"no more is open at a time than in a {plan.kind} window, which is cheaper"
    if plan.opening is not None:
        otherwise = "it is dropped then" if plan.force else "no item ends it then"
        yield "hopeless windows", f"{told(plan.opening)} is tested when a window opens: if false, {otherwise}"
    if plan.longest is not None:
        yield "hopeless windows", f"a window of more than {told(plan.longest)} items is dropped"
    if plan.shared is not None:
        yield "shared test", f"{told(plan.shared)} is tested once for all open windows"
    if plan.index is not None:
        index = plan.index
        by = "a hash table" if index.kind == "hash" else "a queue"
        key = told(index.start_key) + (f" + {told(index.offset)}" if index.offset is not None else "")
        yield "window index", f"{by} of open windows by {key}, asked for {told(index.end_key)}"
    for aggregate in plan.aggregates:
        yield "aggregate", f"${aggregate.name} := {told(aggregate.source)}, kept as items pass"
    if not plan.keeps_items:
        yield "items", "no item of a window is kept"
    if plan.early == "start":
        yield "early results", "a window gives its result when it opens"
    elif plan.early == "items":
        yield "early results", "the items of a window are processed as they arrive"


__all__ = [
    "ROLES",
    "AggregateRead",
    "Boundary",
    "BoundaryVariable",
    "WindowAggregate",
    "WindowIndex",
    "WindowPartition",
    "WindowPlan",
    "decisions",
    "window_plan",
    "written_clause",
]
