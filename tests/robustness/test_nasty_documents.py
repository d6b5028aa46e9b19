"""Documents of a megabyte made to cost as much as they can: an answer or a coded error within 500 MB and 10 s."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MEGABYTE = 1_000_000
MOST_SECONDS = 10.0
MOST_BYTES = 500_000_000


def filled(start: str, piece: Callable[[int], str], end: str) -> str:
    """A document of about a megabyte."""
    parts, size, number = [start], len(start) + len(end), 0
    while size < MEGABYTE:
        made = piece(number)
        parts.append(made)
        size += len(made.encode())
        number += 1
    return "".join(parts) + end


def nested(name: str, depth: int) -> str:
    return f"<{name}>" * depth + f"</{name}>" * depth


MANY_ATTRIBUTES = "<a " + " ".join(f"b{number}=''" for number in range(900)) + "/>"
DOCUMENTS: dict[str, Callable[[], str]] = {
    "empty elements": lambda: filled("<r>", lambda n: "<a/>", "</r>"),
    "one text": lambda: filled("<r>", lambda n: "text ", "</r>"),
    "texts of one character": lambda: filled("<r>", lambda n: "x<a/>", "</r>"),
    "names that differ": lambda: filled("<r>", lambda n: f"<n{n}/>", "</r>"),
    "attributes": lambda: filled("<r>", lambda n: MANY_ATTRIBUTES, "</r>"),
    "one long attribute": lambda: f"<r a='{'x' * (MEGABYTE - 100)}'/>",
    "a deep tree": lambda: nested("a", 9_990) + " " * 900_000,
    "deep trees": lambda: filled("<r>", lambda n: nested("a", 900), "</r>"),
    "namespaces, nested": lambda: "".join(f"<a xmlns:p{n}='u{n}'>" for n in range(9_000)) + "</a>" * 9_000,
    "namespaces, side by side": lambda: filled("<r>", lambda n: f"<p:a xmlns:p='u{n}'/>", "</r>"),
    "references": lambda: filled("<r>", lambda n: "&#65;&amp;", "</r>"),
    "an entity bomb": lambda: (
        "<!DOCTYPE r ["
        + "<!ENTITY e0 'lol'>"
        + "".join(f"<!ENTITY e{n} '" + f"&e{n - 1};" * 10 + "'>" for n in range(1, 12))
        + "]><r>&e11;</r>"
    ),
    "many entities": lambda: filled(
        "<!DOCTYPE r [", lambda n: f"<!ENTITY e{n} 'x'>", "]><r>" + "&e1;&e2;" * 20 + "</r>"
    ),
    "defaulted attributes": lambda: filled(
        "<!DOCTYPE r [<!ATTLIST a " + " ".join(f"b{n} CDATA 'v'" for n in range(900)) + ">]><r>",
        lambda n: "<a/>",
        "</r>",
    ),
    "many attribute lists": lambda: filled("<!DOCTYPE r [", lambda n: f"<!ATTLIST a b{n} CDATA #IMPLIED>", "]><r/>"),
    "comments": lambda: filled("<r>", lambda n: "<!---->", "</r>"),
    "instructions": lambda: filled("<r>", lambda n: "<?p?>", "</r>"),
    "sections of characters": lambda: filled("<r>", lambda n: "<![CDATA[]]>x", "</r>"),
    "an end that never comes": lambda: "<r " + "a" * MEGABYTE,
    "quotes": lambda: filled("<r a='", lambda n: '"', "'/>"),
    "elements in elements of the same name": lambda: filled("<a>", lambda n: "<a><a>1</a></a>", "</a>"),
}
QUERIES = [
    "count(//a)",
    "count(//a//a)",
    "/*",
    "distinct-values(//@*)",
    "string(/)",
    "count(//a/..)",
    "count(//a[.//a])",
    "count(//a[ancestor::a])",
    "sum(//a/count(.//a))",
    "count(//*[last()])",
    "//comment()[. = 'x']",
]

_MEASURED = """
import json, resource, sys, time
import xylem
data = sys.stdin.buffer.read()
told, began = [], time.process_time()
for query in json.loads(sys.argv[1]):
    for tree in (False, True):
        before = time.process_time()
        try:
            compiled, size = xylem.compile(query), 0
            if tree:
                compiled.run(context=xylem.parse(data)).write_to(lambda text: None)
            else:
                compiled.stream(data).write_to(lambda text: None)
            code = "answer"
        except xylem.XylemError as error:
            code = error.code
        told.append([query, tree, code, time.process_time() - before])
print(json.dumps([told, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]))
"""


@pytest.mark.timeout(300)
@pytest.mark.share(5)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_megabyte_costs_no_more(name: str, tmp_path: Path) -> None:
    data = DOCUMENTS[name]().encode()
    assert len(data) < 1.3 * MEGABYTE
    command = [sys.executable, "-c", _MEASURED, json.dumps(QUERIES)]
    ended = subprocess.run(command, input=data, capture_output=True, check=False, timeout=280)
    assert ended.returncode == 0, ended.stderr.decode()[-2000:]
    told, most_bytes = json.loads(ended.stdout)
    assert most_bytes < MOST_BYTES, (name, most_bytes)
    assert max(seconds for *_, seconds in told) < MOST_SECONDS, (name, told)
    assert not [row for row in told if row[2].startswith("XYBUG")]
