"""The photon stream: well-formed records in time order, and something for each of the thesis' subscriptions."""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree

import pytest
from xylem.bench import photons

RECORDS = 20_000


@pytest.fixture(scope="module")
def events() -> list[dict[str, float]]:
    root = ElementTree.fromstring("".join(photons.generate(RECORDS, seed=1)))
    return [{field.tag: float(field.text or "nan") for field in photon} for photon in root]


def _vela(photon: dict[str, float]) -> bool:
    return 120.0 < photon["ra"] < 138.0 and -49.0 < photon["dec"] < -40.0


def _rxj_area(photon: dict[str, float]) -> bool:
    return 130.5 < photon["ra"] < 135.5 and -48.0 < photon["dec"] < -45.0


def test_number_of_records(events: list[dict[str, float]]) -> None:
    assert len(events) == RECORDS


def test_time_never_goes_back(events: list[dict[str, float]]) -> None:
    times = [photon["det_time"] for photon in events]
    assert times == sorted(times)


def test_positions_are_on_the_sky(events: list[dict[str, float]]) -> None:
    assert all(0 <= photon["ra"] < 360 and -90 <= photon["dec"] <= 90 for photon in events)
    assert all(1 <= photon["field_id"] <= 1378 for photon in events)


def test_subscriptions_select_something_but_not_all(events: list[dict[str, float]]) -> None:
    vela = [photon for photon in events if _vela(photon)]
    rxj = [photon for photon in vela if _rxj_area(photon) and photon["en"] > 1.3]
    assert len(vela) / RECORDS == pytest.approx(0.25, abs=0.02)
    assert len(rxj) / RECORDS == pytest.approx(0.03, abs=0.01)


def test_alerts_come_and_go(events: list[dict[str, float]]) -> None:
    minutes: dict[int, list[float]] = {}
    for photon in filter(_rxj_area, events):
        minutes.setdefault(int(photon["det_time"] // 60), []).append(photon["en"])
    alerts = sum(sum(energies) / len(energies) > 1.3 for energies in minutes.values())
    assert 0.1 < alerts / len(minutes) < 0.6


def test_valid_against_the_dtd() -> None:
    etree = pytest.importorskip("lxml.etree", reason="lxml is a development dependency")
    dtd = etree.DTD(io.StringIO(photons.DTD))
    assert dtd.validate(etree.fromstring("".join(photons.generate(50)).encode())), dtd.error_log


def test_write_is_what_generate_gives(tmp_path: Path) -> None:
    path = tmp_path / "photons.xml"
    assert photons.write(path, 100, seed=2) == path.stat().st_size
    assert path.read_text() == "".join(photons.generate(100, seed=2))
