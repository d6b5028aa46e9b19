"""Queries of one form: compiled once, and each what it would be if it were compiled by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.errors import StaticError, XylemError
from xylem.network.member import Member, SubscribedQueries, SubscribedQuery
from xylem.network.query_forms import outline_of
from xylem.network.record_log import RecordLog
from xylem.network.shared_evaluator import SharedEvaluator
from xylem.syntax.compilations import COMPILATIONS

FORMS = [
    "<all>{ for $p in /s/p where $p/x > 1.5 and $p/y < -20 and $p/n = 'ab' return <v>{ $p/x }</v> }</all>",
    "count(/s/p[x > 1.5])",
    "for $p in /s/p return if ($p/x > 1.5) then <high/> else <low>{ $p/n/text() }</low>",
    "for $p in /s/p where $p/x > 1.5 or 'ab' = $p/n return $p",
    "/s/p[n = 'ab']/n",
]


@pytest.mark.parametrize("text", FORMS)
def test_the_plan_of_a_form_is_that_of_the_query(text: str) -> None:
    queries = SubscribedQueries()
    queries.compiled(text, "q")
    other = text.replace("1.5", "4e0").replace("-20", "3").replace("'ab'", '"x y"')
    before = COMPILATIONS.parsed
    made = queries.compiled(other, "q")
    assert COMPILATIONS.parsed == before
    alone = SubscribedQuery(other, "q")
    assert made.request.plan == alone.request.plan
    assert made.request.shared == alone.request.shared
    if alone.request.shared is not None:
        assert made.request.shared is not None
        assert made.request.shared.shape is alone.request.shared.shape


@pytest.mark.parametrize(
    "text",
    [
        "(/s/p)[position() < 3]",
        "for $p at $n in /s/p where $n <= 3 return $p",
        "for $p in /s/p where $p/x = (1, 2) return $p",
        "/s/p[1 = 1]",
        "/s/p/n",
        "for $p in /s/p where $p/n = 'it''s' return $p",
    ],
)
def test_what_cannot_be_replaced_is_compiled_each_time(text: str) -> None:
    queries = SubscribedQueries()
    queries.compiled(text, "q")
    before = COMPILATIONS.parsed
    queries.compiled(text, "q")
    assert COMPILATIONS.parsed > before


def test_constants_are_read_as_they_are_written() -> None:
    outline = outline_of("for $p in /s/p where $p/x > 1 and $p/n = 'a' return $p")
    assert outline is not None
    number, string = outline.marks
    for written, value in (("7", 7), ("- 7.25", -7.25), (".5", 0.5), ("1E3", 1000)):
        found = outline.constants(f"for $p in /s/p where $p/x > {written} and $p/n = \"b'\" return $p")
        assert found is not None
        assert (found[number], found[string]) == (value, "b'")
    for other in ("$p/y", "1 + 1", "1.5.5", "xs:integer('1')"):
        assert outline.constants(f"for $p in /s/p where $p/x > {other} and $p/n = 'a' return $p") is None


def test_what_is_wrong_is_said_of_the_query_as_it_was_written() -> None:
    with pytest.raises(StaticError, match="XYRT0051"):
        SubscribedQueries().compiled("for $p in /s/p where $p/x > 1 order by $p/x return $p", "q")


@pytest.mark.parametrize("numbers", [("1", "2"), ("-  1.25", "100000000000"), ("4e0", ".5"), ("123456789012345", "7")])
def test_an_error_is_shown_where_it_is_in_the_query_without_compiling_it(
    numbers: tuple[str, str], tmp_path: Path
) -> None:
    text = "for $p in /s/p where $p/x > {0}\nreturn <v>{{ ($p/x < {1}, xs:integer($p/n)\n  idiv 0, $p/y = {0}) }}</v>"
    queries = SubscribedQueries()
    queries.compiled(text.format("3.5", "8"), "q")
    made = queries.compiled(text.format(*numbers), "q")
    log = RecordLog(tmp_path)
    log.begin(b"<s>")
    log.append([b"<p><x>5</x><n>1</n><y>2</y></p>", b"<p><x>123456789012346</x><n>1</n><y>2</y></p>"])
    spans = []

    def failed(_: Member, error: XylemError) -> None:
        assert error.code == "FOAR0001"
        assert error.span is not None
        assert COMPILATIONS.parsed == before
        spans.append((error.span.start, error.span.end, error.span.source.text, str(error)))

    for query in (made, SubscribedQuery(text.format(*numbers), "q")):
        before = COMPILATIONS.parsed
        evaluator = SharedEvaluator(log, 0, failed)
        evaluator.join(Member("m", query, 0, lambda data: None))
        evaluator.advance(2)
    log.close()
    assert len(spans) == 2
    assert spans[0] == spans[1]
    start, end, source, _ = spans[0]
    assert "idiv" in source[start:end]


def test_alternatives_are_looked_up_too() -> None:
    either = "$p/x > 1 and $p/n = 'a' or $p/@k = 'b' or contains($p/n, 'c') and $p/x < 5"
    text = f"for $p in /s/p where $p/y = 2 and ({either}) return $p"
    shared = SubscribedQuery(text, "q").request.shared
    assert shared is not None
    lists = shared.takings[0].alternatives
    found = [sorted(((test.op, test.string or test.number) for test in one), key=repr) for one in lists]
    assert found == [[("=", "a"), ("=", 2.0), (">", 1.0)], [("=", "b"), ("=", 2.0)], [("<", 5.0), ("=", 2.0)]]
    open_end = SubscribedQuery("for $p in /s/p where $p/x > 1 or contains($p/n, 'c') return $p", "q").request.shared
    assert open_end is not None
    assert open_end.takings[0].alternatives == ((),)
