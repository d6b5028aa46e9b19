"""Random joins: two sequences that are compared, in the spellings that people choose.

Each query asks for the items of one sequence that match those of another, or tests, counts, groups and sorts by them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")

SOURCES = ("//a", "//b", "/r/a", "/r/b", "/r/*", "//c", "//(a|b)", "//a[@n]", "//b[d]", "//*[@id]", "/r/*/a", "//p:a")
KEYS = (
    "@n",
    "@n",
    "@id",
    "@s",
    "d",
    "d[1]",
    "e",
    "@*",
    "string(@n)",
    "name()",
    "count(*)",
    "number(@n)",
    "../@n",
    "w[1]",
)
ONE_VALUE = (
    "string(@n)",
    "string(@id)",
    "name()",
    "string(d[1])",
    "string-join(@*, '-')",
    "string(e[1])",
    "string(@s)",
)
ORDERS = ("=", "=", "=", "=", "!=", "<", "<=", ">", ">=")
STRING_TESTS = ("starts-with", "ends-with", "contains-token", "deep-equal", "codepoint-equal", "contains")
MORE = ("", "", "", " and exists($y/@n)", " and $y/d = 2", " and $x/@s = $y/@s", " or $y/@n = 7", " and not($x is $y)")
VALUES = ("@id/string()", "name()", "count(*)", "d/string()", "string-join(@*, ' ')", "@n/string()")
PLACES = ("[1]", "[last()]", "[position() <= 2]", "")
AGGREGATES = ("count", "count", "exists", "empty", "string-join", "sum", "max", "min", "avg", "distinct-values")


class WideJoins:
    """Makes queries with one join each, sometimes two."""

    def __init__(self, seed: object) -> None:
        self._random = Random(f"joins {seed}")

    def query(self) -> str:
        made = self._pick((self._loops, self._predicates, self._tests, self._values, self._functions, self._tables))
        text = made()
        if self._random.random() < 0.25:
            text = f"<all>{{ {text} }}</all>"
        if self._random.random() < 0.2:
            text = f"{text}, {self._pick((self._loops, self._tests, self._values))()}"
        if "$root" in text:
            # Functions have no focus.
            text = f"let $root := (/) return ({text})"
        return f"declare namespace p = 'urn:p'; {text}"

    def _pick(self, choices: Sequence[T]) -> T:
        return self._random.choice(choices)

    def _made(self, *choices: Callable[[], str]) -> str:
        return self._pick(choices)()

    # --- parts

    def _source(self) -> str:
        return self._pick(SOURCES)

    def _condition(self, x: str = "$x/", y: str = "$y/") -> str:
        kind = self._random.random()
        if kind < 0.65:
            left, right = self._pick(KEYS), self._pick(KEYS)
            if self._random.random() < 0.6:
                right = left
            sides = [x + left, y + right]
            self._random.shuffle(sides)
            return f"{sides[0]} {self._pick(ORDERS)} {sides[1]}"
        left, right = self._pick(ONE_VALUE), self._pick(ONE_VALUE)
        sides = [x + left, y + right]
        self._random.shuffle(sides)
        if kind < 0.8:
            return f"{self._pick(STRING_TESTS)}({', '.join(sides)})"
        if kind < 0.9:
            return f"{sides[0]} {self._pick(('eq', 'eq', 'lt', 'ge', 'ne'))} {sides[1]}"
        return self._pick((f"not({sides[0]} = {sides[1]})", f"abs(number({x}@n) - number({y}@n)) <= 1"))

    def _result(self, *variables: str) -> str:
        parts = ", ".join(f"{variable}/{self._pick(VALUES)}" for variable in variables)
        return self._pick((f"<o>{{ {parts} }}</o>", f"<o k='{{ {parts} }}'/>"))

    def _aggregate(self, items: str) -> str:
        function = self._pick(AGGREGATES)
        if function == "string-join":
            return f"string-join({items}/{self._pick(('@id', 'name()', 'd'))}, ',')"
        if function in ("sum", "max", "min", "avg"):
            return f"{function}({items}/{self._pick(('count(*)', 'string-length()', 'count(@*)'))})"
        if function == "distinct-values":
            return f"distinct-values({items}/{self._pick(('@n', 'name()', '@s'))})"
        return f"{function}({items})"

    # --- spellings

    def _loops(self) -> str:
        """for … for … where"""
        at = self._pick(("", "", " at $i"))
        number = ", $i" if at else ""
        order = self._pick(("", "", "", " order by $x/@id, $y/@id", " order by count($y/*) descending"))
        more = self._pick(MORE)
        group = f" group by $k := {self._pick(('$x/@id', 'name($y)', 'string($x/@n)'))}"
        return self._made(
            lambda: (
                f"for $x in {self._source()} for $y{at} in {self._source()} where {self._condition()}{more}{order}"
                f" return <p>{{ {self._result('$x', '$y')}{number} }}</p>"
            ),
            lambda: (
                f"for $x{at} in {self._source()}, $y in {self._source()}[{self._condition('$x/', '')}]{order}"
                f" return <p>{{ {self._result('$x', '$y')}{number} }}</p>"
            ),
            lambda: (
                f"for $x in {self._source()} return for $y in {self._source()} return if ({self._condition()}{more})"
                f" then {self._result('$x', '$y')} else ()"
            ),
            lambda: (
                f"for $x in {self._source()} let $k := $x/{self._pick(KEYS)} for $y in {self._source()}"
                f" let $j := $y/{self._pick(KEYS)} where $j {self._pick(ORDERS)} $k{more}{order}"
                f" return {self._result('$x', '$y')}"
            ),
            lambda: (
                f"for $x in {self._source()} for $y in {self._source()} where {self._condition()}{more}{group}"
                f" return <g k='{{ $k }}'>{{ count($x), count($y), {self._aggregate('$y')} }}</g>"
            ),
            lambda: (
                f"for $x in {self._source()} for $y in {self._source()} for $z in {self._source()} where"
                f" {self._condition()} and {self._condition('$y/', '$z/')} return {self._result('$x', '$y', '$z')}"
            ),
            lambda: (
                f"for $x in {self._source()} for $y allowing empty in {self._source()}[{self._condition('$x/', '')}]"
                f" return <p>{{ $x/@id, count($y), $y/@n/string() }}</p>"
            ),
        )

    def _predicates(self) -> str:
        place = self._pick(PLACES)
        test = self._condition("$x/", "")
        more = self._pick(("", "", "[d]", "[@n > 1]"))
        inner = f"{self._source()}[{test}]{more}"
        inner = self._pick((f"{inner}{place}", f"({inner}){place}"))
        return self._made(
            lambda: f"for $x in {self._source()} return {inner}/{self._pick(VALUES)}",
            lambda: f"for $x in {self._source()} let $m := {inner} return <o n='{{ count($m) }}'>{{ $m/@id }}</o>",
            lambda: f"{self._source()} ! (let $x := . return {inner}/{self._pick(VALUES)})",
            lambda: f"{self._source()}/(let $x := . return {inner})",
            lambda: f"for $x in {self._source()} return ({inner}/@id/string(), '-')[1]",
            lambda: f"{self._source()}[{self._pick(KEYS)} {self._pick(ORDERS)} {self._source()}/{self._pick(KEYS)}]",
            lambda: f"{self._source()}[not({self._pick(KEYS)} = {self._source()}/{self._pick(KEYS)})]/@id/string()",
            lambda: f"for $x in {self._source()} return $x/{self._around()}[{test}]{place}/@id/string()",
        )

    def _around(self) -> str:
        axes = ("preceding-sibling::*", "following-sibling::*", "preceding::a", "following::*", "../*", "ancestor::*")
        return self._pick((*axes, "parent::r/a", "../../*", "preceding-sibling::a", "following-sibling::b"))

    def _tests(self) -> str:
        """Semi and anti joins."""
        y = self._source()
        test = self._made(
            lambda: f"some $y in {y} satisfies {self._condition()}{self._pick(MORE)}",
            lambda: f"every $y in {y} satisfies {self._condition()}",
            lambda: f"every $y in {y} satisfies not({self._condition()})",
            lambda: f"exists({y}[{self._condition('$x/', '')}])",
            lambda: f"empty({y}[{self._condition('$x/', '')}])",
            lambda: f"not({y}[{self._condition('$x/', '')}])",
            lambda: f"count({y}[{self._condition('$x/', '')}]) {self._pick(('> 0', '= 0', '>= 2', '= 1', '< 2'))}",
            lambda: f"$x/{self._pick(KEYS)} {self._pick(ORDERS)} {y}/{self._pick(KEYS)}",
            lambda: f"not($x/{self._pick(KEYS)} = {y}/{self._pick(KEYS)})",
            lambda: f"(for $y in {y} where {self._condition()} return 1) = 1",
            lambda: f"exists(index-of({y}/{self._pick(ONE_VALUE)}, $x/{self._pick(ONE_VALUE)}))",
            lambda: f"$x is ({y}[{self._condition('$x/', '')}])[1]",
            lambda: f"$x intersect {y}[{self._condition('$x/', '')}]",
        )
        both = self._pick((test, test, f"{test} and $x/@n", f"({test}) or count($x/*) > 2", f"not({test})"))
        return self._made(
            lambda: f"for $x in {self._source()} where {both} return {self._result('$x')}",
            lambda: f"for $x in {self._source()} return if ({both}) then <y/> else {self._result('$x')}",
            lambda: f"count(for $x in {self._source()} where {both} return $x)",
            lambda: f"filter({self._source()}, function($x) {{ boolean({_from_root(both)}) }})",
            lambda: (
                f"for $v in distinct-values({self._source()}/{self._pick(KEYS)}) where $v ="
                f" {y}/{self._pick(KEYS)} return <v>{{ $v }}</v>"
            ),
        )

    def _values(self) -> str:
        """Grouping joins."""
        y = self._source()
        items = self._made(
            lambda: f"{y}[{self._condition('$x/', '')}]",
            lambda: f"(for $y in {y} where {self._condition()}{self._pick(MORE)} return $y)",
            lambda: f"(for $y in {y} where {self._condition()} order by $y/@id descending return $y)",
            lambda: f"filter({y}, function($y) {{ {self._condition()} }})",
        )
        value = self._aggregate(items)
        return self._made(
            lambda: f"for $x in {self._source()} return <o i='{{ $x/@id }}'>{{ {value} }}</o>",
            lambda: (
                f"for $x in {self._source()} let $m := {items} return <o>{{ count($m), {self._aggregate('$m')} }}</o>"
            ),
            lambda: (
                f"for $x in {self._source()} order by"
                f" {self._aggregate(items).replace('distinct-values', 'count')}, $x/@id"
                f" return {self._result('$x')}"
            ),
            lambda: (
                f"(for $x in {self._source()} let $n := count({items}) order by $n descending, $x/@id return"
                f" <o>{{ $x/@id, $n }}</o>)[position() <= 2]"
            ),
            lambda: (
                f"for $x in {self._source()} group by $k := count({items}) return <g k='{{ $k }}'>{{ count($x) }}</g>"
            ),
            lambda: f"sum(for $x in {self._source()} return count({items}))",
            lambda: (
                f"for $x in distinct-values({self._source()}/{self._pick(('@n', '@s', 'd'))}) let $y :="
                f" {y}[{self._pick(('@n', '@s', 'd'))} = $x]"
                f" return <o k='{{ $x }}'>{{ {self._aggregate('$y')} }}</o>"
            ),
        )

    def _functions(self) -> str:
        test = self._condition()
        x, y = self._source(), self._source()
        return self._made(
            lambda: (
                f"let $f := function($x, $y) {{ {test} }} for $x in {x} for $y in {y} where $f($x, $y) return"
                f" {self._result('$x', '$y')}"
            ),
            lambda: (
                f"let $f := function($y, $x) {{ {test} }} for $x in {x} for $y in {y} where $f($x, $y) return"
                f" {self._result('$x', '$y')}"
            ),
            lambda: (
                f"let $k := function($i) {{ $i/{self._pick(KEYS)} }} for $x in {x} for $y in {y} where $k($x) ="
                f" $k($y) return {self._result('$x', '$y')}"
            ),
            lambda: (
                f"let $d := {y} return {x} ! (let $x := . return filter($d, function($y) {{ {test} }}))/@id/string()"
            ),
            lambda: (
                f"let $d := {y} return for-each({x}, function($x) {{ for $y in $d where {test} return"
                f" {self._result('$x', '$y')} }})"
            ),
            lambda: (
                f"let $d := {y} return fold-left({x}, 0, function($n, $x) {{ $n + count(for $y in $d where"
                f" {test} return 1) }})"
            ),
            lambda: (
                f"let $d := {y} for $x in {x} return count(function($s) {{ $s[{self._condition('$x/', '')}] }}($d))"
            ),
        )

    def _tables(self) -> str:
        key, other = self._pick(ONE_VALUE), self._pick(ONE_VALUE)
        x, y = self._source(), self._source()
        merged = self._made(
            lambda: f"map:merge(for $y in {y} group by $k := $y/{key} return map {{ $k : $y }})",
            lambda: f"map:merge({y} ! map {{ {key} : . }}, map {{ 'duplicates': 'combine' }})",
            lambda: f"map:merge(for $y in {y} return map:entry($y/{key}, $y), map {{ 'duplicates': 'use-first' }})",
            lambda: f"fold-left({y}, map {{ }}, function($m, $y) {{ map:put($m, $y/{key}, ($m($y/{key}), $y)) }})",
        )
        return self._made(
            lambda: f"let $m := {merged} for $x in {x} return <o>{{ $m($x/{other})/@id }}</o>",
            lambda: (
                f"let $m := {merged} for $x in {x} where map:contains($m, $x/{other}) return count($m?($x/{other}))"
            ),
            lambda: f"let $m := {merged} return sum(map:keys($m) ! count($m(.)))",
            lambda: f"let $k := {y}/{key} for $x in {x} return <o>{{ index-of($k, $x/{other}) }}</o>",
            lambda: f"let $y := {y} for $x at $i in {x} return <o>{{ $y[$i]/@id, $y[$i + 1]/@n }}</o>",
            lambda: (
                f"let $y := {y} for $x at $i in {x} return <o>{{ count($y[position() <= $i]), subsequence($y,"
                f" $i, 2)/@id }}</o>"
            ),
        )


def _from_root(text: str) -> str:
    """With paths that begin at a variable."""
    return text.replace("//", "$root//").replace("/r/", "$root/r/")
