"""Windows over a document that streams by: the answers of its tree, and no more kept than open windows need."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import xylem
from xylem.plan.bounds import GROWING
from xylem.run.stream.program import StreamProgram

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "windows"
LOG = (
    b"<log><e k='a' t='1'/><e k='b' t='2'/><x/><e k='a' t='3'/><e k='a' t='9'/>"
    b"<d><b>1</b><d><b>2</b></d><b>3</b></d><d><b>2</b></d></log>"
)
WINDOWS = "forseq $w in /log/e tumbling window start when true() end position $j when $j mod 2 = 0 return"
STREAMED = [
    "for tumbling window $w in /log/e start $s when true() end next $n when $n/@k ne $s/@k return count($w)",
    "for sliding window $w in /log/e start $s when true() only end $e when $e/@t > $s/@t + 1 "
    "return <w>{ $w/@t/string() }</w>",
    "forseq $w in /log/* landmark window start position $p when $p eq 1 end when true() "
    "return <n>{ $w/@k/string() }</n>",
    "let $k := 'a' for tumbling window $w in /log/e[@k = $k] start when true() end when true() return $w",
    "let $k := 'a' for tumbling window $w in /log/e[@k = 'a'] start when true() end when true() return ($w, $k)",
    "forseq $w in /log/e return string-join($w/@t, '')",
    "declare variable $n := 2; for tumbling window $w in /log/e start at $i when true() end at $j when $j - $i eq $n "
    "return sum($w/@t)",
    "declare function local:f($w) { if (count($w) le 1) then 1 else 1 + local:f(tail($w)) }; "
    "for tumbling window $w in /log/e start at $i when true() end at $j when $j - $i eq 1 return local:f($w)",
    # inside constructors, with clauses before and behind
    "<all>{ for tumbling window $w in /log/e start when true() end when true() return $w }</all>",
    "for $l in /log return <l n='{ name($l) }'>{ forseq $w in $l/e tumbling window start curItem $f when true() "
    "end nextItem $n when $f/@k ne $n/@k where count($w) ge 1 return ($w[1]/@k/string(), count($w)) }</l>",
    "for tumbling window $w in /log/e start $s when true() end when true() order by $s/@t descending "
    "return $s/@t/string()",
    "for tumbling window $w in /log/e start $s when true() end when true() group by $k := $s/@k return "
    "<k>{ count($w) }</k>",
    "for tumbling window $w in /log/e start $s when true() end when true() count $c return <c>{ $c }</c>",
    "1, forseq $w in /log/e tumbling window start when true() end when true() return 2, <x>{ 3, for "
    "tumbling window $v in "
    "/log/x start when true() end when true() return 4 }</x>",
    "if (/log/@none) then 'none' else forseq $w in /log/e tumbling window start when true() end when "
    "true() return $w/@t/string()",
    # with a value of the whole, which an earlier pass finds
    "for tumbling window $w in /log/e start when true() end when true() return count(/log/x)",
    # over what is tested, below anything, mapped or made
    "for tumbling window $w in /log/e[@t > 1] start when true() end at $j when $j mod 2 = 0 return <w>{ $w }</w>",
    "for tumbling window $w in /log/d[b = 2] start when true() end at $j when $j mod 2 = 0 return sum($w/b)",
    "for tumbling window $w in //e start when true() end when true() return $w",
    "<r>{ for sliding window $w in //d start at $i when true() only end at $j when $j - $i = 1 return "
    "<w>{ $w/b }</w> }</r>",
    "for tumbling window $w in //d//b start when true() end at $j when $j mod 2 = 0 return string-join($w, '+')",
    "for tumbling window $w in /log/e/@t start when true() end at $j when $j mod 2 = 0 return sum($w)",
    "for tumbling window $w in /log/d/b/text() start when true() end at $j when $j mod 2 = 0 return "
    "string-join($w, '+')",
    "for tumbling window $w in /log/e/number(@t) start $a when true() end next $b when $b - $a > 1 return avg($w)",
    "for tumbling window $w in (for $e in /log/e where $e/@k = 'a' return <x t='{ $e/@t }'/>) start when true() "
    "end at $j when $j mod 2 = 0 return <w>{ $w }</w>",
    "forseq $v in (forseq $w in /log/e tumbling window start when true() end position $j when $j mod 2 = 0 "
    "return count($w)) tumbling window start when true() end position $j when $j mod 2 = 0 return sum($v)",
    # what is asked of their results
    *(
        query.replace("WINDOWS", WINDOWS)
        for query in (
            "max(WINDOWS sum($w/@t))",
            "<r>{ count(WINDOWS $w), avg(WINDOWS $w[1]/@t) }</r>",
            "let $r := WINDOWS <x>{ $w }</x> return <all>{ $r }</all>",
            "let $r := WINDOWS count($w) return (count($r), sum($r))",
            "subsequence(WINDOWS $w[1]/@t/string(), 2, 1), (WINDOWS $w[1])[1]",
            "string-join(WINDOWS $w[1]/@k, '-')",
            "reverse(WINDOWS $w/@t/string())",
            "count(distinct-values(WINDOWS $w/@k))",
            "some $n in (WINDOWS sum($w/@t)) satisfies $n > 5",
            "(WINDOWS sum($w/@t)) ! (. + 1)",
            "for $n at $i in (WINDOWS sum($w/@t)) where $n > 1 return <n i='{ $i }'>{ $n }</n>",
            "if (exists(WINDOWS $w[@t = 9])) then 'yes' else 'no'",
            "1 + sum(WINDOWS count($w))",
            "for $l in /log return <x>{ min(WINDOWS sum($w/@t)), 7 }</x>",
        )
    ),
    # as items arrive
    "for tumbling window $w in /log/e start when true() end when false() return for $x at $i in $w "
    "return <y>{ $i, $x }</y>",
    "for tumbling window $w in /log/e start $s when true() end next $n when $n/@k ne $s/@k return $w",
    # data windows
    "for $w in /log/e[@k = 'a']|count 2 step 1| return <w>{ $w/@t/string() }</w>",
    "for $w in //d|count 2| return <w>{ $w/b }</w>",
    "for $w in /log/e[@k = 'a']|@t diff 2 step 1| return <w>{ $w/@t/string() }</w>",
    # steps and conditions on results, each asked when it comes
    f"({WINDOWS} <w>{{ $w }}</w>)/e/@t/string()",
    f"({WINDOWS} <w>{{ $w }}</w>)//@k/string()",
    f"count(({WINDOWS} <w>{{ $w }}</w>)[e/@k = 'b']/e)",
    f"({WINDOWS} <w>{{ $w }}</w>)[2]/e",
    f"<o>{{ ({WINDOWS} sum($w/@t))[. > 3] }}</o>",
    # in functions
    f"declare function local:f($s as element()*) as item()* {{ {WINDOWS.replace('/log/e', '$s')} count($w) }}; "
    "<o>{ local:f(/log/e) }</o>",
    f"declare function local:f($s as element(e)*) as element(w)* {{ {WINDOWS.replace('/log/e', '$s')} "
    "<w>{ $w }</w> }; local:f(/log/e)[e/@k = 'a']/e",
    # conditions that read values which an earlier pass finds
    "let $n := count(/log/e) for tumbling window $w in /log/e start $a when true() end at $j when $j = $n "
    "return count($w)",
    "let $n := max(/log/e/@t) for sliding window $w in /log/e start $a when $a/@t < $n end $b when $b/@t = $n "
    "return $a/@t/string()",
]
OTHERS = [
    "let $n := count(/log/e) for $e in /log/e group by $k := string($e/@k) return <g>{ $k, $e, count($e) = $n }</g>",
    # the input is needed once for each key, or each round
    "for $u in distinct-values(/log/e/@k) forseq $w in /log/e[@k = $u] tumbling window start when true() "
    "end when true() return count($w)",
    "for $i in (1, 2) for tumbling window $w in /log/e start when true() end when true() return $i + count($w)",
    # it looks around an item
    "for tumbling window $w in /log/e start when true() end when true() return count($w/following-sibling::*)",
    "for tumbling window $w in /log/e start when true() end when true() return $w/../@none",
    "for tumbling window $w in /log/e start when true() end when true() return name(root($w)/*)",
    "for tumbling window $w in reverse(/log/e) start when true() end when true() return $w/@t/string()",
    "for tumbling window $w in (/log/e, /log/x) start when true() end when true() return name($w)",
]


def program_of(query: str) -> StreamProgram:
    return xylem.compile(query).stream(LOG)._program


def text(pieces: list[bytes]) -> str:
    return b"".join(pieces).decode()


@pytest.mark.parametrize("query", STREAMED)
def test_the_answer_is_that_of_the_tree(query: str) -> None:
    check_streamed(query)


def check_streamed(query: str) -> None:
    """Items of the input are given to windows, in whatever pieces it comes, and the answer is that of the tree."""
    compiled = xylem.compile(query)
    expected = str(compiled.run(xylem.parse(LOG)))
    for size in (1000, 11, 3):
        pieces: list[bytes] = []
        streamed = compiled.stream(LOG[start : start + size] for start in range(0, len(LOG), size))
        assert streamed._program.feeds_windows
        streamed.write_to(pieces.append)
        assert text(pieces) == expected


@pytest.mark.parametrize("query", OTHERS)
def test_what_must_be_kept_is_told(query: str) -> None:
    check_kept(query)


def check_kept(query: str) -> None:
    """What the windows go over is kept, or the query refused; the answer is that of the tree."""
    compiled = xylem.compile(query)
    try:
        streamed = compiled.stream([LOG])
    except xylem.StaticError as refused:
        assert refused.code == "XYST0004"  # noqa: PT017
        return
    assert GROWING & {buffer.bound for buffer in streamed.account.buffered}
    pieces: list[bytes] = []
    streamed.write_to(pieces.append)
    assert text(pieces) == str(compiled.run(xylem.parse(LOG)))


PEAK = """
import resource, sys, xylem

