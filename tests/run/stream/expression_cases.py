"""Random expressions over the children of a record, and records with values that are hard to get right."""

from __future__ import annotations

from random import Random

NASTY = (
    "1", "2.5", "-0", "0", "NaN", "INF", "-INF", "+5", " 12 ", "1e400", "1E-400", "0x1", "", " ", "abc", "true",
    "false", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "123456789012345678901234567890",
    "1e6", "1e-7", "0.1", "0.30000000000000004", "999999.5", "1000000", "1.0", "100", "10", "9", "Straße",
    "\U0001d504 \U0001f600", "\u0130\u0131", "ΣΑΣ", "a b  c", "\t x \n", "&amp;&lt;&quot;", "2020-01-01", "1_000",
    "\u0663", "é", "3.", ".5", "-.5e1", "ǆ", "\U00010428",
    "2024-02-29", "2023-02-29", "2024-01-01Z", "2024-01-01+14:00", "2024-03-01T12:30:15.250",
    "2024-03-01T12:30:15+01:00", "2024-03-01T24:00:00", "-0044-03-15", "12024-01-01", "PT90S", "-P1DT2H", "P1Y",
    "12:30:15", "23:59:59.75-05:00", "00:00:00Z", "24:00:00",
    "a1,b2;c3", "foo.bar", "x\ry", "\u212a", "key=value", "ab12", "a\nb",
)  # fmt: skip
PATTERNS = (
    "'a'", "'^[a-z]+$'", "'[0-9]{2}'", r"'\d+'", r"'\w'", "'[^,;]+'", "'(a|b)(c)?'", r"'\s+'", "'a.b'", "'.*'",
    "'(x)*y'", r"'\.'", r"'[\d.]+'", "'[a-z]+?'", r"'\p{L}'", "'[a-z-[aeiou]]'", "'('", "''", r"'\W'", "'^$'",
    "'[é-ü]'", "'(a)|(b)'", r"'[\-a]'", "'[a-]'", "'a{,2}'", "'a{1,2}b'", "'(?:ab|a)(b)?'", "'$'", r"'\D{3}'",
    "'[^a]'", r"'(\w)=(\w)'",
)  # fmt: skip
MOMENTS = ("'2024-01-01'", "'2024-01-01Z'", "'2024-03-01T12:30:15'", "'2023-12-31'", "'12:00:00'", "'23:30:00Z'")
DURATIONS = ("'P1D'", "'-PT90S'", "'PT0S'", "'P3DT4H5M6.789S'", "'PT0.000000001S'", "'P99999D'", "'-P1DT23H59M59.5S'")
REPLACEMENTS = ("'x'", "'[$0]'", "'$1-$2'", r"'\$'", "'$'", "''", "'$12'")
PATHS = ("$p/a", "$p/b", "$p/c", "$p/@k", "$p/n/a", "$p/a/text()", "$p/zzz")
NUMBER_PICTURES = (
    "'0'", "'#,##0.00'", "'0.0##'", "'#'", "'#.#'", "'#0%'", "'0.0‰'", "'$#,##0.00;($#,##0.00)'", "'#,#0,0.0'", "'0e0'",
    "'00,0.00,0'", "'0.0;'", "'x'", "'[0]'", "'1'", "'0.000000000000'",
)  # fmt: skip
INTEGER_PICTURES = ("'0'", "'#,##0'", "'000;o'", "'1;o(-en)'", "'#-0,00'", "'w'", "'I'", "'a'", "''", "'#a'", "'٠'")
MOMENT_PICTURES = (
    "'[Y0001]-[M01]-[D01]'", "'[D1o] [MNn] [Y]'", "'[FNn,3-3], [D]. [MN,*-4]'", "'[H01]:[m01]:[s01].[f001]'",
    "'[h]:[m] [P]'", "'[h,2-2][Pn][PN,1-1]'", "'[d]/[W]/[F1]'", "'[Y01] [Y,2-2] [Y,*-3]'", "'[Z]'", "'[z]'", "'[Z0]'",
    "'[Z0000t]'", "'[f]|[f01]|[f0##]|[f,2-4]'", "'[YI] [Dw]'", "'[w] [E] [C]'", "'[[a]] [M,6]'", "'[q]'", "'['",
    "'[ZN]'",
    "'[D١]'", "'[Hn]'", "'[m]'", "'[M#0]'", "'[Y9,999]'", "''",
)  # fmt: skip
KINDS = ("date", "dateTime", "time")
NUMBERS = (
    "0", "1", "2", "-3", "7", "10", "9223372036854775807", "0.5", "2.50", "1e0", "0e0", "1.5e300", "-0e0", "1000000",
)  # fmt: skip
TEXTS = ("''", "'a'", "'12'", "' '", "'é'", "'Σ'", "'.'")


