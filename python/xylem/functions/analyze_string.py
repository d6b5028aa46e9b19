"""fn:analyze-string: a text with the matches of a regular expression marked (F&O 3.1 §5.6.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.values.qname import QName

from .regex_functions import expression_for_parts
from .registry import FN, function

if TYPE_CHECKING:
    from xylem.values.builder import TreeBuilder
    from xylem.values.node import Node

_RESULT = QName(FN, "analyze-string-result", "fn")
_MATCH = QName(FN, "match", "fn")
_NON_MATCH = QName(FN, "non-match", "fn")
_GROUP = QName(FN, "group", "fn")
_NUMBER = QName("", "nr")


@function("fn:analyze-string", "xs:string?, xs:string, xs:string", "element(fn:analyze-string-result)")
def analyze_string(value: str | None, pattern: str, flags: str = "") -> Node:
    """The text cut into fn:match and fn:non-match elements, with an fn:group for each group of a match."""
    from xylem.values.builder import TreeBuilder

    expression = expression_for_parts(pattern, flags)
    text = value or ""
    builder = TreeBuilder()
    builder.start_element(_RESULT)
    position = 0
    for spans in expression.matches_in(text):
        start, end = spans[0]
        _write_non_match(builder, text[position:start])
        builder.start_element(_MATCH)
        _write_groups(builder, text, 0, spans, _nested(spans, expression.group_parents))
        builder.end_element()
        position = end
    _write_non_match(builder, text[position:])
    builder.end_element()
    return builder.finish()


def _nested(spans: list[tuple[int, int]], parents: tuple[int, ...]) -> dict[int, list[int]]:
    """The groups directly inside each group that took part.

    A group inside a repeated one may have matched in an earlier round than its parent did last: it then belongs to the
    nearest ancestor that holds its text.
    """
    inside: dict[int, list[int]] = {}
    for group in range(1, len(spans)):
        start, end = spans[group]
        if start < 0:
            continue
        parent = parents[group - 1]
        while parent and not (0 <= spans[parent][0] <= start and end <= spans[parent][1]):
            parent = parents[parent - 1]
        inside.setdefault(parent, []).append(group)
    for groups in inside.values():
        groups.sort(key=lambda group: spans[group])
    return inside


def _write_groups(
    builder: TreeBuilder, text: str, group: int, spans: list[tuple[int, int]], inside: dict[int, list[int]]
) -> None:
    position, end = spans[group]
    for child in inside.get(group, ()):
        first, last = spans[child]
        builder.text(text[position:first])
        builder.start_element(_GROUP)
        builder.attribute(_NUMBER, str(child))
        _write_groups(builder, text, child, spans, inside)
        builder.end_element()
        position = last
    builder.text(text[position:end])


def _write_non_match(builder: TreeBuilder, text: str) -> None:
    if text:
        builder.start_element(_NON_MATCH)
        builder.text(text)
        builder.end_element()
