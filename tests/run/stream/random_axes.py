"""Random queries that look up and sideways, and random documents whose elements nest in every way."""

from __future__ import annotations

from random import Random

_TESTS = """
../m = '1'; parent::*/m = '1'; parent::b/m = '1'; ../@x = '1'; ../../m = '1'; ../../@x = '1'; ancestor::b/@x = '1';
ancestor::b/m = '1'; ancestor-or-self::*/@x = '2'; ancestor-or-self::b/m = '1'; not(../m = '1'); not(ancestor::b);
ancestor::b[m]; parent::b[@x = '1']; exists(../m); count(ancestor::*) = 2; ../m = '1' and @x = '1'; @y or ../@x;
..//c = '1'; parent::c or parent::b; ancestor::*[@x = '1']/m; name(..) = 'b'; count(../a) = 1; parent::b[m = '1']/a;
not(parent::b/m = '1'); ../b; ancestor::b/c/m = '2'; ../c/@x = '1'; ../m = ../c; ../m = 'x' or ../c;
preceding-sibling::a; preceding-sibling::b[1]; count(preceding-sibling::c) = 1; following-sibling::m = '1';
not(preceding-sibling::a); preceding-sibling::*[1][self::b]; preceding-sibling::b[1]/@x = '1';
following-sibling::*[1][self::a]; exists(preceding-sibling::b); empty(preceding-sibling::c);
preceding-sibling::m[1] = '1'; position() = 1 to 2; position() = (1, 3);
preceding-sibling::*[1]/@x = '1'; preceding-sibling::*[self::a or self::m][1][self::m]; following-sibling::*[2]/@y;
following-sibling::b; empty(following-sibling::*); following-sibling::c[1]/@x = preceding-sibling::b[1]/@x;
count(preceding-sibling::*) > 1; count(preceding-sibling::b[@x = '1']) = 1; preceding-sibling::b[@x = '1'][1]/@y = '1';
following-sibling::m[@x][1] = '1'; preceding-sibling::a[2]; preceding-sibling::a and following-sibling::a;
head(following-sibling::b)/@x; (preceding-sibling::b)[last()]/@x = '2'; following-sibling::*[1][self::c]/m
"""
TESTS = [test.strip() for test in _TESTS.split(";")]
HEADS = ["//a", "//b/a", "/*/a", "//c//a", "/*/b/a", "//*", "//b", "/a//b", "//text()", "//b/comment()"]
TAILS = [
    *("/c", "/@x", "//m", "/..", "/../c", "/../@y", "/parent::b/m", "/ancestor::b/c", "/text()", "/comment()"),
    *("/following-sibling::a[1]", "/preceding-sibling::b[1]", "/following-sibling::c", "/preceding-sibling::c"),
    *("/following-sibling::b[1][@x]/m", "/preceding-sibling::*[1][self::c]", "/following-sibling::*[1][self::a]/@y"),
    *("/preceding-sibling::a[2]/@x", "/following-sibling::*[self::a or self::b][1]", "/following-sibling::c[2]"),
    *("/ancestor::b/@x", "/following-sibling::*[1]", "/preceding-sibling::*[1]", "/following-sibling::b[1]/@x"),
]
NEAR = [
    *("preceding-sibling::*[1]/name()", "following-sibling::*[1]/name()", "following-sibling::b[1]"),
    "preceding-sibling::c",
    *("preceding-sibling::b[1]/@x/string()", "following-sibling::m[1]/string()", "preceding-sibling::c[1]/m"),
    *("preceding-sibling::a[@x = '1'][1]", "following-sibling::*[2]/@y", "preceding-sibling::m[1]//text()"),
]
BESIDE = [
    *(
        "../c",
        "../m/string()",
        "../*[2]",
        "../a[last()]/@x",
        "parent::b/m",
        "../c[m]/m",
        "../b[@x = '1'][1]",
        "../*/@y",
    ),
    *("parent::*/c//text()", "../a/name()", "../m[. = '1']", "../c[not(@x)]", "../*[self::a or self::m][last()]"),
    *("../../c", "../../m/string()", "../../c/m", "../../*", "../../../c", "../../b/*/c"),
    *("parent::b/../c", "../../*[1]"),
    *("ancestor::b[1]/c", "ancestor::b[1]/m/c", "ancestor::c[1]/*", "ancestor::a[1]/c[@x]", "ancestor::b[1]/../c"),
]
"""What the parent or another ancestor has in it, in front of the node and behind it."""
KEYS = ["../m", "following-sibling::*[1]/@x", "ancestor::b/@x", "../@x", "preceding-sibling::b[1]", "../../c"]


