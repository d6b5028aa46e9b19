"""Whether a step finds a node, and how many: asked without all its nodes, over trees of files and of constructors."""

from __future__ import annotations

import pytest
import xylem

DOCUMENT = """<r a="1"><a><b k="2">x</b><a><a/><!--c--></a></a>text<b><a>y<b/></a></b><?p?><a k="1"/></r>"""
AXES = (
    "child",
    "descendant",
    "descendant-or-self",
    "self",
    "parent",
    "ancestor",
    "ancestor-or-self",
    "following",
    "preceding",
    "following-sibling",
    "preceding-sibling",
)
NODES = ("a", "*", "node()", "text()", "comment()")
CONTEXTS = "(//node(), //@*)"


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("source", ["parsed", "constructed"])
def test_it_is_there_if_it_is_counted(axis: str, source: str) -> None:
    tree = xylem.parse(DOCUMENT)
    around = f"(document {{ {DOCUMENT} }})" if source == "constructed" else "."
    for node in NODES:
        step = f"{axis}::{node}"
        counted = f"count(({step}, ()))"
        each = (
            f"boolean({step}) ne ({counted} > 0), exists({step}) ne ({counted} > 0), empty({step}) ne ({counted} = 0), "
            f"(if ({step}) then 1 else 0) ne min(({counted}, 1)), count({step}) ne {counted}, "
            f"count(.[{step}]) ne min(({counted}, 1))"
        )
        query = f"{around} ! (for $n in {CONTEXTS} return $n ! ({each}))"
        found = list(xylem.compile(query).run(context=tree))
        assert len(found) > 60
        assert not any(found), step
        positions = f"{around} ! (for $n in {CONTEXTS} return deep-equal($n/{step}[1], ($n/{step} ! .)[%s]))"
        nearest = "last()" if axis in ("ancestor", "ancestor-or-self", "preceding", "preceding-sibling") else "1"
        assert all(xylem.compile(positions % nearest).run(context=tree)), step
