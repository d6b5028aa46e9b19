"""URI references are resolved as RFC 3986 §5.4 shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.values.uri import is_absolute, resolve, split, unsplit

BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
        ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
        ("urn:a:../b", "urn:a:../b"),
    ],
)  # fmt: skip
def test_the_examples_of_the_rfc(reference: str, expected: str) -> None:
    assert resolve(reference, BASE) == expected


@pytest.mark.parametrize(
    ("reference", "base", "expected"),
    [
        ("b.xml", "file:///tmp/a.xml", "file:///tmp/b.xml"),
        ("b.xml", "http://host", "http://host/b.xml"),
        ("../x", "xylem:/a/b/c", "xylem:/a/x"),
    ],
)
def test_any_scheme(reference: str, base: str, expected: str) -> None:
    assert resolve(reference, base) == expected


def test_absolute() -> None:
    assert is_absolute("http://a")
    assert is_absolute("urn:x#f")
    assert not is_absolute("a/b:c")
    assert not is_absolute("1a:b")
    assert not is_absolute("")


@given(st.text(alphabet="ab:/?#.", max_size=12))
def test_splitting_loses_nothing(uri: str) -> None:
    assert unsplit(split(uri)) == uri
