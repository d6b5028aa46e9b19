"""Input that is broken, hostile or missing: an answer within the limits, or an error of the catalogue with its place.

Each case goes through Python and through the command line. There is never a traceback, and nothing is ever fetched:
the external entities point at a server of this test, which must not hear anything.
"""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import xylem

from tests import warm_command

LEVELS = 5_000
TEXT_MEGABYTES = 50
SECONDS = 60

_LAUGHS = "".join(
    f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' if level else '<!ENTITY l0 "ha">' for level in range(12)
)

MALFORMED = {
    "unbalanced": (b"<a><b>x</a>", "XYIN0001"),
    "unclosed": (b"<a>\n<b>x</b>\n", "XYIN0001"),
    "two roots": (b"<a/><b/>", "XYIN0001"),
    "no root": (b"<!-- nothing -->", "XYIN0001"),
    "empty": (b"", "XYIN0001"),
    "text only": (b"hello", "XYIN0001"),
    "undefined prefix": (b"<a>\n  <p:b/></a>", "XYIN0001"),
    "undefined attribute prefix": (b"<a p:x='1'/>", "XYIN0001"),
    "unknown entity": (b"<a>\n&nothing;</a>", "XYIN0001"),
    "unknown entity in an attribute": (b"<a b='&nothing;'/>", "XYIN0001"),
    "unknown entity beside an unread DTD": (b"<!DOCTYPE a SYSTEM 'a.dtd'><a>&nothing;</a>", "XYIN0001"),
    "duplicate attribute": (b"<a x='1' x='2'/>", "XYIN0001"),
    "unquoted attribute": (b"<a x=1/>", "XYIN0001"),
    "control character": (b"<a>\x01</a>", "XYIN0001"),
    "forbidden character reference": (b"<a>&#0;</a>", "XYIN0001"),
    "end of cdata in text": (b"<a>]]></a>", "XYIN0001"),
    "double hyphen in a comment": (b"<a><!-- a -- b --></a>", "XYIN0001"),
    "declaration not first": (b" <?xml version='1.0'?><a/>", "XYIN0001"),
    "wrong encoding": ("<?xml version='1.0' encoding='UTF-8'?><a>\n\xe9</a>".encode("latin-1"), "XYIN000[17]"),
    "cut in a character": ("<a>é</a>".encode()[:4], "XYIN000[17]"),
    "unknown encoding": (b"<?xml version='1.0' encoding='klingon'?><a/>", "XYIN0007"),
    "UTF-16 that is not": (b"<?xml version='1.0' encoding='UTF-16'?><a/>", "XYIN000[17]"),
    "binary": (bytes(range(256)), "XYIN000[17]"),
    "billion laughs": (f"<!DOCTYPE a [{_LAUGHS}]><a>&l11;</a>".encode(), "XYIN0004"),
    "billion laughs in an attribute": (f"<!DOCTYPE a [{_LAUGHS}]><a x='&l11;'/>".encode(), "XYIN0004"),
    "quadratic blowup": (
        b"<!DOCTYPE a [<!ENTITY x '" + b"x" * 100_000 + b"'>]><a>" + b"&x;" * 10_000 + b"</a>",
        "XYIN0004",
    ),
    "entity that contains itself": (b"<!DOCTYPE a [<!ENTITY x '&y;'><!ENTITY y '&x;'>]><a>&x;</a>", "XYIN000[14]"),
}


@pytest.fixture
def listener() -> Iterator[tuple[str, list[object]]]:
    """A server nobody should call, and what it heard."""
    heard: list[object] = []
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.1)
    over = threading.Event()

    def listen() -> None:
        while not over.is_set():
            try:
                connection, address = server.accept()
            except TimeoutError:
                continue
            heard.append(address)
            connection.close()

    thread = threading.Thread(target=listen)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}", heard
    over.set()
    thread.join()
    server.close()


