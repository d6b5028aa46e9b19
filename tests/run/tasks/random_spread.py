"""Random queries and documents for distribution: loops with every clause over documents that are hard to cut.

Documents nest elements in others of their name, hide tags in comments, CDATA sections and processing instructions, and
declare namespaces, languages and entities on the way. Queries are put together of paths, clauses and results that all
read the same few names, so that most of them have something to say.
"""

from __future__ import annotations

from random import Random

NAMES = ("x", "x", "y", "g")
TEXTS = (
    "",
    "1",
    "2",
    "10",
    "é€",
    "a b",
    "&lt;x/&gt;",
    "<![CDATA[</x><x>]]>",
    "<!-- <x n='9'/> -->",
    "<?x <x/>?>",
    "&e;",
)
AROUND = ("", "", "", " xmlns:p='urn:p'", " xmlns='urn:d'", " xmlns=''", " xml:lang='en'", " xml:base='b/'", " k='1'")
DTD = "<!DOCTYPE r [<!ENTITY e '<x n=\"3\">in</x>'><!ATTLIST y kind CDATA 'some'>]>\n"
ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16")

ITEMS = ("//x", "//y", "/r/x", "/r/*", "//g/x", "//x/y", "//*:x", "//x[@n]", "//*[@n]", "/r/g//x", "//x[y]", "/r/g")
NUMBERS = ("xs:integer({v}/@n)", "count({v}/*)", "string-length({v})", "count({v}/ancestor::*)", "sum({v}//@n)")
STRINGS = (
    "name({v})",
    "string({v}/@n)",
    "string({v})",
    "name({v}/..)",
    "{v}/@id/string()",
    "string-join({v}//x/@n, '.')",
)
TESTS = (
    "{v}/@n",
    "{v}/@n > 1",
    "not({v}/@n = 2)",
    "{v}/x or {v}/y",
    "some $q in {v}/* satisfies $q/@n = {v}/@n",
    "{v}/ancestor::g",
    "lang('en', {v})",
    "{v}/@n = //y/@n",
    "{v}/@n >= avg(//x/@n)",
)
STEPS = ("@*", "string()", "node()", "..", "ancestor::*", "following-sibling::*[1]", "x[last()]", "path()")
AGGREGATES = (
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "exists",
    "empty",
    "string-join",
    "distinct-values",
    "head",
    "reverse",
)


def document(random: Random) -> bytes:
    """A document, in one encoding or another."""
    numbers = iter(range(1, 10_000))
    inside = "".join(_element(random, 0, numbers) + random.choice(TEXTS[:-1]) for _ in range(random.randint(0, 7)))
    has_entities = random.random() < 0.3
    text = f"{DTD if has_entities else ''}<r v='0'{random.choice(AROUND)}>{inside}</r>\n<!-- <x/> -->"
    return (text if has_entities else text.replace("&e;", "e")).encode(random.choice(ENCODINGS))


def _element(random: Random, depth: int, numbers: object) -> str:
    name = random.choice(NAMES)
    marks = f" id='i{next(numbers)}'"  # type: ignore[call-overload]
    if random.random() < 0.7:
        marks += f" n='{random.choice((1, 2, 2, 3, 10))}'"
    below = range(random.randint(0, 3) if depth < 3 else 0)
    inside = "".join(random.choice(TEXTS) + _element(random, depth + 1, numbers) for _ in below)
    return f"<{name}{marks}{random.choice(AROUND)}>{inside}{random.choice(TEXTS)}</{name}>"


def query(random: Random) -> str:
    """A query; most can be spread."""
    made = random.choice((_loop, _loop, _loop, _joined, _aggregate, _path, _framed, _windowed, _divided))(random)
    return random.choice(("", "", "", "", "declare ordering unordered; " if "order by" in made else "")) + made


def _value(random: Random, variable: str) -> str:
    return random.choice((*NUMBERS, *STRINGS)).format(v=variable)


def _test(random: Random, variable: str) -> str:
    return random.choice(TESTS).format(v=variable)


def _result(random: Random, variables: list[str]) -> str:
    one = random.choice(variables)
    return random.choice(
        (
            f"<e>{{ {', '.join(_value(random, variable) for variable in variables)} }}</e>",
            f"<e a='{{ {_value(random, one)} }}'>{{ {one} }}</e>",
            f"({_value(random, one)}, {one}/@n/string())",
            one,
            f"{one}/@n",
            f"map {{ 'a': {_value(random, one)}, 'b': [ {one}/@n/string() ] }}?a",
            f"if ({_test(random, one)}) then {_value(random, one)} else {one}/y",
            f"try {{ xs:integer({one}/@id) }} catch * {{ {_value(random, one)} }}",
            f"typeswitch ({one}) case element(x) return 'x' default return {_value(random, one)}",
            f"element {{ node-name({one}) }} {{ {one}/@*, {_value(random, one)} }}",
            f"string-join(for $i in 1 to count({one}/*) return name({one}/*[$i]), '/')",
        )
    )


