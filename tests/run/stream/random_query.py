"""Random queries over the documents of a world: well typed, so that no answer depends on which error comes first.

What is avoided: casts that may fail, operators that want one item and may get two, values compared as numbers that
are none. Paths mostly follow the DTD, so that they find something; now and then they do not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from .random_paths import Found, Paths, Variable
from .random_schema import VALUES, World
from .random_shapes import everyday

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
FUNCTIONS = {
    "local:names": "declare function local:names($e) { string-join($e/*/local-name(), ' ') };",
    "local:deep": "declare function local:deep($e as node()*) as xs:integer { count($e//*) + count($e//@*) };",
    "local:same": "declare function local:same($e) { $e };",
    "local:first": "declare function local:first($e) { ($e)[1] };",
    "local:wrap": "declare function local:wrap($e) { <w>{ $e }</w> };",
    "local:up": "declare function local:up($e) { for $x in $e return name($x/..) };",
    "local:depth": (
        "declare function local:depth($e) { if (empty($e)) then 0 else 1 + local:depth($e[1]/*[1]) };"
    ),
}
GLOBALS = {"$limit": "declare variable $limit := 3;", "$words": 'declare variable $words := ("a", "ab");'}


@dataclass
class Scope:
    """The variables that can be read."""

    nodes: tuple[Variable, ...] = ()
    """Bound to one node each."""
    values: tuple[str, ...] = ()
    """Bound to one integer each."""
    sequences: tuple[Found, ...] = ()
    """Bound to any number of nodes, by `let`."""

    def with_node(self, variable: Variable) -> Scope:
        return replace(self, nodes=(*self.nodes, variable))

    def with_value(self, name: str) -> Scope:
        return replace(self, values=(*self.values, name))

    def with_sequence(self, found: Found) -> Scope:
        return replace(self, sequences=(*self.sequences, found))


@dataclass
class QueryWriter:
    """Writes one query."""

    world: World
    random: Random
    prefixes: dict[str, str] = field(default_factory=dict)
    """Namespace prefixes by element name."""
    stray: float = 0.0
    """How often an expression looks elsewhere than below the innermost variables."""
    prolog: set[str] = field(default_factory=set)
    _variables: int = 0

    def __post_init__(self) -> None:
        self.paths = Paths(self.world, self.random, self.prefixes, self.condition_on, self.stray)

    def query(self) -> str:
        starts = (self.answer, self.answer, self.flwor, self.element, self.report, self.report, self.shape)
        start = self.random.choice(starts)
        body = start(Scope(), self.random.choice((2, 3, 3, 4)))
        declared = [text for name, text in (FUNCTIONS | GLOBALS).items() if name in self.prolog]
        if "local:depth" in self.prolog:
            declared = [FUNCTIONS["local:depth"], *(text for text in declared if "local:depth" not in text)]
        if self.prefixes:
            declared.insert(0, 'declare namespace p = "urn:p";')
        return " ".join([*declared, body])

    # --- what is written

    def shape(self, scope: Scope, depth: int) -> str:
        made = everyday(self, scope)
        return made if self.random.random() < 0.6 else f"<all>{{ {made} }}</all>"

    def answer(self, scope: Scope, depth: int) -> str:
        choices = [
            (6, lambda: self.element(scope, depth)),
            (8, lambda: self.flwor(scope, depth)),
            (3, lambda: self.path(scope).text),
            (3, lambda: self.aggregate(scope)),
            (2, lambda: self.conditional(scope, depth)),
            (2, lambda: f"({self.answer(scope, depth - 1)}, {self.answer(scope, depth - 1)})"),
            (2, lambda: self.call(scope)),
            (1, lambda: self.condition(scope, 2)),
            (1, lambda: self.oddity(scope, depth)),
            (1, lambda: self.ordered(scope, depth)),
            (1, lambda: self.grouped(scope)),
            (4, lambda: everyday(self, scope)),
        ]
        if depth <= 0:
            choices = [choices[index] for index in (2, 3, 6, 7, 11)]
        elif not scope.nodes and not self.stray:
            # What would need the whole document is left to other queries.
            choices = [choices[index] for index in (0, 1, 1, 2, 3, 5, 11)]
        return self._pick(choices)()

    def element(self, scope: Scope, depth: int) -> str:
        name, attributes = self.random.choice(("out", "r", "e")), ""
        for attribute in ("k", "m"):
            if self.random.random() < (0.25 if scope.nodes or self.stray else 0.04):
                attributes += f' {attribute}="{self.attribute(scope)}"'
        kind = self.random.random()
        if kind < 0.08:
            name, attributes = f"q:{name}", attributes + ' xmlns:q="urn:q"'
        elif kind < 0.11:
            attributes += ' xmlns:q="urn:q" q:z="1"'
        elif kind < (0.2 if scope.nodes or self.stray else 0.12):
            return self.computed(scope, depth)
        parts = [self.content(scope, depth) for _ in range(self.random.choice((0, 1, 1, 2, 2, 3)))]
        return f"<{name}{attributes}>{''.join(parts)}</{name}>"

    def attribute(self, scope: Scope) -> str:
        inner = self.random.choice((self.aggregate, lambda s: self.path(s).text, self.call))(scope)
        return self.random.choice(("", "no ")) + "{" + inner.replace('"', "'") + "}"

    def content(self, scope: Scope, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.1:
            return self.random.choice(("text", " ", "&amp;", "<!-- c -->", "<hr/>", "{}", "{ '' }"))
        if kind < 0.25 and depth > 0:
            return self.element(scope, depth - 1)
        return "{ " + self.answer(scope, depth - 1) + " }"

    def computed(self, scope: Scope, depth: int) -> str:
        inner = self.answer(scope, depth - 1)
        return self.random.choice(
            (
                f"element made {{ {inner} }}",
                f"element {{ 'made' }} {{ {inner} }}",
                f"text {{ {self.path(scope).text} }}",
                f"comment {{ {self.aggregate(scope)} }}",
                f"<e>{{ attribute of {{ {self.path(scope).text} }}, {inner} }}</e>",
                f"document {{ {self.element(scope, depth - 1)} }}",
            )
        )

    # --- loops

    def report(self, scope: Scope, depth: int) -> str:
        """What streams are for: something made of each record, several parts of it in an order of their own."""
        found = self.path(scope, elements=True)
        name = self.fresh()
        inner = scope.with_node(Variable(name, found.name))
        where = f" where {self.condition(inner, 1)}" if self.random.random() < 0.4 else ""
        attributes = "".join(
            f' {key}="{self.attribute(inner)}"' for key in ("k", "m") if self.random.random() < 0.25
        )
        parts = "".join(self.part(inner, depth - 1) for _ in range(self.random.choice((1, 2, 2, 3, 4))))
        loop = f"for {name} in {found.text}{where} return <e{attributes}>{parts}</e>"
        return f"({loop})" if scope.nodes else self.random.choice((f"({loop})", f"<out>{{ {loop} }}</out>"))

    def part(self, scope: Scope, depth: int) -> str:
        """Content of one record."""
        path = self.path(scope).text
        kinds = [
            f"{{ {path} }}",
            f"{{ {path} }}",
            f"<p>{{ {path} }}</p>",
            f"{{ if ({self.condition(scope, 1)}) then {path} else () }}",
            f"<n>{{ {self.aggregate(scope)} }}</n>",
            f"{{ if ({self.condition(scope, 0)}) then <y>{{ {path} }}</y> else <n/> }}",
        ]
        if depth > 0:
            kinds += [f"{{ {self.report(scope, depth)} }}", f"{{ {self.windows(scope)} }}"]
        return self.random.choice(kinds)

    def windows(self, scope: Scope) -> str:
        """A data window on a path."""
        found = self.path(scope, elements=True)
        if "[" in found.text or "//" in found.text or ".." in found.text:
            return found.text
        size, step = self.random.choice((1, 2, 3)), self.random.choice(("", " step 1", " step 2", " step 3"))
        name = self.fresh()
        below = self.paths.path(Variable(name, found.name), False)
        functions = ["count", "exists", *(["sum", "max"] if below.is_number else [])]
        value = self.random.choice((f"{self.random.choice(functions)}({below.text})", below.text))
        return f"(for {name} in {found.text}|count {size}{step}| return <w>{{ {value} }}</w>)"

    def flwor(self, scope: Scope, depth: int) -> str:
        clauses: list[str] = []
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3))):
            scope, clause = self.clause(scope, clauses)
            clauses.append(clause)
        if self.random.random() < 0.5:
            clauses.append(f"where {self.condition(scope, 2)}")
        return f"({' '.join(clauses)} return {self.answer(scope, depth - 1)})"

    def clause(self, scope: Scope, before: list[str]) -> tuple[Scope, str]:
        kind = self.random.random()
        if kind < 0.2 and before:
            value = self.path(scope)
            name = self.fresh()
            if self.random.random() < 0.4:
                return scope.with_value(name), f"let {name} := count({value.text})"
            return scope.with_sequence(replace(value, text=name)), f"let {name} := {value.text}"
        found = self.path(scope, elements=True)
        name = self.fresh()
        inner = scope.with_node(Variable(name, found.name))
        if self.random.random() < 0.12:
            position = self.fresh()
            return inner.with_value(position), f"for {name} at {position} in {found.text}"
        empty = " allowing empty" if self.random.random() < 0.02 else ""
        return inner, f"for {name}{empty} in {found.text}"

    def ordered(self, scope: Scope, depth: int) -> str:
        found = self.path(scope, elements=True)
        name = self.fresh()
        inner = scope.with_node(Variable(name, found.name))
        keys = [self.key(inner) + self.random.choice(("", " descending", " empty greatest")) for _ in range(2)]
        kind = self.random.choice(("order by", "stable order by"))
        return f"(for {name} in {found.text} {kind} {', '.join(keys)} return {self.answer(inner, depth - 1)})"

    def key(self, scope: Scope) -> str:
        found = self.path(scope)
        kinds = [f"count({found.text})", f"string(({found.text})[1])"]
        if found.is_number:
            kinds.append(f"number(({found.text})[1])")
        return self.random.choice(kinds)

    def grouped(self, scope: Scope) -> str:
        found = self.path(scope, elements=True)
        name, key = self.fresh(), self.fresh()
        inner = scope.with_node(Variable(name, found.name))
        by = f"string(({self.path(inner).text})[1])"
        rest = f"order by {key} " if self.random.random() < 0.5 else ""
        return (
            f"(for {name} in {found.text} group by {key} := {by} {rest}"
            f'return <g k="{{ {key} }}">{{ count({name}), {name}/@id/string() }}</g>)'
        )

    # --- values

    def path(self, scope: Scope, elements: bool = False) -> Found:
        """A path from a variable in scope, mostly the innermost, or from the document."""
        if scope.sequences and self.random.random() < 0.2:
            found = self.random.choice(scope.sequences)
            if not elements or found.is_element:
                return self.paths.further(found) if self.random.random() < 0.5 and found.is_element else found
        if not scope.nodes or self.random.random() < self.stray:
            return self.paths.path(None, elements)
        wide = [node for node in scope.nodes if not elements or self._has_children(node)] or list(scope.nodes)
        return self.paths.path(wide[-1] if self.random.random() < 0.85 else self.random.choice(wide), elements)

    def inner_scope(self, node: Variable) -> Scope:
        """A scope in which only a node can be read."""
        return Scope(nodes=(node,))

    def _has_children(self, node: Variable) -> bool:
        return node.element is None or bool(self.world.children(node.element))

    def aggregate(self, scope: Scope) -> str:
        found = self.path(scope)
        functions = ["count", "count", "exists", "empty"]
        if found.is_number:
            functions += ["sum", "min", "max", "avg", "sum"]
        made = f"{self.random.choice(functions)}({found.text})"
        if self.random.random() < 0.15:
            name = self.fresh()
            below = self.path(Scope(nodes=(Variable(name, found.name),)))
            if found.is_element:
                tested = self.condition(Scope(nodes=(Variable(name, found.name),)), 1)
                made = f"count(for {name} in {found.text} where {tested} return {below.text})"
        if self.random.random() < 0.1 and made.startswith("count"):
            made += self.random.choice((" + 1", " * 2", " - count(//*)" if self.stray else " - 1"))
        return made

    def call(self, scope: Scope) -> str:
        found = self.path(scope)
        node = scope.nodes[-1].name if scope.nodes else None
        kinds = [
            f'string-join({found.text}, ",")',
            f"data({found.text})",
            f"distinct-values({found.text})",
            f"reverse({found.text})",
            f"({found.text})[1]",
            f"({found.text})[last()]",
            f"subsequence({found.text}, 2, 2)",
            f"{found.text} ! string()",
            f"{found.text}/string-length(.)",
            f"tail({found.text})",
            f"deep-equal({found.text}, {self.path(scope).text})",
            f"{self.user_function()}({found.text})",
            f"{self.user_function()}({found.text})",
            *scope.values,
            *(f"{value} + 1" for value in scope.values),
        ]
        if found.is_element:
            kinds += [f"{found.text}/name()", f"{found.text} ! local-name(.)", f"{found.text}/node()"]
        if node is not None:
            kinds += [f"name({node})", f"string({node})", f"{node}", f"normalize-space({node})", f"{node}/node()"]
        if node is not None and self.stray:
            kinds += [f"{node}/ancestor::*/name()", f"count({node}/preceding-sibling::*)", f"{node}/.."]
        if "." not in found.text.split("/", 1)[0] and self.random.random() < 0.1:
            self.prolog.add("$limit")
            kinds = [f"subsequence({found.text}, 1, $limit)"]
        return self.random.choice(kinds)

    def user_function(self) -> str:
        name = self.random.choice([name for name in sorted(FUNCTIONS) if self.stray or name != "local:up"])
        self.prolog.add(name)
        return name

    def conditional(self, scope: Scope, depth: int) -> str:
        then = self.answer(scope, depth - 1)
        otherwise = self.random.choice(("()", self.answer(scope, depth - 1)))
        return f"(if ({self.condition(scope, 2)}) then {then} else {otherwise})"

    def oddity(self, scope: Scope, depth: int) -> str:
        """Rarer kinds of expressions."""
        found, other = self.path(scope), self.path(scope)
        variable = self.fresh()
        inner = Scope(nodes=(Variable(variable, found.name),), values=scope.values)
        return self.random.choice(
            (
                f"(some {variable} in {found.text} satisfies {self.condition(inner, 1)})",
                f"({found.text} | {other.text})",
                f"({found.text} except {other.text})",
                f"(let {variable} := ({found.text})[1] return if (exists({variable})) then {variable} else 'none')",
                f"typeswitch (({found.text})[1]) case element() return 'e' case text() return 't' default return 'o'",
                f"(for {variable} in ({found.text}, {other.text}) return string({variable}))",
                f"({found.text}, {other.text})",
                f"``[n = `{{ count({found.text}) }}`]``",
                f"(let {variable} := {self.answer(scope, depth - 1)} return ({variable}, {variable}))",
                f"count(({found.text}, {other.text}))",
                f"map {{ 'n': count({found.text}), 'm': data({other.text}) }}",
                f"array {{ {found.text} }}",
                f"(switch (count({found.text})) case 0 return 'none' case 1 return {other.text} default return 'many')",
                f"(for tumbling window {variable} in {found.text} start at $i when $i mod 2 = 1 "
                f"return <w>{{ {variable} }}</w>)",
            )
        )

    # --- conditions

    def condition(self, scope: Scope, depth: int) -> str:
        if depth and self.random.random() < 0.35:
            first, second = self.condition(scope, depth - 1), self.condition(scope, depth - 1)
            return self.random.choice((f"({first} and {second})", f"({first} or {second})", f"not({first})"))
        return self.test(self.path(scope), scope)

    def condition_on(self, name: str | None) -> str:
        """A predicate on an element of a name, whose focus it is."""
        found = self.paths.relative(name)
        if self.random.random() < 0.2:
            return self.random.choice((found.text, f"not({found.text})"))
        return self.test(found, Scope())

    def test(self, found: Found, scope: Scope) -> str:
        kinds = [
            f"exists({found.text})",
            f"empty({found.text})",
            f"{found.text}",
            f"count({found.text}) {self.operator()} {self.random.randrange(4)}",
            f'{found.text} = "{self.random.choice(VALUES)}"',
            f'{found.text} {self.random.choice(("=", "!=", "<", ">"))} "{self.random.choice(VALUES)}"',
        ]
        if found.is_number:
            kinds += [f"{found.text} {self.operator()} {self.random.choice((0, 2, 5, 7.5))}"] * 4
            kinds += [f"sum({found.text}) {self.operator()} 6", f"max({found.text}) > 5"]
        if scope.nodes:
            other = self.path(scope)
            kinds += [f"{found.text} = {other.text}"] * 2
            kinds += [f'contains(string({scope.nodes[-1].name}), "a")']
            variable = self.fresh()
            kinds += [
                f"({self.random.choice(('some', 'every'))} {variable} in {found.text} "
                f"satisfies {variable} = {other.text})"
            ]
        kinds += [f"{value} {self.operator()} {self.random.randrange(4)}" for value in scope.values]
        kinds += [f"{value} mod 2 = 1" for value in scope.values]
        if scope.nodes and self.random.random() < 0.05:
            self.prolog.add("$words")
            kinds = [f"{found.text} = $words"]
        return self.random.choice(kinds)

    def operator(self) -> str:
        return self.random.choice(OPERATORS)

    def fresh(self) -> str:
        self._variables += 1
        return f"$v{self._variables}"

    def _pick(self, choices: list[tuple[int, object]]) -> object:
        return self.random.choices([made for _, made in choices], [weight for weight, _ in choices])[0]


def random_query(world: World, random: Random, prefixes: dict[str, str] | None = None) -> str:
    """A query over the documents of a world."""
    return QueryWriter(world, random, prefixes or {}, random.choice((0.0, 0.0, 0.2))).query()
