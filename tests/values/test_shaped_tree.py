"""Elements of a shape are the elements a builder would make, wherever they are looked at, copied or written."""

from __future__ import annotations

import pytest
import xylem

_PROLOG = """
    declare variable $one := <i id="1 &amp; &quot;2&quot;" n="5%"><t>a &lt; b</t><t>c</t>x<e/>y</i>;
    declare variable $none := <i><t/></i>;
    declare variable $s := ("x%s", "", "&#xD;&#x9;&#xA0;");
"""

# As written, and by computed constructors, which a builder makes.
_ELEMENTS = (
    ("<a/>", "element a {}"),
    ('<a b="1"/>', "element a { attribute b { '1' } }"),
    ('<a b="100%"/>', "element a { attribute b { '100%' } }"),
    ('<a b="{ $i/@id }" c="{ $i/t }"/>', "element a { attribute b { $i/@id }, attribute c { $i/t } }"),
    ('<a b="&lt;{ $i/@n }>{ 1 + 1 }"/>', "element a { attribute b { '&lt;' || string($i/@n) || '>2' } }"),
    ("<a>{ () }</a>", "element a { () }"),
    ("<a>{ '' }</a>", "element a { '' }"),
    ("<a>{ string($i/@id) }</a>", "element a { string($i/@id) }"),
    ("<a>{ $i/t/text() }</a>", "element a { $i/t/text() }"),
    ("<a>{ $i/text() }</a>", "element a { $i/text() }"),
    ("<a>{ count($i/t) }{ 2 } { 'z' }</a>", "element a { text { count($i/t) || '2' || 'z' } }"),
    ("<a> x { 'y' } z</a>", "element a { ' x y z' }"),
    ("<a>{ $s }</a>", "element a { $s }"),
    ("<a>{ data($i/t) }</a>", "element a { data($i/t) }"),
    ("<a>{ 1.50, 2e0, true() }</a>", "element a { 1.50, 2e0, true() }"),
    ("<a>{ string-join($i/t, '-') }<b c='{ $i/@n }'>{ lower-case('Q') }</b>100%</a>",
     "element a { string-join($i/t, '-'), element b { attribute c { $i/@n }, 'q' }, '100%' }"),
    ("<a><b/>{ $i/t/text() }<c>{ $i/@id/string() }</c></a>",
     "element a { element b {}, $i/t/text(), element c { $i/@id/string() } }"),
    ("<a>{ <b>{ $i/@id/string() }</b> }{ <c/> }</a>", "element a { element b { $i/@id/string() }, element c {} }"),
    ("<a><b><c><d e='{ $i/@n }'/></c></b>t</a>",
     "element a { element b { element c { element d { attribute e { $i/@n } } } }, 't' }"),
    ("<a b='{ for $t in $i/t return upper-case($t) }'/>", "element a { attribute b { $i/t ! upper-case(.) } }"),
    # Not of a known structure: a builder makes these, too.
    ("<a>{ $i/t }</a>", "element a { $i/t }"),
    ("<a>{ $i/@id }</a>", "element a { $i/@id }"),
    ("<a><!--c-->{ 1 }</a>", "element a { comment { 'c' }, 1 }"),
    ("<a>{ [1, 2] }</a>", "element a { 1, 2 }"),
)  # fmt: skip

_LOOKS = (
    "{}",
    "serialize({}, map {{ 'method': 'xml', 'indent': true() }})",
    "serialize({}, map {{ 'method': 'html' }})",
    "serialize({}, map {{ 'method': 'xml', 'encoding': 'us-ascii' }})",
    "serialize({}, map {{ 'method': 'xml', 'use-character-maps': map {{ 'x': '[X]' }} }})",
    "<w>{{ {} }}</w>",
    "<p:w xmlns:p='urn:p' xmlns='urn:d'>{{ {} }}</p:w>",
    "document {{ {}, 'after' }}",
    "let $e := {} return ($e//node() ! name(), $e/descendant::text() ! string(), $e//@* ! (name() || '=' || .))",
    "let $e := {} return (count($e//node()), string($e), $e/root() is $e, empty($e/..), in-scope-prefixes($e))",
    "let $e := {} return ($e/b/.. ! name(), $e/*[last()] ! name(), $e//c/ancestor::* ! name(), $e/@b/.. is $e)",
    "let $e := {} return ($e instance of element(a), $e/text()[1] ! string(), $e/base-uri(), $e/b[c]/name())",
    "({}, {}) ! generate-id() => distinct-values() => count()",
    "let $e := {}, $f := {} return ($e << $f, $e is $f, deep-equal($e, $f))",
)


@pytest.mark.parametrize("look", _LOOKS)
def test_it_is_the_element_a_builder_makes(look: str) -> None:
    for direct, computed in _ELEMENTS:
        query = f"{_PROLOG} for $i in ($one, $none) return ({look})"
        found, expected = (
            xylem.compile(query.replace("{}", element).replace("{{", "{").replace("}}", "}"))
            for element in (direct, computed)
        )
        assert found.run().serialize() == expected.run().serialize(), direct


def test_elements_of_one_shape_have_their_own_values() -> None:
    query = "for $i in 1 to 3 let $t := ('', 'x', '')[$i] return <a n='{ $i }'>{ $t }<b>{ $t }</b></a>"
    assert xylem.compile(query).run().serialize() == ('<a n="1"><b/></a><a n="2">x<b>x</b></a><a n="3"><b/></a>')


def test_duplicate_attributes_are_still_refused() -> None:
    with pytest.raises(xylem.XylemError) as raised:
        xylem.compile("<a b='{ 1 }' b='2'/>").run().serialize()
    assert raised.value.code == "XQST0040"


def test_errors_have_the_place_of_their_part() -> None:
    with pytest.raises(xylem.XylemError) as raised:
        xylem.compile("<a b='1'\n  c='{ 1 idiv 0 }'>\n{ 2 }</a>").run().serialize()
    assert raised.value.span is not None
    assert raised.value.span.line == 2
    with pytest.raises(xylem.XylemError) as raised:
        xylem.compile("<a b='1'\n  c='2'>\n{ string(1 idiv 0) }</a>").run().serialize()
    assert raised.value.span is not None
    assert raised.value.span.line == 3
