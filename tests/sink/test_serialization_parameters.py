"""Parameters from options, elements and maps."""

from __future__ import annotations

from decimal import Decimal

import pytest
from xylem.errors import DynamicError, StaticError
from xylem.sink import OPTION_NAMES, SerializationParameters, declared_parameters
from xylem.values.map import XMap
from xylem.values.node import Node
from xylem.values.qname import QName
from xylem.values.strings import UntypedAtomic

from .trees import document

OUTPUT = "http://www.w3.org/2010/xslt-xquery-serialization"


def from_element(content: str) -> SerializationParameters:
    node = document(f"<o:serialization-parameters xmlns:o='{OUTPUT}'>{content}</o:serialization-parameters>")
    return SerializationParameters.from_element(node)


def from_map(**values: object) -> SerializationParameters:
    pairs = [
        (name.replace("_", "-"), value if isinstance(value, tuple) else (value,)) for name, value in values.items()
    ]
    return SerializationParameters.from_map(XMap.of(pairs))


def test_options() -> None:
    read = SerializationParameters.from_options(
        {"method": " Q{}html ", "indent": " true ", "standalone": "omit", "html-version": "5.0", "item-separator": " "}
    )
    assert (read.method, read.indent, read.standalone, read.html_version) == ("html", True, None, Decimal(5))
    assert read.item_separator == " "


def test_options_go_before_a_parameter_document() -> None:
    base = from_element("<o:indent value='yes'/><o:method value='json'/>")
    read = SerializationParameters.from_options({"indent": "no", "parameter-document": "x.xml"}, base=base)
    assert (read.method, read.indent) == ("json", False)


def test_character_maps_are_no_option() -> None:
    assert "use-character-maps" not in OPTION_NAMES
    assert "parameter-document" in OPTION_NAMES


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("indent", "maybe"),
        ("method", "pdf"),
        ("method", "p:x"),
        ("doctype-public", "\uc381"),
        ("doctype-system", "'\""),
        ("cdata-section-elements", "::a"),
        ("suppress-indentation", "p:a"),
        ("html-version", "five"),
        ("encoding", "a b"),
        ("json-node-output-method", "json"),
        ("no-such", "x"),
    ],
)
def test_bad_options(name: str, value: str) -> None:
    with pytest.raises(DynamicError) as caught:
        SerializationParameters.from_options({name: value})
    assert caught.value.code == "SEPM0016"


def test_element() -> None:
    read = from_element(
        "<o:cdata-section-elements xmlns='urn:d' xmlns:p='urn:p' value='a p:b Q{urn:q}c'/>"
        "<o:use-character-maps><o:character-map character='$' map-string='£'/></o:use-character-maps>"
        "<v:indent xmlns:v='urn:vendor' value='3'/>"
    )
    assert read.cdata_section_elements == {("urn:d", "a"), ("urn:p", "b"), ("urn:q", "c")}
    assert read.character_map == {"$": "£"}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("<o:indent value='maybe'/>", "SEPM0017"),
        ("<o:indent/>", "SEPM0017"),
        ("<o:indent value='yes' other='no'/>", "SEPM0017"),
        ("<o:outdent value='yes'/>", "SEPM0017"),
        ("<indent value='yes'/>", "SEPM0017"),
        ("text", "SEPM0017"),
        ("<o:indent value='yes'/><o:indent value='yes'/>", "SEPM0019"),
        ("<o:use-character-maps value='x'/>", "SEPM0017"),
        ("<o:use-character-maps><o:x/></o:use-character-maps>", "SEPM0017"),
        (
            "<o:use-character-maps><o:character-map character='ab' map-string=''/></o:use-character-maps>",
            "SEPM0017",
        ),
        (
            "<o:use-character-maps><o:character-map character='a' map-string=''/>"
            "<o:character-map character='a' map-string='b'/></o:use-character-maps>",
            "SEPM0018",
        ),
    ],
)
def test_bad_elements(content: str, code: str) -> None:
    with pytest.raises(DynamicError) as caught:
        from_element(content)
    assert caught.value.code == code


def test_another_element() -> None:
    with pytest.raises(DynamicError) as caught:
        SerializationParameters.from_element(document("<a/>"))
    assert caught.value.code == "XPTY0004"


def test_map() -> None:
    read = from_map(
        method=QName("", "html"),
        indent=UntypedAtomic("true"),
        html_version=5,
        standalone=(),
        suppress_indentation=(QName("u", "a"), QName("", "b")),
        use_character_maps=XMap.of([("a", ("b",))]),
        whatever=1,
    )
    assert (read.method, read.indent, read.html_version, read.standalone) == ("html", True, Decimal(5), None)
    assert read.suppress_indentation == {("u", "a"), ("", "b")}
    assert read.character_map == {"a": "b"}
    keyed = SerializationParameters.from_map(XMap.of([(QName("", "indent"), (True,))]))
    assert keyed.indent is False


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("indent", "true", "XPTY0004"),
        ("indent", 23, "XPTY0004"),
        ("indent", (True, False), "XPTY0004"),
        ("method", "pdf", "SEPM0016"),
        ("method", 1, "XPTY0004"),
        ("use_character_maps", XMap.of([("ab", ("c",))]), "SEPM0016"),
        ("use_character_maps", XMap.of([("a", (UntypedAtomic("c"),))]), "XPTY0004"),
        ("use_character_maps", "x", "XPTY0004"),
    ],
)
def test_bad_maps(name: str, value: object, code: str) -> None:
    with pytest.raises(DynamicError) as caught:
        from_map(**{name: value})
    assert caught.value.code == code


def test_parameter_documents() -> None:
    def find(uri: str) -> Node:
        if uri != "p.xml":
            raise DynamicError("FODC0002", uri)
        content = "<o:indent value='yes'/>"
        return document(f"<o:serialization-parameters xmlns:o='{OUTPUT}'>{content}</o:serialization-parameters>")

    assert declared_parameters({"parameter-document": "p.xml", "method": "text"}, find).indent
    with pytest.raises(StaticError) as caught:
        declared_parameters({"parameter-document": "q.xml"}, find)
    assert caught.value.code == "XQST0119"
