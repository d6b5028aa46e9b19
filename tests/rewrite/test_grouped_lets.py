"""Behind a `group by`, a variable bound before it has its values of all tuples of a group: in every runner."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.in_process import run_in_process
from xylem.source.byte_ranges import ranges
from xylem.source.cut_points import find_cuts

from tests.reference import reference

DOCUMENT = "<bib>" + "".join(f"<book><year>{2000 + i % 3}</year></book>" for i in range(7)) + "</bib>"
QUERIES = {
    "let $b := /bib/book for $x in /bib/book group by $k := $x/year return count($b)": "21 14 14",
    "for $x in /bib/book let $b := /bib/book group by $k := $x/year return count($b)": "21 14 14",
    "for $x in /bib/book let $b := 1 group by $k := $x/year return count($b)": "3 2 2",
    "let $b := 1 for $x in /bib/book group by $k := $x/year return count($b)": "3 2 2",
    "let $b := count(/bib/book) for $x in /bib/book group by $k := $x/year return sum($b)": "21 14 14",
    "for $x in /bib/book let $b := count(/bib/book) group by $k := $x/year return sum($b)": "21 14 14",
    "for $s in /bib for $x in $s/book group by $k := $x/year return count($s)": "3 2 2",
    "let $b := /bib/book group by $k := count($b) return count($b)": "7",
    "let $b := /bib/book for $x in $b group by $k := $x/year return count($x)": "3 2 2",
}


@pytest.mark.parametrize("text", QUERIES)
def test_everywhere(text: str, tmp_path: Path) -> None:
    expected = QUERIES[text]
    tree = xylem.parse(DOCUMENT)
    assert str(reference(text).run(tree)) == expected
    query = xylem.compile(text)
    assert str(query.run(tree)) == expected
    assert " ".join(map(str, query.stream(DOCUMENT.encode()))) == expected
    file = tmp_path / "bib.xml"
    file.write_text(DOCUMENT, encoding="utf-8")
    program = compile_distributed(text, StaticEnvironment())
    cuts = find_cuts(file, program.scopes, 1) if program.cut_scopes else []
    assert run_in_process(program, ranges(file, cuts[:3])) == expected
