"""Aggregates of groups while records pass: the answers are those of the tree, and tuples are not kept."""

from __future__ import annotations

from random import Random

import pytest
import xylem
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.plan.scan_table import ScanTable
from xylem.source.kernel import is_kernel_built
from xylem.source.limits import Limits

from .compare import from_stream, from_tree, written

SOURCES = ("/s/p", "//p", "/s/p[v > 1]", "/s/p[@id]", "/s/*", "/s/p/v", "//p[c]", "/s/p[exists(w)]/v")
LETS = ("$p/v", "number($p/v[1])", "$p/@id", "string($p)", "1 + count($p/v)", "$p")
KEYS = (
    "$p/c", "string($p/c[1])", "$p/@id", "number($p/v[1])", "xs:integer($p/@id)", "count($p/v)", "$p/c = '1'",
    "name($p)", "round(number($p/c[1]))", "()", "$l", "if ($p/@id) then $p/@id else 'none'",
)  # fmt: skip
VALUES = (
    "$p", "$p/v", "$p/v[. > 1]", "$p[v]", "$p/@id", "$p ! number(v[1])", "$p/v/number()", "$p//v", "$l", "$p ! (v, w)",
    "for $x in $p where $x/v return $x/w", "$p/(count(v) * 2)", "$p/v[1]", "$p[@id = '1']/w", "$p/string(c[1])",
    "$p[1]",
)  # fmt: skip
FUNCTIONS = ("count", "sum", "avg", "min", "max", "exists", "empty", "distinct-values", "string-join")


def random_document(chance: Random) -> str:
    def value() -> str:
        return chance.choice(["x", "", "NaN", "2.50", "01"]) if chance.random() < 0.2 else str(chance.randrange(6))

    def item(depth: int) -> str:
        parts = [f"<{name}>{value()}</{name}>" for name in "cvvw" if chance.random() < 0.7]
        if depth < 3 and chance.random() < 0.15:
            parts.append(item(depth + 1))
        chance.shuffle(parts)
        own = f" id='{chance.randrange(4)}'" if chance.random() < 0.7 else ""
        return f"<p{own}>{''.join(parts)}</p>"

    return f"<s>{''.join(item(0) for _ in range(chance.randrange(14)))}</s>"


def random_query(chance: Random) -> str:
    def aggregate() -> str:
        return f"{chance.choice(FUNCTIONS)}({chance.choice(VALUES)})"

    where = f" where {chance.choice(['$p/v > 1', '$l = 2'])}" if chance.random() < 0.3 else ""
    keys = ", ".join(f"$k{n} := {chance.choice(KEYS)}" for n in range(chance.choice((1, 1, 2))))
    tests = f" where {aggregate()} = {aggregate()}"
    behind = chance.choice(("", tests, " order by string($k0)", " order by count($p)"))
    result = chance.choice(
        (f"<g k='{{ $k0 }}'>{{ {aggregate()}, {aggregate()} }}</g>", f"($k0, {aggregate()})", "$k0",
         f"if (count($p) > 1) then {aggregate()} else 'few'", f"try {{ {aggregate()} }} catch * {{ $err:code }}")
    )  # fmt: skip
    loop = f"for $p in {chance.choice(SOURCES)} let $l := {chance.choice(LETS)}{where}"
    return f"{loop} group by {keys}{behind} return {result}"


def is_folded(query: str) -> bool:
    return any("fold_groups" in told for told in compile_stream(query, StaticEnvironment()).plan.fusions)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.share(2)
def test_random_groups(seed: int) -> None:
    chance = Random(seed)
    folded = 0
    for _ in range(25):
        query, document = random_query(chance), random_document(chance)
        folded += is_folded(query)
        expected = from_tree(query, document.encode())
        try:
            found = written(xylem.compile(query).stream(document.encode()).xdm())
        except XylemError:
            assert expected.error, query
        else:
            assert found == expected.text, f"{query}\n{document}"
    assert folded > 12


@pytest.mark.parametrize("values", ["count($p)", "sum($p/v), avg($p/v)", "max($p/v), count($p[v > 3])"])
def test_what_is_kept_grows_with_the_groups_alone(values: str) -> None:
    query = f"for $p in /s/p group by $k := $p/c order by $k return <g k='{{ $k }}'>{{ {values} }}</g>"
    peaks = []
    for number in (200, 4000):
        text = "".join(f"<p><c>{i % 5}</c><v>{i}</v></p>" for i in range(number))
        result = xylem.compile(query).stream(f"<s>{text}</s>".encode())
        list(result)
        peaks.append(result.statistics.peak_buffered_bytes)
    assert peaks[0] == peaks[1] < 5000


def test_different_values_of_groups_count_for_the_limit() -> None:
    text = "".join(f"<p><c>{i % 2}</c><v>value {i}</v></p>" for i in range(20_000))
    query = xylem.compile("for $p in /s/p group by $k := $p/c return count(distinct-values($p/v))")
    with pytest.raises(XylemError) as caught:
        list(query.stream(f"<s>{text}</s>".encode(), limits=Limits(buffered_bytes=100_000)))
    assert caught.value.code == "XYDY0005"


