"""The examples give the answers that stand beside them, whether their files are read as trees or scanned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import xylem
from xylem.run.best_match import scanned_side, windowed_join

EXAMPLES = Path(__file__).parents[3] / "examples" / "best-match"
QUERIES = sorted(EXAMPLES.glob("*.xq"))


def test_every_example_has_its_answer_and_its_line() -> None:
    table = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert len(QUERIES) == 7
    for query in QUERIES:
        assert (EXAMPLES / "expected" / f"{query.stem}.xml").exists()
        assert f"[{query.name}]({query.name})" in table


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_answers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = (EXAMPLES / "expected" / f"{path.stem}.xml").read_text(encoding="utf-8")
    query = xylem.compile(path.read_text(encoding="utf-8"), base_uri=path.as_uri())
    if query.stream_names == ["photons"]:
        return
    if query.stream_names:
        streams = {name: xylem.items(EXAMPLES / f"{name}.xml") for name in query.stream_names}
        assert str(query.run(streams=streams)).strip() == expected.strip()
        return
    assert str(query.run(allow=[EXAMPLES])).strip() == expected.strip()
    monkeypatch.setattr(scanned_side, "SCANNED_BYTES", 0)
    monkeypatch.setattr(windowed_join, "WINDOWED_BYTES", 0)
    assert str(query.run(allow=[EXAMPLES])).strip() == expected.strip()


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_bursts_of_a_stream(size: int) -> None:
    """Subscription Bursts of the thesis (section 2.4): a stream joined with a stored document."""
    path = EXAMPLES / "bursts.xq"
    expected = (EXAMPLES / "expected" / "bursts.xml").read_text(encoding="utf-8").strip()
    query = xylem.compile(path.read_text(encoding="utf-8"), base_uri=path.as_uri())
    assert query.stream_names == ["photons"]
    data = (EXAMPLES / "photons-now.xml").read_bytes()
    written: list[bytes] = []
    query.stream(
        (data[start : start + size] for start in range(0, len(data), size)), allow=[EXAMPLES]
    ).write_to(written.append)
    assert b"".join(written).decode() == expected
    before_last = data.rindex(b"<photon>")
    received: list[int] = []

    def chunks() -> Iterator[bytes]:
        yield data[:before_last]
        received.append(len(b"".join(given)))
        yield data[before_last:]

    given: list[bytes] = []
    query.stream(chunks(), allow=[EXAMPLES]).write_to(given.append)
    # The first photon had its two partners, and they were written, before the last one came.
    assert received[0] >= expected.index("<rel_energy>", expected.index("0.5"))
