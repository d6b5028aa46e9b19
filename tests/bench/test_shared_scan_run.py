"""The measured boxes are Vela: together they write what it writes, each photon once."""

from __future__ import annotations

import pytest
import xylem
from xylem.bench.network_run import VELA, document
from xylem.bench.shared_scan_run import boxes, shared_scans


@pytest.mark.parametrize("number", [1, 6, 7])
def test_boxes_divide_the_region(number: int) -> None:
    data = xylem.parse(document(400, 0))
    hits = [xylem.compile(text).run(data).serialize().count("<vela>") for text in boxes(number)]
    assert len(hits) == number
    assert sum(hits) == xylem.compile(VELA).run(data).serialize().count("<vela>") > 0


def test_some_subscriptions_are_measured() -> None:
    (one, many) = shared_scans(300, 0, [1, 12])
    assert one.scan_ms > 0
    assert (many.subscriptions, many.ratio > 0) == (12, True)
    assert many.registration_p50_ms <= many.registration_p99_ms
