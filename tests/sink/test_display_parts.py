"""An answer that is edited part by part shows what its parts show one after the other, as does its change log."""

from __future__ import annotations

import json
import random
from decimal import Decimal

from xylem.sink.changelog import ChangeLog, replayed
from xylem.sink.display_edits import Edit, Edits, Part
from xylem.sink.display_parts import DisplayParts
from xylem.values.saved_state import give_state, state_of


def shown(parts: list[Part]) -> str:
    """By hand: values of one sequence that follow each other have a space between them."""
    text, before = "", 0
    for own, sequence in parts:
        text += f" {own}" if sequence and sequence == before else own
        before = sequence
    return text


def random_parts(rng: random.Random, most: int) -> list[Part]:
    return [(rng.choice(("", "a", '"<&', "é")), rng.randint(0, 2)) for _ in range(rng.randint(0, most))]


def random_edits(rng: random.Random, parts: list[Part]) -> list[Edit]:
    """Some edits in ascending order; `parts` becomes what they lead to."""
    found, place = [], 0
    for _ in range(rng.randint(0, 4)):
        place = rng.randint(place, len(parts))
        removed = rng.randint(0, min(len(parts) - place, 400 if rng.random() < 0.05 else 3))
        new = random_parts(rng, 600 if rng.random() < 0.05 else 3)
        parts[place : place + removed] = new
        found.append(Edit(place, removed, new))
        place += len(new)
    return found


def test_random_edits() -> None:
    rng = random.Random(7)
    parts: list[Part] = []
    display, log, replay = DisplayParts(), ChangeLog("q"), list[str]()
    longest = 0
    for commit in range(600):
        edits: Edits = random_edits(rng, parts)
        if rng.random() < 0.02:
            # All that is there, instead of edits.
            parts = random_parts(rng, 40)
            edits = tuple(parts)
        display.apply(edits)
        for row in log.rows(commit, Decimal(0), edits):
            replayed(replay, row)
        assert display.size == len(parts)
        assert display.text == "".join(replay) == shown(parts)
        if commit % 20 == 0:
            assert json.loads(display.json) == display.text
            saved = state_of(log)
            log = ChangeLog("q")
            give_state(log, saved)
        longest = max(longest, len(parts))
    assert longest > 512


def test_a_region_keeps_its_number_and_a_separator_is_told() -> None:
    log = ChangeLog("q")
    log.rows(1, Decimal(0), [Edit(0, 0, [("1", 1), ("2", 1), ("<a/>", 0)])])
    (removed, following) = log.rows(2, Decimal(0), [Edit(0, 1, [])])
    assert (removed.op, removed.region, removed.place, removed.old) == ("remove", 1, 0, "1")
    assert (following.op, following.region, following.place, following.old, following.new) == (
        "replace",
        2,
        0,
        " 2",
        "2",
    )
    (replaced,) = log.rows(3, Decimal(0), [Edit(1, 1, [("<b/>", 0)])])
    assert (replaced.op, replaced.region, replaced.old, replaced.new) == ("replace", 3, "<a/>", "<b/>")
    assert log.rows(4, Decimal(0), [Edit(1, 1, [("<b/>", 0)])]) == []
