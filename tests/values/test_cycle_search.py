"""The search for cycles is as it was when the last pause has ended."""

from __future__ import annotations

import gc

import pytest
from xylem.values.cycle_search import no_cycle_search


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
