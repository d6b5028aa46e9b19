"""Normalization with long runs of marks sorted beforehand: the same text as Unicode's own, in linear time."""

from __future__ import annotations

import random
import time
import unicodedata

import pytest
import xylem
from xylem.values.normalized_text import normalized

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
MARKS = [chr(code) for code in range(0x110000) if unicodedata.combining(chr(code))]
OTHERS = [*"aeé가각ᄀ힣ﬁ゛ﾞ𝅗", "\u0f73", "\u0f75", "\u0f81", "\u0344", "\U0001d15e", "\u1e9b", "\u3099"]


@pytest.mark.parametrize("seed", range(30))
def test_the_same_text(seed: int) -> None:
    rng = random.Random(seed)
    pieces: list[str] = []
    while sum(map(len, pieces)) < 1_200:
        pieces += rng.choices(OTHERS, k=rng.randint(0, 4))
        pieces += rng.choices(rng.sample(MARKS, 12) + OTHERS[-7:-3], k=rng.choice([0, 1, 3, 63, 64, 200]))
    text = "".join(pieces)
    for form in FORMS:
        assert normalized(form, text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0f73", "\u0344\u0316", "\u3099\u0334"])
def test_many_marks_in_a_row(marks: str) -> None:
    text = "a" + marks * 200_000
    began = time.process_time()
    assert sorted(normalized("NFD", text)[1:]) == sorted(unicodedata.normalize("NFD", marks) * 200_000)
    query = xylem.compile("declare variable $t external; string-length(normalize-unicode($t)) > 100000")
    assert query.run(variables={"t": text}).value is True
    # Minutes, if they were sorted by insertion.
    assert time.process_time() - began < 10
