"""A kernel that is older than its sources is told; an installed one has none to compare with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from xylem.source.stale_kernel import is_older, warn_of_stale_kernel


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A checkout whose kernel was built after its sources were written."""
    library = tmp_path / "python" / "xylem" / "_kernel.abi3.so"
    source = tmp_path / "kernel" / "src" / "expression" / "run.rs"
    for path, time in ((source, 100), (library, 200)):
        path.parent.mkdir(parents=True)
        path.touch()
        os.utime(path, (time, time))
    return library


def test_a_new_build_is_not_told(library: Path) -> None:
    warn_of_stale_kernel(library)


def test_a_changed_source_is_told(library: Path) -> None:
    os.utime(library.parents[2] / "kernel" / "src" / "expression" / "run.rs", (300, 300))
    with pytest.warns(RuntimeWarning, match="older than its sources"):
        warn_of_stale_kernel(library)


def test_an_installed_package_has_no_sources(library: Path, tmp_path: Path) -> None:
    assert not is_older(library, tmp_path / "elsewhere")
