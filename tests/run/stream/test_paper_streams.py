"""The papers' example queries over streams: each gives what the tree gives, with and without its schema."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .compare import SCANNERS, from_stream, from_tree, stream_program
from .paper_documents import BIB, CAPITALS, DEPARTMENT, LATE, NUMBERS, PARTS, PHOTONS, PIXELS, Example

PAPERS = Path(__file__).parent.parent.parent / "golden" / "papers"
EXAMPLES: dict[str, Example] = {
    **dict.fromkeys(("thesis-01", "thesis-02", "thesis-03", "thesis-04", "thesis-05", "thesis-06"), PHOTONS),
    "thesis-07": PHOTONS,
    **dict.fromkeys((f"thesis-{n:02}" for n in (9, 10, 11, 13, 14, 15, 16, 17, 18, 21, 22, 23)), BIB),
    **dict.fromkeys((f"thesis-{n:02}" for n in (12, 19, 20, 24, 25, 26, 28, 29)), NUMBERS),
    "thesis-27": PARTS,
    **dict.fromkeys((f"single-pass-{n:02}" for n in range(1, 8)), PIXELS),
    "xqpull-01": LATE,
    "xqpull-02": CAPITALS,
    "xqpull-03": NUMBERS,
    "xqpull-04": DEPARTMENT,
    "xqpull-05": DEPARTMENT,
}
ELSEWHERE = {
    "thesis-08": "tests/run/best_match: a stream and a document",
    **dict.fromkeys(("thesis-30", "thesis-31", "thesis-32"), "tests/run/best_match: two variables"),
    **dict.fromkeys((f"thesis-{n}" for n in range(33, 46)), "test_xmark_streams.py"),
    "xqpull-06": "two documents",
    **dict.fromkeys((f"xqpull-{n:02}" for n in range(7, 16)), "test_xqpull_streams.py"),
}
FREE = {"$x": "for $x in /root/a return ", "$minx": "let $minx := 0, $maxx := 2, $miny := 0, $maxy := 1 return "}
_SOURCE = re.compile(r'\$ROOT|(?:fn:)?(?:stream|doc|document)\("[^"]*"\)')


def stems() -> list[str]:
    return sorted(file.stem for pattern in ("thesis-*", "single*", "xqpull*") for file in PAPERS.glob(f"{pattern}.xq"))


def number_of(stem: str) -> str:
    return re.match(r"[a-z-]+-\d+", stem)[0]  # type: ignore[index]


def text_of(stem: str) -> str:
    """The query, with a value for variables that the paper leaves free."""
    text = (PAPERS / f"{stem}.xq").read_text(encoding="utf-8")
    for name, binding in FREE.items():
        is_free = f"for {name} in" not in text and re.search(rf"{re.escape(name)}\b", text) is not None
        if is_free:
            prolog, semicolon, body = text.rpartition("};")
            text = f"{prolog}{semicolon}\n{binding}{body}"
    return text


def test_every_query_has_its_place() -> None:
    assert {number_of(stem) for stem in stems()} == {*EXAMPLES, *ELSEWHERE}


@pytest.mark.parametrize("with_schema", [False, True], ids=["no schema", "schema"])
@pytest.mark.parametrize("stem", [stem for stem in stems() if number_of(stem) in EXAMPLES])
@pytest.mark.share(2)
def test_paper(stem: str, with_schema: bool) -> None:
    example, text = EXAMPLES[number_of(stem)], text_of(stem)
    data = example.text.encode()
    expected = from_tree(_SOURCE.sub(".", text), data)
    assert not expected.error, expected
    assert expected.text
    program = stream_program(text, example.dtd if with_schema else None)
    assert program is not None
    for scanner in SCANNERS:
        for size in (7, 1000, len(data)):
            chunks = [data[start : start + size] for start in range(0, len(data), size)]
            assert from_stream(program, chunks, scanner) == expected, f"{scanner}, {size}"
