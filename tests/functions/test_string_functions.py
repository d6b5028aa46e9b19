"""fn: functions that assemble, measure and change strings."""

from __future__ import annotations

from decimal import Decimal
from math import inf, nan

import pytest
from xylem.errors import DynamicError
from xylem.functions import string_functions as fn
from xylem.functions.registry import BUILTINS, FN
from xylem.values.strings import NCName


@pytest.mark.parametrize(
    ("start", "length", "expected"),
    [
        (2, inf, "2345"),
        (1.5, 2.6, "234"),
        (0, 3, "12"),
        (5, -3, ""),
        (-3, 5, "1"),
        (nan, 3, ""),
        (1, nan, ""),
        (-42, inf, "12345"),
        (-inf, inf, ""),
        (-inf, None, "12345"),
        (nan, None, ""),
        (inf, inf, ""),
        (0.49999999999999994, 2, "1"),
        (2, 1e300, "2345"),
        (-0.5, 2, "1"),
    ],
)
def test_substring_rounds_its_bounds(start: float, length: float | None, expected: str) -> None:
    assert fn.substring("12345", start, length) == expected


def test_empty_sequences_count_as_empty_strings() -> None:
    assert fn.substring(None, 1) == ""
    assert fn.string_length(None) == 0
    assert fn.normalize_space(None) == ""
    assert fn.normalize_unicode(None) == ""
    assert fn.upper_case(None) == ""
    assert fn.translate(None, "a", "b") == ""
    assert list(fn.string_to_codepoints(None)) == []
    assert fn.concat(None, 1, None, True) == "1true"


def test_concat_takes_any_number_of_arguments() -> None:
    concat = BUILTINS[FN, "concat"]
    assert concat.variadic
    assert concat.least == 2
    assert concat.most > 10**6
    assert concat.parameter_types(4) == ("xs:anyAtomicType?",) * 4
    assert fn.concat("a", Decimal("1.50"), 1e0, NCName("x")) == "a1.51x"


def test_codepoints() -> None:
    assert fn.codepoints_to_string([66, 65, 0x1F600]) == "BA\U0001f600"
    assert fn.string_length("\U0001f600") == 1
    for illegal in (0, 1, 0xD800, 0xFFFE, 0x110000, -1):
        with pytest.raises(DynamicError, match="FOCH0001"):
            fn.codepoints_to_string([illegal])


def test_normalize_space_knows_only_the_white_space_of_xml() -> None:
    assert fn.normalize_space("\t a \r\n b\u00a0 c\u2003") == "a b\u00a0 c\u2003"


def test_normalize_unicode() -> None:
    assert fn.normalize_unicode("e\u0301") == "é"
    assert fn.normalize_unicode("é", " nfd ") == "e\u0301"
    assert fn.normalize_unicode("ﬁ", "NFKC") == "fi"
    assert fn.normalize_unicode("e\u0301", "") == "e\u0301"
    for form in ("FULLY-NORMALIZED", "other"):
        with pytest.raises(DynamicError, match="FOCH0003"):
            fn.normalize_unicode("a", form)


def test_case_mappings_may_lengthen() -> None:
    assert fn.upper_case("straße") == "STRASSE"
    assert fn.lower_case("ABc!D") == "abc!d"
    assert fn.lower_case("ΟΔΟΣ") == "οδοσ"


def test_translate() -> None:
    assert fn.translate("--aaa--", "abc-", "ABC") == "AAA"
    assert fn.translate("abcdabc", "abca", "AB") == "ABdAB"


def test_results_are_plain_strings() -> None:
    for result in (
        fn.normalize_unicode(NCName("abc")),
        fn.substring(NCName("abc"), 1),
        fn.lower_case(NCName("abc")),
        fn.normalize_space(NCName("abc")),
        fn.string_join([NCName("abc")]),
    ):
        assert type(result) is str