class Expressions:
    """Draws expressions of a rough type; some are wrong on purpose."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.variables: list[str] = []

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def any(self, depth: int) -> str:
        return self.random.choice((self.number, self.number, self.text, self.text, self.truth, self.value))(depth)

    def value(self, depth: int) -> str:
        if self.variables and self.random.random() < 0.4:
            return self.random.choice(self.variables)
        return self.random.choice(PATHS)

    def number(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.2:
            return self.random.choice((self.value(depth), self.random.choice(NUMBERS)))
        inner = depth - 1
        match self.random.randrange(15):
            case 13:
                return f"compare({self.text(inner)}, {self.text(0)})"
            case 14:
                sought = self.pick(*TEXTS, self.value(0), self.number(0))
                return self.pick(
                    f"sum(string-to-codepoints({self.text(inner)}))",
                    f"sum(index-of({self.sequence(inner)}, {sought}))",
                    f"sum({self.number(0)} to {self.number(inner)})",
                    "math:pi()",
                )
            case 0 | 1 | 2 | 3:
                sign = self.pick("+", "-", "*", "div", "idiv", "mod")
                return f"({self.number(inner)} {sign} {self.number(inner)})"
            case 4:
                return f"(-{self.number(inner)})"
            case 5:
                return f"number({self.any(inner)})"
            case 6:
                return self.rounded(inner)
            case 11:
                return self.part_of_moment(inner)
            case 12:
                return f"count(tokenize({self.text(inner)}, {self.pick(*PATTERNS)}))"
            case 7:
                return f"{self.pick('sum', 'avg', 'min', 'max', 'count')}({self.sequence(inner)})"
            case 8:
                return f"string-length({self.text(inner)})"
            case 9:
                return f"xs:{self.pick('double', 'integer', 'decimal')}({self.any(inner)})"
            case _:
                return f"(if ({self.truth(inner)}) then {self.number(inner)} else {self.number(inner)})"

    def part_of_moment(self, depth: int) -> str:
        """A number of a date or duration."""
        match self.random.randrange(4):
            case 0:
                part = self.pick("days", "hours", "minutes", "seconds")
                return f"{part}-from-duration({self.pick(self.apart(), self.moment(depth), self.value(0))})"
            case 1:
                return f"({self.apart()} div {self.pick(self.apart(), self.number(0))})"
            case 2:
                return f"seconds-from-dateTime({self.pick(self.moment(depth), self.value(0))})"
            case 3 if self.random.random() < 0.5:
                part = self.pick("hours", "minutes", "seconds")
                return f"{part}-from-time({self.pick(self.moment(depth), self.value(0))})"
        kind = self.pick("date", "dateTime")
        return f"{self.pick('year', 'month', 'day')}-from-{kind}({self.pick(self.moment(depth), self.value(0))})"

    def apart(self) -> str:
        """A duration, as a rule."""
        kind = self.pick(*KINDS)
        literal = f"xs:dayTimeDuration({self.pick(*DURATIONS)})"
        between = f"(xs:{kind}({self.value(0)}) - xs:{kind}({self.pick(*MOMENTS)}))"
        return self.pick(literal, between, f"({literal} {self.pick('+', '-')} {self.pick(between, literal)})")

    def rounded(self, depth: int) -> str:
        match self.random.randrange(4):
            case 0:
                digits = self.pick("0", "1", "2", "9")
                return f"{self.pick('round', 'round-half-to-even')}({self.number(depth)}, {digits})"
            case 1:
                return f"math:{self.pick('sqrt', 'exp', 'log', 'log10', 'sin', 'tan', 'atan')}({self.number(depth)})"
            case 2:
                return f"math:pow({self.number(depth)}, {self.number(depth)})"
            case _:
                return f"{self.pick('round', 'round-half-to-even', 'floor', 'ceiling', 'abs')}({self.number(depth)})"

    def sequence(self, depth: int) -> str:
        if self.random.random() < 0.1:
            sign = self.pick("+", "*", "||")
            first = self.pick("0", "1.5", "''", "()")
            return f"fold-left({self.random.choice(PATHS)}, {first}, function($s, $t) {{ $s {sign} $t }})"
        if self.random.random() < 0.1:
            return f"({self.random.choice(PATHS)}, {self.random.choice(PATHS)}, {self.number(0)})[1]"
        if self.random.random() < 0.4:
            return self.random.choice(PATHS)
        if self.random.random() < 0.5:
            return self.loop(depth - 1)
        return "(" + ", ".join(self.number(depth - 1) for _ in range(self.random.randrange(4))) + ")"

    def loop(self, depth: int) -> str:
        """The items of a loop over children, in one of its spellings."""
        over = self.pick("$p/a", "$p/*", "$p/n/a", "($p/a, $p/b)", "($p/b, 2, $p/@k)")
        match self.random.randrange(7):
            case 0:
                return f"(for $x in {over} return $x {self.pick('+', '*', 'idiv')} {self.number(depth - 1)})"
            case 1:
                return f"(for $x in {over} where $x {self.pick('>', '=', '!=')} {self.number(0)} return $x)"
            case 2:
                return f"$p/{self.pick('a', '*', 'n', 'n/a')}[{self.pick('. > 1', 'a', '@z', '. = 7', 'not(*)')}]"
            case 3:
                return f"$p/*[. != {self.number(0)}]/a"
            case 4:
                return f"($p/* ! ({self.pick('. * 2', 'string(.)', 'number()', 'string-length(.)', 'a')}))"
            case 5:
                return f"$p/*/{self.pick('number(.)', '(. + 1)', 'upper-case(.)', 'concat(., 1)')}"
            case _:
                value = self.pick("$x", "$x/a", "$x * 2")
                return f"(for $x in $p/* let $y := {value} return {self.pick('$y', '($y, 1)')})"

    def text(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.2:
            return self.random.choice((self.value(depth), self.random.choice(TEXTS)))
        inner = depth - 1
        match self.random.randrange(19):
            case 14:
                return self.formatted(inner)
            case 15:
                table = f"map {{ '1': 'one', 'abc': ('a', 'b'), '': 2, {self.pick(*TEXTS[1:3])}: () }}"
                key = self.any(0)
                made = self.pick(f"{table}({key})", f"map:get({table}, {key})", f"{table}?({key})")
                return f"string-join({made}, ' ')"
            case 16:
                cast = f"xs:{self.pick('integer', 'double', 'boolean', *KINDS)}({self.value(0)})"
                tried = self.pick(cast, f"({cast} + 1)", f"concat({cast}, $p/a)", f"({cast}, 1)[1]", self.number(inner))
                return f"(try {{ {tried} }} catch {self.pick('*', '*', 'err:FORG0001')} {{ {self.text(0)} }})"
            case 17:
                return f"``[<`{{ {self.any(inner)} }}`>`{{ {self.sequence(inner)} }}`]``"
            case 18:
                return (
                    f"codepoints-to-string({self.pick('string-to-codepoints($p/a)', self.number(inner), '(97, 98)')})"
                )
            case 11:
                flags = self.pick("", "", ", 'i'", ", 's'")
                return f"replace({self.text(inner)}, {self.pick(*PATTERNS)}, {self.pick(*REPLACEMENTS)}{flags})"
            case 12:
                pattern = self.pick("", f", {self.pick(*PATTERNS)}", f", {self.pick(*PATTERNS)}, 'i'")
                return f"string-join(tokenize({self.text(inner)}{pattern}), '|')"
            case 13:
                return f"string({self.moment(inner)})"
            case 10:
                made = self.pick("[{0}, {1}]", "map {{ 'a': {0}, 'b': [{1}] }}", "array {{ {0}, {1} }}", "{0}")
                # Of nodes JSON has their XML, which is for the query to write.
                one, other = (f"data({self.any(inner)})" for _ in range(2))
                value = made.replace("{0}", one).replace("{1}", other)
                value = value.replace("{{", "{").replace("}}", "}")
                return f"serialize({value}, map {{ 'method': 'json' }})"
            case 0 | 1:
                return f"{self.pick('upper-case', 'lower-case', 'normalize-space')}({self.text(inner)})"
            case 2:
                return f"string({self.any(inner)})"
            case 3:
                return f"concat({self.any(inner)}, {self.any(inner)})"
            case 4:
                return f"({self.any(inner)} || {self.any(inner)})"
            case 5:
                length = f", {self.number(inner)}" if self.random.random() < 0.5 else ""
                return f"substring({self.text(inner)}, {self.number(inner)}{length})"
            case 6:
                return f"{self.pick('substring-before', 'substring-after')}({self.text(inner)}, {self.text(0)})"
            case 7:
                return f"string-join({self.sequence(inner)}, {self.pick(*TEXTS)})"
            case 8:
                return f"translate({self.text(inner)}, {self.pick(*TEXTS)}, {self.pick(*TEXTS)})"
            case _:
                return f"xs:string({self.any(inner)})"

    def formatted(self, depth: int) -> str:
        """A value as a picture says, or an error."""
        match self.random.randrange(4):
            case 0 | 1:
                return f"format-number({self.number(depth)}, {self.pick(*NUMBER_PICTURES)})"
            case 2:
                value = self.pick(f"xs:integer({self.value(0)})", self.value(0), self.number(depth))
                language = self.pick("", "", ", 'en'", ", 'de'", ", ()")
                return f"format-integer({value}, {self.pick(*INTEGER_PICTURES)}{language})"
        kind, others = self.pick(*KINDS), self.pick("", "", "", ", (), (), ()", ", 'en', (), ()", ", 'de', 'AD', 'us'")
        value = self.pick(f"xs:{kind}({self.value(0)})", self.value(0), self.moment(depth))
        return f"format-{kind}({value}, {self.pick(*MOMENT_PICTURES)}{others})"

    def moment(self, depth: int) -> str:
        """A date, a time, both, or how far two of them are apart."""
        kind = self.pick(*KINDS)
        match self.random.randrange(9):
            case 6:
                zone = self.pick("()", *(f"xs:dayTimeDuration('{each}')" for each in ("PT2H", "-PT5H30M", "PT15H")))
                return f"adjust-{kind}-to-timezone({self.pick(f'xs:{kind}({self.value(0)})', self.value(0))}, {zone})"
            case 7:
                return f"dateTime(xs:date({self.value(0)}), {self.pick('xs:time($p/b)', self.value(0))})"
            case 8:
                found = self.pick("timezone-from-{0}({1})", "({1} + xs:dayTimeDuration('PT25H'))", "max(({1}, {1}))")
                return found.format(kind, f"xs:{kind}({self.value(0)})")
            case 0:
                return f"(xs:{kind}({self.value(0)}) - xs:{kind}({self.pick(*MOMENTS)}))"
            case 1:
                return f"xs:dayTimeDuration({self.value(0)})"
            case 2:
                return f"xs:{kind}({self.pick(*MOMENTS)})"
        return f"xs:{kind}({self.value(0)})"

    def truth(self, depth: int) -> str:
        inner = depth - 1
        if depth > 0 and self.random.random() < 0.15:
            if self.random.random() < 0.5:
                flags = self.pick("", "", ", 'i'")
                return f"matches({self.text(inner)}, {self.pick(*PATTERNS)}{flags})"
            sign = self.pick("=", "<", "ge", "eq", "lt", ">")
            return f"({self.moment(inner)} {sign} {self.pick(self.moment(inner), self.value(0))})"
        if depth <= 0:
            return f"({self.value(0)} {self.pick('=', '!=', '<', '>=')} {self.random.choice(NUMBERS + TEXTS)})"
        match self.random.randrange(14):
            case 12:
                return f"contains-token({self.pick(self.text(inner), '$p/*')}, {self.pick(*TEXTS, self.value(0))})"
            case 13:
                kind = self.pick("integer", "string", "decimal", "double", "boolean", "date", "time")
                return f"({self.any(inner)} instance of xs:{kind}{self.pick('', '?', '*', '+')})"
            case 10:
                kind, sign = self.pick("some", "every"), self.pick("=", "<")
                return f"({kind} $x in {self.loop(inner)} satisfies $x {sign} {self.number(0)})"
            case 11:
                path = f"$p/{self.pick('a', '*', 'n')}[{self.pick('. > 1', 'a', 'not(*)')}]"
                return f"(if ({path}) then true() else false())"
            case 0 | 1 | 2:
                sign = self.pick("=", "!=", "<", "<=", ">", ">=")
                return f"({self.any(inner)} {sign} {self.any(inner)})"
            case 3:
                return f"({self.number(inner)} {self.pick('eq', 'ne', 'lt', 'le', 'gt', 'ge')} {self.number(inner)})"
            case 4:
                return f"({self.truth(inner)} {self.pick('and', 'or')} {self.truth(inner)})"
            case 5:
                return f"not({self.truth(inner)})"
            case 6:
                return f"{self.pick('exists', 'empty')}({self.sequence(inner)})"
            case 7:
                return f"{self.pick('contains', 'starts-with', 'ends-with')}({self.text(inner)}, {self.text(0)})"
            case 8:
                return self.any(inner)
            case _:
                return (
                    f"({self.value(0)} castable as xs:{self.pick('double', 'integer', 'decimal', 'boolean', *KINDS)})"
                )

    def query(self) -> str:
        """A query that uses them in one of the places where they stand."""
        depth = self.random.randrange(1, 4)
        match self.random.randrange(7):
            case 0:
                return f"for $p in /d/r return <o>{{ {self.any(depth)} }}</o>"
            case 1:
                return f"for $p in /d/r where {self.truth(depth)} return <o>{{ $p/a }}</o>"
            case 2:
                return f"for $p in /d/r return <o v='{{ {self.any(depth)} }}'>{{ $p/a }}{{ {self.any(depth)} }}</o>"
            case 3:
                tests = self.truth(depth), self.truth(depth - 1)
                return (
                    f"for $p in /d/r return if ({tests[0]}) then <x>{{ {self.any(1)} }}</x> "
                    f"else if ({tests[1]}) then <y>{{ $p/b }}</y> else <z>{{ {self.any(1)} }}</z>"
                )
            case 4:
                value = self.any(depth)
                self.variables.append("$v")
                found = f"let $v := {value} where {self.truth(1)} return <o v='{{ {self.any(1)} }}'>{{ $v }}</o>"
                self.variables.pop()
                return f"for $p in /d/r {found}"
            case 5:
                return f"<all>{{ for $p in //r return <o>{{ {self.any(depth)}, {self.any(1)} }}{{ $p/c }}</o> }}</all>"
            case _:
                return (
                    f"for $p in /d/r return <o>{{ for $x in ({self.any(1)}, {self.any(1)}) return "
                    f"<i>{{ $x }}</i>, switch (string($p/a)) case 'abc' case '1' return {self.any(1)} "
                    f"default return {self.any(1)} }}</o>"
                )


def record(random: Random) -> str:
    """One record; most children are there once."""

    def some(name: str) -> str:
        number = random.choice((1, 1, 1, 1, 0, 2))
        return "".join(f"<{name}>{random.choice(NASTY)}</{name}>" for _ in range(number))

    attribute = f' k="{random.choice(NASTY)}"' if random.random() < 0.7 else ""
    nested = f"<n>{some('a')}</n>" if random.random() < 0.5 else ""
    return f"<r{attribute}>{some('a')}{some('b')}{nested}{some('c')}</r>"
