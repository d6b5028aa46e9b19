"""The answer over update streams as batches give it messages: its state as changes, and what it leaves out."""

from __future__ import annotations

import json
from collections.abc import Sequence

from xylem.run.tasks.rows import Row
from xylem.source.update_stream.formats import UpdateFormat
from xylem.spark.continuous.subscription import Malformed
from xylem.spark.continuous.update_answer import UpdateAnswer
from xylem.spark.continuous.update_stream import UpdateStream
from xylem.spark.shipped_query import shipped_query

NAMESPACE = 'xmlns:u="urn:xylem:update"'
BASE = f'<r {NAMESPACE}><a u:id="i">0</a></r>'


def replaced(value: int, of: str = "i") -> str:
    return f'<u:replace {NAMESPACE} of="{of}" t="{value}"><a>{value}</a></u:replace>'


def answer(saved: Sequence[bytes] = (), warned: list[str] | None = None) -> UpdateAnswer:
    how = UpdateFormat(warn=(warned if warned is not None else []).append)
    query = shipped_query("//a/string()", several_documents=True, over_updates=True)
    return UpdateAnswer(
        query, "q", UpdateStream(how), malformed=Malformed.DEAD_LETTER, state_limit_bytes=1 << 20, saved=saved
    )


def taken(one: UpdateAnswer, *messages: str) -> list[str]:
    rows = [Row(0, b"", number, 0, message.encode()) for number, message in enumerate(messages)]
    return one.take({0: rows}, ())


def test_a_batch_saves_its_messages() -> None:
    whole = answer()
    expected = [taken(whole, BASE), taken(whole, replaced(1), replaced(2)), taken(whole, replaced(3))]
    one = answer()
    assert taken(one, BASE) == expected[0]
    chain = [one.save(True)]
    assert taken(one, replaced(1), replaced(2)) == expected[1]
    chain.append(one.save(False))
    assert replaced(2).encode() in chain[1]
    again = answer(chain)
    assert taken(again, replaced(3)) == expected[2]
    assert again.save(True) == whole.save(True)


def test_what_cannot_be_applied_is_kept_once() -> None:
    warned: list[str] = []
    one = answer(warned=warned)
    taken(one, BASE)
    chain = [one.save(True)]
    bad = replaced(5, "nobody")
    taken(one, bad, replaced(6))
    (letter,) = map(json.loads, one.left_out())
    assert (letter["code"], letter["record"], letter["query"]) == ("XYIN0040", bad, "q")
    assert len(warned) == 1
    assert one.left_out() == []
    chain.append(one.save(False))
    again = answer(chain, warned)
    assert again.left_out() == []
    assert len(warned) == 1, "told when it came, not when the state is read"
