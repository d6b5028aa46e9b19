"""A part of a file proves where the next one begins only if nothing in it ends what is open around it."""

from __future__ import annotations

import pytest
from xylem.source.byte_ranges import ByteRange, CutPoint
from xylem.source.guessed_ranges import GuessedRange

NAME = b"g" * 100
END = CutPoint(0, 1, b"", b"</" + NAME + b"></r>")


@pytest.mark.parametrize("size", [1, 3, 64, 97, 102, 1000])
@pytest.mark.parametrize(
    ("text", "is_proved"),
    [(b"<i/></" + NAME + b"><" + NAME + b"><i/>", False), (b"<i/></" + NAME[:-1] + b"><i/>", True)],
)
def test_end_tags_are_seen_over_borders_of_chunks(
    text: bytes, is_proved: bool, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    monkeypatch.setattr(ByteRange, "chunks", lambda part: iter([*pieces, part.closing]))
    part = GuessedRange("f.xml", None, END, ends=(b"</" + NAME, b"</r"))
    assert b"".join(part.chunks()) == text + END.closing
    assert part.is_proved == is_proved
