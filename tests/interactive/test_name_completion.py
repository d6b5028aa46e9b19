"""Names that fit: variables of the text, functions with signatures, keywords, elements of a sample."""

from __future__ import annotations

from xylem.interactive.name_completion import Suggestion, suggestions, word_before


def names(before: str, whole: str = "", elements: tuple[str, ...] = ()) -> list[str]:
    return [one.text for one in suggestions(before, whole or before, elements)]


def test_the_word_before_the_cursor() -> None:
    assert word_before("for $pa") == "$pa"
    assert word_before("map:ge") == "map:ge"
    assert word_before("count(") == ""


def test_variables_come_from_the_text() -> None:
    text = "for $page in //page let $p2 := 1 return $p"
    assert names(text) == ["$p2", "$page"]


def test_functions_have_signatures() -> None:
    told = Suggestion("substring-before", "function", "(xs:string?, xs:string?, xs:string) as xs:string")
    assert told in suggestions("substring-b", "substring-b")
    assert "map:get" in names("map:g")
    assert not [name for name in names("_") if name.startswith("_history")]


def test_keywords_and_elements() -> None:
    assert "forseq" in names("fors")
    assert names("//pag", elements=("page", "@id")) == ["page"]
    assert names("//page/@", elements=("page", "@id")) == ["@id"]


def test_functions_of_the_query_itself() -> None:
    assert names("local:dou", "declare function local:double($x) { $x * 2 }; local:dou") == ["local:double"]
