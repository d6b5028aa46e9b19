"""Random queries that keep nodes of a record: groups, windows, sorted tuples, lookups, sequences in another order."""

from __future__ import annotations

from random import Random

from .loop_cases import TESTS, TYPES, Loops

KEYS = (
    "$x", "$x/@k", "number($x)", "string($x)", "xs:integer($x/@k)", "$x/b", "count($x/*)", "xs:date($x)",
    "string-length($x)", "xs:decimal($x/@k)", "$x castable as xs:double", "$x/@k = '1'", "name($x)",
    "if ($x/@k) then 1 else string($x)", "-number($x)", "$x/(b, @k)",
)  # fmt: skip
CONDITIONS = (
    "true()", "{s}/@k", "{s} = 'abc'", "number({s}) > 1", "{at} mod 2 = 1", "exists({previous})",
    "{previous}/@k = {s}/@k", "{next}", "string({next}) = string({s})", "{at} = 2",
    "{s}/b = {next}/b", "{s} instance of element()",
)  # fmt: skip
OVER = (
    "count($w)", "sum($w/@k)", "$w", "$w[1]", "$w[last()]/@k/string()", "$w/b", "string-join($w, '|')",
    "<i>{ $w/@k }</i>",
    "for $i in $w return <i>{ name($i), $i/b }</i>", "reverse($w)", "max($w/number(@k))", "$w/@k", "exists($w)",
    "if ($w) then 1 else 2", "$w/..", "distinct-values($w)", "($w, $w)/b", "$w[@k][1]", "count($w[. = $p/a])",
    "$w/text()",
    "every $i in $w satisfies $i/@k", "$w ! (. || '-')", "some $i in $w satisfies ($i = $p/b)",
    "$w treat as element()+",
    "for $i in $w order by $i/@k descending return $i", "deep-equal($w, $p/a)", "sort($w)", "head($w)",
    "subsequence($w, 2)", "$w/name()", "name($w[1])", "$w[1] is $p/a[1]", "$w[1] << $w[last()]", "exactly-one($w)/b",
    "zero-or-one($w)", "one-or-more($w)/@k", "tail($w)/b", "deep-equal($w[1], $w[2])", "$w/@* ! name()",
    "$w/following-sibling::*[1]", "$w/preceding-sibling::a/@k", "$w/parent::*/name()", "$w//text()", "$w//@k/..",
    "for $y in $w/@* return <y n='{ name($y) }'>{ data($y) }</y>", "deep-equal($w, reverse($w))", "$w/self::a",
    "$w instance of element(a)+", "$w[1] instance of element(a)", "$w treat as element(a)*",
    "$w/@k instance of attribute()*",
    "typeswitch ($w[1]) case $y as element(a) return $y/b case element(n) return <n/> default $y return name($y)",
    "let $y := $w[1] return typeswitch ($y) case element(a) return string($y) default return count($y)",
    "$w/text() instance of text()?", "count($w/ancestor::n)", "count($w/ancestor::d)", "$w >> $p/n",
)  # fmt: skip


