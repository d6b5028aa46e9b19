"""The examples in examples/windows give what is written beside them, with all rules and with none.

Those in standard XQuery are also run by Saxon.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.result import Result
from xylem.rewrite.windows.rules import RULES
from xylem.source.resources import FileResources

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "windows"
QUERIES = sorted(FOLDER.glob("*.xq"))
_HEAD = re.compile(r"\(: (?:data: (\S+)|items: \$(\w+) from (\S+)) :\)\n\(: .+? :\)\n", re.DOTALL)


def head(path: Path) -> tuple[str | None, str | None, str | None]:
    """(document, variable, document of its items)"""
    found = _HEAD.match(path.read_text(encoding="utf-8"))
    assert found is not None, "the first line names the data, the second says what the query is for"
    return found[1], found[2], found[3]


def answer(path: Path, without: frozenset[str]) -> str:
    program = compile_query(path.read_text(encoding="utf-8"), StaticEnvironment(without_rules=without))
    document, variable, items = head(path)
    inputs: dict[str, Any] = {}
    if document is not None:
        inputs["context"] = (xylem.parse(FOLDER / document),)
    else:
        assert items is not None
        inputs["variables"] = {("", variable): xylem.items(FOLDER / items)}
    return str(Result(program.run(FileResources(), **inputs), program.output))


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_an_example_gives_what_is_expected(path: Path) -> None:
    expected = (FOLDER / "expected" / f"{path.stem}.xml").read_text(encoding="utf-8")
    assert answer(path, frozenset()) + "\n" == expected
    assert answer(path, frozenset(rule.name for rule in RULES)) + "\n" == expected


def test_there_are_enough_and_none_is_left_over() -> None:
    assert len(QUERIES) >= 40
    assert {path.stem for path in (FOLDER / "expected").iterdir()} == {path.stem for path in QUERIES}
    kinds = {path.stem.partition("-")[0] for path in QUERIES}
    assert kinds == {"rss", "log", "sensors", "finance", "document", "social"}


@cache
def saxon() -> Any:
    saxonche = pytest.importorskip("saxonche", reason="Saxon is not installed")
    return saxonche.PySaxonProcessor(license=False)


STANDARD = [path for path in QUERIES if "forseq" not in path.read_text(encoding="utf-8") and head(path)[0]]


@pytest.mark.parametrize("path", STANDARD, ids=lambda path: path.stem)
def test_saxon_gives_the_same(path: Path) -> None:
    processor = saxon()
    query = processor.new_xquery_processor()
    document = head(path)[0]
    assert document is not None
    query.set_context(xdm_item=processor.parse_xml(xml_text=(FOLDER / document).read_text(encoding="utf-8")))
    query.set_query_content(path.read_text(encoding="utf-8"))
    found = query.run_query_to_string()
    expected = (FOLDER / "expected" / f"{path.stem}.xml").read_text(encoding="utf-8")
    assert plain(found) == plain(expected)


def plain(text: str) -> str:
    """Without the declaration and the space that one serializer puts between items and another does not."""
    text = re.sub(r"<\?xml.*?\?>", "", text)
    return re.sub(r">\s+<", "><", text).strip()
