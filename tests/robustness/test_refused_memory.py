"""A process that is refused memory: an answer or XYRT0042, whatever was being done, and it goes on.

Each form runs in a process of its own, with room for one megabyte more than it has, and with more each time, until
there is an answer. Then the limit is lifted, and the answer is the right one.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

COPY = (
    "declare function local:c($n) { typeswitch ($n) case element() return element { node-name($n) }"
    " { $n/@*, $n/node() ! local:c(.) } default return $n }; count(local:c(/*)//*)"
)
FORMS = {
    "count": "count(//order)",
    "copies": "//order",
    "sort": "for $o in //order order by number($o/total) return $o",
    "sort of texts": "for $o in //order order by $o/note, $o/total return <t>{ $o/total/text() }</t>",
    "groups": "for $o in //order group by $c := $o/@id return <c k='{ $c }'>{ count($o), sum($o/total) }</c>",
    "groups with items": "for $o in //order group by $c := $o/customer return <c>{ $o[1], $o/total }</c>",
    "join": "for $a in //order, $b in //order where $a/@id = $b/@id return <p>{ $a/total, $b/note }</p>",
    "windows": "for tumbling window $w in //order start $s when true() end $e when $e/day ne $s/day"
    " return <w>{ sum($w/total) }</w>",
    "one window": "for tumbling window $w in //order start when true() end when false()"
    " return <w>{ count($w), max($w/total) }</w>",
    "window of items": "for tumbling window $w in //order start when true() end when false() return <w>{ $w }</w>",
    "windows in windows": "for sliding window $w in //order start when true() end at $e when $e mod 2000 = 0"
    " return <w>{ count($w) }</w>",
    "best match": "for $a in //order for $b in //order where $a left outer bestmatch join $b on (abs($a/x - $b/x)) min"
    " return <m>{ $a/@id, $b/@id }</m>",
    "distinct": "count(distinct-values(//order/@id))",
    "text": "string-length(string-join(//order/note, ' '))",
    "array": "array:size(array { //order ! string() })",
    "map": "map:size(map:merge(//order ! map { string(@id): . }))",
    "axes": "count(//order/following::total), count(//*/ancestor::*)",
    "serialize": "string-length(serialize(/))",
    "recursion": COPY,
    "constructed": "count(<x>{ //order }</x>//total)",
    "JSON": "string-length(serialize(array { //order ! map { 'a': string(total) } }, map { 'method': 'json' }))",
}
ORDERS = 8_000

_SOURCE = f"""
import resource, sys
import xylem

def orders(number):
    note = "<note>" + "lorem ipsum dolor " * 3 + "</note>"
    return "".join(
        f"<order id='o{{i}}'><customer>c{{i % 500}}</customer><day>{{i // 100}}</day>"
        f"<total>{{i * 7919 % 10007}}.5</total>"
        f"<x>{{i * 31 % 997}}.25</x>{{note}}</order>" for i in range(number))

data = ("<orders>" + orders({ORDERS}) + "</orders>").encode()
_, most = resource.getrlimit(resource.RLIMIT_AS)

def limited(extra):
    taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + extra if extra else most, most))

def outcome(run, extra):
    limited(extra)
    try:
        return run()
    except xylem.XylemError as error:
        return error.code
    finally:
        limited(0)

def tried(run):
    # The first time, code is compiled and imported, which takes memory that is not the query's.
    expected, told = outcome(run, 0), []
    for megabytes in (1, 4, 9, 16, 25, 40, 60, 90, 130, 200, 400, 900):
        told.append(outcome(run, megabytes * 1_000_000))
    assert set(told) <= {{expected, "XYRT0042"}}, [str(each)[:60] for each in told]
    assert "XYRT0042" in told or expected.startswith("XY"), "nothing was refused"
    assert told[-1] == expected == outcome(run, 0)
"""
_QUERY = (
    _SOURCE
    + """
query = xylem.compile(sys.argv[1])

def tree():
    return query.run(context=xylem.parse(data)).serialize()

def streamed():
    parts = []
    query.stream(data).write_to(parts.append)
    return b"".join(parts).decode()

tried(tree)
tried(streamed)
"""
)
_MANY = (
    _SOURCE
    + """
query = xylem.compile("for $o in //order order by $o/total return $o/note")
messages = [("<o>" + orders(n * 100) + "</o>").encode() for n in range(80)]

def streamed():
    # An error of one message stands in its place, and the next is tried.
    answers = list(query.stream_many(messages, on_error="give"))
    for answer in answers:
        if isinstance(answer, xylem.XylemError):
            raise answer
    return str(sum(len(answer.serialize()) for answer in answers))

tried(streamed)
"""
)
_UPDATES = (
    _SOURCE
    + """
query = xylem.history_query(
    "for $o in /s/o where number($o/p) > 100 order by number($o/p) return <o>{ $o/@n, string($o/p) }</o>")
regions = "".join(f"<o n='{i}'><p u:id='p{i}'>{i}</p></o>" for i in range(3_000))
changes = "".join(f"<u:replace of='p{i % 3_000}' t='{i}'><p>{i * 7919 % 3001}</p></u:replace>" for i in range(2_000))
updates = ("<u:stream xmlns:u='urn:xylem:update'><s>" + regions + "</s>" + changes + "</u:stream>").encode()

def followed():
    last = ""
    for answer in query.answers(updates):
        last = answer
    return last.display.text

tried(followed)
"""
)


def assert_goes_on(code: str, *arguments: str) -> None:
    command = [sys.executable, "-c", code, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", FORMS)
def test_a_process_goes_on(name: str) -> None:
    assert_goes_on(_QUERY, FORMS[name])


@pytest.mark.timeout(600)
@pytest.mark.parametrize("code", [_MANY, _UPDATES], ids=["many messages", "updates"])
def test_other_runs_go_on(code: str) -> None:
    assert_goes_on(code)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", ["--stream", "--no-stream"])
def test_a_command_ends_with_the_code(tmp_path: Path, way: str) -> None:
    """What was written before is the beginning of the answer."""
    path = tmp_path / "o.xml"
    note = "<note>" + "lorem ipsum dolor " * 40 + "</note>"
    path.write_text("<orders>" + "".join(f"<order><n>{n}</n>{note}</order>" for n in range(20_000)) + "</orders>")
    whole = path.read_text().removeprefix("<orders>").removesuffix("</orders>")
    codes = set()
    for megabytes in (130, 160, 200, 300, 500, 1000):
        size = megabytes * 1_000_000
        ended = subprocess.run(
            [sys.executable, "-m", "xylem", "run", "-q", "//order", "-i", str(path), way],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            preexec_fn=lambda size=size: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
        )
        assert whole.startswith(ended.stdout.removesuffix("\n")), megabytes
        codes.add(ended.returncode)
        if ended.returncode == 0:
            assert (ended.stdout, ended.stderr) == (whole + "\n", "")
        else:
            assert (ended.returncode, ended.stderr.split(" at ")[0].split(":")[0]) == (1, "XYRT0042"), ended.stderr
            assert "Traceback" not in ended.stderr
    assert 0 in codes
