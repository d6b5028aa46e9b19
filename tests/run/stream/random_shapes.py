"""Everyday shapes of queries over random paths: picks, folds, quantifiers, predicates that are decided late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .random_paths import Found, Variable
from .random_schema import NAMES

if TYPE_CHECKING:
    from .random_query import QueryWriter, Scope


def everyday(writer: QueryWriter, scope: Scope) -> str:
    """An expression as people write them."""
    kind = writer.random.random()
    if kind < 0.4:
        return tested_path(writer, scope).text
    return over_sequence(writer, scope)


def tested_path(writer: QueryWriter, scope: Scope) -> Found:
    """A path with predicates on its way: `//a[p]/b`, `//*[p]//b`, `//a[2]/b[p]`."""
    random = writer.random
    start = scope.nodes[-1].name if scope.nodes and random.random() < 0.7 else ""
    text, name = start, None
    for index in range(random.choice((1, 2, 2, 3))):
        slash = "//" if index == 0 or random.random() < 0.25 else "/"
        known = sorted(writer.world.children(name)) if name is not None and slash == "/" else []
        name = random.choice(known or list(NAMES)) if random.random() > 0.2 else None
        text += slash + (writer.paths._named(name) if name is not None else "*")
        if random.random() < 0.6:
            text += predicate(writer, name)
    if random.random() < 0.3:
        leaf = random.choice(("@id", "@n", "text()", "@*", "string()", "name()"))
        return Found(f"{text}/{leaf}", None, False, leaf == "@n")
    return Found(text, name)


def predicate(writer: QueryWriter, name: str | None) -> str:
    random = writer.random
    kind = random.random()
    if kind < 0.2:
        return f"[{random.choice((1, 2, 'position() < 3', 'position() = 2', 'position() mod 2 = 0'))}]"
    if kind < 0.26:
        return "[last()]"
    conditions = [writer.condition_on(name) for _ in range(random.choice((1, 1, 1, 2)))]
    made = f" {random.choice(('and', 'or'))} ".join(conditions)
    more = f"[{writer.condition_on(name)}]" if random.random() < 0.15 else ""
    first = f"[{random.choice((1, 2))}]" if random.random() < 0.1 else ""
    return f"{first}[{made}]{more}" if random.random() < 0.8 else f"{first}[not({made})]{more}"


def over_sequence(writer: QueryWriter, scope: Scope) -> str:
    """Something done with the items of a path, one after the other."""
    random = writer.random
    found = tested_path(writer, scope) if random.random() < 0.3 else writer.path(scope)
    p, x, i = found.text, writer.fresh(), writer.fresh()
    inner = writer.inner_scope(Variable(x, found.name))
    shapes = [
        f"string-join({p}, '{random.choice(('', ',', ' + '))}')",
        f"string-join({p} ! string(), '|')",
        f"({random.choice(('some', 'every'))} {x} in {p} satisfies {writer.condition(inner, 1)})",
        f"({p})[{random.choice((1, 2, 3, 5))}]",
        f"({p})[position() {random.choice(('<', '<=', '>', '=', '!='))} {random.randrange(1, 5)}]",
        f"head({p})",
        f"tail({p})",
        f"subsequence({p}, {random.randrange(0, 4)}, {random.randrange(0, 4)})",
        f"subsequence({p}, {random.randrange(0, 4)})",
        f"distinct-values({p})",
        f"count(distinct-values({p}))",
        f"(for {x} in distinct-values({p}) return <v>{{ {x} }}</v>)",
        f"fold-left({p}, 0, function($a, $b) {{ $a * 2 + string-length($b) }})",
        f"fold-left({p}, '', function($a, $b) {{ concat($a, '/', $b) }})",
        f"({p})[last()]",
        f"{p} => count()",
        f"{p} => string-join('-')",
        f"(for {x} at {i} in {p} return concat({i}, ':', {x}))",
        f"(for {x} at {i} in {p} where {i} <= 2 return string({x}))",
        f"(for {x} in {p} where {writer.condition(inner, 1)} count {i} return concat({i}, '=', {x}))",
        f"(for {x} in {p} return map {{ 'v': string({x}) }})",
        f"(for {x} in {p} return [ string({x}), 1 ])",
        f"(for {x} in {p} group by {i} := string-length({x}) order by {i} return <g>{{ {i}, count({x}) }}</g>)",
        f"(for {x} in {p} order by string({x}) descending return string({x}))",
        f"(for {x} in {p} return try {{ string-length({x}) }} catch * {{ -1 }})",
        f"(let {x} := {p} return (count({x}), string-join({x})))",
        f"(if (exists({p})) then 'some' else 'none')",
        f"({p} = 'a')",
    ]
    if found.is_element:
        other, another = random.choice(NAMES), random.choice(NAMES)
        shapes += [
            f"{p}/{random.choice(('name()', 'string()', 'string-length(.)', 'count(*)', 'data(@id)'))}",
            f"{p}/concat(@id, '=', count(*))",
            f"{p}/({other} | {another})",
            f"{p}/({other}, {another})",
            f"({p})[1]/{other}",
            f"head({p})/@id",
            f"({p})[last()]/@id",
            f"{p}/../@id",
            f"{p}/ancestor::*/@id",
            f"{p}/parent::{other}/@n",
            f"(for {x} in {p} return concat({x}/../@id, '<', name({x})))",
            f"(for {x} in {p} return ({x}/ancestor::{other}/@id/string(), name({x}/..)))",
            f"{p}/preceding-sibling::*[1]/name()",
            f"count({p}/@*)",
            f"sum({p}/count(*))",
            f"max({p}/string-length(.))",
        ]
    return random.choice(shapes)
