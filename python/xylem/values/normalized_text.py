"""Unicode normalization in time that grows with the text, whatever it contains.

Python sorts marks that follow one another by insertion, which takes minutes for half a million of them. Here long runs
of marks are sorted beforehand; the result is canonically equivalent, so that each form of it is the same.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_LONG_TEXT = 1_000
_LONG_RUN = re.compile(rb"[^\0]{64,}", re.DOTALL)
"""By the combining classes of the characters; that of a character that is no mark is 0."""
_MADE_OF_MARKS = {ord(c): unicodedata.normalize("NFD", c) for c in "\u0344\u0f73\u0f75\u0f81"}
"""Characters that stand for two marks; three of them do not count as marks themselves."""


def normalized(form: Form, text: str) -> str:
    """The text in a normalization form.

    >>> normalized("NFC", "e\u0301") == "\u00e9"
    True
    """
    if len(text) > _LONG_TEXT and not text.isascii():
        text = _with_sorted_marks(text)
    return unicodedata.normalize(form, text)


def _with_sorted_marks(text: str) -> str:
    if any(chr(code) in text for code in _MADE_OF_MARKS):
        text = text.translate(_MADE_OF_MARKS)
    classes = bytes(map(unicodedata.combining, text))
    pieces: list[str] = []
    done = 0
    for run in _LONG_RUN.finditer(classes):
        marks = "".join(unicodedata.normalize("NFD", mark) for mark in text[run.start() : run.end()])
        pieces += (text[done : run.start()], "".join(sorted(marks, key=unicodedata.combining)))
        done = run.end()
    return "".join([*pieces, text[done:]])
