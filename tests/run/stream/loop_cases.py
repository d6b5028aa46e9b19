"""Random loops over the children of a record: positions, orders, distinct values, copied attributes, types."""

from __future__ import annotations

from random import Random

from .expression_cases import NASTY

PATHS = ("$p/a", "$p/n/a", "$p/*", "$p/a/@k", "$p//a", "$p/a/text()", "$p/n[a]/b")
TESTS = ("@k", "@k = '1'", ". = 'abc'", "not(@k)", "b", "number() > 1")
PLACES = (
    "1", "2", "last()", "last() - 1", "position() = 1", "position() <= 2", "position() > 1 and position() < last()",
    "position() = last()", "0", "position() mod 2 = 1",
)  # fmt: skip
TYPES = ("xs:double", "xs:integer", "xs:decimal", "xs:string", "xs:boolean", "xs:date", "xs:string?", "xs:double?")
NUMBERS = ("NaN", "INF", "-INF", "-0", "0", "1", "1.0", "10", "9", "2.5", "abc", "", "123456789012345678901234567890")


class Loops:
    """Draws queries; some are wrong on purpose."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def elements(self) -> str:
        return self.pick("$p/a", "$p/n/a", "$p/*", "$p/n", "$p/a[@k]", "$p/a[b][@k = '1']")

    def places(self) -> str:
        tests = "".join(f"[{self.random.choice(TESTS)}]" for _ in range(self.random.choice((0, 0, 1, 2))))
        after = "".join(f"[{self.random.choice(TESTS)}]" for _ in range(self.random.choice((0, 0, 1))))
        return f"{self.pick('$p/a', '$p/n/a', '$p/*', '$p/n')}{tests}[{self.random.choice(PLACES)}]{after}"

    def values(self) -> str:
        return self.pick(
            "$p/a/string()", "$p/a/@k/string()", "$p/n/a/xs:decimal(.)", "$p/a/number()", "$p/a ! xs:integer(.)",
            "tokenize($p/b, ' ')", "($p/a, $p/b) ! string()", "distinct-values($p/a)", "$p/a/text()/string()",
            "reverse($p/a/string())", "for $x in $p/a/@k where $x return upper-case($x)",
        )  # fmt: skip

    def key(self) -> str:
        key = self.pick(
            "$x", "$x/@k", "number($x)", "string($x)", "xs:integer($x/@k)", "$x/b", "count($x/*)", "xs:date($x)",
            "string-length($x)", "xs:decimal($x/@k)", "$x castable as xs:double",
        )  # fmt: skip
        return key + self.pick("", " descending") + self.pick("", "", " empty greatest", " empty least")

    def content(self) -> str:
        match self.random.randrange(14):
            case 0 | 1:
                keys = ", ".join(self.key() for _ in range(self.random.choice((1, 1, 2))))
                where = self.pick("", f" where $x[{self.random.choice(TESTS)}]")
                result = self.pick("$x", "<s>{ $x/@k }{ string($x) }</s>", "string($x)", "$x/b", "name($x)")
                return f"for $x in {self.elements()}{where} order by {keys} return {result}"
            case 2 | 3:
                return self.places() + self.pick("", "/@k/string()", "/b", "/text()")
            case 4:
                return f"({self.values()})[{self.random.choice(PLACES)}]"
            case 5:
                return f"for $x at $i in {self.elements()} return <l n='{{ $i }}'>{{ $i * 2, string($x) }}</l>"
            case 6:
                return f"{self.pick('distinct-values', 'reverse', 'sort', 'count', 'string-join')}({self.values()})"
            case 7:
                return f"let $t as {self.random.choice(TYPES)} := {self.values()} return $t"
            case 8:
                return f"{self.pick('$p/a', '$p/b', '$p/zzz')} castable as {self.random.choice(TYPES)}"
            case 9:
                sign, duration = self.pick("+", "-"), self.pick("P1D", "PT36H", "-P400D", "PT0.5S", "P1Y")
                return f"xs:{self.pick('date', 'dateTime')}($p/b) {sign} xs:dayTimeDuration('{duration}')"
            case 10:
                return f"for $x in {self.elements()} return <{self.pick('f', 'g')} n='{{ {self.name('$x')} }}'/>"
            case 11:
                return f"sum({self.places()})" if self.random.random() < 0.5 else f"max({self.places()}/@k)"
            case 12:
                return f"<c>{{ {self.pick('$p/a[1]/@k', '$p/a/@k', '$p/@*', '$p/n/@*, $p/@k')} }}{{ $p/b }}</c>"
        return f"element x {{ attribute k {{ {self.values()} }}, {self.places()} }}"

    def name(self, of: str) -> str:
        return f"{self.pick('name', 'local-name')}({of})"

    def query(self) -> str:
        attribute = self.pick("", "{ $p/@k }", "{ $p/@* }", "<!-- c -->", "{ attribute q { $p/b } }")
        return f"for $p in /d/r return <o>{attribute}{{ {self.content()} }}</o>"


def record(random: Random) -> str:
    """An element with children of the same names, one in another."""
    return f"<r{_attributes(random)}>{''.join(_child(random, 2) for _ in range(random.randrange(6)))}</r>"


def _attributes(random: Random) -> str:
    keys = [key for key, share in (("k", 0.6), ("l", 0.2), ("xml:lang", 0.03)) if random.random() < share]
    return "".join(f' {key}="{_value(random)}"' for key in keys)


def _value(random: Random) -> str:
    return random.choice(random.choice((("1", "2", "10", "9"), NUMBERS, NASTY))).replace("\n", "&#10;")


def _child(random: Random, depth: int) -> str:
    name = random.choice("aabn")
    inner = "".join(_child(random, depth - 1) for _ in range(random.randrange(3))) if depth and name == "n" else ""
    if name == "a" and random.random() < 0.3:
        inner = f"<b>{_value(random)}</b>"
    text = random.choice(("2024-02-28", "2024-03-01T12:30:15Z", _value(random))) if name == "b" else _value(random)
    return f"<{name}{_attributes(random)}>{text if name != 'n' else ''}{inner}</{name}>"
