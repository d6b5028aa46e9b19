"""Windows for each value of a key, as groups: items are shuffled by key, and each group forms its own windows.

    for $u in distinct-values(S/key)          for $item in S, $u in distinct-values($item/key)
    forseq $w in S[key eq $u] …         →     group by $u
                                              forseq $w in $item[key eq $u] …

Gain:   many tasks share the keys of a finite input, each with the items of its keys; the input is read once.
Needs:  S is a path of the input, the same in both places.
Safe:   groups come in the order of their first items, as distinct values do; the items of a group are in the order of
        the input. The predicate stays, so it still separates items that only `group by` puts together (NaN).
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.event_order_call import event_order_call
from xylem.analysis.keyed_input import keyed_at, keyed_over
from xylem.syntax import ast

from ..input_reads import reads_input
from ..not_spread import NotSpread
from .spreading import inlined

_ITEM = ast.VarRef(ast.Name("item", None, "urn:xylem:part"))


def windows_as_groups(flwor: ast.Flwor) -> ast.Flwor:
    """The expression with a `group by` for its windows by key; the very same object if it has none."""
    head: list[ast.Clause] = []
    rest = flwor
    while rest.clauses and isinstance(rest.clauses[0], ast.LetClause):
        let = rest.clauses[0]
        behind = replace(rest, clauses=rest.clauses[1:])
        if reads_input(let.value):
            if not any(isinstance(clause, (ast.WindowClause, ast.ForseqClause)) for clause in behind.clauses):
                return flwor
            behind = inlined(let, behind, frozenset())
        else:
            head.append(let)
        rest = behind
    keyed = keyed_at(rest.clauses, 0, rest.result) if rest.clauses else None
    if keyed is None or keyed.item is not None or keyed.number is not None or not reads_input(keyed.collection):
        return flwor
    if event_order_call(keyed.collection) is not None:
        raise NotSpread("event time needs the items of the whole input in one place", keyed.collection)
    values, windows = keyed_over(rest.clauses[: keyed.length], keyed, _ITEM)
    span = values.span
    items = ast.ForClause(_ITEM.name, None, keyed.collection, span=span)
    group = ast.GroupByClause((ast.GroupingSpec(keyed.name, span=span),), span=span)
    clauses = (*head, items, values, group, windows, *rest.clauses[keyed.length :])
    return replace(flwor, clauses=clauses, result=rest.result)
