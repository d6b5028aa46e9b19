"""Literals of any characters at every place of a query: what is written is what is meant, over trees and streams.

Generated code holds the text of literals. Characters that mean something to a language for templates, to Python or to
XML must go through all of it as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.sax.saxutils import quoteattr

import pytest
import xylem
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.errors import XylemError
from xylem.source.xml_reader import read_document

TEXTS = [
    *("{", "}", "{{", "}}", "{}", "{0}", "{a}", "{{}}", "}{", "{0!r:>{1}}", "$n", "${n}", "$$"),
    *("%", "%s", "%%", "%(a)s", "%d%n", "\\", "\\\\", "\\n", "\\0", "\\N{DASH}", "\\1", "\\g<0>", "\\x00", "\\u0000"),
    *('"', "'", "'''", '"""', "\"'", "' + '", "#", "# }", "\n", "\n\n}", "a\nb", "\t", "\r", "\r\n", " ", ""),
    *("&", "&amp;", "<", "<a>", "]]>", "-->", "<!--", "<?x ?>", "(:", ":)", "``[", "]``", "`{", "}`", ",", ";"),
    *("\x85", "\u2028", "\u2029", "\ufeff", "\ufffd", "é", "𝄞", "\x7f", "None", "0", "run", "items", "x" * 300 + "{}"),
]
ANY_TEXT = st.one_of(
    st.sampled_from(TEXTS),
    st.lists(st.sampled_from(TEXTS), max_size=4).map("".join),
    st.text(st.sampled_from("{}%\\'\"\n\t\r&<>$#;:()[]@`~^|= 0sdnN!r-é\u2028\x85𝄞"), max_size=12),
)

Written = Callable[[str, str], str]
"""A query that asks something of a text: given are the text, and a literal of it."""


def literal(text: str) -> str:
    """A string literal of XQuery."""
    escaped = "".join({"&": "&amp;", '"': '""', "\r": "&#xD;"}.get(character, character) for character in text)
    return f'"{escaped}"'


def attribute(text: str) -> str:
    """What stands between the quotes of an attribute of a constructor."""
    escapes = {"&": "&amp;", '"': '""', "<": "&lt;", "{": "{{", "}": "}}"}
    return "".join(
        escapes.get(character, f"&#{ord(character)};" if character in "\r\n\t" else character) for character in text
    )


def content(text: str) -> str:
    """What stands in an element constructor; white space that could be boundary white space is told by reference."""
    escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "{": "{{", "}": "}}"}
    return "".join(
        escapes.get(character, f"&#{ord(character)};" if character in "\r\n\t " else character) for character in text
    )


