"""The traffic of the thesis' network: the arithmetic holds for bytes that the engine made."""

from __future__ import annotations

import os

import pytest
from xylem.bench.network_run import grid_network, thesis_network


def test_bytes_of_the_thesis_network() -> None:
    found = thesis_network(1500, 0)
    of = {one.name: one for one in found.strategies}
    raw = found.raw_bytes
    assert of["data shipping"].measured == 8 * raw
    shipped, copies = of["query shipping"].measured, of["query shipping, a copy of the source each"].measured
    assert copies - shipped == raw
    assert of["sharing, all placed together"].measured <= of["sharing, one after another"].measured < copies
    assert found.shared == 1
    for one in found.strategies:
        assert abs(one.predicted - one.measured) < 0.05 * one.measured


@pytest.mark.skipif(not os.environ.get("XYLEM_CAMPAIGN"), reason="40 subscriptions twice: set XYLEM_CAMPAIGN=1")
def test_more_is_shared_where_boxes_overlap() -> None:
    gains = []
    for overlap in (0.1, 0.95):
        of = {one.name: one.backbone for one in grid_network(1500, 1, 40, overlap).strategies}
        gains.append(of["sharing, one after another"] / of["query shipping"])
    assert gains[1] < gains[0]
