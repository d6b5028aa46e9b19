"""Predicates on elements of any name, and on positions: what streams is what the tree says, however the input comes."""

from __future__ import annotations

from random import Random

import pytest

from .compare import SCANNERS, from_stream, from_tree, stream_program, written_as_events

NESTED = b"""<r id="0"><a id="1" k="x"><b>7</b><n>one</n><a id="2"><n>two</n><b>8</b><c/></a><n>after</n></a>
<a><n>three</n><a id="3"><a id="4" k=""><c>7</c></a><b>7</b></a><b>no</b></a><b id="5">7<b>7</b></b>
<n>4<n>4</n><b>7</b></n><c id="6"><n/><n><b>9</b></n><b/></c><n>last</n><b>7</b></r>"""
FLAT = b"<r>" + b"".join(b'<i id="i%d"><n>%d</n><b>%d</b></i>' % (n, n % 5, n % 3) for n in range(12)) + b"</r>"
WITH_NAMESPACES = (
    b"<p:r xmlns:p='u'><p:a p:id='1'><p:b>7</p:b><n>1</n></p:a><a xmlns='v' id='2'><b>7</b><n>2</n></a><a/></p:r>"
)
DOCUMENTS = {"nested": NESTED, "flat": FLAT, "small": b"<r/>", "namespaces": WITH_NAMESPACES}

TESTS = (
    "[b]",
    "[b = 7]",
    "[b = '7']",
    "[not(b)]",
    "[b and c]",
    "[b or @k]",
    "[.//b = '7']",
    "[n][b]",
    "[n/b]",
    "[count(*) > 2]",
    "[count(n) = 0]",
    "[count(b) >= 1]",
    "[sum(b) = 0]",
    "[b = n]",
    "[contains(n, 'o')]",
    "[starts-with(@k, 'x')]",
    "[@id and b]",
    "[@id][n]",
    "[exists(@k)]",
    "[@id != '1']",
    "[starts-with(name(), 'a')]",
    "[. = '7']",
    "[text() = '7']",
    "[empty(n)]",
    "[not(*)]",
    "[not(@id)][n]",
    "[empty(*/b)]",
    "[*/b = '7']",
    "[1]",
    "[2][b]",
    "[position() < 3]",
    "[position() > 1 and position() <= 3]",
    "[2 <= position()]",
    "[position() mod 2 = 0]",
    "[1][self::a]",
    "[self::a][1]",
    "[@id][1]",
    "[0]",
    "[b][1]",
)
RESULTS = ("", "/n", "/@id", "//n/text()", "/*[n]/b", "/*[1]/name()")


def chunks(document: bytes, seed: int) -> list[bytes]:
    random = Random(seed)
    places = sorted(random.randrange(len(document)) for _ in range(random.randrange(6)))
    return [document[a:b] for a, b in zip([0, *places], [*places, len(document)], strict=True)]


@pytest.mark.parametrize(
    ("base", "test"), [*(("//*", test) for test in TESTS), *(("//a", test) for test in TESTS[1::4])]
)
@pytest.mark.share(2)
def test_the_stream_says_what_the_tree_says(base: str, test: str) -> None:
    for number, result in enumerate(RESULTS):
        query = base + test + result
        program = stream_program(query)
        if program is None:
            continue
        for name, document in list(DOCUMENTS.items())[:: 1 + 2 * (number % 2)]:
            expected = from_tree(query, document)
            as_xml = from_tree(query, document, as_xml=True)
            for scanner in SCANNERS:
                pieces = chunks(document, number)
                assert from_stream(program, pieces, scanner) == expected, (query, name, scanner)
                if not expected.error:
                    assert written_as_events(program, pieces, scanner) == as_xml, (query, name, scanner)


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize(
    "query",
    [
        "count(//*[@id])",
        "count(//*[b = 7])",
        "count(//b[. = '7'])",
        "distinct-values(//@id)",
        "distinct-values(//*[n]/@id)",
        "count(//@id)",
        "count(//*[not(*)])",
        "count(//*[not(@id)])",
        "count(//*[not(b)][n])",
        "count(//a[b][not(text())])",
        "for $x in //a where not($x/@k) return <o>{ $x/n }</o>",
        "for $x in //c return <o>{ if (not($x/n)) then $x/@id else $x/n }</o>",
        "for $x at $i in //*[b] return ($i, name($x))",
        "for $x at $i in //a[1] return ($i, $x/@id/string())",
        "for $x in //*[1] where $x/self::a return $x/@id/string()",
        "for $x in //* where $x/@id and $x/b return <o>{ $x/@id }</o>",
        "<o>{ //*[b]/@id }{ //n }</o>",
        "(//*[b]/n)[2]",
        "head(//*[n]/@id/string())",
        "exists(//*[c]/b)",
        "sum(//b[1][. castable as xs:integer])",
        "string-join(//n[1], '|')",
        "count(//n[1])",
        "//a[n[1] = 'two']/@id/string()",
        "//*[b]/*[c]/@id/string()",
        "//*[b[1] = 7]/n[1]",
        "for $t in //text() where $t = '7' return <t>{ $t }</t>",
    ],
)
def test_other_uses(query: str, scanner: str) -> None:
    program = stream_program(query)
    assert program is not None
    for seed, document in enumerate(DOCUMENTS.values()):
        assert from_stream(program, chunks(document, seed), scanner) == from_tree(query, document)


def test_elements_without_what_is_asked_for_are_never_seen() -> None:
    steps = {query: stream_program(query) for query in ("//*[b = '7']/n", "//*[b]/@id", "//*[b]/n")}
    for query, program in steps.items():
        assert program is not None
        assert any(step.late for step in program.scan.steps), query
    # Without b it may hold, and what it gives may be asked for of any element: all are told.
    for query in ("//*[not(b)]/@id", "//*[position() mod 2 = 0]/n"):
        program = stream_program(query)
        assert program is not None
        assert not any(step.late for step in program.scan.steps), query
