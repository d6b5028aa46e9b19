"""Apply the rules to a query, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from xylem.syntax import ast

from .rule import PassFacts
from .rules import RULES


class Fusion(NamedTuple):
    """A rule that changed something."""

    rule: str
    before: ast.Expr
    after: ast.Expr


def told_of(fusions: Sequence[Fusion]) -> tuple[str, ...]:
    """What rules did, in words for `explain`."""
    words = {rule.name: f"{rule.told} ({rule.name})" for rule in RULES}
    return tuple(words[fusion.rule] for fusion in fusions)


def make_one_pass(
    body: ast.Expr, prolog: Sequence[ast.Declaration], without: Collection[str] = ()
) -> tuple[ast.Expr, tuple[Fusion, ...]]:
    """The body of a query, its names resolved, after all rules but those in `without`; and those that changed it."""
    facts = PassFacts.of(body, prolog)
    done: list[Fusion] = []
    for rule in RULES:
        if rule.name in without:
            continue
        made = rule.apply(body, facts)
        if made is not body:
            done.append(Fusion(rule.name, body, made))
            body = made
    return body, tuple(done)
