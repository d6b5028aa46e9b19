"""Generated auction documents agree with the original generator's and can be relied on by the queries."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from xylem.bench import xmark
from xylem.bench.auction_statistics import statistics
from xylem.bench.vocabulary import words

HERE = Path(__file__).parent
SHARED = HERE.parents[2] / "shared" / "xmark"
ORIGINAL = json.loads((HERE / "original-0.01.json").read_text())


def document(scale: float, seed: int = 0) -> bytes:
    return "".join(xmark.generate(scale, seed)).encode("ascii")


@pytest.fixture(scope="module", params=[0, 1, 2])
def at_one_percent(request: pytest.FixtureRequest) -> bytes:
    return document(0.01, request.param)


def test_table_is_the_original() -> None:
    sample = SHARED / "sample-0.01.xml"
    if not sample.exists():
        pytest.skip("the original generator's document is not beside the project")
    assert json.loads(json.dumps(statistics(str(sample)))) == ORIGINAL


def test_counts_agree_with_the_original(at_one_percent: bytes) -> None:
    ours = statistics(io.BytesIO(at_one_percent))["counts"]
    assert ours.keys() == ORIGINAL["counts"].keys()
    far = {
        name: (ours[name], count)
        for name, count in ORIGINAL["counts"].items()
        # Small counts are what chance makes of them, in the original too: a few standard deviations of a count.
        if abs(ours[name] - count) > max(0.06 * count, 3.5 * count**0.5 if count < 100 else 0)
    }
    assert not far


def test_values_agree_with_the_original(at_one_percent: bytes) -> None:
    ours = statistics(io.BytesIO(at_one_percent))["values"]
    for name, (mean, deviation) in ORIGINAL["values"].items():
        assert ours[name][0] == pytest.approx(mean, rel=0.07), name
        assert ours[name][1] == pytest.approx(deviation, rel=0.25), name


def test_size_agrees_with_the_original(at_one_percent: bytes) -> None:
    assert len(at_one_percent) == pytest.approx(1_161_652, rel=0.02)


def test_same_seed_same_document() -> None:
    assert document(0.002, 5) == document(0.002, 5)
    assert document(0.002, 5) != document(0.002, 6)


def test_counts_at_scale_one() -> None:
    counts = xmark.Counts.at_scale(1)
    assert (counts.persons, counts.items, counts.open_auctions, counts.closed_auctions, counts.categories) == (
        25_500,
        21_750,
        12_000,
        9_750,
        1_000,
    )


@pytest.mark.parametrize("scale", [0.00001, 0.0003, 0.001, 0.007, 0.0123])
def test_references_lead_somewhere(scale: float) -> None:
    site = ElementTree.fromstring(document(scale))
    known = {name: {e.get("id") for e in site.iter(name)} for name in ("item", "person", "category", "open_auction")}
    referring = [("itemref", "item"), ("personref", "person"), ("seller", "person"), ("buyer", "person")]
    referring += [("author", "person"), ("incategory", "category"), ("interest", "category"), ("watch", "open_auction")]
    for element, target in referring:
        assert {e.get(target) for e in site.iter(element)} <= known[target], element
    assert {e.get("from") for e in site.iter("edge")} <= known["category"]


def test_each_item_is_on_auction_once() -> None:
    site = ElementTree.fromstring(document(0.004))
    opened = [e.get("item") for e in site.findall("open_auctions/open_auction/itemref")]
    closed = [e.get("item") for e in site.findall("closed_auctions/closed_auction/itemref")]
    assert sorted(opened + closed) == sorted(str(e.get("id")) for e in site.iter("item"))


def test_current_is_initial_and_increases() -> None:
    for auction in ElementTree.fromstring(document(0.002)).iter("open_auction"):
        increases = sum(float(increase.text or "nan") for increase in auction.iter("increase"))
        current, initial = float(auction.findtext("current", "nan")), float(auction.findtext("initial", "nan"))
        assert current == pytest.approx(initial + increases, abs=0.01)


@pytest.mark.parametrize("dtd", [None, SHARED / "auction.dtd"], ids=["ours", "original"])
def test_valid_against_the_dtd(at_one_percent: bytes, dtd: Path | None) -> None:
    etree = pytest.importorskip("lxml.etree", reason="lxml is a development dependency")
    if dtd is not None and not dtd.exists():
        pytest.skip("the original DTD is not beside the project")
    schema = etree.DTD(io.StringIO(xmark.DTD) if dtd is None else str(dtd))
    assert schema.validate(etree.fromstring(at_one_percent)), schema.error_log


def test_memory_does_not_grow_with_the_scale() -> None:
    words()  # the vocabulary is made once
    assert _peak(xmark.generate(0.01)) < _peak(xmark.generate(0.002)) + 200_000


def _peak(pieces: Iterator[str]) -> int:
    tracemalloc.start()
    deque(pieces, maxlen=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_write(tmp_path: Path) -> None:
    path = tmp_path / "auction.xml"
    size = xmark.write(path, 0.001, seed=3)
    assert path.stat().st_size == size
    assert path.read_bytes() == document(0.001, 3)


def test_a_scale_is_positive() -> None:
    with pytest.raises(ValueError, match="positive"):
        next(xmark.generate(0))
