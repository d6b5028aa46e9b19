"""A catalogue with a bit changed or its end cut off is refused by its path, or says what was written."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
from xylem.errors import XylemError
from xylem.network.catalogue import Catalogue
from xylem.network.change_store import ChangeFile

from tests import turns

TRIALS = 1_000 if turns.is_campaign() else 250


def filled(path: Path) -> None:
    made = Catalogue(ChangeFile(path))
    made.add_source("orders")
    for number in range(40):
        made.subscribe(
            f"s{number}", f"for $o in stream('orders')//order[@n = {number}] return $o", "orders", number, 17
        )
    for number in range(0, 40, 3):
        made.unsubscribe(f"s{number}", 100 + number)
    made.fail("s1", 7, "too slow")
    made.close()


def told(path: Path) -> list[dict[str, object]]:
    read = Catalogue(ChangeFile(path))
    try:
        return [{"sources": read.sources}, *(one.to_dict() for one in read.subscriptions.values())]
    finally:
        read.close()


def told_or_refused(path: Path) -> list[dict[str, object]] | XylemError:
    try:
        return told(path)
    except XylemError as error:
        return error


def test_no_change_is_silent(tmp_path: Path) -> None:
    original = tmp_path / "original" / "catalogue.db"
    filled(original)
    data, expected = original.read_bytes(), told(original)
    chance = random.Random(turns.today())
    refused = 0
    for number in range(TRIALS):
        path = tmp_path / f"{number}" / "catalogue.db"
        path.parent.mkdir(mode=0o700)
        place = chance.randrange(1, len(data))
        flipped = data[:place] + bytes((data[place] ^ 1 << chance.randrange(8),)) + data[place + 1 :]
        path.write_bytes(data[:place] if number % 5 == 0 else flipped)
        found = told_or_refused(path)
        if isinstance(found, XylemError):
            assert found.code in ("XYRT0020", "XYRT0033"), (number, place)
            assert str(path) in str(found), (number, place)
            refused += 1
        else:
            # Much of a database is room for more: there a bit means nothing.
            assert found == expected, (number, place)
    assert refused > TRIALS // 3


def test_a_catalogue_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.db"
    with sqlite3.connect(path) as database:
        database.execute("create table change (version integer primary key, kind, name, body)")
        database.execute("pragma user_version=1")
    database.close()
    with pytest.raises(XylemError, match=r"XYRT0020.*format 1"):
        Catalogue(ChangeFile(path))
