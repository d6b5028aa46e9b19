"""Results that are many times their input: elements in each other that are all copied."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest
import xylem

from tests.reference import reference

DEPTH = 4_000  # copies of all of them are twice as long as what a batch of the scan may hold
DOCUMENT = ("<r>" + "<a>" * DEPTH + "x<b/>" + "</a>" * DEPTH + "<a>y</a></r>").encode()
QUERIES = [
    "//a",
    "for $a in //a return <c n='1'>{ $a }</c>",
    "<all>{ //a }</all>",
    "/r/a[1] ! <c>{ .//a }</c>",
    "for $a in //a where $a/b or $a/a return ($a, <end/>)",
]


def digest(query: xylem.Query, *, streams: bool) -> tuple[int, str]:
    found, size = hashlib.sha256(), 0

    def write(data: bytes) -> None:
        nonlocal size
        size += len(data)
        found.update(data)

    result = query.stream(DOCUMENT) if streams else query.run(xylem.parse(DOCUMENT))
    result.write_to(write)
    return size, found.hexdigest()


@pytest.mark.turns("long results")
@pytest.mark.parametrize("query", QUERIES)
def test_they_are_those_of_the_tree(query: str) -> None:
    size, found = digest(xylem.compile(query), streams=True)
    assert size > 40_000_000
    assert (size, found) == digest(reference(query), streams=False)


_MEASURED = """
import sys
from pathlib import Path
import xylem
document = b"<a><b n='1'>x</b>" * 5_000 + b"</a>" * 5_000
size = 0
def write(data):
    global size
    size += len(data)
xylem.compile(sys.argv[1]).stream(document).write_to(write)
# The most of this program; getrusage() counts what forked it too.
most = next(line for line in Path("/proc/self/status").open() if line.startswith("VmHWM"))
print(size, int(most.split()[1]) // 1024)
"""


@pytest.mark.share(2)
@pytest.mark.parametrize("query", ["//a[b]", "for $a in //a return <c>{ $a }</c>"])
def test_they_are_not_held(query: str) -> None:
    ended = subprocess.run([sys.executable, "-c", _MEASURED, query], capture_output=True, check=True, text=True)
    assert not ended.stderr, ended.stderr
    size, megabytes = map(int, ended.stdout.split())
    assert size > 250_000_000
    assert megabytes < 300
