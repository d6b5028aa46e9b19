"""The html and xhtml methods."""

from __future__ import annotations

import pytest
from xylem.errors import DynamicError

from .trees import document, element, written

XHTML = "http://www.w3.org/1999/xhtml"


def html(text: str, **options: str) -> str:
    return written(document(text), method="html", include_content_type="no", **options)


def xhtml(text: str, **options: str) -> str:
    return written(document(text), method="xhtml", include_content_type="no", **options)


def test_void_elements_have_no_end_tag() -> None:
    assert html("<p><br/><wbr/><frame/></p>", version="5.0") == "<p><br><wbr><frame></frame></p>"
    assert html("<p><br/><wbr/><frame/></p>", version="4.0") == "<p><br><wbr></wbr><frame></p>"
    assert html("<P><BR/></P>") == "<P><BR></P>"
    assert html("<br>text</br>") == "<br>text"


def test_elements_of_other_namespaces_are_xml() -> None:
    assert html("<p><m xmlns='urn:m'/></p>") == '<p><m xmlns="urn:m"/></p>'
    assert html(f"<br xmlns='{XHTML}'/>", version="4.0") == f'<br xmlns="{XHTML}"/>'
    assert html(f"<br xmlns='{XHTML}'/>", version="5.0") == f'<br xmlns="{XHTML}">'


def test_prefixes_of_html_vocabularies_are_dropped_in_version_5() -> None:
    text = f"<h:p xmlns:h='{XHTML}' xmlns:x='urn:x'><h:b h:c='1'/><x:d/></h:p>"
    assert html(text) == f'<p xmlns="{XHTML}" xmlns:x="urn:x"><b xmlns:h="{XHTML}" h:c="1"></b><x:d/></p>'
    assert html(text, version="4.0") == f'<h:p xmlns:h="{XHTML}" xmlns:x="urn:x"><h:b h:c="1"/><x:d/></h:p>'


def test_scripts_are_raw_and_text_is_not() -> None:
    assert html("<p>&lt;&amp;<script>a &lt; b &amp;&amp; c</script></p>") == (
        "<p>&lt;&amp;<script>a < b && c</script></p>"
    )
    nested = "<style><p a='&amp;&lt;'>&lt;</p>&amp;</style>"
    assert html(nested) == '<style><p a="&<"><</p>&</style>'


def test_attributes() -> None:
    assert html("<a b='&lt;&amp;&quot;&amp;{x}'/>") == '<a b="<&amp;&quot;&{x}"></a>'
    assert html("<option selected='SELECTED' a='selected'/>") == '<option selected a="selected"></option>'
    assert html("<option selected='no'/>") == '<option selected="no"></option>'


def test_uris_are_escaped() -> None:
    text = "<a href='http://x/b\u00e9 ?a=1&amp;b=2' title='\u00e9'/>"
    assert html(text) == '<a href="http://x/b%C3%A9 ?a=1&amp;b=2" title="\u00e9"></a>'
    assert html(text, escape_uri_attributes="no") == '<a href="http://x/b\u00e9 ?a=1&amp;b=2" title="\u00e9"></a>'


def test_document_types() -> None:
    assert html("<html/>") == "<!DOCTYPE html>\n<html></html>"
    assert html("<html/>", version="4.01") == "<html></html>"
    assert html("<p/>") == "<p></p>"
    assert html("<html/>", version="4.0", doctype_public="p") == '<!DOCTYPE html PUBLIC "p">\n<html></html>'
    assert xhtml(f"<html xmlns='{XHTML}'/>") == f'<!DOCTYPE html>\n<html xmlns="{XHTML}"></html>'
    assert xhtml("<html/>", doctype_system="s") == '<!DOCTYPE html SYSTEM "s">\n<html></html>'


def test_content_type() -> None:
    text = "<html><head><meta http-equiv='content-TYPE' content='x'/><title/></head></html>"
    assert written(document(text), method="html", version="4.0") == (
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><title></title></head></html>'
    )
    assert written(element("<head/>"), method="xhtml", media_type="a/b", encoding="us-ascii") == (
        '<head><meta http-equiv="Content-Type" content="a/b; charset=us-ascii" /></head>'
    )


def test_xhtml_minimises_void_elements_only() -> None:
    text = f"<div xmlns='{XHTML}'><br/><p/><svg xmlns='http://www.w3.org/2000/svg'/></div>"
    assert xhtml(text) == (f'<div xmlns="{XHTML}"><br /><p></p><svg xmlns="http://www.w3.org/2000/svg"></svg></div>')
    assert xhtml("<br/>", html_version="4.0") == "<br></br>"


def test_cdata_only_where_the_text_is_not_html() -> None:
    text = "<p>a<x:y xmlns:x='urn:x'>b</x:y></p>"
    names = {"x": "urn:x"}
    assert written(document(text), method="html", cdata_section_elements="p x:y", namespaces=names) == (
        '<p>a<x:y xmlns:x="urn:x"><![CDATA[b]]></x:y></p>'
    )


def test_indentation_leaves_lines_of_text_alone() -> None:
    text = "<body><div><p>a<b>b</b></p><p><i>c</i><u>d</u></p></div><pre><p>x</p></pre></body>"
    assert html(text, indent="yes") == (
        "<body>\n  <div>\n    <p>a<b>b</b></p>\n    <p><i>c</i><u>d</u></p>\n  </div>\n  <pre><p>x</p></pre>\n</body>"
    )
    assert html("<ul><LI><p>x</p></LI></ul>", indent="yes", suppress_indentation="li") == (
        "<ul>\n  <LI><p>x</p></LI>\n</ul>"
    )


def test_instructions_end_without_a_question_mark() -> None:
    assert html("<p><?a b?></p>") == "<p><?a b></p>"


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("<p>&#x7f;</p>", {}, "SERE0014"),
        ("<p><?a b>?></p>", {}, "SERE0015"),
        ("<p/>", {"version": "7"}, "SESU0013"),
        ("<p/>", {"html_version": "4.2"}, "SESU0013"),
    ],
)
def test_errors(text: str, options: dict[str, str], code: str) -> None:
    with pytest.raises(DynamicError) as caught:
        html(text, **options)
    assert caught.value.code == code