class Gathered(Loops):
    """Draws queries; some are wrong on purpose."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)

    def nodes(self) -> str:
        return self.pick(
            "$p/a", "$p/*", "$p/n/a", "$p//a", "$p/a[@k]", "($p/a, $p/n)", "($p/n, $p/a)", "$p/a/@k", "$p/a/text()",
            "$p/*/following-sibling::*", "$p/a/preceding-sibling::*[1]", "$p/*[2]/preceding-sibling::*", "$p//a/..",
            "$p//b/ancestor::n", "$p//a/b", "$p//a[1]", "$p//a[last()]/@k", "$p//@k", "$p/*/@*", "$p//text()",
            "$p/*[last()]/self::a", "$p//b/ancestor-or-self::*[2]", "$p/descendant::a[2]", "$p/n/descendant-or-self::*",
            "$p/a[preceding-sibling::a/@k = @k]", "$p/*[not(following-sibling::*)]", "$p/following-sibling::r",
            "$p//a[b > 1]/b", "head($p/*)", "$p/*[name(..) = 'r'][2]", "$p/n/a[../@k]", "$p//b[position() < last()]",
            "reverse($p/a)", "sort($p/a)", f"sort($p/*, (), function($x) {{ {self.pick(*KEYS)} }})", "($p/a | $p/n/a)",
            f"(for $x in $p/* order by {self.key()} return $x)", "(if ($p/@k) then $p/a else $p/n)", "$p/zzz",
            f"(for $x in $p/a where $x[{self.pick(*TESTS)}] return ($x, $x/b))", "($p/a, 1)", "tokenize($p/b, ' ')",
        )  # fmt: skip

    def over(self, name: str = "w") -> str:
        """What a query does with kept items."""
        return self.pick(*OVER).replace("$w", f"${name}")

    def window(self) -> str:
        kind = self.pick("tumbling", "sliding")
        first = "start $s at $i previous $b next $f when " + self.pick(*CONDITIONS).format(
            s="$s", at="$i", previous="$b", next="$f"
        )
        condition = self.pick(*CONDITIONS, "{at} - $i = 1", "{s} is $s", "{s}/@k != $s/@k")
        last = condition.format(s="$e", at="$j", previous="$c", next="$g")
        end = f"{self.pick('', 'only ')}end $e at $j previous $c next $g when {last}"
        if kind == "tumbling" and self.random.random() < 0.3:
            end = ""
        end_of = self.pick("$s", "$i", "$f/@k") if not end else self.pick("$e", "$j - $i", "$c/@k", "$g", "$s/b")
        where = self.pick("", "", f" where count($w) > {self.pick('1', '2')}")
        result = f"<w e='{{ {end_of} }}'>{{ {self.over()} }}</w>"
        return f"for {kind} window $w in {self.nodes()} {first} {end}{where} return {result}"

    def group(self) -> str:
        keys = [f"$k{number} := {self.pick(*KEYS)}" for number in range(self.random.choice((1, 1, 2)))]
        more = self.pick("", "", " let $v := $x/b", " let $v := number($x)", " for $v in $x/*", " where $x/@k")
        order = self.pick(
            "", " order by $k0", " order by count($x) descending, string($k0)", " count $n", " where count($x) > 1"
        )
        of = self.pick("$v", "count($v)") if "$v" in more else self.pick("$k0", "$k0 instance of xs:string")
        result = f"<g>{{ $k0, {of}, {self.over('x')} }}</g>"
        return f"for $x in {self.nodes()}{more} group by {', '.join(keys)}{order} return {result}"

    def ordered(self) -> str:
        order = self.pick("", f" order by {self.key()}", f" order by {self.key()}, {self.key()}")
        more = self.pick("", " let $v := $x/b", " let $v := ($x, $p/b)", " count $m")
        of = self.pick("$v", "count($v)", "$v[1]") if "$v" in more else self.pick("$x", "string($x)", "$n * 2")
        where = self.pick("", " where $n < 3")
        return f"for $x in {self.nodes()}{more}{order} count $n{where} return <t n='{{ $n }}'>{{ {of} }}</t>"

    def kept(self) -> str:
        return f"let $w := {self.nodes()} return ({self.over()}, <k>{{ {self.over()} }}</k>)"

    def looked_up(self) -> str:
        return self.pick(
            "for $t in distinct-values($p/*/@k) return <t k='{ $t }'>{ sum($p/*[@k = $t]/b) }</t>",
            "for $x in $p/a return <t>{ $p/n/a[. = $x/@k], count($p/a[@k = $x/@k]) }</t>",
            "$p/a[@k = max($p/a/@k)]", "for $x in $p/a where $x/@k = min($p/*/number(@k)) return $x/b",
            "for $x in $p/a return <t>{ count($p/a) + count($x/*), sum($p/n/a/@k) - number($x) }</t>",
            "for $x at $i in $p/* return <t>{ $i, for $y in $x/* return count($p/*[@k = string($i)]) }</t>",
            "$p/*[not(@k = $p/n/a/@k)]", "for $x in $p/* return string-join($p/a[@k = $x/@k] ! string(), $x)",
        )  # fmt: skip

    def query(self) -> str:
        content = self.pick(self.window(), self.group(), self.group(), self.ordered(), self.kept(), self.looked_up())
        typed = f"let $z as {self.pick(*TYPES)} := $p/b" if self.random.random() < 0.05 else ""
        return f"for $p in /d/r {typed} return <o>{{ {content} }}</o>"
