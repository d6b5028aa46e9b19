"""A file by several threads: the answer of one pass, wherever places are guessed, and its errors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import xylem
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.in_threads import ThreadedRun, gains_by_threads
from xylem.source import guessed_ranges as guessing
from xylem.source.limits import DEFAULT_LIMITS

QUERIES = [
    "count(//i)",
    "for $i in /s/i where $i/v > 4 return <r a='{ $i/@a }'>{ $i/v }</r>",
    "/s/i",
    "<all>{ //i/v }</all>",
    "for $i in /s[@n = '1']/i return $i/v",
    "count(/s/i[v = 7])",
]
ITEMS = [
    "<i a='1'><v>{}</v></i>",
    "<i>{}<v>3</v><v>8</v></i>\n",
    "<i a='&lt;i>'/>",
    "<!-- <i><v>5</v></i> {} -->",
    "<i><![CDATA[<i></s><v>6</v>{}]]></i>\r\n",
    "<?i <i><v>1</v> ?>",
    "<i><i><v>9</v></i><v>{}</v></i>",
    "<g><i><v>7</v></i></g>",
    "<x><s><i><v>6</v></i></s></x>",
    "</s><s n='{}'>",
    "<i>\u20ac\U0001f333<v>5</v></i>",
    "<ii><v>5</v></ii>",
]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guessing, "FIRST_BYTES", 40)
    monkeypatch.setattr(guessing, "PART_BYTES", 90)


def by_threads(query: str, file: Path, threads: int = 3) -> Iterator[str]:
    program = compile_distributed(query, StaticEnvironment())
    assert gains_by_threads(program), query
    parts = guessing.guessed_ranges(str(file), program.scopes, DEFAULT_LIMITS)
    assert parts is not None
    return ThreadedRun(program, parts, threads, {}).pieces()


def outcome(pieces: Iterator[str]) -> tuple[str, str]:
    """The text that was given, and the error that ended it."""
    found = []
    try:
        found.extend(pieces)
    except XylemError as error:
        return "".join(found), str(error)
    return "".join(found), ""


def in_one_pass(query: str, file: Path) -> Iterator[str]:
    written: list[bytes] = []
    try:
        xylem.compile(query).stream(file).write_to(written.append)
    finally:
        yield b"".join(written).decode()


@pytest.mark.parametrize("query", QUERIES)
def test_answers_are_those_of_one_pass(query: str, tmp_path: Path) -> None:
    chance = random.Random(query)
    file = tmp_path / "input.xml"
    for number in range(15):
        usual = ITEMS[:3] if number % 2 else ITEMS
        made = [chance.choice(usual).replace("{}", str(chance.randint(0, 9))) for _ in range(60)]
        if number % 5 == 4 and "//" in query:
            text = f"<r><s n='1'><i/>{''.join(made)}</s></r>"
        else:
            text = f"<s n='1'><i/>{''.join(one for one in made if not one.startswith('</s>'))}</s>"
        file.write_text(text, newline="")
        assert "".join(by_threads(query, file)) == "".join(in_one_pass(query, file))


@pytest.mark.parametrize(
    "fault", ["<i></j>", "<i", "<i a='1' a='2'/>", "</s>", "<i>&nothing;</i>", "<!-- ", "<i>\x01</i>", "<p:i/>"]
)
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_errors_are_those_of_one_pass(fault: str, ends: str, tmp_path: Path) -> None:
    file = tmp_path / "input.xml"
    items = [f"<i a='{number}'><v>{number % 10}</v></i>{ends}" for number in range(80)]
    file.write_text(f"<s n='1'>{''.join(items[:50])}{fault}{''.join(items[50:])}</s>", newline="")
    for query in QUERIES[:4]:
        found, expected = outcome(by_threads(query, file)), outcome(in_one_pass(query, file))
        assert found[1] == expected[1] != ""
        # Results before an error come before it.
        assert (
            expected[0].removesuffix("</all>") in (found[0], found[0].removesuffix("</all>")) or query == "count(//i)"
        )


def test_what_is_not_proved_is_read_once_more_from_there(tmp_path: Path) -> None:
    file = tmp_path / "input.xml"
    items = "".join(f"<i><v>{number}</v></i>" for number in range(100))
    file.write_text(f"<s>{items}<!-- {items} -->{items}</s>")
    program = compile_distributed("count(/s/i)", StaticEnvironment())
    parts = guessing.guessed_ranges(str(file), program.scopes, DEFAULT_LIMITS)
    assert parts is not None
    run = ThreadedRun(program, parts, 2, {})
    assert "".join(run.pieces()) == "200"
    assert 10 < run.read < len(parts) // 2


def test_where_the_scan_does_not_answer_by_itself_threads_gain_nothing() -> None:
    for query in (
        "sum(//i/v)",
        "for $i in /s/i return encode-for-uri($i/v)",
        "(//i)[1]",
        "count(//i), count(//v)",
        "exists(//i)",
    ):
        assert not gains_by_threads(compile_distributed(query, StaticEnvironment())), query


@pytest.mark.parametrize(
    "text",
    ["<!DOCTYPE s [<!ENTITY e 'x'>]><s><i/></s>", "<s><j/></s>", "<?xml version='1.0' encoding='utf-16'?><s><i/></s>"],
)
def test_files_that_are_not_divided(text: str, tmp_path: Path) -> None:
    file = tmp_path / "input.xml"
    file.write_text(text)
    assert guessing.guessed_ranges(str(file), [(("child", "", "s"), ("child", "", "i"))], DEFAULT_LIMITS) is None