def test_a_key_of_two_values_is_an_error() -> None:
    query = "for $p in /s/p group by $k := $p/c return count($p)"
    assert is_folded(query)
    with pytest.raises(XylemError) as caught:
        list(xylem.compile(query).stream(b"<s><p><c>1</c></p><p><c>1</c><c>2</c></p></s>"))
    assert caught.value.code == "XPTY0004"


@pytest.mark.parametrize(
    "words",
    [
        "//t ! tokenize(normalize-space(.), ' ')",
        "//t/tokenize(.)",
        "//t/string()",
        "//t ! string-length(.)",
        "//@n",
        "//t/@n ! (. * 2)",
        "//t/data()",
        "//t/text()",
        "for $x in //t return upper-case($x)",
        "(for $x in //t where $x/@n return $x/@n)",
    ],
)
@pytest.mark.parametrize("key", ["lower-case(string($w))", "$w", "string-length(string($w))"])
def test_records_may_be_values_of_nodes(words: str, key: str) -> None:
    query = f"for $w in {words} group by $k := {key} order by string($k) return ($k, count($w), max($w ! string()))"
    document = b"<r><t n='1'>a b A</t><t>b</t><t n='2'>a  c</t><u><t n='1'/></u></r>"
    expected = from_tree(query, document)
    assert not expected.error
    assert written(xylem.compile(query).stream(document).xdm()) == expected.text


def test_explain_says_what_is_kept() -> None:
    told = xylem.compile("for $p in /s/p group by $k := $p/c return ($k, sum($p/v))").explain().to_text()
    assert "holds of each group its keys and aggregates" in told
    assert "sum by group of /s/p" in told
    assert "at most as many as there are groups" in told


@pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")
@pytest.mark.parametrize(
    ("keys", "parts"),
    [
        ("$k := string($p/c)", "count($p), sum($p/v)"),
        ("$k := $p/@id, $l := $p/v mod 2", "avg($p/v), $l"),
        ("$k := round($p/v div 2)", "max($p/(v * 2)), min($p/c)"),
        ("$k := if ($p/v > 2) then 'big' else 'small'", "sum($p/xs:integer(v)), count($p/v[. > 2])"),
    ],
)
def test_the_scan_keeps_groups_by_any_key(keys: str, parts: str) -> None:
    query = f"for $p in /s/p group by {keys} return <g k='{{ $k }}'>{{ {parts} }}</g>"
    program = compile_stream(query, StaticEnvironment())
    assert any(isinstance(step.result, ScanTable) for step in program.scan.steps)
    records = [f"<p id='{n % 3}'><c>{'xy'[n % 2]}</c><v>{n % 5}</v></p>" for n in range(40)]
    # A record that the scan does not decide: it hands over what it has, and the query takes all that comes.
    for odd in ("", "<p><c>x</c><v>1</v><v>9223372036854775807</v></p>", "<p id='1'><c>z</c></p>"):
        document = f"<s>{''.join(records[:20])}{odd}{''.join(records[20:])}</s>".encode()
        expected = from_tree(query, document)
        parts_of = [document[start : start + 100] for start in range(0, len(document), 100)]
        for pieces in ([document], parts_of):
            found = from_stream(program, pieces, scanner="kernel")
            assert (found.text, found.error) == (expected.text, expected.error)


@pytest.mark.parametrize(
    "query",
    [
        "for $b in /s/p for $c in $b/v group by $k := string($c) return $k",
        "for $b in /s/p for $c in $b/v group by $k := string($c) order by $k return ($k, count($k))",
        "for $b in /s/p for $c in $b/v let $k := string($c) group by $k return <k>{ $k }</k>",
        "for $b in /s/p for $c in $b/v group by $k := string($c), $l := name($b) return $k || $l",
    ],
)
def test_groups_of_which_only_the_keys_are_asked_for(query: str) -> None:
    document = b"<s><p><v>1</v><v>2</v></p><p><v>2</v></p><p/></s>"
    assert written(xylem.compile(query).stream(document).xdm()) == from_tree(query, document).text


@pytest.mark.parametrize(
    "query",
    [
        "for $a in /s/p group by $k := 1 return <r>{ count($a/..), $a/.. }</r>",
        "for $a in /s/p order by $a/v[1] group by $k := count($a/v) return count($a/parent::s)",
        "for $a in /s/p where $a/.. group by $k := name($a/..) return ($k, count($a/..), count($a))",
        "for $a in /s/p/v group by $k := string($a) return <k>{ count($a/ancestor::s), count($a/..) }</k>",
    ],
)
def test_items_of_a_group_may_have_one_parent(query: str) -> None:
    document = b"<s><p><v>1</v><v>2</v></p><p><v>2</v><v>2</v></p><p/></s>"
    assert written(xylem.compile(query).stream(document).xdm()) == from_tree(query, document).text