OVER_NOTHING: dict[str, Written] = {
    "literal": lambda t, q: q,
    "switch": lambda t, q: f"switch ({q}) case {q} return {q} default return 'no'",
    "second case": lambda t, q: f"switch ({q}) case 'no!' case {q} return {q} default return 'no'",
    "switch in a loop": lambda t, q: f"for $i in ({q}, 1)[1] return switch ($i) case {q} return $i default return 0",
    "typeswitch": lambda t, q: f"typeswitch ({q}) case xs:int return 1 case $s as xs:string return $s default return 2",
    "typeswitch result": lambda t, q: f"typeswitch (1) case xs:integer return {q} default return 2",
    "comparison": lambda t, q: f"if ({q} eq {q} and {q} = ({q}, 'x')) then {q} else 0",
    "not equal": lambda t, q: f"if ({q} ne {q}) then 0 else {q}",
    "predicate": lambda t, q: f"('no', {q})[. = {q} or . eq {q}][1][. ne {literal('no' + t)}]",
    "predicate with position": lambda t, q: f"({q}, 'no')[. = {q} and position() = 1]",
    "predicate with last": lambda t, q: f"({q}, {q})[. = {q} and position() = last()]",
    "simple map": lambda t, q: f"({q}) ! (., {q})[2] ! string(.)",
    "simple map with position": lambda t, q: f"(1) ! (if (position() = 1) then {q} else ())",
    "for": lambda t, q: f"for $a in ({q}, {q})[1] where $a = {q} return $a",
    "let": lambda t, q: f"let $a := {q} let $b := for $i in 1 to 1 return $a return $b",
    "list in a loop": lambda t, q: f"let $b := for $i in 1 to 1 where $i = 1 return {q} return string-join($b)",
    "group": lambda t, q: f"for $a in ({q}, {q}) group by $k := $a return $k",
    "order": lambda t, q: f"for $a in ({q}) order by concat($a, {q}) return $a",
    "quantified": lambda t, q: f"if (some $a in {q} satisfies $a = {q}) then {q} else 0",
    "map key": lambda t, q: f"map {{ {q}: {q} }}({q})",
    "map lookup": lambda t, q: f"map {{ {q}: {q} }}?({q})",
    "array": lambda t, q: f"[{q}, 1](1)",
    "argument": lambda t, q: f"concat({q}, '')",
    "join": lambda t, q: f"string-join(('', {q}), '')",
    "separator": lambda t, q: f"string-join(('', ''), {q})",
    "contains": lambda t, q: f"if (contains({q}, {q})) then {q} else 0",
    "substring": lambda t, q: f"substring-after({literal('x' + t)}, 'x')",
    "translate": lambda t, q: f"translate({q}, '', {q})",
    "replace": lambda t, q: f"replace('-', '-', {q}, 'q')" if t and "$" not in t and "\\" not in t else q,
    "declared function": lambda t, q: f"declare function local:f($a) {{ ($a, {q})[2] }}; local:f({q})",
    "inline function": lambda t, q: f"(function($a) {{ if ($a = {q}) then $a else 0 }})({q})",
    "declared variable": lambda t, q: f"declare variable $a := {q}; $a",
    "try": lambda t, q: f"try {{ {q} }} catch * {{ 0 }}",
    "catch": lambda t, q: f"try {{ error(QName('', 'e'), {q}) }} catch e {{ string($err:description) }}",
    "error value": lambda t, q: f"try {{ error((), '', {q}) }} catch * {{ ($err:value, {q})[1] }}",
    "attribute": lambda t, q: f'string(<a b="{attribute(t)}"/>/@b)',
    "enclosed in an attribute": lambda t, q: f'string(<a b="{{ {q} }}"/>/@b)',
    "element": lambda t, q: f"string(<a>{content(t)}</a>)",
    "enclosed in an element": lambda t, q: f"string(<a>{{ {q} }}</a>)",
    "text node": lambda t, q: f"string(text {{ {q} }})",
    "computed attribute": lambda t, q: f"string(attribute a {{ {q} }})",
    "string constructor": lambda t, q: f"``[`{{ {q} }}`]``",
    "cast": lambda t, q: f"string(xs:untypedAtomic({q}))",
    "range variable": lambda t, q: f"for tumbling window $w in {q} start when true() return string($w)",
    "count": lambda t, q: f"for $a in {q} count $n where $n = 1 return $a",
    "comment beside": lambda t, q: f"{q} (: {{0}} %s {{ :)",
    "deep conditionals": lambda t, q: "if (1 = 2) then 0 else " * 30 + q,
}

