"""Many documents by one call give what each gives by itself: texts, items, errors, in their order."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
import xylem
from xylem.errors import XylemError
from xylem.source.limits import Limits
from xylem.source.message_batches import BATCH_DOCUMENTS, LARGE_BYTES

from ..run.stream.expression_cases import Expressions, record
from ..run.stream.generate import generated_case
from ..run.stream.golden_cases import golden_cases

ORDER = b'<order id="o1"><line sku="a" q="9"><price>3</price></line><line sku="b" q="2"><price>4</price></line></order>'
NASTY: tuple[bytes | str, ...] = (
    b"",
    b" ",
    b"<a",
    b"<a></b>",
    b"<a>&e;</a>",
    b"<!DOCTYPE a [<!ENTITY e 'x<b>1</b>'><!ATTLIST b id ID #IMPLIED k CDATA 'd'>]><a>&e;<b id='i'/></a>",
    b"<a>&e;</a>",
    b"<a><b id='i' k='1'/></a>",
    b"\xef\xbb\xbf<a><b>\xc3\xa4</b></a>",
    "<?xml version='1.0' encoding='UTF-16'?><a><b>\u00e4</b></a>".encode("utf-16"),
    b"<?xml version='1.0' encoding='ISO-8859-1'?><a><b>\xe4</b></a>",
    "<?xml version='1.0' encoding='Shift_JIS'?><a><b>\u3042</b></a>".encode("shift_jis"),
    b"<?xml version='1.0' encoding='nonsense'?><a/>",
    b"<a>\xff</a>",
    "<?xml version='1.0' encoding='UTF-16'?><a><b>text</b></a>",
    "\ufeff<a><b>text</b></a>",
    "<a>\ud800</a>",
    gzip.compress(b"<a><b>packed</b></a>"),
    b"<p:a xmlns:p='urn:p' xmlns='urn:d'><b p:k='1'>x</b></p:a>",
    b"<q:a xmlns:q='urn:p'><b xmlns='urn:d' q:k='1'>x</b></q:a>",
    b"<a xmlns:p='urn:other'><p:b/><!-- c --><?pi d?><![CDATA[<]]></a>",
    b"<a><b>1</b><b>x</b><c k='2'/></a><!-- after -->",
    b"<a><b xml:id='i' xml:base='urn:b/'>1</b></a>",
    b"<a>\r\n<b>1\r2</b></a>",
    ORDER,
    ORDER.decode(),
)
QUERIES = (
    "/order/line[@q > 5]/@sku/string()",
    "for $o in /order return <r id='{ $o/@id }'>{ $o/line[@q > 5]/price, <n>{ count($o/line) }</n> }</r>",
    "for $l in /order/line order by xs:integer($l/price) descending return $l/@sku/string()",
    "sum(//price), count(//*)",
    "/order/line/(@q * price)",
    "upper-case(/order/@id) || '-' || string-length(/)",
    "//b",
    "<all>{ //b }</all>",
    "for $b in //b return <b>{ $b/text() }</b>",
    "for $b in //b where $b/@k > 0 return <k>{ string($b/@k) }</k>",
    "/*/*[last()]/preceding-sibling::*/name()",
    "//b[. = 1]",
    "xs:integer(//b[1])",
    "/",
    "//b/..",
    "id('i')/name(), //b/base-uri(), //@k",
    "declare variable $first := //b[1]; declare variable $n external := 1; ($first, $n, $first is //b[1])",
    "for $a in //b for $c in //c where $a/. = '1' and $c/@k = ('1', '2') return <p>{ $a, $c }</p>",
    "declare function local:up($n) { if ($n/..) then (name($n), local:up($n/..)) else () }; local:up((//b)[1])",
    "declare namespace output = 'http://www.w3.org/2010/xslt-xquery-serialization'; "
    "declare option output:method 'json'; map { 'id': string(/order/@id), 'n': count(//b) }",
    "declare namespace output = 'http://www.w3.org/2010/xslt-xquery-serialization'; "
    "declare option output:indent 'yes'; <a>{ //b }</a>",
    "declare namespace p = 'urn:p'; declare default element namespace 'urn:d'; /p:a/b, //@p:k/string()",
    "declare copy-namespaces no-preserve, no-inherit; <e xmlns:z='urn:z'>{ //*[1] }</e>",
    "map { 'b': //b }, [1]",
    "function() { count(//b) } ! .()",
    "1 + 1",
    "()",
    "''",
    "(//b/string(), //b, 1, //b/text(), 'x', '')",
    "for $b in //b return if ($b = '1') then number($b) + 1 else <b>{ string($b) }</b>",
    "string(//b)",
    "try { xs:integer((//b)[2]) } catch * { $err:code }",
)


def alone(query: xylem.Query, document: Any) -> tuple[str, ...]:
    """What a document gives by itself: its text, or code and place of its error."""
    try:
        return ("answer", query.run(xylem.parse(document)).serialize())
    except XylemError as error:
        return told(error)


def told(error: XylemError) -> tuple[str, ...]:
    place = getattr(error, "place", None)
    where = "" if place is None else f"{place.line}:{place.column}"
    return ("error", error.code, where, "" if error.span is None else str(error.span.start))


def outcome(answer: Any) -> tuple[str, ...]:
    if isinstance(answer, XylemError):
        return told(answer)
    try:
        return ("answer", answer.serialize())
    except XylemError as error:
        return told(error)


def compare(text: str, documents: list[Any]) -> None:
    query = xylem.compile(text)
    expected = [alone(query, document) for document in documents]
    for many in (query.run_many, query.stream_many):
        found = [outcome(answer) for answer in many(documents, on_error="give")]
        assert found == expected, (text, many.__name__)


@pytest.mark.parametrize("query", QUERIES)
def test_documents_of_every_kind(query: str) -> None:
    shuffled = list(NASTY)
    Random(query).shuffle(shuffled)
    compare(query, [*NASTY, *shuffled])


def test_the_golden_corpus() -> None:
    cases = list(golden_cases())
    documents = [case.document.encode() for case in cases]
    broken = cycle(document for document in NASTY if isinstance(document, bytes))
    for number, case in enumerate(cases):
        others = islice(cycle(documents), number + 1, number + 4)
        compare(case.query, [documents[number], next(broken), *others, next(broken), documents[number]])


def test_generated_queries() -> None:
    for seed in range(600 if os.environ.get("XYLEM_CAMPAIGN") else 16):
        case = generated_case(seed)
        documents = [text.encode() for text in (*case.valid, *case.others)]
        compare(case.query, [*documents, b"<broken", *reversed(documents)])


def test_values_by_themselves() -> None:
    random = Random(5)
    rounds = 1500 if os.environ.get("XYLEM_CAMPAIGN") else 80
    written = 0
    for _ in range(rounds):
        expressions = Expressions(random)
        values = [expressions.any(random.randrange(1, 4)) for _ in range(random.choice((1, 1, 2)))]
        text = f"for $p in /d/r return ({', '.join(values)})"
        written += xylem.compile(text).compiled.document_template() is not None
        sizes = (1, 1, 0, 1, 3, 1, 2)
        compare(text, [f"<d>{''.join(record(random) for _ in range(size))}</d>" for size in sizes])
    # Axes that leave their record, and functions that call themselves, are left to code.
    assert written > 0.8 * rounds


@pytest.mark.parametrize("many", ["run_many", "stream_many"])
def test_an_error_is_raised_at_its_turn_and_names_the_document(many: str) -> None:
    query = xylem.compile("for $b in /a/b return <i>{ xs:integer($b) }</i>")
    answers = getattr(query, many)([b"<a><b>1</b></a>", b"<a>\n<b></a>", b"<a><b>x</b></a>", b"<a><b>2</b></a>"])
    assert str(next(answers)) == "<i>1</i>"
    with pytest.raises(XylemError, match=r"document 2: .*line 2") as malformed:
        next(answers)
    assert malformed.value.code == "XYIN0001"
    with pytest.raises(XylemError) as failed:
        next(answers)
    assert (failed.value.code, failed.value.notes) == ("FORG0001", ["in document 3"])
    assert [str(answer) for answer in answers] == ["<i>2</i>"]


def test_documents_are_numbered_through_batches() -> None:
    documents = [b"<a/>"] * BATCH_DOCUMENTS + [b"<a"]
    *_, last = xylem.compile("/a").stream_many(documents, on_error="give")
    assert f"document {BATCH_DOCUMENTS + 1}:" in str(last)


def test_an_iterator_is_read_no_more_than_a_batch_ahead() -> None:
    drawn = 0

    def endless() -> Iterator[bytes]:
        nonlocal drawn
        while True:
            drawn += 1
            yield b"<a><b/></a>"

    answers = xylem.compile("count(/a/b)").run_many(endless())
    assert next(answers).one() == 1
    assert drawn <= BATCH_DOCUMENTS


@pytest.mark.parametrize("many", ["run_many", "stream_many"])
def test_items_of_an_answer_that_was_written(many: str) -> None:
    query = xylem.compile("for $b in /a/b return <c>{ $b/text() }</c>")
    assert query.compiled.document_template() is not None
    answers = getattr(query, many)(iter([b"<a><b>1</b><b>2</b></a>"] * 3))
    first = next(answers)
    assert (str(first), len(first), [item.string_value for item in first]) == ("<c>1</c><c>2</c>", 2, ["1", "2"])
    # From here on trees are made at once.
    assert [len(answer.items) for answer in answers] == [2, 2]
    assert first.serialize(method="text") == "12"


@pytest.mark.parametrize("many", ["run_many", "stream_many"])
def test_items_are_read_when_all_answers_were_written(many: str) -> None:
    number = BATCH_DOCUMENTS + 3
    documents = [f"<a><b>{each}</b></a>" for each in range(number)]
    documents[5] = "<a><b>x</b></a>"
    documents[7] = "<a>"
    for text, expected in (("/a/b * 2", lambda each: [each * 2.0]), ("/a/b/string()", lambda each: [str(each)])):
        answers = list(getattr(xylem.compile(text), many)(documents, on_error="give"))
        found = [answer if isinstance(answer, XylemError) else answer.items for answer in reversed(answers)][::-1]
        assert all(found[each] == expected(each) for each in range(number) if each not in (5, 7))
        assert found[7].code == "XYIN0001"
        assert found[5] == ["x"] if text.endswith("string()") else found[5].code == "FORG0001"


def test_written_answers_go_where_bytes_go() -> None:
    parts: list[bytes] = []
    for answer in xylem.compile("/a/b").stream_many(["<a><b>\u00e4</b></a>", "<a/>"]):
        answer.write_to(parts.append)
    assert parts == ["<b>\u00e4</b>".encode()]


def test_files(tmp_path: Path) -> None:
    one, two = tmp_path / "one.xml", tmp_path / "two.xml"
    one.write_bytes(b"<a><b>1</b></a>")
    two.write_bytes(b"<a><b>")
    query = xylem.compile("document-uri(/) = base-uri(/a), doc(document-uri(/)) is /, /a/b/string()")
    first, broken, missing = query.run_many([one, two, tmp_path / "three.xml"], on_error="give")
    assert first.items == [True, True, "1"]
    assert (broken.code, broken.source) == ("XYIN0001", str(two))
    assert (missing.code, missing.source) == ("XYIN0002", str(tmp_path / "three.xml"))


def test_a_large_document_streams_by(tmp_path: Path) -> None:
    large = b"<a>" + b"<b>12345678</b>" * (LARGE_BYTES // 12) + b"</a>"
    path = tmp_path / "large.xml"
    path.write_bytes(large)
    query = xylem.compile("count(/a/b)")
    documents: list[Any] = [b"<a/>", large, path, b"<a><b/></a>"]
    expected = [0, LARGE_BYTES // 12, LARGE_BYTES // 12, 1]
    assert [answer.one() for answer in query.stream_many(documents)] == expected
    assert [answer.one() for answer in query.run_many(documents)] == expected


def test_limits_are_those_of_each_document() -> None:
    limits = Limits(depth=3, expanded_characters=200)
    entities = b"<!DOCTYPE a [<!ENTITY e '" + b"x" * 150 + b"'>]><a>&e;</a>"
    documents = [entities, b"<a><b><c/></b></a>", b"<a><b><c><d/></c></b></a>", entities, b"<a><b><c/></b></a>"]
    for many in (xylem.compile("//c").stream_many, xylem.compile("count(//c)").run_many):
        codes = [getattr(answer, "code", "") for answer in many(documents, limits=limits, on_error="give")]
        assert codes == ["", "", "XYIN0004", "", ""]


def test_one_moment_for_all_documents() -> None:
    moments = {str(answer) for answer in xylem.compile("current-dateTime(), /a/b").stream_many(["<a/>"] * 600)}
    assert len(moments) == 1


def test_variables_and_what_depends_on_the_document() -> None:
    query = xylem.compile(
        "declare variable $least external; declare variable $found := //b[. >= $least]; "
        "count($found), $found ! string()"
    )
    documents = ["<a><b>1</b><b>5</b></a>", "<a/>", "<a><b>7</b></a>"]
    assert [answer.items for answer in query.run_many(documents, {"least": 3})] == [[1, "5"], [0], [1, "7"]]
    with pytest.raises(XylemError, match="XPDY0002"):
        next(query.run_many(documents))


def test_functions_that_live_on_are_those_of_their_document() -> None:
    query = xylem.compile("declare variable $a := /a; function() { $a/b/string() }, map { 'f': function() { $a } }")
    answers = list(query.run_many(["<a><b>1</b></a>", "<a><b>2</b><b>3</b></a>"]))
    assert [list(answer.xdm[0].call()) for answer in answers] == [["1"], ["2", "3"]]


def test_functions_in_python_keep_their_state() -> None:
    calls: list[str] = []
    functions = xylem.Functions()

    @functions.function("udf:seen", "xs:string", "xs:integer")
    def seen(value: str) -> int:
        calls.append(value)
        return len(calls)

    query = xylem.compile("udf:seen(/a)", functions=functions)
    assert [answer.one() for answer in query.run_many(["<a>x</a>", "<a>y</a>"])] == [1, 2]


def test_columns_of_arrow() -> None:
    arrow = pytest.importorskip("pyarrow")
    query = xylem.compile("for $b in /a/b return <c>{ $b/text() }</c>")
    texts = ["<a><b>1</b></a>", None, "<a>", "<a><b>\u00e4</b></a>", "<?xml version='1.0' encoding='UTF-16'?><a/>"]
    for kind in (arrow.string(), arrow.large_string(), arrow.binary(), arrow.large_binary()):
        given = texts if kind in (arrow.string(), arrow.large_string()) else [t and t.encode() for t in texts[:4]]
        column = arrow.array(given, kind)
        expected = [None if text is None else alone(query, text) for text in given]
        for documents in (column, arrow.chunked_array([column[:2], column[2:]]), column.slice(1)):
            answers = list(query.stream_many(documents, on_error="give"))
            found = [None if answer is None else outcome(answer) for answer in answers]
            assert found == expected[len(expected) - len(found) :]
    with pytest.raises(TypeError, match="text or binary"):
        next(query.stream_many(arrow.array([1])))


def test_what_is_no_list_of_documents() -> None:
    query = xylem.compile("/a")
    for one in (b"<a/>", "<a/>", Path("a.xml")):
        with pytest.raises(TypeError, match=r"Query\.stream"):
            next(query.stream_many(one))
    with pytest.raises(TypeError, match="bytes, text or a path, not int"):
        next(query.run_many([1]))
    with pytest.raises(ValueError, match="raise or give"):
        query.run_many([], on_error="skip")
    assert list(query.run_many([])) == []


def test_without_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    from xylem.source import message_reader

    monkeypatch.setattr(message_reader.kernel, "message_reader", lambda limits, template: None)
    for query in QUERIES[:6]:
        compare(query, list(NASTY))
