"""The search for cycles is as it was when the last pause has ended."""

from __future__ import annotations

import gc

import pytest
from xylem.values.cycle_search import YOUNG_OBJECTS, no_cycle_search, seldom_cycle_search


def test_pauses_nest_and_end() -> None:
    assert gc.isenabled()
    with no_cycle_search():
        with no_cycle_search():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_ends_the_pause() -> None:
    with pytest.raises(ValueError, match="bad"), no_cycle_search():
        raise ValueError("bad")
    assert gc.isenabled()


def test_a_search_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with no_cycle_search():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_seldom_for_a_while() -> None:
    before = gc.get_threshold()
    try:
        gc.set_threshold(700, 10, 10)
        with seldom_cycle_search():
            with seldom_cycle_search():
                assert gc.get_threshold()[0] == YOUNG_OBJECTS
            assert gc.get_threshold()[0] == YOUNG_OBJECTS
        assert gc.get_threshold() == (700, 10, 10)
        with pytest.raises(ValueError, match="bad"), seldom_cycle_search():
            raise ValueError("bad")
        assert gc.get_threshold() == (700, 10, 10)
        for chosen in ((0, 10, 10), (2 * YOUNG_OBJECTS, 5, 5)):
            gc.set_threshold(*chosen)
            with seldom_cycle_search():
                assert gc.get_threshold() == chosen
            assert gc.get_threshold() == chosen
    finally:
        gc.set_threshold(*before)
