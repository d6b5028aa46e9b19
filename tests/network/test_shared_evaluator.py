"""Many queries over one scan: each answer is that of the query alone, whatever the values are."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from typing import Any

import xylem
from xylem.errors import XylemError
from xylem.network.member import Member, SubscribedQueries
from xylem.network.record_log import RecordLog
from xylem.network.shared_evaluator import SharedEvaluator

from tests.reference import reference

QUERIES = 1500 if os.environ.get("XYLEM_CAMPAIGN") else 100
NUMBERS = ["0", "1", "2", "2.5", "-1", "1e0", "3.0", "-0", "+2", " 2 "]
ODD = ["NaN", "INF", "-INF", "x", "", "two", "é"]
CONSTANTS = ["0", "1", "2", "2.5", "2.50", "3e0", "-1", "0.1", "100000000000000000000", '"2"', '"x"', '"é"', '""']
SIGNS = ["=", "!=", "<", "<=", ">", ">="]
ANSWERS = [
    "<hit>{ $p/a, $p/b }</hit>",
    "<hit>{ $p/b/text() }</hit>",
    "$p",
    "$p/c",
    "<n a='{ $p/@k }'/>",
    "count($p/a)",
    "if ($p/b > 1) then <big/> else <small/>",
]


def condition(draw: random.Random, depth: int = 0) -> str:
    kind = draw.randrange(9)
    path = draw.choice(["$p/a", "$p/b", "$p/c", "$p/@k", "$p/d/e", "$p/a/text()", "$p/*"])
    if kind == 0 and depth < 2:
        return f"({condition(draw, depth + 1)} or {condition(draw, depth + 1)})"
    if kind == 1:
        return draw.choice([f"exists({path})", f"empty({path})", path, f"not({path})"])
    if kind == 2 and depth < 2:
        return f"{condition(draw, depth + 1)} and {condition(draw, depth + 1)}"
    # Numbers are compared with attributes seldom: what is no number there ends the query.
    constant = draw.choice(CONSTANTS[-4:] if path == "$p/@k" and draw.random() < 0.9 else CONSTANTS)
    if draw.random() < 0.2:
        return f"{constant} {draw.choice(SIGNS)} {path}"
    return f"{path} {draw.choice(SIGNS)} {constant}"


def query(draw: random.Random) -> str:
    tests = " and ".join(condition(draw) for _ in range(draw.choice([0, 1, 1, 2, 2, 3])))
    where = f"where {tests}" if tests else ""
    records = draw.choice(["/s/p", "/s/p", "/s/p", "//p", "/s/*", "/s/p[@k]"])
    body = f"for $p in {records} {where} return {draw.choice(ANSWERS)}"
    return draw.choice([body, body, f"<all>{{ {body} }}</all>", f"count({body})"])


def with_other_constants(text: str, draw: random.Random) -> list[str]:
    """A query, and one of the same form."""
    return [text, re.sub(r"(?<=[<>=] )-?[0-9][0-9.e]*", lambda _: draw.choice(CONSTANTS[:9]), text)]


def record(draw: random.Random, odd: float) -> bytes:
    def value() -> str:
        return draw.choice(ODD) if draw.random() < odd else draw.choice(NUMBERS)

    inside = [f"<{name}>{value()}</{name}>" for name in "abc" for _ in range(draw.choice([1, 1, 1, 0, 2]))]
    inside += [f"<d><e>{value()}</e></d>"] * draw.randrange(2)
    if draw.random() < 0.1:
        inside.append(f"<p><a>{value()}</a></p>")
    key = f' k="{draw.choice(["2", "x", "é", ""])}"' if draw.random() < 0.7 else ""
    return f"<p{key}>{''.join(inside)}</p>".encode()


def answer_alone(text: str, document: Any) -> str | XylemError:
    try:
        return reference(text).run(document).serialize()
    except XylemError as error:
        return error


def shared_answers(log: RecordLog, texts: list[str], draw: random.Random) -> dict[str, str | XylemError]:
    """What one evaluator writes for each of the queries, the log read in pieces of any length."""
    found: dict[str, str | XylemError] = {}
    pieces: dict[str, list[bytes]] = {text: [] for text in texts}
    evaluator = SharedEvaluator(log, 0, lambda member, error: found.__setitem__(member.name, error))
    queries = SubscribedQueries()
    for text in texts:
        evaluator.join(Member(text, queries.compiled(text, "q"), 0, pieces[text].append))
    while evaluator.position < log.end:
        evaluator.advance(min(log.end, evaluator.position + draw.randrange(1, 30)))
    for name in evaluator.names():
        evaluator.leave(name)
    return {text: b"".join(pieces[text]).decode() for text in texts} | found


def test_each_of_many_has_the_answer_it_would_have_alone(tmp_path: Path) -> None:
    draw = random.Random("shared")
    texts = sorted({text for _ in range(QUERIES // 2) for text in with_other_constants(query(draw), draw)})
    compared = failed = 0
    for round_number, odd in enumerate((0.0, 0.05)):
        log = RecordLog(tmp_path / str(round_number))
        log.begin(b"<s>")
        data = [record(draw, odd) for _ in range(60)]
        log.append(data[:25])
        log.append(data[25:])
        answers = shared_answers(log, texts, draw)
        document = xylem.parse(b"<s>" + b"".join(data) + b"</s>")
        for text in texts:
            expected, found = answer_alone(text, document), answers[text]
            if isinstance(expected, XylemError):
                # A test that fails may hide another one that would be an error.
                assert not isinstance(found, XylemError) or found.code == expected.code, text
                failed += 1
            else:
                assert found == expected, text
                compared += 1
    assert compared > len(texts)
    assert failed
