"""Of a sorted range only rows that can be among the first of all are handed over."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from xylem.run.tasks.rows import Row
from xylem.run.tasks.sort_task import FirstRows

from .ranges_of_documents import distributed


@given(st.lists(st.tuples(st.binary(max_size=2), st.integers(0, 2)), max_size=60), st.integers(1, 8))
def test_the_first_items_are_kept(given_rows: list[tuple[bytes, int]], limit: int) -> None:
    kept = FirstRows(limit)
    rows = [Row(1, key, 0, ordinal, b"") for ordinal, (key, _) in enumerate(given_rows)]
    counts = {row.ordinal: items for row, (_, items) in zip(rows, given_rows, strict=True)}
    for row in rows:
        kept.add(row, counts[row.ordinal])
    found = [row for row in kept.rows() for _ in range(counts[row.ordinal])]
    ordered = sorted(rows, key=lambda row: (row.key, row.ordinal))
    expected = [row for row in ordered for _ in range(counts[row.ordinal])]
    assert found[:limit] == expected[:limit]
    assert len(found) <= limit + 2


def test_a_task_hands_over_few_rows() -> None:
    program = distributed("(for $p in //p order by number($p) return $p/string())[position() le 3]")
    document = b"<r>" + b"".join(b"<p>%d</p>" % (7 * n % 5003) for n in range(5000)) + b"</r>"
    rows = list(program.task(0, document, 0, {}))
    assert len(rows) == 3
    assert program.finish({1: rows}) == "0 1 2"
