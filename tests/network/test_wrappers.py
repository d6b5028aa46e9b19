"""Records out of CSV and JSON, however the bytes are cut."""

from __future__ import annotations

import pytest
from xylem.errors import InputError
from xylem.network.wrappers import wrapped

CSV = 'time,place name,2nd\n8,"Ulm, <West>",1\n9,"a ""b""\nc",\n\n10,x,&'
ROWS = (
    "<rows><row><time>8</time><place_name>Ulm, &lt;West&gt;</place_name><_2nd>1</_2nd></row>"
    '<row><time>9</time><place_name>a "b"\nc</place_name><_2nd></_2nd></row>'
    "<row><time>10</time><place_name>x</place_name><_2nd>&amp;</_2nd></row></rows>"
)
LINES = '{"a": 1, "b": {"c": [1.5, null]}}\n{"a": "x\\u0000<", "d": []}\n 12 \n'
ITEMS = "<e><a>1</a><b><c>1.5</c><c></c></b></e><e><a>x\ufffd&lt;</a></e><e>12</e>"


def made(text: str, kind: str, size: int, record: str = "row") -> str:
    data = text.encode()
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(wrapped(chunks, kind, record)).decode()


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_records_of_either_kind(size: int) -> None:
    assert made(CSV, "csv", size) == ROWS
    assert made(LINES, "json", size, "e") == f"<rows>{ITEMS}</rows>"
    assert made(f"[{LINES.strip().replace(chr(10), ',')}]", "json", size, "e") == f"<rows>{ITEMS}</rows>"
    assert made(" 1 2\n345", "json", size, "e") == "<rows><e>1</e><e>2</e><e>345</e></rows>"
    assert made("", "csv", size) == made("", "json", size) == "<rows></rows>"


@pytest.mark.parametrize(
    ("text", "kind", "told"),
    [
        ("a,b\n1\n", "csv", "line 2 has 1 fields"),
        ('a\n"x', "csv", "line 2"),
        ('{"a": ', "json", "not JSON"),
        ("[1, 2", "json", "no end"),
        ("[1 x]", "json", "not JSON"),
    ],
)
def test_what_is_not_of_the_kind(text: str, kind: str, told: str) -> None:
    with pytest.raises(InputError, match=f"XYIN0001.*{told}"):
        made(text, kind, 3)
