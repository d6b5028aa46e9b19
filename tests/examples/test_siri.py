"""examples/siri: the questions of Linear Road with real-world names, on data where the answers are known."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import xylem

FOLDER = Path(__file__).parents[2] / "examples" / "siri"
SIRI = "{http://www.siri.org.uk/siri}"


@pytest.fixture(scope="module")
def notices() -> list[str]:
    chunks: list[bytes] = []
    xylem.compile((FOLDER / "vehicles.xq").read_text()).stream(FOLDER / "siri.xml").write_to(chunks.append)
    text = b"".join(chunks).decode()
    return [f"<Notice{rest}" for rest in text.split("<Notice ")[1:]]


def test_the_data_is_that_of_its_program() -> None:
    made = subprocess.run([sys.executable, FOLDER / "make.py"], capture_output=True, check=True, text=True).stdout
    assert made == (FOLDER / "siri.xml").read_text()


def test_one_notice_for_each_stretch_that_a_vehicle_comes_to(notices: list[str]) -> None:
    assert len(notices) == 13
    assert sum('vehicle="T7"' in notice for notice in notices) == 1


def test_two_that_stand_in_one_place_are_told_until_one_moves_on(notices: list[str]) -> None:
    blocked = [notice for notice in notices if "<Blocked" in notice]
    assert len(blocked) == 1
    assert 'vehicle="T5" stretch="11 out to S9" speed="0" vehicles="2"' in blocked[0]
    assert 'at="8.5412,47.3769"' in blocked[0]
    (after,) = [notice for notice in notices if 'vehicle="T6"' in notice]
    assert 'speed="2" vehicles="1"/>' in after


def test_the_tree_gives_the_same() -> None:
    query = xylem.compile((FOLDER / "vehicles.xq").read_text())
    chunks: list[bytes] = []
    query.stream(FOLDER / "siri.xml").write_to(chunks.append)
    assert query.run(context=xylem.parse(FOLDER / "siri.xml")).serialize() == b"".join(chunks).decode()
