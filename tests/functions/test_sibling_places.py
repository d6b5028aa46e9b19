"""Places among siblings are the same from both trees, whatever is asked first."""

from __future__ import annotations

from random import Random

import xylem
from xylem.functions.sibling_places import sibling_place
from xylem.source.xml_reader import read_document

DOCUMENT = "<r>" + "<a/>x<!--c--><?p q?><b><a/>y<a/></b><?o?>" * 300 + "</r>"


def test_paths_of_both_trees() -> None:
    query = xylem.compile("string-join(//node() ! path(.), '|')")
    kernel, python = (str(query.run(read_document(DOCUMENT, reader=reader))) for reader in ("kernel", "python"))
    assert kernel == python
    assert "/Q{}r[1]/Q{}b[300]/text()[1]" in kernel.split("|")


def test_in_any_order() -> None:
    tree = read_document(DOCUMENT).tree
    rows = [row for row in tree.children(1) if tree.kind(row) == 1]
    codes = [str(tree.name(row)) for row in rows]
    expected = {row: codes[: at + 1].count(codes[at]) for at, row in enumerate(rows)}
    Random(1).shuffle(rows)
    assert {row: sibling_place(tree, row) for row in rows} == expected
