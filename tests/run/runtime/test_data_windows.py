"""Reference values that no window gets beyond: an error, on the tree and in a stream, and never windows for ever."""

from __future__ import annotations

import pytest
import xylem

from tests.reference import reference

QUERY = "for $w in /log/e|t diff 30 step 10| return <w>{ count($w) }</w>"


def document(*times: str) -> bytes:
    return f"<log>{''.join(f'<e><t>{time}</t></e>' for time in times)}</log>".encode()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("times", [("INF",), ("0", "INF"), ("-INF", "0"), ("1e300",), ("0", "1e18")])
def test_a_value_without_end_is_an_error(times: tuple[str, ...]) -> None:
    with pytest.raises(xylem.XylemError, match="does not get beyond") as found:
        reference(QUERY).run(xylem.parse(document(*times))).serialize()
    assert found.value.code == "XYDY0004"
    with pytest.raises(xylem.XylemError, match="does not get beyond"):
        "".join(map(str, xylem.compile(QUERY).stream(document(*times))))


def test_large_values_that_windows_get_beyond() -> None:
    assert reference(QUERY).run(xylem.parse(document("1e14", "100000000000040"))).serialize() == (
        "<w>1</w><w>0</w><w>1</w>"
    )
