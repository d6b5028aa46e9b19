"""Answers in the order of the stream: stopped and started again, they go on; a program does so from its variables."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark import cloudpickle
from xylem import compile, parse
from xylem.errors import DynamicError
from xylem.result import Result
from xylem.run import background_save
from xylem.spark.continuous import answer_in_order
from xylem.spark.continuous.answer_in_order import AnswerInOrder, SavedPlaces
from xylem.spark.continuous.document_answers import DocumentAnswers
from xylem.spark.shipped_query import shipped_query

FEED = (
    "<feed title='t'>"
    + "".join(f"<item n='{n}' k='{'aéc'[n % 3]}'><w>{n % 7}</w></item>" for n in range(300))
    + "</feed>"
).encode()
CHUNKS = [FEED[start : start + 500] for start in range(0, len(FEED), 500)]
WINDOWS = "for $w in /feed/item|count 4 step 4| return <sum>{ sum($w/w) }</sum>"
PROGRAM = """declare execution sequential; declare variable $seen as map(xs:string, xs:integer) := map { };
<a>{ for $i in /feed/item let $k := string($i/@k)
     return { set $seen := map:put($seen, $k, ($seen($k), 0)[1] + xs:integer($i/w));
              <n k="{ $k }">{ $seen($k) }</n> } }</a>"""


@pytest.mark.parametrize("each_item", [False, True])
@pytest.mark.parametrize("restart", [None, 2, 5])
def test_a_query_sees_the_stream_again(each_item: bool, restart: int | None) -> None:
    query = WINDOWS if each_item else f"<w>{{ {WINDOWS} }}</w>"
    answers = DocumentAnswers(shipped_query(query))
    answer = AnswerInOrder(answers, now_ms=0, each_item=each_item)
    messages: list[str] = []
    saved: list[bytes] = []
    for number, chunk in enumerate(CHUNKS):
        if number == restart:
            answer.close()
            answer = AnswerInOrder(answers, now_ms=0, each_item=each_item, saved=saved)
            answer.catch_up(CHUNKS[:number])
        messages += answer.take({}, [chunk])
        saved = [answer.save(True)]
        assert number < 5 or messages
    messages += answer.finish()
    answer.close()
    expected = compile(query).run(parse(FEED))
    texts = [Result([item], {}).serialize() for item in expected.xdm]
    assert messages == texts if each_item else "".join(messages) == expected.serialize()


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_in_order, "EVERY_BYTES", 300)
    monkeypatch.setattr(background_save, "REST", 0.0)
    monkeypatch.setattr(background_save, "LEAST_SECONDS", 0.0)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("restarts", [(), (1,), (4, 5, 11)])
def test_a_program_goes_on_from_its_variables(tmp_path: Path, restarts: tuple[int, ...]) -> None:
    answers = DocumentAnswers(shipped_query(PROGRAM))
    assert answers.is_resumable(each_item=False)
    answer = AnswerInOrder(answers, now_ms=0, each_item=False, places=SavedPlaces(tmp_path / "v"))
    text, saved = "", b""
    for number, chunk in enumerate(CHUNKS):
        if number in restarts:
            answer.close()
            # What was handed out after the last commit is handed out again.
            places = SavedPlaces(tmp_path / "v")
            answer = AnswerInOrder(answers, now_ms=0, each_item=False, saved=[saved], places=places)
            assert answer.seen_bytes > 0 or number < 2
            assert len(list((tmp_path / "v").iterdir())) <= 1
            answer.catch_up([FEED[answer.seen_bytes : 500 * number]])
        text += "".join(answer.take({}, [chunk]))
        assert answer._places is not None
        answer._places._saver.finish()
        saved = answer.save(True)
    text += "".join(answer.finish())
    answer.close()
    assert text == compile(PROGRAM).run(parse(FEED)).serialize()


@pytest.mark.usefixtures("often")
def test_another_document_begins_anew(tmp_path: Path) -> None:
    answer = AnswerInOrder(
        DocumentAnswers(shipped_query(PROGRAM)), now_ms=0, each_item=False, places=SavedPlaces(tmp_path / "v")
    )
    first, second = ("".join([*answer.take({}, CHUNKS), *answer.finish()]) for _ in range(2))
    answer.close()
    assert first == second == compile(PROGRAM).run(parse(FEED)).serialize()


@pytest.mark.usefixtures("often")
def test_places_that_are_gone_or_changed_are_told(tmp_path: Path) -> None:
    answers = DocumentAnswers(shipped_query(PROGRAM))
    answer = AnswerInOrder(answers, now_ms=0, each_item=False, places=SavedPlaces(tmp_path / "v"))
    answer.take({}, CHUNKS[:6])
    answer.close()
    saved = [answer.save(True)]
    (place,) = (tmp_path / "v").iterdir()
    data = place.read_bytes()
    for change in (lambda: place.write_bytes(data[:-1]), place.unlink):
        change()
        with pytest.raises(DynamicError, match="XYRT0033"):
            AnswerInOrder(answers, now_ms=0, each_item=False, saved=saved, places=SavedPlaces(tmp_path / "v"))


NUMBERED = "for $i at $n in /feed/item where $i/w > 1 return <i n='{ $n }'>{ $i/w }</i>"


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(
    "query",
    [
        NUMBERED,
        f"<a>{{ {NUMBERED} }}</a>",
        "for $i at $n in /feed/item return $n",
        "fold-left(/feed/item/w, 0, function($a, $w) { ($a * 3 + $w) mod 101 })",
    ],
)
@pytest.mark.parametrize("each_item", [False, True])
@pytest.mark.parametrize("restarts", [(1,), (4, 5, 11)])
def test_counts_and_folds_go_on(tmp_path: Path, query: str, each_item: bool, restarts: tuple[int, ...]) -> None:
    answers = DocumentAnswers(shipped_query(query))
    is_one_element = each_item and query.startswith("<a>")

    def begun(saved: list[bytes]) -> AnswerInOrder:
        return AnswerInOrder(answers, now_ms=0, each_item=each_item, saved=saved, places=SavedPlaces(tmp_path / "v"))

    answer = begun([])
    messages: list[str] = []
    saved = b""
    for number, chunk in enumerate(CHUNKS):
        if number in restarts:
            answer.close()
            answer = begun([saved])
            # Of one element, its beginning would have to be kept.
            assert answer.seen_bytes > 0 or number < 2 or is_one_element
            answer.catch_up([FEED[answer.seen_bytes : 500 * number]])
        messages += answer.take({}, [chunk])
        assert answer._places is not None
        answer._places._saver.finish()
        saved = answer.save(True)
    messages += answer.finish()
    answer.close()
    expected = compile(query).run(parse(FEED))
    texts = [Result([item], {}).serialize() for item in expected.xdm]
    assert messages == texts if each_item else "".join(messages) == expected.serialize()


@pytest.mark.usefixtures("often")
def test_a_fold_of_nodes_sees_all_again(tmp_path: Path) -> None:
    query = "fold-left(/feed/item, (), function($a, $i) { ($a, $i)[last()] })/@n/string()"
    places = SavedPlaces(tmp_path / "v")
    answer = AnswerInOrder(DocumentAnswers(shipped_query(query)), now_ms=0, each_item=False, places=places)
    for chunk in CHUNKS[:5]:
        answer.take({}, [chunk])
        places._saver.finish()
    saved = [answer.save(True)]
    answer.close()
    places = SavedPlaces(tmp_path / "v")
    answer = AnswerInOrder(DocumentAnswers(shipped_query(query)), now_ms=0, each_item=False, saved=saved, places=places)
    assert answer.seen_bytes == 0
    answer.catch_up(CHUNKS[:5])
    assert "".join([*answer.take({}, CHUNKS[5:]), *answer.finish()]) == "299"
    answer.close()


@pytest.mark.parametrize(
    "query",
    [
        WINDOWS,
        "for $i in /feed/item order by $i/w return $i",
    ],
)
def test_what_keeps_parts_of_the_stream_sees_all_again(query: str) -> None:
    assert not DocumentAnswers(shipped_query(query)).is_resumable(each_item=True)


def test_a_query_that_has_caught_up_travels_to_tasks() -> None:
    query = shipped_query(PROGRAM)
    answer = AnswerInOrder(query.once(DocumentAnswers), now_ms=0, each_item=False)
    answer.catch_up(CHUNKS[:3])
    answer.close()
    assert cloudpickle.dumps(query)