def log(count):
    yield b"<log>"
    for number in range(count):
        yield b"<e t='%d'><user>u%d</user><text>some words that nobody reads</text></e>" % (number, number % 7)
    yield b"</log>"

query = xylem.compile(
    "for sliding window $w in /log/e start $s when true() only end $e when $e/@t - $s/@t ge 5 "
    "return <w from='{ $s/@t }'>{ $w/user }</w>"
)
print(sum(1 for _ in query.stream(log(int(sys.argv[1])))), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_of(count: int) -> int:
    """Kilobytes of memory at most, in a process of its own."""
    ended = subprocess.run([sys.executable, "-c", PEAK, str(count)], capture_output=True, text=True, check=True)
    results, peak = map(int, ended.stdout.split())
    assert results == count - 5
    return peak


@pytest.mark.turns("memory")
def test_memory_does_not_grow_with_the_input() -> None:
    assert peak_of(40_000) < peak_of(8_000) + 4_000


def test_results_come_while_the_input_is_read() -> None:
    read: list[int] = []

    def pieces() -> Iterator[bytes]:
        yield b"<log>"
        for number in range(1000):
            read.append(number)
            yield b"<e t='%d'/>" % number * 1000
        yield b"</log>"

    query = "for tumbling window $w in /log/e start at $i when true() end at $j when $j - $i eq 9 return count($w)"
    found = iter(xylem.compile(query).stream(pieces()))
    assert next(found) == 10
    assert len(read) < 1000


@pytest.mark.parametrize(
    ("query", "most"),
    [
        (f"head({WINDOWS} count($w))", 3),
        (f"<r>{{ subsequence({WINDOWS} count($w), 1, 2) }}</r>", 5),
        (f"for $l in /log return <l>{{ ({WINDOWS.replace('/log', '$l')} count($w))[2] }}</l>", 5),
        (f"exists({WINDOWS} $w[@t = 3])", 5),
        (f"head(({WINDOWS} $w)/@t/string())", 3),
        (f"some $n in ({WINDOWS} sum($w/@t)) satisfies $n > 4", 5),
        (f"every $n in ({WINDOWS} sum($w/@t)) satisfies $n < 4", 5),
        (f"({WINDOWS} sum($w/@t)) = 5", 5),
        (f"boolean({WINDOWS} $w)", 3),
        (f"distinct-values({WINDOWS} count($w))", 3),
        (f"string(head({WINDOWS} count($w)))", 3),
        (f"<r n='{{ string-join(subsequence({WINDOWS} string(count($w)), 1, 2)) }}'/>", 5),
        ("for tumbling window $w in /log/e start when true() end when false() return for $x in $w return $x", 2),
    ],
)
def test_no_more_is_read_than_the_answer_needs(query: str, most: int) -> None:
    read: list[int] = []

    def pieces() -> Iterator[bytes]:
        yield b"<log>"
        for number in range(100):
            read.append(number)
            yield b"<e t='%d'/>" % number
        yield b"</log>"

    found = iter(xylem.compile(query).stream(pieces()))
    next(found)
    assert len(read) <= most


def test_a_pipe_that_never_ends() -> None:
    query = "<out>{ for tumbling window $w in //e[s = 500] start at $i when true() end at $j when $j - $i = 1 "
    query += "return <w>{ $w/@t/string() }</w> }</out>"
    command = [sys.executable, "-m", "xylem", "run", "-q", query, "-i", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        run.stdin.write(b"<log>")
        for number in range(6):
            run.stdin.write(b"<e t='%d'><s>500</s></e>" % number)
            run.stdin.flush()
            if number % 2:
                # It is there before anything more is sent.
                start = b"<out>" if number == 1 else b""
                expected = start + b"<w>%d %d</w>" % (number - 1, number)
                assert run.stdout.read(len(expected)) == expected
        run.stdin.write(b"</log>")
        run.stdin.close()
        assert run.stdout.read() == b"</out>\n"


def test_items_through_a_pipe_that_never_ends() -> None:
    query = "declare variable $s as element(e)** external; forseq $w in $s tumbling window start when true() "
    query += "end position $j when $j mod 2 = 0 return <w>{ $w/@t/string() }</w>"
    command = [sys.executable, "-m", "xylem", "run", "-q", query, "--items", "s=-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        run.stdin.write(b"<log>")
        for number in range(6):
            run.stdin.write(b"<e t='%d'/>" % number)
            run.stdin.flush()
            if number % 2:
                expected = b"<w>%d %d</w>" % (number - 1, number)
                assert run.stdout.read(len(expected)) == expected
        run.stdin.write(b"</log>")
        run.stdin.close()
        assert run.stdout.read() == b"\n"


def test_explain_says_so() -> None:
    told = xylem.compile(STREAMED[0]).explain()
    assert told.to_dict()["bounded"] is True
    assert "window" in told.to_text()


def test_an_error_of_the_input_comes_after_what_was_complete() -> None:
    query = xylem.compile("for tumbling window $w in /log/e start when true() end when true() return $w/@t/string()")
    found = iter(query.stream(b"<log><e t='1'/><e t='2'/><e"))
    assert [next(found), next(found)] == ["1", "2"]
    with pytest.raises(xylem.InputError):
        next(found)


def test_a_schema_makes_windows_cheaper() -> None:
    """Section 6.3.2: the items come as a, b, c, a, b, c, … so that windows from a to c do not overlap."""
    query = """<r>{ forseq $w in /seq/* sliding window
        start curItem $s when $s/self::a end curItem $e when $e/self::c return <w>{ $w }</w> }</r>"""
    schema = "<!ELEMENT seq (a, b, c)*><!ELEMENT a EMPTY><!ELEMENT b EMPTY><!ELEMENT c EMPTY>"
    document = b"<seq><a/><b/><c/><a/><b/><c/></seq>"
    compiled = xylem.compile(query)
    for known, kind in ((schema, "TumblingCursor"), (None, "SlidingCursor")):
        streamed = compiled.stream(document, schema=known)
        assert kind in streamed._program.handlers.code
        pieces: list[bytes] = []
        streamed.write_to(pieces.append)
        assert text(pieces) == str(compiled.run(xylem.parse(document)))
    assert "cheaper window" in compiled.explain(schema=schema).to_text()
