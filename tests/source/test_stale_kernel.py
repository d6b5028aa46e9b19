"""A kernel that was built from other sources is told; an installed one has none to compare with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import xylem
from xylem.source.kernel import is_kernel_built
from xylem.source.stale_kernel import checksum, is_older, warn_of_stale_kernel


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A checkout whose kernel was built after its sources were written."""
    library = tmp_path / "python" / "xylem" / "_kernel.abi3.so"
    source = tmp_path / "kernel" / "src" / "expression" / "run.rs"
    for path, time in ((source, 100), (library, 200)):
        path.parent.mkdir(parents=True)
        path.write_text("fn run() {}")
        os.utime(path, (time, time))
    return library


def source(library: Path) -> Path:
    return library.parents[2] / "kernel" / "src" / "expression" / "run.rs"


def test_a_new_build_is_not_told(library: Path) -> None:
    warn_of_stale_kernel(library, "")


def test_a_changed_source_is_told(library: Path) -> None:
    built_from = checksum(source(library).parents[1])
    source(library).write_text("fn run() { walk() }")
    os.utime(source(library), (300, 300))
    with pytest.warns(RuntimeWarning, match="not built from its present sources"):
        warn_of_stale_kernel(library, built_from)


def test_a_file_that_is_only_younger_is_not_told(library: Path) -> None:
    built_from = checksum(source(library).parents[1])
    os.utime(source(library), (300, 300))
    warn_of_stale_kernel(library, built_from)


def test_a_file_under_another_name_is_another_source(library: Path) -> None:
    before = checksum(source(library).parents[1])
    source(library).rename(source(library).with_name("walk.rs"))
    assert checksum(source(library).parents[1]) != before


def test_an_installed_package_has_no_sources(library: Path, tmp_path: Path) -> None:
    assert not is_older(library, tmp_path / "elsewhere")


@pytest.mark.skipif(not is_kernel_built(), reason="there is no kernel to ask")
def test_the_build_and_python_compute_the_same() -> None:
    from xylem import _kernel

    sources = Path(xylem.__file__).parents[2] / "kernel" / "src"
    assert checksum(sources) == _kernel.SOURCES
