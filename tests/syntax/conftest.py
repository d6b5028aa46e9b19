"""Where the shared material of the project lies, if it is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the repository, or what XYLEM_SHARED says; without it, the test is skipped."""
    place = Path(os.environ.get("XYLEM_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    if not place.is_dir():
        pytest.skip(f"no shared material at {place}; set XYLEM_SHARED to its place")
    return place