def random_document(random: Random, depth: int = 0) -> str:
    """A small document of few names, at any depth."""
    attributes = "".join(f' {name}="{random.randrange(3)}"' for name in "xy" if random.random() < 0.4)
    inside = "".join(_child(random, depth + 1) for _ in range(random.randrange(4) if depth < 5 else 0))
    name = random.choice("abcm")
    return f"<{name}{attributes}>{inside}</{name}>"


def _child(random: Random, depth: int) -> str:
    kind = random.randrange(5)
    if kind < 2:
        return random_document(random, depth)
    return (str(random.randrange(3)), "<!--k-->", "<?p q?>")[kind - 2]


def random_query(random: Random) -> str:
    """A path, a count, a loop, a `where` or a `group by` that looks around the nodes of a path."""
    tests = "".join(f"[{random.choice(TESTS)}]" for _ in range(random.choice([0, 1, 1, 1, 2])))
    start = random.choice(HEADS) + tests
    tail = random.choice([*TAILS, *[""] * 8])
    name, other = random.choice("abc*"), random.choice("abc*")
    match random.randrange(14):
        case 0:
            return f"count({start}{tail})"
        case 1:
            return f"for $p in {start} return <r>{{ $p{tail or '/@x'} }}</r>"
        case 2:
            test = random.choice([one for one in TESTS if one.startswith((".", "p", "a")) and "osition()" not in one])
            simple = test if " and " not in test and " or " not in test and "= .." not in test else "../m"
            return f"for $p in {start} where $p/{simple} return <r>{{ $p/@x, $p{tail or '/c'} }}</r>"
        case 3:
            key = f"string-join($p/{random.choice(KEYS)}/string(), ',')"
            return f"for $p in {start} group by $k := {key} return <g k='{{ $k }}'>{{ count($p) }}</g>"
        case 4:
            counted = f"count($p/preceding-sibling::{name})"
            return f"for $p in {start} return <r>{{ $p/@x, {counted}, $p/preceding-sibling::{other}[1]/@x }}</r>"
        case 5:
            near, more = random.choice(NEAR), random.choice(["$p", "$p/@y", "$p/m", "count($p/preceding-sibling::b)"])
            return f"for $p in {start} let $n := $p/{near} return <r>{{ {more}, $n }}</r>"
        case 6:
            near = random.choice(NEAR)
            return f"for $p in {start} where exists($p/{near}) return ($p/@x/string(), string-join($p/{near}, '+'))"
        case 7 | 8 | 9:
            return _beside(random, start)
    return start + tail


def _beside(random: Random, start: str) -> str:
    """A loop over nodes that reads what stands beside them in their parents."""
    one, two = (f"$p/{random.choice(BESIDE)}" for _ in range(2))
    where = random.choice(["", "where $p/m ", "where contains($p, '1') ", f"where exists({two}) ", "where $p/../@x "])
    match random.randrange(6):
        case 0:
            return f"for $p in {start} {where}return ({one}, {two})"
        case 1:
            return f"for $p in {start} {where}return <r>{{ {one} }}{{ $p }}{{ {two} }}</r>"
        case 2:
            return f"for $p in {start} let $u := $p/.. {where}return <r n='{{ count($u/c) }}'>{{ $u/m }}</r>"
        case 3:
            return f"for $p in {start} {where}order by string($p/@x) return ({one})"
        case 4:
            return f"count(for $p in {start} {where}return {one})"
    return f"for $p in {start} {where}return {one}"
