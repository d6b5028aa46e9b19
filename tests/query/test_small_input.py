"""Small inputs one after another: the answer is that of a stream, whatever gives it."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import xylem
from xylem.query import small_input
from xylem.stream_result import SmallResult, StreamResult

QUERIES = [
    "/o/n/string()",
    "sum(/o/n)",
    "<a k='{ /o/@k }'>{ /o/n[. > 1] }</a>",
    "for $n in /o/n order by number($n) descending return <n>{ $n/text() }</n>",
    "/o/n[2]/@*, count(//n)",
    "for $n in /o/n return xs:integer($n) idiv 1",
    "for $n at $i in /o/n group by $k := $n/@k return map { 'k': $k, 'n': count($n) }",
    "declare variable $most := max(/o/n); /o/n[. = $most]",
]
DOCUMENTS = [
    b"<o k='1'><n k='a'>3</n><n k='b'>1</n><n k='a'>2</n></o>",
    b"<o/>",
    b"<o><n>1</n><n>x</n><n>2</n></o>",
    b"<o><n>1</n><n>2</n>",
    b"<o><n>1</n></p>",
    b"<?xml version='1.0' encoding='iso-8859-1'?><o><n>7</n></o>",
    b"<!DOCTYPE o [<!ENTITY e '5'>]><o><n>&e;</n></o>",
    b"<o xmlns='urn:x'><n>1</n></o>",
    b"<o>" + b"<n>1</n>" * 500 + b"</o>",
    b"not XML",
    b"",
]


@pytest.fixture(autouse=True)
def _answers_by_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_input, "FIRST_STREAMED", 0)


_WRITTEN = xylem.compile("declare variable $x external; serialize($x, map { 'method': 'adaptive' })")


def told(result: StreamResult) -> list[str]:
    """The items, and the error behind them."""
    found: list[str] = []
    try:
        for item in result:
            found.append(str(_WRITTEN.run(variables={"x": item}).value))
    except xylem.XylemError as error:
        found.append(f"{error.code} {error}")
    return found


@pytest.mark.parametrize("text", QUERIES)
def test_the_answer_is_that_of_a_stream(text: str) -> None:
    query = xylem.compile(text)
    by_tree = 0
    for document in DOCUMENTS:
        small = query.stream(document)
        by_tree += isinstance(small, SmallResult)
        assert told(small) == told(query.stream(iter([document]))), document
    assert by_tree == len([one for one in DOCUMENTS if one.startswith(b"<")])


def written(result: StreamResult, **parameters: str) -> tuple[bytes, str]:
    """The text, and the error behind it."""
    pieces: list[bytes] = []
    try:
        result.write_to(pieces.append, **parameters)
    except xylem.XylemError as error:
        return b"".join(pieces), f"{error.code} {error}"
    return b"".join(pieces), ""


@pytest.mark.parametrize(
    "text",
    [
        *QUERIES,
        "/o/n",
        "/o/@k",
        "string(/o/n[1]), 'é<', 1.5",
        "for $o in /o return <o>{ sum($o/n) }</o>",
        "for $n in /o/n return if ($n > 1) then <m>{ data($n) }</m> else 'few'",
        "declare option output:method 'text'; /o/n",
        "declare option output:omit-xml-declaration 'no'; <o>{ /o/n }</o>",
        "declare option output:item-separator ';'; /o/n/string()",
    ],
)
def test_the_text_is_that_of_a_stream(text: str) -> None:
    query = xylem.compile(text)
    for document in DOCUMENTS:
        assert written(query.stream(document)) == written(query.stream(iter([document]))), document
        encoded = written(query.stream(document), encoding="utf-16")
        assert encoded == written(query.stream(iter([document])), encoding="utf-16"), document


def test_a_scan_writes_the_text() -> None:
    result = xylem.compile("for $n in /o/n return <m>{ string($n) }</m>").stream(DOCUMENTS[0])
    assert isinstance(result, SmallResult)
    assert written(result) == (b"<m>3</m><m>1</m><m>2</m>", "")
    assert "_streamed" not in vars(result)
    with pytest.raises(ValueError, match="read once"):
        list(result)
    assert result.statistics.records > 0


def test_the_first_inputs_are_streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_input, "FIRST_STREAMED", 2)
    query = xylem.compile("/o/n")
    assert [isinstance(query.stream(DOCUMENTS[0]), SmallResult) for _ in range(4)] == [False, False, True, True]


@pytest.mark.parametrize(
    "text",
    ["trace(/o/n)", "for $n in /o/n return udf:seen($n)", "declare function local:f($n) { $n }; local:f(/o/n)"],
)
def test_what_is_seen_outside_happens_once(text: str) -> None:
    functions = xylem.Functions()

    @functions.function("udf:seen", "xs:string", "xs:string")
    def seen(value: str) -> str:
        return value

    query = xylem.compile(text, functions=functions)
    assert not isinstance(query.stream(DOCUMENTS[0]), SmallResult)


def test_options_are_those_of_a_stream() -> None:
    query = xylem.compile("declare variable $x external := 1; /o/n")
    assert not isinstance(query.stream(DOCUMENTS[0], {"x": 2}), SmallResult)
    assert not isinstance(query.stream(DOCUMENTS[0], on_malformed="skip"), SmallResult)
    assert isinstance(query.stream(DOCUMENTS[0]), SmallResult)


class _Frame(list[int]):
    """Compares item by item, as data frames and arrays do, and has then no truth value."""

    def __eq__(self, other: object) -> _Frame:  # type: ignore[override]
        return self

    def __bool__(self) -> bool:
        raise ValueError("the truth value of a frame is ambiguous")


def test_options_may_be_frames() -> None:
    query = xylem.compile("/o/n/string(), sum(collection())")
    assert list(query.stream(DOCUMENTS[0], collection=_Frame([1, 2]))) == ["3", "1", "2", 3]


def test_a_query_that_cannot_stream_is_refused() -> None:
    with pytest.raises(xylem.XylemError, match="XYST0004"):
        xylem.compile("/").stream(DOCUMENTS[0])


def test_figures_are_those_of_a_stream() -> None:
    query = xylem.compile("for $n in /o/n order by $n return $n")
    expected = query.stream(iter([DOCUMENTS[0]]))
    assert list(map(str, expected))
    before, after = query.stream(DOCUMENTS[0]), query.stream(DOCUMENTS[0])
    assert before.progress.statistics.peak_buffered_bytes == 0
    for result in (before, after):
        assert len(list(result)) == 3
        assert result.statistics.peak_buffered_bytes == expected.statistics.peak_buffered_bytes > 0
    assert str(after.account) == str(expected.account)


def test_an_answer_is_read_once() -> None:
    result = xylem.compile("/o/n").stream(DOCUMENTS[0])
    assert len(list(result)) == 3
    with pytest.raises(ValueError, match="stream it again"):
        list(result)
    with pytest.raises(ValueError, match="stream it again"):
        result.write_to(lambda text: None)


def test_an_answer_can_be_written() -> None:
    written: list[bytes] = []
    xylem.compile("/o/n").stream(DOCUMENTS[0]).write_to(written.append)
    assert b"".join(written) == b'<n k="a">3</n><n k="b">1</n><n k="a">2</n>'


def test_time_goes_on() -> None:
    query = xylem.compile("/o/(current-dateTime() - xs:dateTime('2020-01-01T00:00:00Z'))")
    first, second = (next(iter(query.stream(DOCUMENTS[1]))) for _ in range(2))
    assert isinstance(query.stream(DOCUMENTS[1]), SmallResult)
    assert first <= second


def test_threads_share_a_query() -> None:
    query = xylem.compile("for $n in /o/n group by $k := $n/@k order by $k return concat($k, sum($n))")
    documents = [f"<o><n k='a'>{i}</n><n k='b'>{2 * i}</n></o>".encode() for i in range(400)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda document: list(query.stream(document)), documents))
    assert found == [[f"a{i}", f"b{2 * i}"] for i in range(400)]


def test_a_query_can_be_pickled_after_use() -> None:
    query = xylem.compile("/o/n/string()", functions=xylem.Functions())  # not those that other tests have registered
    assert list(query.stream(DOCUMENTS[0])) == ["3", "1", "2"]
    assert list(pickle.loads(pickle.dumps(query)).stream(DOCUMENTS[0])) == ["3", "1", "2"]
