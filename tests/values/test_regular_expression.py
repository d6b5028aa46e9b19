"""Regular expressions of XPath where they differ from Python's."""

from __future__ import annotations

import pickle

import pytest
from xylem.errors import DynamicError
from xylem.values import regular_expression as module
from xylem.values.regular_expression import regular_expression


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "expected"),
    [
        ("a.b", "", "a\nb", False),
        ("a.b", "", "a\rb", False),
        ("a.b", "s", "a\nb", True),
        ("x$", "", "x\n", False),
        ("x$", "m", "x\ny", True),
        ("^y", "", "x\ny", False),
        ("^y", "m", "x\ny", True),
        ("x\n^", "m", "x\n", False),
        (r"^\w+$", "", "a1+é", True),
        (r"\w", "", "_", False),
        (r"^\d$", "", "٣", True),
        (r"\s", "", "\u00a0", False),
        (r"^\i\c*$", "", "xml:a-1", True),
        (r"^\I$", "", "1", True),
        (r"^[\i-[:]][\c-[:]]*$", "", "a:b", False),
        (r"^[a-z-[aeiou]]+$", "", "xyz", True),
        (r"^[a-z-[aeiou]]+$", "", "xaz", False),
        (r"^[^a-c-[x-z]]$", "", "x", False),
        (r"^[a-]$", "", "-", True),
        (r"^[-a]$", "", "-", True),
        (r"^\p{IsBasicLatin}+$", "", "abc", True),
        (r"\P{IsBasicLatin}", "", "abc", False),
        (r"^\p{Lu}$", "i", "a", False),
        (r"^[\p{Lu}x]$", "i", "X", True),
        ("^[a-c]+$", "i", "AbC", True),
        ("^[^q]$", "i", "Q", False),
        ("k", "i", "\u212a", True),
        ("straße", "i", "STRASSE", False),
        (r"^(a)?\1b$", "", "b", True),
        (r"^(a)\10$", "", "aa0", True),
        (r"^(.)\1$", "i", "aA", True),
        ("^(?:ab)+$", "", "abab", True),
        ("a b [ c]", "x", "ab ", True),
        ("a.b*", "q", "xa.b*", True),
        ("A.B", "qi", "a.b", True),
        ("a{0}", "", "", True),
        ("a{2147483647}", "", "aaa", False),
        ("^(a?){2147483647}$", "", "aaa", True),
        ("", "", "anything", True),
        ("a||b", "", "", True),
        ("#", "x", "a#b", True),
    ],
)
def test_matching(pattern: str, flags: str, text: str, expected: bool) -> None:
    assert regular_expression(pattern, flags).matches(text) is expected


@pytest.mark.parametrize(
    "pattern",
    ["a{2,1}", "a{", "{1}", "a{1", "a{,2}", "a{x}", "]", "}", ")", "(", "(?=a)", "(?i)a", "a**", "a+++", "*", "+a", "?",
     "a|*", "[", "[]", "[^]", "[b-a]", "[a", "[a[b]]", "[a-z-[", r"[a-\d]", r"[\1]", r"\1(a)", r"(\1)", r"(a)\2",
     r"\p{Xx}", r"\p{IsNowhere}", r"\p{isBasicLatin}", r"\pL", r"\p{L", r"\x41", r"\b", r"\A", r"\u0041", "\\", r"\0",
     r"\ ", "[a-z-[b]c]", "[-[a]]",
     "[--z]"],
)  # fmt: skip
def test_refused(pattern: str) -> None:
    with pytest.raises(DynamicError, match="FORX0002"):
        regular_expression(pattern)


def test_matching_is_bounded_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIME_LIMIT_SECONDS", 0.05)
    slow = regular_expression("^(a|aa)+$")
    for search in (slow.matches, slow.split):
        with pytest.raises(DynamicError, match="XYDY0003"):
            search("a" * 60 + "b")


def test_groups_know_their_parents() -> None:
    assert regular_expression("(a(b)(?:(c)))(d)").group_parents == (0, 1, 1, 0)


def test_plain_texts_are_found_without_the_engine() -> None:
    assert regular_expression("a-b").literal == "a-b"
    assert regular_expression("a.b", "q").literal == "a.b"
    assert regular_expression("a.b").literal is None


def test_pickling() -> None:
    again = pickle.loads(pickle.dumps(regular_expression("a+", "i")))
    assert again is regular_expression("a+", "i")
