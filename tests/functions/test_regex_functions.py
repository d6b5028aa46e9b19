"""fn:matches, fn:replace, fn:tokenize and fn:analyze-string."""

from __future__ import annotations

import pytest
from xylem.errors import DynamicError
from xylem.functions.analyze_string import analyze_string
from xylem.functions.regex_functions import matches, replace, tokenize
from xylem.values.node import TEXT, Node


@pytest.mark.parametrize(
    ("value", "pattern", "replacement", "expected"),
    [
        ("abracadabra", "bra", "*", "a*cada*"),
        ("abracadabra", "a.*a", "*", "*"),
        ("abracadabra", "a.*?a", "*", "*c*bra"),
        ("abracadabra", "a", "", "brcdbr"),
        ("abracadabra", "a(.)", "a$1$1", "abbraccaddabbra"),
        ("darted", "^(.*?)d(.*)$", "$1c$2", "carted"),
        ("abcd", "(a)(b)", "$10|$3|$2", "a0||bcd"),
        ("abcd", "b", "[$0]", "a[b]cd"),
        ("abcd", "(x)|b", "<$1>", "a<>cd"),
        ("abcd", "b", r"\$\\", r"a$\cd"),
    ],
)
def test_replace(value: str, pattern: str, replacement: str, expected: str) -> None:
    assert replace(value, pattern, replacement) == expected


def test_replacing_literally() -> None:
    assert replace("a.b.c", ".", "$", "q") == "a$b$c"
    assert replace("aXbxc", "x", r"\$", "qi") == r"a\$b\$c"


@pytest.mark.parametrize("replacement", ["$", "$a", "\\", "\\n", "a$"])
def test_faulty_replacements(replacement: str) -> None:
    with pytest.raises(DynamicError, match="FORX0004"):
        replace("abc", "x", replacement)


def test_parts_need_a_pattern_that_is_never_empty() -> None:
    for call in (lambda: replace("a", ".*", "x"), lambda: tokenize("a", "b?"), lambda: analyze_string("a", "^$")):
        with pytest.raises(DynamicError, match="FORX0003"):
            call()
    with pytest.raises(DynamicError, match="FORX0001"):
        matches("a", "a", "g")


def test_tokenize() -> None:
    assert tokenize("The cat  sat", r"\s+") == ["The", "cat", "sat"]
    assert tokenize("1,15,,24,", ",") == ["1", "15", "", "24", ""]
    assert tokenize("abracadabra", "(ab)|(a)") == ["", "r", "c", "d", "r", ""]
    assert tokenize(" red\tgreen \n") == ["red", "green"]
    assert tokenize(" \n ") == []
    assert tokenize("\u2003") == ["\u2003"]
    assert tokenize("", ",") == tokenize(None, ",") == tokenize(None) == []


def shown(node: Node) -> str:
    """The tree with its elements as letters and its groups as numbers."""
    tree = node.tree
    if node.kind == TEXT:
        return node.string_value
    assert node.name is not None
    inside = "".join(shown(Node(tree, pre)) for pre in tree.children(node.pre))
    number = "".join(Node(tree, pre).string_value for pre in tree.attributes(node.pre))
    return f"{number or node.name.local[0]}({inside})"


@pytest.mark.parametrize(
    ("value", "pattern", "expected"),
    [
        ("The cat sat", r"\w+", "a(m(The)n( )m(cat)n( )m(sat))"),
        ("banana", "(a)(n(a)?)", "a(n(b)m(1(a)2(n3(a)))n(na))"),
        ("aba", "(a(b)?)+", "a(m(a2(b)1(a)))"),
        ("ab", "(x)?(a)()", "a(m(2(a)3())n(b))"),
        ("", "x", "a()"),
        (None, "x", "a()"),
    ],
)
def test_analyze_string(value: str | None, pattern: str, expected: str) -> None:
    assert shown(analyze_string(value, pattern)) == expected
