"""XMark over streams: the twenty queries, and the thesis' own (appendix C), equal the tree with and without schema."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.bench import xmark
from xylem.bench.attribute_free import dtd_without_attributes, without_attributes
from xylem.bench.xmark_queries import query
from xylem.run.deep_stack import with_deep_stack

from .compare import SCANNERS, from_stream, from_tree, stream_program

PAPERS = Path(__file__).parent.parent.parent / "golden" / "papers"
THESIS = sorted(PAPERS.glob("thesis-3[3-9]*.xq")) + sorted(PAPERS.glob("thesis-4[0-5]*.xq"))
DOCUMENT = "".join(xmark.generate(0.001, seed=3))
WITHOUT_ATTRIBUTES = "".join(without_attributes([DOCUMENT]))
SCHEMAS = pytest.mark.parametrize("with_schema", [False, True], ids=["no schema", "schema"])


def check(text: str, document: str, dtd: str | None, reference: str | None = None) -> None:
    data = document.encode()
    program = stream_program(text, dtd)
    assert program is not None
    expected = from_tree(reference or text, data)
    assert not expected.error
    chunks = [data[start : start + 3000] for start in range(0, len(data), 3000)]
    for scanner in SCANNERS:
        assert from_stream(program, chunks, scanner) == expected, scanner


@SCHEMAS
@pytest.mark.parametrize("number", range(1, 21))
def test_xmark(number: int, with_schema: bool) -> None:
    with_deep_stack(lambda: check(query(number), DOCUMENT, xmark.DTD if with_schema else None))


@SCHEMAS
@pytest.mark.parametrize("file", THESIS, ids=[file.stem for file in THESIS])
def test_thesis(file: Path, with_schema: bool) -> None:
    text = file.read_text(encoding="utf-8")
    dtd = dtd_without_attributes(xmark.DTD) if with_schema else None
    with_deep_stack(lambda: check(text, WITHOUT_ATTRIBUTES, dtd, text.replace("$ROOT", "")))
