"""Queries that try what is seldom: projections anywhere, of values and of projections, in predicates of predicates."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.run.history.adversarial_streams import NAMES

AROUND = ("..", "parent::*", "following-sibling::*", "preceding-sibling::*[1]", "ancestor::*[1]")
S, T = 'stream("s")', 'stream("t")'


class AdversarialQuery:
    """Writes one query over the streams `s` and `t`."""

    def __init__(self, rng: random.Random, *, projections: bool = True) -> None:
        self.rng = rng
        self.projections = projections

    def pick(self, *choices: str | Callable[[], str]) -> str:
        chosen = self.rng.choice(choices)
        return chosen if isinstance(chosen, str) else chosen()

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def proj(self, chance: float = 0.4) -> str:
        if not self.projections or self.rng.random() > chance:
            return ""
        return self.rng.choice(
            ("#0", "#1", "#1", "#2", "#[1]", "#[2]", "?1", "?2", "?[1]", "?[3]", "?[0]", "?0", "?[8]", "#[0]")
        )

    def test(self) -> str:
        return self.pick(lambda: self.name(), lambda: self.name(), lambda: self.name(), "*", "node()", "text()")

    def elem_test(self) -> str:
        return self.pick(lambda: self.name(), lambda: self.name(), lambda: self.name(), "*")

    def step(self, depth: int) -> str:
        rng = self.rng
        made = self.elem_test() if rng.random() < 0.93 else self.test()
        where = rng.random()
        predicate = f"[{self.pred(depth - 1)}]" if depth > 0 and rng.random() < 0.35 else ""
        proj = self.proj()
        if where < 0.1 and predicate:
            return f"({made}{proj}){predicate}"
        if where < 0.25 and proj:
            return f"{made}{proj}{predicate}"
        return f"{made}{predicate}{proj}"

    def pred(self, depth: int) -> str:
        rng = self.rng
        return self.pick(
            lambda: str(rng.randint(1, 3)),
            "last()",
            lambda: f"position() {rng.choice(('<', '>', '=', '!='))} {rng.randint(1, 3)}",
            lambda: self.rel(depth),
            lambda: f"{self.rel(depth)} {rng.choice(('=', '!=', '<', '>'))} {rng.randint(0, 6)}",
            lambda: f"not({self.rel(depth)})",
            lambda: f"count({self.rel(depth)}) {rng.choice(('=', '>'))} {rng.randint(0, 2)}",
            lambda: f"@k = {rng.randint(0, 3)}",
            lambda: f".{self.proj(0.6)} = '{rng.randint(0, 6)}'",
            lambda: f"{self.rel(depth)} = {self.rel(depth)}",
            "@k",
            lambda: f"{self.rel(depth)} = {self.path(0)}" if rng.random() < 0.5 else "true()",
            lambda: f"some $q in {self.rel(depth)} satisfies $q{self.proj()} = '{rng.randint(0, 5)}'",
        )

    def rel(self, depth: int) -> str:
        return self.pick(
            lambda: self.step(depth),
            lambda: self.step(depth),
            lambda: f"{self.step(depth)}/{self.step(depth)}",
            lambda: f".//{self.step(depth)}",
            lambda: f"(.){self.proj()}",
            lambda: f"descendant::{self.step(depth)}",
            lambda: f"({self.step(depth)} | {self.step(depth)})",
            lambda: "@k",
            lambda: f"({self.step(depth)}, {self.step(depth)}){self.proj()}",
        )

    def root(self) -> str:
        return self.rng.choice((S, S, S, T))

    def path(self, depth: int = 2) -> str:
        rng = self.rng
        root = self.root()
        return self.pick(
            lambda: f"{root}//{self.step(depth)}",
            lambda: f"{root}/r/{self.step(depth)}",
            lambda: f"{root}/r{self.proj(0.1)}/{self.step(depth)}",
            lambda: f"{root}/r/{self.step(depth)}/{self.step(depth)}",
            lambda: f"{root}//{self.step(depth)}/{self.step(depth)}",
            lambda: f"{root}/*/*",
            lambda: f"{root}//{self.step(depth)}//{self.step(depth)}",
            lambda: f"{root}/descendant::{self.step(depth)}",
            lambda: f"({root}//{self.step(depth)}){self.proj()}",
            lambda: f"({root}//{self.step(depth)} | {root}/r/{self.step(depth)})",
            lambda: f"{root}//{self.name()}/({self.step(depth)}, {self.step(depth)})",
            lambda: (
                f"{root}/r/{self.step(depth)}/{rng.choice(AROUND)}"
                if rng.random() < 0.4
                else f"{root}//{self.step(depth)}"
            ),
        )

    def relvar(self, v: str, depth: int = 1) -> str:
        return self.pick(
            lambda: f"{v}/{self.step(depth)}",
            lambda: f"{v}/{self.step(depth)}",
            lambda: f"{v}//{self.step(depth)}",
            lambda: f"{v}{self.proj(0.7)}",
            lambda: f"{v}/{self.step(depth)}/{self.step(depth)}",
            lambda: f"{v}{self.proj(0.7)}/{self.step(depth)}",
            lambda: f"{v}/@k",
        )

    def value(self, v: str, depth: int = 1) -> str:
        rel = self.relvar
        return self.pick(
            lambda: f"count({rel(v)})",
            lambda: f"string-join({rel(v)}, '-')",
            lambda: f"string({v})",
            lambda: f"sum({rel(v)}[. castable as xs:double] ! number(.))",
            lambda: f"(count({rel(v)})){self.proj(0.5)}",
            lambda: f"exists({rel(v)})",
            lambda: f"name({v})",
            lambda: f"string-join(({rel(v)}, {rel(v)})/name(), '')",
            lambda: f"string-join(({rel(v)} ! string(.)){self.proj(0.5)}, '+')",
            lambda: f"max({rel(v)}/string())",
            lambda: f"string-join(sort({rel(v)}/string()), ' ')",
            lambda: f"(if ({rel(v)}) then 1 else 0)",
            lambda: f"string-join(for $i in {rel(v)} order by string($i) return string($i), ';')",
            lambda: f"deep-equal({rel(v)}, {rel(v)})",
            lambda: f"count(distinct-values({rel(v)}))",
            lambda: f"string-join(reverse({rel(v)}), '<')",
        )

    def cond(self, v: str) -> str:
        rng = self.rng
        rel = self.relvar
        return self.pick(
            lambda: f"{rel(v)} {rng.choice(('=', '!=', '<', '>='))} {rng.randint(0, 5)}",
            lambda: f"exists({rel(v)})",
            lambda: f"not({rel(v)})",
            lambda: f"{rel(v)} = {rel(v)}",
            lambda: f"{rel(v)} != {rel(v)}",
            lambda: f"count({rel(v)}) > {rng.randint(0, 2)}",
            lambda: f"(some $q in {rel(v)} satisfies $q{self.proj()} = {rel(v)})",
            lambda: f"(every $q in {rel(v)} satisfies $q{self.proj()} != '{rng.randint(0, 5)}')",
            lambda: (
                f"({self.value(v)}){self.proj(0.6)} = {self.value(v)}"
                if rng.random() < 0.5
                else f"{v}/@k = {rng.randint(0, 3)}"
            ),
            lambda: f"({rel(v)} = {rng.randint(0, 4)}){self.proj(0.8)}",
            lambda: f"{self.value(v)} = count({self.path(1)})" if rng.random() < 0.4 else f"{v}/@k",
            lambda: f"(some $q in {self.path(1)} satisfies $q{self.proj()} = {rel(v)})",
            lambda: f"not(some $q in {self.path(1)} satisfies $q/{self.name()} = {rel(v)} and $q/@k = {v}/@k)",
            lambda: f"({self.cond(v)} and {self.cond(v)})",
            lambda: f"({self.cond(v)} or {self.cond(v)})",
        )

    def result(self, v: str) -> str:
        rng = self.rng
        rel = self.relvar
        return self.pick(
            v,
            lambda: rel(v).replace("/@k", "/b"),
            lambda: f"<x>{{ {rel(v)} }}</x>",
            lambda: f"<x k='{{ {self.value(v)} }}'>{{ {rel(v)} }}</x>",
            lambda: self.value(v),
            lambda: f"({self.value(v)}, {v})",
            lambda: f"<x>{{ {v}/@k, {v}{self.proj(0.6)} }} {{ {rel(v)} }}</x>",
            lambda: f"element {{ 'e' }} {{ {rel(v)} }}",
            lambda: f"if ({self.cond(v)}) then {v} else <no/>",
            lambda: f"{rel(v)} ! <y>{{ string(.) }}</y>".replace("/@k", "/a"),
            lambda: f"for $z in {rel(v)} return <z>{{ string($z)}}</z>",
            lambda: f"<x>{{ for $z in {v}/{self.step(1)} where {self.cond('$z')} return $z }}</x>",
            lambda: f"string({v}), text {{ {self.value(v)} }}",
            lambda: f"let $h := {rel(v)} return <h>{{ $h{self.proj(0.7)} }}</h>",
            lambda: (
                f"<b t='{{ xylem:begin({v}) }}' e='{{ xylem:end({v}) }}' v='{{ xylem:version({v}) }}'/>"
                if rng.random() < 0.5
                else f"<x>{{ {v} }}</x>"
            ),
            lambda: f"try {{ {self.value(v)} }} catch * {{ 'err' }}",
            lambda: f"typeswitch ({rel(v)}) case element() return 'e' case attribute() return 'at' default return 'd'",
            lambda: f"[{self.value(v)}]?1",
            lambda: f"map {{ 1: {self.value(v)} }}?1",
            lambda: f"({rel(v)}, {v}){self.proj(0.7)}/string()",
        )

    def order(self, v: str) -> str:
        rng = self.rng
        if rng.random() > 0.3:
            return ""
        return " order by " + self.pick(
            lambda: f"string({v})",
            lambda: f"count({self.relvar(v)})",
            lambda: f"count({self.relvar(v)}) descending, string({v})",
            lambda: f"string-join({self.relvar(v)}, '') descending",
            lambda: f"string({v}/@k) empty greatest",
            lambda: f"name({v}), string({v}{self.proj()}[1]) descending",
            lambda: f"({self.relvar(v)})[1]",
            lambda: f"number(({self.relvar(v)})[1]) descending empty least",
        )

    def flwor(self) -> str:
        rng = self.rng
        v = "$x"
        clauses = f"for $x{' at $i' if rng.random() < 0.1 else ''} in {self.path()}"
        has_i = " at $i" in clauses
        kind = rng.random()
        if kind < 0.15:
            clauses += f" for $y in {self.relvar('$x').replace('/@k', '/a')}"
            v = rng.choice(("$x", "$y"))
        elif kind < 0.28:
            condition = self.pick(
                "$x/@k = $y/@k",
                lambda: f"$x/{self.name()} = $y/{self.name()}",
                "string($x) = string($y)",
                lambda: f"$x{self.proj()} = $y",
                "$x/@k < $y/@k",
            )
            clauses += f", $y in {self.path(1)} where {condition}"
            v = rng.choice(("$x", "$y"))
        elif kind < 0.34:
            clauses += f" for $y allowing empty in {self.relvar('$x')}"
        if rng.random() < 0.3:
            clauses += f" let $v := {self.relvar(v)}"
            if rng.random() < 0.6:
                clauses += " where " + self.pick(
                    lambda: f"$v{self.proj(0.8)} = $v",
                    lambda: f"count($v{self.proj(0.8)}) > 0",
                    lambda: f"$v{self.proj(0.8)} != {rng.randint(0, 5)}",
                )
        if rng.random() < 0.15:
            clauses += f" let $w := {self.value(v)} where string($w) != string($w{self.proj(0.8)}[1])"
        if rng.random() < 0.5:
            clauses += f" where {self.cond(v)}"
        if has_i and rng.random() < 0.5:
            clauses += f" where $i {rng.choice(('<', '>', '='))} {rng.randint(1, 3)}"
        kind = rng.random()
        if kind < 0.12:
            key = self.pick(lambda: self.value("$x"), "string($x)", "name($x)", "string($x/@k)")
            clauses += f" group by $g := {key}{rng.choice(('', ' order by $g', ' order by count($x), $g'))}"
            return (
                clauses
                + " return "
                + self.pick(
                    "<g k='{ $g }'>{ count($x) }</g>",
                    "<g>{ $g, $x }</g>",
                    lambda: f"<g>{{ $x/{self.step(0)} }}</g>",
                    "($g, string-join($x, ','))",
                    "<g>{ $g, sum($x ! string-length(.)), max($x/@k) }</g>",
                )
            )
        clauses += self.order(v)
        if kind < 0.2:
            clauses += " count $n" + self.pick("", " where $n < 3", " where $n mod 2 = 1")
            return clauses + f" return <n n='{{ $n }}'>{{ {v} }}</n>"
        return f"{clauses} return {self.result(v)}"

    def join(self) -> str:
        """Items of two streams by a key; of both sides versions are asked for."""
        rng = self.rng
        side = f"stream('t')//{self.name()}{self.proj(0.2)}"
        matched = self.pick(
            lambda: f", $y in {side} where $x/@k = $y/@k",
            lambda: f" for $y in {side}[@k = $x/@k]",
            lambda: f" let $y := {side}[@k = $x/@k] where $y",
            lambda: f" let $all := {side}[@k = $x/@k] for $y in $all",
            lambda: f", $y in {side}, $z in {S}//{self.name()} where $x/@k = $y/@k and $z/@k = $y/@k",
        )
        shown = self.pick(
            lambda: f"{self.result('$y')}",
            lambda: f"<j>{{ {self.relvar('$x')}, {self.relvar('$y')} }}</j>",
            lambda: f"count($y/{self.step(1)})",
            lambda: f"<j>{{ $y/{self.name()}{self.proj(0.9)}, $x/{self.name()}{self.proj(0.9)} }}</j>",
        )
        kept = self.pick("", "", lambda: f" where {self.cond(rng.choice(('$x', '$y')))}")
        return f"for $x in {S}//{self.name()}{self.proj(0.2)}{matched}{kept} return {shown}"

    def aggregate(self) -> str:
        of = self.pick(self.path, lambda: f"({self.flwor()})")
        numbers = f"{self.path()}[. castable as xs:double] ! {self.pick('number(.)', 'xs:decimal(.)', 'xs:double(.)')}"
        return self.pick(
            lambda: f"count({of})",
            lambda: f"exists({of})",
            lambda: f"empty({of})",
            lambda: f"sum({numbers})",
            lambda: f"avg({numbers})",
            lambda: f"min({numbers})",
            lambda: f"max({numbers})",
            lambda: f"string-join({self.path()}, ',')",
            lambda: f"string-join(distinct-values({self.path()}), ',')",
            lambda: f"count({self.path()}) + count({self.path()})",
            lambda: f"(some $q in {self.path()} satisfies {self.cond('$q')})",
            lambda: f"(every $q in {self.path()} satisfies {self.cond('$q')})",
            lambda: f"string-join(sort({self.path()} ! string(.)), ' ')",
            lambda: f"deep-equal({self.path()}, {self.path()})",
            lambda: f"fold-left({self.path()}, '', function($a, $b) {{ concat($a, string($b)) }})",
        )

    def window(self) -> str:
        rng = self.rng
        kind = rng.choice(("tumbling", "sliding"))
        start = self.pick(
            "start at $i when true()",
            lambda: f"start $f when {self.cond('$f')}",
            "start at $i when $i mod 2 = 1",
            "start $f previous $p when string($f) != string($p)",
        )
        end = self.pick(
            "end at $j when $j mod 3 = 0",
            "only end at $j when $j - 1 = 1",
            lambda: f"end $l when {self.cond('$l')}",
            "end $l next $nx when string($l) = string($nx)",
        )
        if kind == "tumbling" and rng.random() < 0.3:
            end = ""
        return f"for {kind} window $w in {self.path()} {start} {end} return " + self.pick(
            "<w>{ $w }</w>",
            "count($w)",
            lambda: f"<w>{{ $w/{self.step(0)} }}</w>",
            lambda: f"string-join($w{self.proj()}, '-')",
            lambda: f"<w>{{ {self.relvar('$w[1]')} }}</w>",
        )

    def function(self) -> str:
        rng = self.rng
        kind = rng.random()
        body = self.pick(
            lambda: self.relvar("$p"),
            lambda: self.value("$p"),
            lambda: f"for $o in {self.relvar('$p')} return <o>{{ string($o) }}</o>",
            lambda: f"$p{self.proj(0.9)}",
            lambda: f"({self.value('$p')}){self.proj(0.9)}",
        )
        if kind < 0.6:
            given = self.pick("$x", "$x", lambda: self.relvar("$x"))
            loop = f"for $x in {self.path()} return <f>{{ local:f({given}) }}</f>"
            return f"declare function local:f($p) {{ {body} }}; {loop}"
        if kind < 0.8:
            return f"declare function local:f($p) {{ {body} }}; {self.path()} ! <f>{{ local:f(.) }}</f>"
        declared = f"declare variable $g := {self.path()}; declare variable $h := count($g);"
        both = f"<o>{{ $g{self.proj(0.6)}, $h{self.proj(0.6)} }}</o>"
        return f"{declared} {both}, for $x in $g return {self.result('$x')}"

    def expression(self) -> str:
        rng = self.rng
        return self.pick(
            self.flwor,
            self.flwor,
            self.flwor,
            self.flwor,
            self.join,
            self.path,
            self.path,
            self.aggregate,
            self.aggregate,
            lambda: f"({self.aggregate()}){self.proj(0.8)}",
            lambda: f"({self.flwor()})[{self.pick('1', '2', 'last()', 'position() < 3')}]",
            self.window,
            lambda: f"if ({self.cond_root()}) then {self.flwor()} else ({self.aggregate()})",
            lambda: f"({self.flwor()}){self.proj(0.8)}",
            lambda: f"let $v := {self.path()} return ($v{self.proj(0.7)}, count($v))",
            lambda: f"let $v := {self.aggregate()} return <v>{{ $v, $v{self.proj(0.7)} }}</v>",
            lambda: f"({self.path()}, {self.path()})",
            lambda: f"{self.path()} ! string(.)",
            lambda: f"head({self.path()}), tail({self.path()})",
            lambda: f"subsequence({self.path()}, 2, 2)",
            lambda: f"xylem:as-of({self.pick(self.path, self.aggregate)}, {rng.randint(0, 6)})",
            lambda: f"xylem:versions({self.path(1)}, {rng.randint(0, 3)}, {rng.randint(2, 8)})",
            lambda: (
                f"for $x in {self.path()} let $m := {self.path(1)} "
                f"return <m>{{ $x/@k, count($m[@k = $x/@k]{self.proj(0.2)}) }}</m>"
            ),
            lambda: (
                f"for $x in distinct-values({self.path()}) "
                f"return <d n='{{ $x }}'>{{ count({self.path(1)}[. = $x]) }}</d>"
            ),
        )

    def cond_root(self) -> str:
        return self.pick(
            self.aggregate,
            self.path,
            lambda: f"{self.path()} = {self.path()}",
            lambda: f"count({self.path()}) > {self.rng.randint(0, 3)}",
        )

    def text(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.1:
            return self.function()
        if kind < 0.7:
            made = self.expression()
        elif kind < 0.85:
            made = f"<out>{{ {self.expression()} }}</out>"
        else:
            content = f"{{ {self.expression()} }}<mid/>{{ {self.expression()} }}"
            made = f"<out a='{{ {self.aggregate()} }}'>{content}</out>, {self.aggregate()}"
        return made
