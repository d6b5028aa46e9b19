"""Groups by tasks whose results look something up in another part of the input: in linear time."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import xylem
from xylem.run.tasks.in_process import run_in_process

from tests.reference import reference
from tests.spellings.growth import growth

from .ranges_of_documents import distributed

QUERIES = [
    "for $p in //p group by $d := $p/@d return <d n='{ //d[@id = $d]/t }'>{ count($p) }</d>",
    "for $p in //p group by $d := //d[@id = $p/@d]/t return <d n='{ $d }'>{ count($p) }</d>",
    "for $v in distinct-values(//p/@d) where $v = //d/@id return <v>{ $v }</v>",
]


def document(size: int) -> str:
    persons = "".join(f"<p d='d{i * 7 % size}'/>" for i in range(2 * size))
    depts = "".join(f"<d id='d{i}'><t>t{i}</t></d>" for i in range(0, size, 2))
    return f"<s>{persons}{depts}</s>"


@pytest.mark.parametrize("query", QUERIES)
def test_time_is_linear(query: str) -> None:
    program = distributed(query)

    def over(size: int) -> Callable[[], object]:
        data = document(4 * size).encode()
        return lambda: run_in_process(program, [data], None)

    assert over(8)() == str(reference(query).run(xylem.parse(document(32))))
    assert growth(over) in ("linear", "between")