def command(*arguments: str, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    ended = warm_command.xylem(*arguments, stdin=data or b"", timeout=SECONDS)
    assert b"Traceback" not in ended.stderr, ended.stderr.decode()
    return ended


def refused(document: Path, code: str, query: str = "count(//*)") -> xylem.XylemError:
    """The error of the API, after checking that the command line ends with the same one."""
    with pytest.raises(xylem.XylemError) as caught:
        xylem.compile(query).run(context=xylem.parse(document)).serialize()
    assert re.fullmatch(code, caught.value.code), caught.value
    ended = command("run", "-q", query, "-i", str(document))
    assert ended.returncode == 3, ended.stderr.decode()
    assert caught.value.code in ended.stderr.decode()
    assert ended.stdout == b""
    return caught.value


@pytest.mark.parametrize("name", MALFORMED)
@pytest.mark.share(3)
def test_malformed(name: str, tmp_path: Path) -> None:
    data, code = MALFORMED[name]
    path = tmp_path / "bad.xml"
    path.write_bytes(data)
    error = refused(path, code)
    assert isinstance(error, xylem.InputError)
    assert "bad.xml" in str(error), "the message names the document"


@pytest.mark.parametrize(
    ("name", "line"),
    [("unclosed", 3), ("undefined prefix", 2), ("unknown entity", 2), ("wrong encoding", 2), ("unbalanced", 1)],
)
def test_place(name: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "bad.xml"
    path.write_bytes(MALFORMED[name][0])
    with pytest.raises(xylem.InputError) as caught:
        xylem.parse(path)
    assert re.search(rf"bad\.xml:{line}:\d+|line {line}\b", str(caught.value)), caught.value


def test_standard_input() -> None:
    ended = command("run", "-q", "//a", "-i", "-", data=b"<a><b></a>")
    assert ended.returncode == 3
    assert b"XYIN0001" in ended.stderr


def test_missing_file(tmp_path: Path) -> None:
    refused(tmp_path / "none.xml", "XYIN0002")


def test_directory_in_place_of_a_file(tmp_path: Path) -> None:
    refused(tmp_path, "XYIN0002")


def test_missing_query_file(tmp_path: Path) -> None:
    assert command("run", str(tmp_path / "none.xq")).returncode == 3


def test_document_function_reads_nothing_that_is_not_allowed(tmp_path: Path) -> None:
    (tmp_path / "secret.xml").write_text("<secret/>")
    ended = command("run", "-q", f'doc("{(tmp_path / "secret.xml").as_uri()}")')
    assert ended.returncode in (1, 3)
    assert b"<secret" not in ended.stdout


def test_deep_document(tmp_path: Path) -> None:
    path = tmp_path / "deep.xml"
    path.write_text("<a>" * LEVELS + "x" + "</a>" * LEVELS)
    query = "count(//a), string(/), count((//a)[last()]/ancestor::a)"
    expected = f"{LEVELS} x {LEVELS - 1}"
    tree = xylem.parse(path)
    assert xylem.compile(query).run(context=tree).serialize() == expected
    # Serializing, copying, comparing and constructing must not recurse on the depth either.
    assert len(xylem.compile("/").run(context=tree).serialize()) >= 7 * LEVELS
    assert xylem.compile("deep-equal(/, <x>{ / }</x>)").run(context=tree).serialize() == "false"
    assert xylem.compile("count(<x>{ / }</x>//a)").run(context=tree).serialize() == str(LEVELS)
    ended = command("run", "-q", query, "-i", str(path))
    assert (ended.returncode, ended.stdout.decode().strip()) == (0, expected)


def test_too_deep_document(tmp_path: Path) -> None:
    path = tmp_path / "deeper.xml"
    path.write_text("<a>" * 20_000 + "</a>" * 20_000)
    refused(path, "XYIN0004")


def test_huge_text_node(tmp_path: Path) -> None:
    path = tmp_path / "text.xml"
    size = TEXT_MEGABYTES * 1_000_000
    with path.open("wb") as file:
        file.write(b"<a>")
        for _ in range(TEXT_MEGABYTES):
            file.write(b"x" * 1_000_000)
        file.write(b"</a>")
    ended = command("run", "-q", "string-length(/a)", "-i", str(path))
    assert (ended.returncode, ended.stdout.decode().strip()) == (0, str(size))


@pytest.mark.parametrize("where", ["general", "parameter", "subset", "public"])
def test_external_entities_are_not_fetched(where: str, tmp_path: Path, listener: tuple[str, list[object]]) -> None:
    address, heard = listener
    (tmp_path / "secret.txt").write_text("secret")
    prolog = {
        "general": f'<!DOCTYPE a [<!ENTITY x SYSTEM "{address}/x">]>',
        "parameter": f'<!DOCTYPE a [<!ENTITY % x SYSTEM "{address}/x"> %x;]>',
        "subset": f'<!DOCTYPE a SYSTEM "{address}/a.dtd">',
        "public": f'<!DOCTYPE a PUBLIC "-//A//B//EN" "{address}/a.dtd">',
    }[where]
    path = tmp_path / "external.xml"
    path.write_text(f"{prolog}<a>{'&x;' if where == 'general' else 'y'}</a>")
    if where == "general":
        refused(path, "XYIN0008")
    else:
        assert command("run", "-q", "string(/a)", "-i", str(path)).stdout.decode().strip() == "y"
    assert heard == []


@pytest.mark.parametrize("place", ["secret.txt", "file:///etc/hostname", "/etc/hostname"])
def test_local_files_are_not_included(place: str, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    path = tmp_path / "local.xml"
    path.write_text(f'<!DOCTYPE a [<!ENTITY x SYSTEM "{place}">]><a>&x;</a>')
    refused(path, "XYIN0008")


@pytest.mark.parametrize(
    "query",
    [
        'doc("{0}/d.xml")',
        'unparsed-text("{0}/t")',
        'collection("{0}/c")',
        'json-doc("{0}/j")',
        'doc-available("{0}/d")',
    ],
)
def test_queries_fetch_nothing(query: str, listener: tuple[str, list[object]]) -> None:
    address, heard = listener
    ended = command("run", "-q", query.format(address))
    assert ended.returncode in (0, 1, 3), ended.stderr.decode()
    assert heard == []


def test_modules_are_not_fetched(listener: tuple[str, list[object]]) -> None:
    address, heard = listener
    ended = command("run", "-q", f'import module namespace m = "urn:m" at "{address}/m.xqm"; 1')
    assert ended.returncode in (1, 3)
    assert heard == []


def test_entity_bomb_in_parse_xml() -> None:
    bomb = f"<!DOCTYPE a [{_LAUGHS}]><a>&l11;</a>"
    with pytest.raises(xylem.XylemError) as caught:
        xylem.compile("declare variable $x external; parse-xml($x)").run(variables={"x": bomb}).serialize()
    assert caught.value.code in ("FODC0006", "XYIN0004")


def nested(before: str, after: str, middle: str = "1", levels: int = 400) -> str:
    return before * levels + middle + after * levels


DEEP = {
    "recursion": "declare function local:f($n) { local:f($n + 1) + 1 }; local:f(0)",
    "closure": "declare variable $f := function ($f, $n) { 1 + $f($f, $n + 1) }; $f($f, 0)",
    "recursion through sort": "declare function local:f($n) { sort(for $x in 1 return local:f($n + 1)) }; local:f(0)",
    "recursion in a constructor": "declare function local:f($n) { <a>{ local:f($n + 1) }</a> }; local:f(0)",
    "parentheses": nested("(", ")", levels=3000),
    "minus": nested("-", "", levels=5000),
    "sum": nested("", " + 1", levels=5000),
    "elements": nested("<a>", "</a>", "", levels=1500),
    "arrays": nested("[", "]", levels=2000),
    "if": nested("if (1) then ", " else 2", levels=2000),
    "path": nested("", "/a", "a", levels=5000),
    "comments": nested("(:", ":)", "", levels=5000) + "1",
    "calls": nested("abs(", ")"),
    "strings": nested("concat('a', ", ")", "'b'"),
    "predicates": nested("a[", "]", "a"),
    "enclosed": nested("<a>{", "}</a>"),
    "computed": nested("element a {", "}"),
    "functions": nested("function () {", "}"),
    "for": nested("for $x in (", ") return $x"),
    "let": nested("let $x := ", " return $x"),
    "conditions": nested("if (", ") then 1 else 2"),
    "logic": nested("(1 and ", ")"),
    "sequences": nested("(1, ", ")"),
    "try": nested("try {", "} catch * { 2 }"),
    "typeswitch": nested("typeswitch (", ") case xs:integer return 1 default return 2"),
    "instance of": nested("(", " instance of item())"),
    "quantified": nested("some $x in 1 satisfies (", ")"),
    "simple map": nested("(", " ! .)"),
    "string constructor": nested("``[`{", "}`]``"),
    "map": nested("map { 1: ", "}"),
}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.share(3)
def test_deep_queries(name: str) -> None:
    """Either an answer or an error of ours; a RecursionError, or the end of the process, is neither."""
    with contextlib.suppress(xylem.XylemError):
        try:
            xylem.compile(DEEP[name]).run(context=xylem.parse("<a/>")).serialize(method="adaptive")
        except xylem.EngineBug as bug:
            pytest.fail(str(bug))
