"""A decision taken at a place in the query, worth telling the user."""

from __future__ import annotations

from typing import NamedTuple

from xylem.errors import Span


class Note(NamedTuple):
    """`topic` is a word or two (`hash join`); `text` describes the decision."""

    span: Span
    topic: str
    text: str
