"""`xylem schema show` as a shell sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.schema_command import app

DTD = """
<!ELEMENT bib (book)*>
<!ELEMENT book (title, (author+ | editor+), note?)>
<!ATTLIST book year CDATA #REQUIRED kind (hard | soft) "soft" version CDATA #FIXED "1">
<!ELEMENT note (#PCDATA | title)*> <!ELEMENT author EMPTY> <!ELEMENT odd ((title, author) | (title, note))>
"""
XSD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:b">
  <xs:element name="bib"><xs:complexType><xs:sequence>
    <xs:element name="n" type="xs:int"/><xs:element name="sub"><xs:complexType><xs:sequence>
      <xs:element name="n"><xs:complexType><xs:anyAttribute/></xs:complexType></xs:element>
    </xs:sequence></xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>"""


@pytest.fixture
def dtd(tmp_path: Path) -> str:
    path = tmp_path / "bib.dtd"
    path.write_text(DTD, encoding="utf-8")
    return str(path)


@pytest.fixture
def xsd(tmp_path: Path) -> str:
    path = tmp_path / "bib.xsd"
    path.write_text(XSD, encoding="utf-8")
    return str(path)


def show(*arguments: str, exit_code: int = 0) -> str:
    ended = CliRunner().invoke(app, ["show", *arguments])
    assert ended.exit_code == exit_code, ended.output
    return ended.output


def test_one_element(dtd: str) -> None:
    assert show(dtd, "book") == (
        "book\n"
        "  content      (title, (author+ | editor+), note?)\n"
        "  occurrence   title   1\n"
        "               author  0..*\n"
        "               editor  0..*\n"
        "               note    0..1\n"
        "  order        title   before author, editor, note\n"
        "               author  before note; never with editor\n"
        "               editor  before note; never with author\n"
        "  text         white space only\n"
        "  attributes   year CDATA #REQUIRED\n"
        '               kind (hard | soft) "soft"\n'
        '               version CDATA #FIXED "1"\n'
    )


def test_text_and_no_children(dtd: str) -> None:
    assert show(dtd, "note").splitlines()[-1] == "  text         anywhere"
    assert show(dtd, "author") == "author\n  content      EMPTY\n"


def test_ambiguous_contents_are_noted(dtd: str) -> None:
    assert "ambiguous" in show(dtd, "odd")
    assert "ambiguous" not in show(dtd, "book")


def test_all_elements(dtd: str) -> None:
    assert show(dtd).splitlines() == [
        "bib     (book*)",
        "book    (title, (author+ | editor+), note?)",
        "note    (#PCDATA | title)*",
        "author  EMPTY",
        "odd     ((title, author) | (title, note))",
    ]


def test_as_json(dtd: str) -> None:
    facts = json.loads(show(dtd, "book", "--format", "json"))
    assert facts["content"] == "(title, (author+ | editor+), note?)"
    assert facts["symbols"] == ["title", "author", "editor", "note"]
    assert ["title", "note"] in facts["order"]
    assert ["note", "title"] not in facts["order"]
    assert facts["cardinality"]["author"] == {"least": 0, "most": None}
    assert facts["attributes"][1] == {
        "name": "kind",
        "namespace": "",
        "type": "enumeration",
        "required": False,
        "default": "soft",
        "fixed": False,
        "values": ["hard", "soft"],
    }
    listed = json.loads(show(dtd, "--format", "json"))
    assert listed[0] == {"element": "bib", "namespace": None, "content": "(book*)"}


def test_an_xsd(xsd: str) -> None:
    assert show(xsd, "Q{urn:b}bib").splitlines()[0] == "bib  (namespace urn:b)"
    assert show(xsd, "n").splitlines() == [
        "n",
        "  content      (#PCDATA)",
        "  text         anywhere",
        "",
        "n",
        "  content      EMPTY",
        "  attributes   others",
    ]


def test_an_element_that_is_not_there(dtd: str) -> None:
    ended = CliRunner().invoke(app, ["show", dtd, "bok"])
    assert ended.exit_code == 3
    assert "declares no element 'bok'" in ended.output
    assert "did you mean book" in ended.output


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    ended = CliRunner().invoke(app, ["show", str(tmp_path / "no.dtd")])
    assert ended.exit_code == 3
    assert "XYIN0002" in ended.output
