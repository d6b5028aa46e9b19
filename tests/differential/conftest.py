"""The second processor, and the documents that both of them read."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from xylem.bench import xmark
from xylem.bench.peers import Saxon

HERE = Path(__file__).parent
GENERATED = {"auction": (0.002, 1), "xmark": (0.005, 1)}  # scale and seed


@pytest.fixture(scope="session")
def saxon() -> Saxon:
    """SaxonC; a processor is expensive to start and is used by all tests."""
    pytest.importorskip("saxonche", reason="saxonche, the processor compared with, is not installed")
    return Saxon()


@pytest.fixture(scope="session")
def document_path(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of a document by its name: checked in, or generated once."""
    folder = tmp_path_factory.mktemp("documents")

    @cache
    def path(name: str) -> Path:
        if name not in GENERATED:
            return HERE / "documents" / f"{name}.xml"
        scale, seed = GENERATED[name]
        xmark.write(folder / f"{name}.xml", scale, seed)
        return folder / f"{name}.xml"

    return path
