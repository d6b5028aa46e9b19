"""Functions that recurse along a sequence: their value at its end, and their step for each item (single-pass.txt
§5.1.3).

        declare function f($p, $c) { if (empty($p)) then Z else C($p[1], f(subsequence($p, 2), $c)) }

The recursion is linear if each branch of the body calls the function at most once, and always with the rest of the
sequence. The rules of this package then look at the shape of C. A function may also walk from the other end, by
$p[last()] and all items before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_names, read_variables
from xylem.analysis.focus import reads_focus
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..query_rule import ExpandedName, QueryFacts
from ..renaming import renamed_apart
from ..substitution import Substitution
from .head_and_tail import is_all_but_last, is_head, is_last, is_tail, is_variable, presence_test

_EMPTY = ast.Name("empty", "fn", FN)


@dataclass(frozen=True)
class End:
    """The end that a function starts from, with the spellings of the current item and of the rest."""

    is_item: Callable[[ast.Node, ExpandedName], bool]
    is_rest: Callable[[ast.Expr, ExpandedName], bool]


FRONT = End(is_head, is_tail)
BACK = End(is_last, is_all_but_last)


@dataclass(frozen=True)
class LinearRecursion:
    """A function taken apart. Its own names are replaced by fresh ones."""

    declared: ast.FunctionDecl
    place: int
    """The index of the sequence among the parameters."""
    item: ast.VarRef
    """The current item."""
    at_end: ast.Expr
    """The value for the empty sequence."""
    step: ast.Expr
    """The value for a non-empty sequence, in terms of the item; recursive calls are unchanged, but without the
    sequence.
    """
    end: End = FRONT

    @property
    def key(self) -> tuple[str, str, int]:
        return (*self.declared.name.expanded, len(self.declared.parameters))

    def is_call(self, node: ast.Node) -> bool:
        return (
            isinstance(node, ast.FunctionCall)
            and node.name.expanded == self.declared.name.expanded
            and len(node.arguments) == len(self.declared.parameters)
        )

    def calls(self, node: ast.Node) -> Iterator[ast.FunctionCall]:
        for part in node.walk():
            if isinstance(part, ast.FunctionCall) and self.is_call(part):
                yield part


def linear_recursion(declared: ast.FunctionDecl, facts: QueryFacts, end: End = FRONT) -> LinearRecursion | None:
    """The function taken apart; None unless it is a linear recursion over one of its parameters, from that end."""
    if declared.body is None or reads_focus(declared.body):
        return None
    for place in range(len(declared.parameters)):
        found = _over(declared, place, facts, end)
        if found is not None:
            return found
    return None


def _over(declared: ast.FunctionDecl, place: int, facts: QueryFacts, end: End) -> LinearRecursion | None:
    declared = renamed_apart(declared, facts)
    sequence = declared.parameters[place].name.expanded
    made = LinearRecursion(declared, place, facts.fresh("item"), ast.SequenceExpr(), ast.SequenceExpr(), end)
    body = declared.body
    assert body is not None
    if not any(made.calls(body)) or _binds_again(body, {p.name.expanded for p in declared.parameters}):
        return None
    lets, decision = _without_lets(body, sequence, made)
    of_nodes = is_node_sequence(declared.parameters[place].type)
    decision = _by_presence(_as_choice(decision, sequence), sequence, of_nodes)
    if not isinstance(decision, ast.If):
        return None
    has_items = presence_test(decision.test, sequence, of_nodes)
    if has_items is None:
        return None
    at_end, otherwise = (decision.otherwise, decision.then) if has_items else (decision.then, decision.otherwise)
    if any(made.calls(at_end)):
        return None
    used = [let for let in lets if let.name.expanded in read_variables(at_end)]
    if used:
        return None
    empty = Substitution({sequence: ast.SequenceExpr()})
    step = _of_item(ast.Flwor(tuple(lets), otherwise) if lets else otherwise, sequence, made)
    if step is None:
        return None
    return replace(made, at_end=empty.apply(at_end), step=step)


def _as_choice(body: ast.Expr, sequence: ExpandedName) -> ast.Expr:
    """typeswitch ($p) case empty-sequence() return Z default return R, and switch (count($p)) case 0 …, by `if`."""
    name = ast.Name(sequence[1], None, sequence[0])
    match body:
        case ast.Typeswitch(operand=operand, cases=(case,), default=default, default_variable=variable):
            if not is_variable(operand, sequence) or len(case.types) != 1 or case.types[0].item is not None:
                return body
            put_in = {bound.expanded: ast.VarRef(name) for bound in (case.variable, variable) if bound is not None}
            test = ast.FunctionCall(_EMPTY, (operand,), span=operand.span)
            return ast.If(test, *(Substitution(put_in).apply(part) for part in (case.result, default)), span=body.span)
        case ast.Switch(operand=operand, cases=(case,), default=default) if len(case.operands) == 1:
            equal = ast.ValueComparison("eq", operand, case.operands[0], span=operand.span)
            return ast.If(equal, case.result, default, span=body.span)
    return body


def _by_presence(decision: ast.Expr, sequence: ExpandedName, of_nodes: bool) -> ast.Expr:
    """if (empty($p) or C) then Z else R  as  if (empty($p)) then Z else if (C) then Z else R."""
    match decision:
        case ast.If(test=ast.Or(left=left, right=right), then=at_end, otherwise=otherwise):
            for present, other in ((left, right), (right, left)):
                if presence_test(present, sequence, of_nodes) is False and sequence not in read_variables(other):
                    return replace(decision, test=present, otherwise=ast.If(other, at_end, otherwise, span=other.span))
        case ast.If(test=ast.And(left=left, right=right), then=then, otherwise=at_end):
            for present, other in ((left, right), (right, left)):
                if presence_test(present, sequence, of_nodes) is True and sequence not in read_variables(other):
                    return replace(decision, test=present, then=ast.If(other, then, at_end, span=other.span))
    return decision


def _binds_again(body: ast.Expr, names: set[ExpandedName]) -> bool:
    return any(name.expanded in names for node in body.walk() for name in bound_names(node))


def is_node_sequence(kind: ast.SequenceTypeNode | None) -> bool:
    return kind is not None and isinstance(kind.item, (ast.ElementTest, ast.AnyKindTest))


def _without_lets(
    body: ast.Expr, sequence: ExpandedName, made: LinearRecursion
) -> tuple[list[ast.LetClause], ast.Expr]:
    """The expression inside its outer `let` clauses, with aliases replaced by their values."""
    kept: list[ast.LetClause] = []
    while isinstance(body, ast.Flwor) and all(isinstance(clause, ast.LetClause) for clause in body.clauses):
        rest, result = list(body.clauses), body.result
        while rest:
            clause = rest.pop(0)
            assert isinstance(clause, ast.LetClause)
            if clause.type is not None:
                return kept, body
            if _is_another_name(clause.value, sequence, made):
                put_in = Substitution({clause.name.expanded: clause.value})
                inner = put_in.apply(ast.Flwor(tuple(rest), result))
                rest, result = list(inner.clauses), inner.result
            else:
                kept.append(clause)
        body = result
    return kept, body


def _is_another_name(value: ast.Expr, sequence: ExpandedName, made: LinearRecursion) -> bool:
    """Whether it is an alias of the current item, the rest, the test, or the value for the rest."""
    if made.end.is_item(value, sequence) or made.end.is_rest(value, sequence) or isinstance(value, ast.VarRef):
        return True
    return made.is_call(value) or presence_test(value, sequence, of_nodes=False) is not None


def _of_item(expr: ast.Expr, sequence: ExpandedName, made: LinearRecursion) -> ast.Expr | None:
    """The expression in terms of the current item; None if it uses the sequence otherwise."""
    is_linear = True

    def put_in(node: ast.Node) -> ast.Node | None:
        nonlocal is_linear
        if made.end.is_item(node, sequence):
            return made.item
        if isinstance(node, ast.FunctionCall) and made.is_call(node):
            if not made.end.is_rest(node.arguments[made.place], sequence):
                is_linear = False
            arguments = tuple(replaced(argument, put_in) for argument in node.arguments)
            return replace(node, arguments=(*arguments[: made.place], ast.SequenceExpr(), *arguments[made.place + 1 :]))
        return None

    # The argument with the rest is checked before it is taken out.
    found = replaced(expr, put_in)
    if not is_linear or sequence in read_variables(found):
        return None
    return found