def _loop(random: Random) -> str:
    position = random.choice(("", "", "", " at $p"))
    clauses = [f"for $a{position} in {random.choice(ITEMS)}"]
    variables = ["$a"]
    tail = "return "
    if random.random() < 0.3:
        clauses.append(
            f"for $b{random.choice(('', ' allowing empty', ' at $q'))} in $a/{random.choice(('x', '*', 'y', './/x'))}"
        )
        variables.append("$b")
    if random.random() < 0.4:
        clauses.append(f"let $l := {_value(random, '$a')}")
    if random.random() < 0.5:
        clauses.append(f"where {_test(random, '$a')}")
    if random.random() < 0.2:
        clauses.append("count $c")
        clauses.append(random.choice(("where $c < 4", "where $c mod 2 = 1", "")))
        tail = "return ($c, "
    if random.random() < 0.3:
        clauses.append(f"group by $k := {_value(random, '$a')}")
        if random.random() < 0.5:
            clauses.append("order by $k" if random.random() < 0.7 else "order by count($a) descending, $k")
        result = random.choice(("count($a)", "$a/@id/string()", "sum($a/@n)", "$a", "string-join($a/@id, ',')"))
        return " ".join(clauses) + f" return <k k='{{ $k }}'>{{ {result} }}</k>"
    if random.random() < 0.4:
        modifier = random.choice(("", " descending", " empty greatest", " descending empty least"))
        clauses.append(f"{random.choice(('', 'stable '))}order by {_value(random, '$a')}{modifier}, $a/@id")
    result = _result(random, variables)
    if position and random.random() < 0.7:
        result = f"($p, {result})"
    return " ".join(clauses) + f" {tail}{result}{')' if tail.endswith('(') or '(' in tail else ''}"


def _joined(random: Random) -> str:
    left, right = random.choice(ITEMS), random.choice(ITEMS)
    test = random.choice(("$a/@n = $b/@n", "$a/@n eq $b/@n", "$b/@id = $a/@ref", "$a/@n < $b/@n", "string($a) = $b/@n"))
    return random.choice(
        (
            f"for $a in {left} for $b in {right} where {test} return concat($a/@id, '-', $b/@id)",
            f"for $a in {left} let $m := {right}[@n = $a/@n] return <m>{{ $a/@id, count($m), $m/@id/string() }}</m>",
            f"for $a in {left} where some $b in {right} satisfies {test} return {_result(random, ['$a'])}",
            f"{left}[@n = {right}/@n]/@id/string()",
            f"for $k in distinct-values({left}/@n) return <k>{{ $k, count({left}[@n = $k]) }}</k>",
            f"for $a in {left}, $b in {right} where {test} order by $b/@id, $a/@id return <p>{{ $a/@id, $b/@n }}</p>",
            f"for $a in {left}, $b in {right} where {test} group by $k := name($b) return <p>{{ $k, count($a) }}</p>",
        )
    )


def _aggregate(random: Random) -> str:
    function = random.choice(AGGREGATES)
    argument = random.choice(
        (random.choice(ITEMS) + "/@n", _loop(random), random.choice(ITEMS), random.choice(ITEMS) + "/name()")
    )
    return f"{function}(({argument}))"


def _path(random: Random) -> str:
    base = random.choice(ITEMS)
    return random.choice(
        (
            f"{base}/{random.choice(STEPS)}",
            f"({base})[position() le {random.randint(1, 4)}]/@id/string()",
            f"({base})[last()]/name()",
            f"{base} ! ({_value(random, '.')}, position())",
            f"{base} | {random.choice(ITEMS)}",
            f"{base}[{_test(random, '.')}]",
            f"{base}[{random.choice(('1', '2', 'last()', 'position() > 1'))}]/@id/string()",
            f"subsequence({base}, {random.randint(1, 3)}, 2)",
            f"fold-left({base}/@n, 0, function($s, $i) {{ $s * 2 + $i }})",
            f"sort({base}, (), function($i) {{ $i/@n/number() }}) ! string(@id)",
        )
    )


def _framed(random: Random) -> str:
    first, second = (
        random.choice((_loop, _aggregate, _path))(random),
        random.choice((_loop, _aggregate, _joined))(random),
    )
    return random.choice(
        (
            f"<r n='{{ count({random.choice(ITEMS)}) }}'>{{ {first} }}<s/>{{ {second} }}</r>",
            f"({first}), ({second})",
            f"let $s := ({first}) return (count($s), {second})",
            f"if (count({random.choice(ITEMS)}) > {random.randint(0, 5)}) then ({first}) else ({second})",
            f"[ ({first}) ], map {{ 'k': ({second}) }}",
            f"try {{ {first} }} catch * {{ 'failed' }}",
            f"declare variable $v := {random.choice(ITEMS)}; "
            f"declare function local:f($i) {{ {_value(random, '$i')} }}; "
            f"($v ! local:f(.), {second})",
        )
    )


def _windowed(random: Random) -> str:
    start = random.choice(("start $s when true() end $e next $n when $n/@n != $e/@n", "start at $i when $i mod 2 = 1"))
    kind = random.choice(("tumbling", "tumbling", "sliding"))
    if kind == "sliding":
        start = "start at $i when true() only end at $j when $j - $i = 1"
    return f"for {kind} window $w in {random.choice(ITEMS)} {start} return <w>{{ count($w), $w/@id/string() }}</w>"


def _divided(random: Random) -> str:
    parts = [
        random.choice(
            ("count($g//x)", "sum($g//@n)", "string-join($g/x/@id, ',')", "max($g//@n)", "exists($g/y)", "name($g)")
        )
        for _ in range(random.randint(1, 3))
    ]
    return f"for $g in {random.choice(('/r', '/r/*', '//g', '//x'))} return concat({', '.join(parts)}, '', $g/@id)"
