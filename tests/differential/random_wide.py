"""Random queries of every kind over documents with everything in them: one expression may stand in any other.

The other generators know their documents well and ask what streams. This one writes whatever the grammar allows: groups
in windows in tests of paths, typed values, namespaces, mixed content, positions, constructors, maps. Most of it has an
answer; what ends in an error says nothing, and is left out by those who compare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")

NUMBERS = ("1", "2", "2", "3", "4", "10", "02", "2.0", "1.5", "-1", " 4 ", "3e0", "7")
STRINGS = ("", "x", "x", "y", "y z", "é", "<![CDATA[<a/>&]]>", "&amp;", "&#65;", "2", "10", "&lt;b&gt;", "X")
DATES = ("2024-01-05", "2024-01-31", "2023-12-31", "2024-02-29")
DTD = "<!DOCTYPE r [<!ENTITY e 'E<d>7</d>'><!ATTLIST b n CDATA '5'>]>\n"
PROLOG = "declare namespace p = 'urn:p'; "

NODE_STEPS = ("a", "a", "b", "b", "c", "*", "p:a", "*:a", "(a|b)", "(c, d)", "element(b)")
LEAVES = ("d", "d", "e", "@n", "@n", "@s", "@id", "@*", "text()", "w", "@p:n", "comment()", "data()", "string()")
AROUND = (
    *("..", "../@n", "ancestor::a", "ancestor::*/@id", "ancestor-or-self::a[1]", "parent::b", "parent::a/d"),
    *(
        "following-sibling::b[1]",
        "preceding-sibling::*[1]",
        "preceding-sibling::a",
        "following-sibling::*/@n",
        "self::a",
    ),
)
COMPARED = ("=", "!=", "<", "<=", ">", ">=", "=", "=")


class WideQueries:
    """Makes queries, and documents for them."""

    def __init__(self, seed: object) -> None:
        self._random = Random(f"wide {seed}")
        self._names = 0

    # --- documents

    def document(self) -> str:
        inside = "".join(self._text() + self._element(0) for _ in range(self._random.randint(1, 7)))
        has_dtd = self._random.random() < 0.25
        around = self._pick(("", "", " xmlns:q='urn:p'", " n='3'"))
        made = f"{DTD if has_dtd else ''}<r xmlns:p='urn:p'{around}>{inside}{self._text()}</r>"
        return made if has_dtd else made.replace("&e;", "E")

    def _element(self, depth: int) -> str:
        random, name = self._random, self._pick(("a", "a", "a", "b", "b", "c", "p:a"))
        marks = f" id='i{random.randrange(40)}'" if random.random() < 0.6 else ""
        marks += f" n='{self._pick(NUMBERS)}'" if random.random() < 0.7 else ""
        marks += f" s='{self._pick(('x', 'y', 'y z', ''))}'" if random.random() < 0.4 else ""
        marks += f" p:n='{random.randrange(4)}'" if random.random() < 0.1 else ""
        parts = []
        for _ in range(random.randrange(5) if depth < 4 else 0):
            kind = random.random()
            if kind < 0.35:
                parts.append(self._element(depth + 1))
            elif kind < 0.6:
                parts.append(f"<d>{self._pick(NUMBERS)}</d>")
            elif kind < 0.75:
                parts.append(f"<e>{self._pick(STRINGS)}</e>")
            elif kind < 0.85:
                parts.append(f"<w>{self._pick(DATES)}</w>")
            else:
                parts.append(self._text())
        return f"<{name}{marks}>{''.join(parts)}</{name}>" if parts else f"<{name}{marks}/>"

    def _text(self) -> str:
        return self._pick(("", "", "", "\n ", "t", "2", "<!--k-->", "<?a b?>", "&e;", "<![CDATA[]]>", "t<!--k-->u"))

    # --- queries

    def query(self) -> str:
        declared, scope = PROLOG, ()
        kind = self._random.random()
        if kind < 0.1:
            declared += f"declare variable $g := {self.path((), 1)}; "
            scope = ("$g",)
        elif kind < 0.2:
            declared += f"declare function local:f($x) {{ {self.many(('$x',), 2)} }}; "
        body = self._made(*[lambda: self.many(scope, 3)] * 6, lambda: self._values(scope), lambda: self._short(scope))
        if "local:f" in declared:
            body = f"({body}, {self.path(scope, 1)} ! local:f(.))"
        elif self._random.random() < 0.15:
            body = f"<out n='{{ {self.number(scope, 1)} }}'>{{ {body} }}</out>"
        elif self._random.random() < 0.1:
            body = f"({body}, {self.many(scope, 2)})"
        return declared + body

    def _values(self, scope: tuple[str, ...]) -> str:
        """What is computed of the whole document."""
        kinds = (self.test, self.number, self.string)
        return ", ".join(f"({self._pick(kinds)(scope, self._pick((1, 2, 3)))})" for _ in range(self._pick((1, 1, 2))))

    def _short(self, scope: tuple[str, ...]) -> str:
        """The one-liners that people write."""
        path, leaf = self.path(scope, 1), self.path(scope, 1, leaf=True)
        return self._made(
            lambda: f"{path}[{self.test(('.',), 1)}]/{self._pick(LEAVES)}",
            lambda: f"{path}/{self._pick(NODE_STEPS)} = {self._pick(('1', '2', repr('x'), leaf))}",
            lambda: f"({path})[{self.test(('.',), 1)}]",
            lambda: f"({path}/{self._pick(NODE_STEPS)})[{self._pick(('1', 'last()', '@n', '. = 2', '@n = 2'))}]",
            lambda: f"{path} ! concat(name(), '=', {self._pick(('@n', 'count(*)', 'string-length()', 'name(..)'))})",
            lambda: f"{self._pick(('sum', 'count', 'max', 'string-join', 'distinct-values'))}(({path})/@n)",
            lambda: f"for $s in {path} return string-join(($s/@n, $s/*/name()), '-')",
            lambda: f"for $s in {path} where {self.test(('$s',), 2)} return {self._pick(('$s', '$s/@*', 'name($s)'))}",
            lambda: (
                f"serialize(array {{ {path} ! map {{ 'n': string(@n), 'd': count(d) }} }}, map {{ 'method': 'json' }})"
            ),
        )

    def _pick(self, choices: Sequence[T]) -> T:
        return self._random.choice(choices)

    def _fresh(self) -> str:
        self._names += 1
        return f"$v{self._names}"

    def _made(self, *choices: Callable[[], str]) -> str:
        return self._pick(choices)()

    def path(self, scope: tuple[str, ...], depth: int, leaf: bool = False) -> str:
        """Nodes: below the innermost variable mostly, or of the document."""
        if scope and self._random.random() < 0.85:
            start = self._pick(scope[-2:]) + self._pick(("/", "/", "/", "//", "/descendant::"))
        else:
            start = self._pick(("//", "//", "/r/", "/*/", "/r//", "//", "/r/", "/descendant::"))
        if start.endswith("::"):
            text = start + self._pick(("a", "a", "b", "d", "*", "text()"))
            return text + self.predicate(depth)
        text = start + self._pick(LEAVES if leaf and scope and self._random.random() < 0.6 else NODE_STEPS)
        if text.endswith(LEAVES):
            return text
        text += self.predicate(depth)
        while self._random.random() < 0.35:
            text += self._pick(("/", "/", "//")) + self._pick(NODE_STEPS) + self.predicate(depth)
        if self._random.random() < 0.12:
            text += "/" + self._pick(AROUND)
        elif leaf:
            text += "/" + self._pick(LEAVES)
        return text

    def predicate(self, depth: int) -> str:
        if self._random.random() > 0.3 or depth <= 0:
            return ""
        return self._made(
            lambda: f"[{self.test(('.',), depth - 1)}]",
            lambda: f"[{self.test(('.',), depth - 1)}]",
            lambda: f"[{self._pick(('1', '2', 'last()', 'position() < 3', 'position() = (1, 3)', 'position() > 1'))}]",
            lambda: f"[{self._pick(('@n', 'd', 'e', '@s', 'a', '*', 'text()', 'not(a)', 'b/d'))}]",
            lambda: f"[{self._pick(AROUND)}]",
        )

    def test(self, scope: tuple[str, ...], depth: int) -> str:
        """A boolean."""
        below = depth - 1
        if depth <= 0:
            return f"{self.path(scope, 0, True)} {self._pick(COMPARED)} {self._pick(('1', '2', '3', repr('x')))}"
        return self._made(
            lambda: f"{self.path(scope, below, True)} {self._pick(COMPARED)} {self._pick(('1', '2', '2.5', '3e0'))}",
            lambda: f"{self.path(scope, below, True)} {self._pick(COMPARED)} {self._pick(STRINGS[1:6])!r}",
            lambda: f"{self.path(scope, below, True)} {self._pick(COMPARED)} {self.path(scope, below, True)}",
            lambda: (
                f"{self.number(scope, below)} {self._pick(('eq', 'lt', 'ge', '=', '>'))} {self.number(scope, below)}"
            ),
            lambda: f"{self.string(scope, below)} {self._pick(('eq', 'lt', 'ne', '='))} {self.string(scope, below)}",
            lambda: f"{self._pick(('exists', 'empty', 'not', 'boolean'))}({self.path(scope, below)})",
            lambda: f"({self.test(scope, below)} {self._pick(('and', 'or'))} {self.test(scope, below)})",
            lambda: f"not({self.test(scope, below)})",
            lambda: f"contains({self.string(scope, below)}, {self._pick(STRINGS[1:6])!r})",
            lambda: f"matches({self.string(scope, below)}, '{self._pick(('^x', '[0-9]+', 'y.z', '^$'))}')",
            lambda: self._quantified(scope, below),
            lambda: f"{self.path(scope, below, True)} castable as {self._pick(('xs:integer', 'xs:date', 'xs:double'))}",
            lambda: f"{self.path(scope, below)} instance of {self._pick(('element(a)*', 'node()+', 'element()?'))}",
            lambda: f"deep-equal({self.path(scope, below)}, {self.path(scope, below)})",
            lambda: f"{self.number(scope, below)} = (1 to 3)",
            lambda: f"{self.path(scope, below, True)}[. castable as xs:date] ! xs:date(.) > xs:date('2024-01-10')",
        )

    def _quantified(self, scope: tuple[str, ...], depth: int) -> str:
        name = self._fresh()
        inner = self.test((*scope, name), depth)
        return f"({self._pick(('some', 'every'))} {name} in {self.path(scope, depth)} satisfies {inner})"

    def number(self, scope: tuple[str, ...], depth: int) -> str:
        """One number."""
        below = depth - 1
        if depth <= 0:
            return self._pick(("1", "2", "3", f"count({self.path(scope, 0)})"))
        return self._made(
            lambda: f"count({self.path(scope, below)})",
            lambda: f"count({self.many(scope, below)})",
            lambda: f"sum({self.path(scope, below)}/{self._pick(('d', '@n', 'count(*)', 'string-length()'))})",
            lambda: f"number({self.path(scope, below)}/{self._pick(('d[1]', '@n'))}[1])",
            lambda: f"({self.number(scope, below)} {self._pick(('+', '-', '*', 'mod'))} {self.number(scope, below)})",
            lambda: f"string-length({self.string(scope, below)})",
            lambda: f"(({self.path(scope, below, True)})[. castable as xs:integer] ! xs:integer(.), 0)[1]",
            lambda: f"(max({self.path(scope, below)}/@n), 0)[1]",
            lambda: f"(avg({self.path(scope, below)}/d), 0)[1]",
            lambda: f"(if ({self.test(scope, below)}) then {self.number(scope, below)} else 0)",
            lambda: f"count(distinct-values({self.path(scope, below, True)}))",
            lambda: f"(let $n := {self.number(scope, below)} return $n * 2)",
            lambda: f"sum(for $i in {self.path(scope, below)} return count($i/*))",
            lambda: f"(index-of({self.path(scope, below)}/string(), 'x'), 0)[1]",
        )

    def string(self, scope: tuple[str, ...], depth: int) -> str:
        """One string."""
        below = depth - 1
        if depth <= 0:
            return self._pick(("'x'", "''", "'y z'", f"string(({self.path(scope, 0, True)})[1])"))
        return self._made(
            lambda: f"string(({self.path(scope, below, True)})[1])",
            lambda: f"string-join({self.path(scope, below, True)}, '{self._pick(('', ',', '-'))}')",
            lambda: f"concat({self.string(scope, below)}, '/', {self.number(scope, below)})",
            lambda: f"{self._pick(('upper-case', 'normalize-space', 'lower-case'))}({self.string(scope, below)})",
            lambda: f"substring({self.string(scope, below)}, {self._pick(('1', '2', '0'))}, 2)",
            lambda: f"name(({self.path(scope, below)})[{self._pick(('1', 'last()', '2'))}])",
            lambda: f"string-join({self.many(scope, below)} ! string(), '|')",
            lambda: f"({self.string(scope, below)} || {self.string(scope, below)})",
            lambda: f"(switch ({self.string(scope, below)}) case 'x' return 'X' case '' return '0' default return 'd')",
            lambda: (
                f"(typeswitch (({self.path(scope, below)})[1]) case element(a) return 'a' case text() return 't' "
                f"case empty-sequence() return '-' default return 'o')"
            ),
            lambda: f"string({self.test(scope, below)})",
            lambda: f"translate({self.string(scope, below)}, 'xyz', 'ab')",
        )

    def many(self, scope: tuple[str, ...], depth: int) -> str:
        """Any number of nodes: strings and numbers stand in elements, so that `! string()` is good for all."""
        below = depth - 1
        if depth <= 0:
            return self.path(scope, 0)
        return self._made(
            lambda: self.path(scope, below),
            lambda: self.loop(scope, below),
            lambda: self.loop(scope, below),
            lambda: self.loop(scope, below),
            lambda: self.window(scope, below),
            lambda: self.groups(scope, below),
            lambda: self.groups(scope, below),
            lambda: self.element(scope, below),
            lambda: (
                f"({self.path(scope, below)})[{self._pick(('1', '2', 'last()', 'position() <= 3', 'position() > 1'))}]"
            ),
            lambda: (
                f"({self.path(scope, below)} {self._pick(('|', 'union', 'intersect', 'except'))} "
                f"{self.path(scope, below)})"
            ),
            lambda: f"({self.many(scope, below)}, {self.many(scope, below)})",
            lambda: f"(if ({self.test(scope, below)}) then {self.many(scope, below)} else {self.many(scope, below)})",
            lambda: f"({self.path(scope, below)} ! {self.element((*scope, '.'), below)})",
            lambda: f"(distinct-values({self.path(scope, below, True)}) ! <dv>{{ . }}</dv>)",
            lambda: f"{self._pick(('head', 'tail', 'reverse', 'outermost', 'innermost'))}({self.path(scope, below)})",
            lambda: (
                f"subsequence({self.path(scope, below)}, {self._random.randint(0, 3)}, {self._random.randint(0, 3)})"
            ),
            lambda: f"sort({self.path(scope, below)}, (), function($i) {{ string($i) }})",
            lambda: f"(let $l := {self.many(scope, below)} return (count($l) ! <n>{{ . }}</n>, $l))",
            lambda: f"filter({self.path(scope, below)}, function($i) {{ {self.test((*scope, '$i'), below)} }})",
            lambda: f"(try {{ {self.many(scope, below)} }} catch * {{ <err/> }})",
            lambda: f"(map {{ 'k': {self.many(scope, below)}, 'j': 1 }}?k)",
            lambda: f"([{self.many(scope, below)}, {self.many(scope, below)}]?{self._pick((1, 2))})",
        )

    def element(self, scope: tuple[str, ...], depth: int) -> str:
        below = depth - 1
        attribute = self._made(
            lambda: "",
            lambda: f" k='{{ {self.number(scope, below)} }}'",
            lambda: f" k='v-{{ {self.path(scope, below, True)} }}'",
            lambda: f' k="{{ {self.string(scope, below)} }}"',
        )
        inside = self._made(
            lambda: f"{{ {self.many(scope, below)} }}",
            lambda: f"<i>{{ {self.number(scope, below)} }}</i>{{ {self.path(scope, below, True)} }}",
            lambda: f"t {{ {self.string(scope, below)} }} u",
            lambda: f"{{ {self.path(scope, below)} }}<i>{{ {self.path(scope, below, True)} }}</i>",
            lambda: f"{{ {self.number(scope, below)}, {self.string(scope, below)} }}",
            lambda: f"{{ if ({self.test(scope, below)}) then {self.path(scope, below)} else 'no' }}",
        )
        if self._random.random() < 0.1:
            return f"element {{ concat('m', {self.number(scope, 0)} mod 2) }} {{ {self.many(scope, below)} }}"
        return f"<o{attribute}>{inside}</o>"

    def loop(self, scope: tuple[str, ...], depth: int) -> str:
        """A FLWOR expression without groups: loops, bindings, tests, order, numbers."""
        clauses, inner = [], scope
        for _ in range(self._pick((1, 1, 1, 2))):
            name, at = self._fresh(), self._fresh()
            mode = self._pick(("",) * 8 + (f" at {at}", f" at {at}", " allowing empty"))
            clauses.append(f"for {name}{mode} in {self.path(inner, depth)}")
            inner = (*inner, name)
            if mode.startswith(" at") and self._random.random() < 0.5:
                clauses.append(f"where {at} {self._pick(('< 3', '> 1', 'mod 2 = 1', '= 2'))}")
            elif mode.startswith(" at"):
                clauses.append(f"let {self._fresh()}x := {at} * 2")
        if self._random.random() < 0.25:
            name = self._fresh()
            clauses.append(f"let {name} := {self.path(inner, depth)}")
            inner = (*inner[:-1], name, inner[-1])
        if self._random.random() < 0.5:
            clauses.append(f"where {self.test(inner, depth)}")
        if self._random.random() < 0.25:
            key = self._made(lambda: self.string(inner, depth - 1), lambda: self.number(inner, depth - 1))
            order = self._pick(("", " descending", " empty greatest"))
            clauses.append(f"{self._pick(('', 'stable '))}order by {key}{order}")
        if self._random.random() < 0.1:
            clauses.append(f"count {self._fresh()}c")
        result = self._made(
            lambda: self.element(inner, depth), lambda: self.element(inner, depth), lambda: self.many(inner, depth - 1)
        )
        return f"({' '.join(clauses)} return {result})"

    def groups(self, scope: tuple[str, ...], depth: int) -> str:
        name = self._fresh()
        inner = (*scope, name)
        where = f" where {self.test(inner, depth)}" if self._random.random() < 0.3 else ""
        keys = [
            self._made(
                lambda: self.string(inner, depth - 1),
                lambda: self.number(inner, depth - 1),
                lambda: f"{name}/{self._pick(('@n', '@s', 'd[1]', 'e[1]', '../@n', 'name()', '@n > 2', 'count(*)'))}",
            )
            for _ in range(self._pick((1, 1, 1, 2)))
        ]
        own = [self._fresh() for _ in keys]
        by = ", ".join(f"{variable} := {key}" for variable, key in zip(own, keys, strict=True))
        order = (
            f" order by {self._pick((own[0], f'count({name})', f'{own[0]} descending'))}"
            if self._random.random() < 0.4
            else ""
        )
        having = f" where count({name}) > 1" if self._random.random() < 0.2 else ""
        tuples = (name,)
        inside = self._made(
            lambda: f"count({name}), sum({name}/@n)",
            lambda: f"{self.number(tuples, depth - 1)}, {self.number(tuples, depth - 1)}",
            lambda: f"{self.path(tuples, depth - 1, True)}",
            lambda: f"{name}",
            lambda: f"string-join({name}/{self._pick(('@id', 'd', 'name()'))}, ',')",
            lambda: f"{name}[{self._pick(('1', 'last()'))}]/@id, max({name}/d/number())",
            lambda: f"for $g in {name} where {self.test(('$g',), depth - 1)} return <gi>{{ $g/@* }}</gi>",
        )
        head = f"for {name} in {self.path(scope, depth)}{where}"
        return f"({head} group by {by}{having}{order} return <g k='{{ {own[-1]} }}'>{{ {inside} }}</g>)"

    def window(self, scope: tuple[str, ...], depth: int) -> str:
        name, kind = self._fresh(), self._pick(("tumbling", "tumbling", "sliding"))
        start = self._made(
            lambda: "start $s at $i when true()",
            lambda: f"start $s at $i when {self.test(('$s',), depth - 1)}",
            lambda: "start $s at $i previous $p when not($p/@n = $s/@n)",
        )
        end = self._made(
            lambda: "end $e at $j when $j - $i = 1",
            lambda: f"end $e at $j when {self.test(('$s', '$e'), depth - 1)}",
            lambda: "end $e at $j next $x when $x/@n != $e/@n",
            lambda: "end $e at $j next $x when name($x) ne name($s)",
        )
        only = self._pick(("", "only "))
        if kind == "tumbling" and self._random.random() < 0.2:
            end = only = ""
        inside = self._made(
            lambda: f"count({name}), {name}/@id/string()",
            lambda: f"{self.number((name,), depth - 1)}, {self.number((name,), depth - 1)}",
            lambda: f"{self.path((name,), depth - 1, True)}",
            lambda: f"{name}",
            lambda: f"$i, string($s/@id), sum({name}/@n)",
        )
        return (
            f"(for {kind} window {name} in {self.path(scope, depth)} {start} {only}{end} return <w>{{ {inside} }}</w>)"
        )
