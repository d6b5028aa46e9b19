"""Collations: order, equality and matching inside strings."""

from __future__ import annotations

import pickle

import pytest
from xylem.errors import DynamicError
from xylem.values.collations import CODEPOINT, HTML_ASCII_URI, UCA_URI, collation


def uca(parameters: str):
    return collation(f"{UCA_URI}?{parameters}")


def test_codepoint_is_a_singleton_and_survives_pickling():
    assert collation(CODEPOINT.uri) is CODEPOINT
    assert pickle.loads(pickle.dumps(CODEPOINT)) is CODEPOINT
    assert CODEPOINT.compare("\uffdc", "\U000186a0") == -1


def test_relative_uris_are_resolved():
    assert collation("collation/codepoint", "http://www.w3.org/2005/xpath-functions/") is CODEPOINT


@pytest.mark.parametrize("uri", ["nowhere", "http://www.w3.org/2013/collation/UCA2", ""])
def test_unknown_collations(uri):
    with pytest.raises(DynamicError) as caught:
        collation(uri)
    assert caught.value.code == "FOCH0002"


def test_html_ascii_folds_ascii_only():
    html = collation(HTML_ASCII_URI)
    assert html.equal("aBC", "AbC")
    assert not html.equal("é", "É")
    assert html.find("xxABC", "bc") == (3, 5)


@pytest.mark.parametrize(
    ("parameters", "a", "b", "expected"),
    [
        ("strength=primary", "pêche", "PÉCHÉ", 0),
        ("strength=secondary", "pêche", "péché", 1),
        ("strength=secondary;backwards=yes", "pêche", "péché", -1),
        ("strength=secondary;lang=fr-CA", "pêche", "péché", -1),
        ("strength=secondary", "abc", "ABC", 0),
        ("lang=en", "abc", "aBC", -1),
        ("caseFirst=upper", "abc", "aBC", 1),
        ("strength=1;caseLevel=yes", "Epee", "épee", 1),
        ("strength=2;caseLevel=yes", "Epee", "épee", -1),
        ("lang=de;strength=primary", "Strasse", "Straße", 0),
        ("numeric=yes", "ab1a", "ab12a", -1),
        ("numeric=yes", "ab2", "ab12", -1),
        ("numeric=no", "ab2", "ab12", 1),
        ("alternate=shifted", "data base", "database", 0),
        ("alternate=shifted;strength=4", "database", "data base", 1),
        ("alternate=shifted;strength=4", "data base", "data-base", -1),
        ("alternate=shifted;maxVariable=space", "database", "data-type", 1),
        ("alternate=blanked;strength=4", "data base", "database", 0),
        ("strength=unknown;reorder=Z", "abc", "def", -1),
    ],
)
def test_uca_order(parameters, a, b, expected):
    assert uca(parameters).compare(a, b) == expected
    assert uca(parameters).compare(b, a) == -expected


@pytest.mark.parametrize("parameters", ["strength=unknown", "keyword=x", "reorder=Z,digit", "lang=xx", "numeric=2"])
def test_uca_without_fallback(parameters):
    with pytest.raises(DynamicError) as caught:
        uca(f"fallback=no;{parameters}")
    assert caught.value.code == "FOCH0002"


def test_uca_matches_whole_characters():
    assert uca("strength=1").find("dâtabase", "TAB") == (2, 5)
    assert uca("strength=2").find("dâtabase", "da") is None
    assert uca("strength=2").find("da\u0302tabase", "da") is None
    assert uca("strength=1").find("Straße", "ss") == (4, 5)
    assert uca("strength=1").find("Straße", "as") is None
    assert uca("alternate=shifted").find("a-b-c", "bc") == (2, 5)
    assert uca("alternate=shifted").starts_with("-abc", "ab")
    assert not uca("").ends_with("ana", "banana")
    assert uca("").ends_with("banana", "ana")


def test_numeric_collations_have_no_units():
    with pytest.raises(DynamicError) as caught:
        uca("numeric=yes").find("Chapter-100", "Chapter-10")
    assert caught.value.code == "FOCH0004"


def test_a_language_with_an_order_of_its_own_is_refused():
    """Swedish has å behind z: the general order would look right, and be wrong."""
    with pytest.raises(DynamicError) as caught:
        uca("lang=sv")
    assert caught.value.code == "FOCH0002"
    assert "fallback=yes" in caught.value.hint
    assert sorted("zöåa", key=uca("lang=sv;fallback=yes").key) == ["a", "å", "ö", "z"]
    assert sorted("zöa", key=uca("lang=de").key) == ["a", "ö", "z"]