OVER_A_DOCUMENT: dict[str, Written] = {
    "attribute test": lambda t, q: f"for $i in /r/i where $i/@k = {q} return string($i/@k)",
    "attribute predicate": lambda t, q: f"/r/i[@k = {q}]/string(@k)",
    "text predicate": lambda t, q: f"/r/i[. = {q}]/string(@k)",
    "value comparison": lambda t, q: f"for $i in /r/i return if (string($i/@k) eq {q}) then string($i/@k) else ()",
    "result": lambda t, q: f"for $i in /r/i[1] return {q}",
    "switch of each": lambda t, q: f"for $i in /r/i return switch ($i/@k) case {q} return {q} default return ()",
    "constructed": lambda t, q: f'for $i in /r/i[1] return string(<a b="{attribute(t)}">{{ $i/x }}</a>/@b)',
    "constructed text": lambda t, q: f"for $i in /r/i[1] return string(<a>{content(t)}{{ $i/x }}</a>)",
    "concatenated": lambda t, q: f"for $i in /r/i[1] return concat($i/x, {q})",
    "condition": lambda t, q: f"if (/r/i/@k = {q}) then {q} else 'no'",
    "counted": lambda t, q: f"if (count(/r/i[@k = {q}]) = 1) then {q} else 'no'",
    "grouped": lambda t, q: f"for $i in /r/i group by $k := $i/@k where $k = {q} return string($k)",
    "sorted": lambda t, q: f"for $i in /r/i where $i/@k = {q} order by $i/@k return {q}",
    "windows": lambda t, q: f"for tumbling window $w in /r/i start $s when $s/@k = {q} return string($w[1]/@k)",
    "key of a map": lambda t, q: f"for $i in /r/i[1] return map {{ {q}: string($i/@k) }}({q})",
    "caught": lambda t, q: f"for $i in /r/i[1] return try {{ xs:integer($i/@k || 'x') }} catch * {{ {q} }}",
}


def document(text: str) -> bytes:
    escapes = {character: f"&#{ord(character)};" for character in "\r\n\t"}
    inside = quoteattr(text, escapes)[1:-1]
    quoted = quoteattr(text, escapes)
    return f"<r><i k={quoted}>{inside}</i><i k='other, long and not in the list'>no</i></r>".encode()


def told(items: object) -> str:
    (only,) = list(items)  # type: ignore[call-overload]
    return str(only)


@pytest.mark.parametrize("name", OVER_NOTHING)
@pytest.mark.share(3)
def test_text_in_a_query(name: str) -> None:
    for text in TEXTS:
        query = OVER_NOTHING[name](text, literal(text))
        assert told(xylem.compile(query).run()) == text, query


@pytest.mark.parametrize("name", OVER_A_DOCUMENT)
@pytest.mark.share(3)
def test_text_in_a_query_over_a_document(name: str) -> None:
    for text in TEXTS:
        query = xylem.compile(OVER_A_DOCUMENT[name](text, literal(text)))
        assert told(query.run(read_document(document(text)))) == text
        for scanner in ("kernel", "python"):
            assert told(query.stream(document(text), scanner=scanner)) == text


@settings(max_examples=150, deadline=None)
@given(ANY_TEXT, st.sampled_from(sorted(OVER_NOTHING)))
def test_random_text_in_a_query(text: str, name: str) -> None:
    query = OVER_NOTHING[name](text, literal(text))
    assert told(xylem.compile(query).run()) == text


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT, st.sampled_from(sorted(OVER_A_DOCUMENT)))
def test_random_text_over_a_stream(text: str, name: str) -> None:
    query = xylem.compile(OVER_A_DOCUMENT[name](text, literal(text)))
    assert told(query.run(read_document(document(text)))) == told(query.stream(document(text))) == text


@pytest.mark.parametrize("character", ["\0", "\x01", "\x0c", "\ufffe", "\ud800"])
def test_characters_that_no_query_may_hold(character: str) -> None:
    for query in (f'"{character}"', f"(: {character} :) 1", f"<a>{character}</a>"):
        with pytest.raises(XylemError, match="XPST0003"):
            xylem.compile(query)


def test_two_texts_are_told_apart() -> None:
    texts = list(dict.fromkeys(TEXTS))
    cases = " ".join(f"case {literal(text)} return {number}" for number, text in enumerate(texts))
    query = xylem.compile(f"declare variable $t external; switch ($t) {cases} default return -1")
    for number, text in enumerate(texts):
        assert list(query.run(variables={"t": text})) == [number]
