"""What Xylem adds to the grammar of XQuery 3.1 (docs/language.md lists it with its sources).

Every node here is an `ExtensionNode`: a stage that cannot execute extensions only tests for that class. The occurrence
`**` of possibly infinite sequences needs no node, it is a value of `SequenceTypeNode.occurrence`.
"""

from __future__ import annotations

from .expressions import VarRef
from .flwor import Clause
from .modules import Declaration
from .node import Expr, Name, Node, ast_node
from .types import SequenceTypeNode


@ast_node
class ExtensionNode(Node):
    """A construct that standard XQuery does not have."""


# --- forseq: windows with conditions ("Extending XQuery with Window Functions", figure 3)


@ast_node
class ForseqVariable(Node):
    """role is position, curItem, prevItem or nextItem."""

    role: str
    name: Name
    type: SequenceTypeNode | None = None


@ast_node
class ForseqCondition(Node):
    """`start … when E` or `force? end … when E`. No `when`: the end is `newstart`."""

    variables: tuple[ForseqVariable, ...]
    when: Expr | None
    force: bool = False
    """`force end`: windows still open when the input ends are dropped."""


@ast_node
class ForseqWindow(Node):
    """kind is tumbling, sliding or landmark."""

    kind: str
    start: ForseqCondition
    end: ForseqCondition


@ast_node
class ForseqClause(Clause, ExtensionNode):
    """Binds windows in the order of their last items. No window: every sub-sequence."""

    name: Name
    type: SequenceTypeNode | None
    collection: Expr
    window: ForseqWindow | None = None


# --- data windows on paths (thesis, 3.8.2)


@ast_node
class DataWindow(Expr, ExtensionNode):
    """base|count size step step| or base|reference diff size step step|: kind is the keyword.

    The reference is a path relative to each item, or None for the item itself. No step: the size.
    """

    base: Expr
    kind: str
    reference: Expr | None
    size: Expr
    step: Expr | None = None


# --- best-match joins (thesis, 4.2.2.2 and 4.2.3)


@ast_node
class BestMatchOrder(Node):
    """`(E) min`, `(E) max` or `(E, E) function`, and the largest distance allowed, if any.

    `function` is None for `min` and `max`, which are in `direction`; else `direction` is ''.
    """

    operands: tuple[Expr, ...]
    direction: str = ""
    function: Name | None = None
    limit: Expr | None = None


@ast_node
class BestMatchClause(Clause, ExtensionNode):
    """`where $left … bestmatch join $right on …`: kind is inner, left, right or full.

    `best` is the k of `where $left left outer k bestmatch join $right`: pairs with fewer than k better ones.
    """

    left: VarRef
    kind: str
    right: VarRef
    orders: tuple[BestMatchOrder, ...]
    best: int = 1


# --- history ("Processing Continuous Historical Queries over XML Update Streams", section 3)


@ast_node
class VersionProjection(Expr, ExtensionNode):
    """E#v: the version that stood v updates ago; v is an integer literal or an external variable.

    `name#v` alone is a NamedFunctionRef, as in the standard; after a slash it is a projection of the step.
    """

    base: Expr
    version: Expr


@ast_node
class TimeProjection(Expr, ExtensionNode):
    """E?t: the value t seconds ago; t is a numeric literal, an external variable or a duration.

    `$x?60` and `(E)?60` are a Lookup, as in the standard: on nodes that means the same as this.
    """

    base: Expr
    seconds: Expr


@ast_node
class VersionWindow(Expr, ExtensionNode):
    """E#[v]: the versions from the current one to the one v updates ago."""

    base: Expr
    version: Expr


@ast_node
class TimeWindow(Expr, ExtensionNode):
    """E?[t]: all versions of the last t seconds."""

    base: Expr
    seconds: Expr


# --- sequential execution (windows paper, 5.2, after XQueryP)


@ast_node
class ExecutionDecl(Declaration, ExtensionNode):
    """declare execution sequential"""

    mode: str


@ast_node
class SetStatement(Expr, ExtensionNode):
    """set $name := E"""

    name: Name
    value: Expr


@ast_node
class Block(Expr, ExtensionNode):
    """`{ S; S; E }`: the statements in order, then the value of the last one.

    The body of a sequential main module is a Block when it has more than one statement.
    """

    statements: tuple[Expr, ...]
