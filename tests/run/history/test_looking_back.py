"""Versions leave a window of time though nothing happens to them."""

from __future__ import annotations

import pytest
import xylem

from .feeding import OPEN, displays


@pytest.mark.parametrize("query", ['stream("s")/r/a[. > 2]?[5]', 'count(stream("s")/r/a?[5])', 'stream("s")/r/a?2'])
def test_what_comes_beside_an_inner_region_supersedes_the_outer_one(query: str) -> None:
    stream = (
        f'{OPEN}<r><u:mutable id="m"><u:mutable id="n"><a>3</a></u:mutable></u:mutable></r>'
        '<u:insert-after of="n" t="1"><a>4</a></u:insert-after><u:clock t="3"/><u:clock t="9"/></u:stream>'
    )
    answers = xylem.history_query(query).answers(s=stream.encode())
    found = [(one.commit.number, str(one.commit.time), one.display.text) for one in answers if one.is_changed]
    assert found == displays(query, stream)
    assert found[-1][1] in ("9", "3")
