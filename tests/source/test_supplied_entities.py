"""Entities of a DTD that the user gave: every reader knows them, within its limits, and tells the document's places."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import InputError
from xylem.source.byte_source import ByteSource
from xylem.source.kernel import is_kernel_built
from xylem.source.limits import Limits
from xylem.source.supplied_entities import SuppliedEntities, declarations, entities_of

DTD = """<!ELEMENT d (a*)> <!ENTITY uuml "&#252;"><!-- "c" --><!ENTITY both "&uuml;&#38;#38;">
<!ENTITY quoted '"50&#37;" &#10;'> <!ENTITY uuml "second"> <!ENTITY % p "<!ENTITY inner 'i'>"> %p;
<!ENTITY else SYSTEM "/etc/passwd"> <!ENTITY % far SYSTEM "/etc/passwd"> %far;"""
SCANNERS = ["python", *(["kernel"] if is_kernel_built() else [])]


@pytest.fixture
def dtd(tmp_path: Path) -> Path:
    path = tmp_path / "d.dtd"
    path.write_text(DTD)
    return path


def test_the_entities_of_a_dtd_and_of_no_other_file(dtd: Path) -> None:
    found = entities_of(dtd)
    assert found == {"uuml": "ü", "both": "&uuml;&#38;", "quoted": '"50%" \n', "inner": "i"}


PROLOGS = [
    "",
    '<?xml version="1.0"?>\n<!-- <!DOCTYPE no> -->\n',
    '<!DOCTYPE d SYSTEM "d.dtd">',
    '<!DOCTYPE d PUBLIC "-//" "[d]>.dtd" [ <!-- ]> --> <!ENTITY own "]"> <?p ]?> ]>\n',
    "\ufeff<!DOCTYPE d [\n]>",
]


@pytest.mark.parametrize("prolog", PROLOGS)
@pytest.mark.parametrize("scanner", SCANNERS)
def test_any_prolog(prolog: str, scanner: str, dtd: Path) -> None:
    data = f"{prolog}<d><a>M&uuml;ller&both;</a></d>".encode()
    pieces = [data[n : n + 7] for n in range(0, len(data), 7)]
    assert list(xylem.compile("//a/string()").stream(pieces, dtd=dtd, scanner=scanner)) == ["Müllerü&"]
    assert xylem.parse(data, dtd=dtd).string_value == "Müllerü&"


def test_what_the_document_declares_comes_first(dtd: Path) -> None:
    assert xylem.parse("<!DOCTYPE d [<!ENTITY uuml 'own'>]><d>&uuml;</d>", dtd=dtd).string_value == "own"


def test_a_schema_that_is_a_dtd_gives_its_entities(dtd: Path) -> None:
    found = xylem.compile("//a/string()").stream(b"<d><a>&uuml;</a></d>", schema=dtd)
    assert list(found) == ["ü"]


@pytest.mark.parametrize("prolog", PROLOGS)
@pytest.mark.parametrize("scanner", SCANNERS)
def test_places_are_those_of_the_document(prolog: str, scanner: str, dtd: Path, tmp_path: Path) -> None:
    path = tmp_path / "d.xml"
    path.write_text(f"{prolog}<d><a>&uuml;</a><b></c></d>")
    (tmp_path / "plain.xml").write_text(f"{prolog}<d><a>......</a><b></c></d>")

    def place(name: str, **options: Path) -> object:
        with pytest.raises(InputError) as error:
            list(xylem.compile("//a/string()").stream(tmp_path / name, scanner=scanner, **options))  # type: ignore[arg-type]
        return error.value.place

    assert place("d.xml", dtd=dtd) == place("plain.xml")


@pytest.mark.parametrize("scanner", SCANNERS)
def test_the_limits_hold(scanner: str, tmp_path: Path) -> None:
    path = tmp_path / "laughs.dtd"
    path.write_text('<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9)))
    with pytest.raises(InputError, match="XYIN0004"):
        list(xylem.compile("//a/string()").stream(b"<d><a>&a9;</a></d>", dtd=path, scanner=scanner))
    refused = Limits(allow_dtd=False)
    with pytest.raises(InputError):
        list(xylem.compile("//a/string()").stream(b"<d><a>&a0;</a></d>", dtd=path, limits=refused, scanner=scanner))


@pytest.mark.parametrize("scanner", SCANNERS)
def test_without_it_the_way_out_is_named(scanner: str) -> None:
    with pytest.raises(InputError) as error:
        list(xylem.compile("//a").stream(b"<!DOCTYPE d SYSTEM 'd.dtd'><d><a>&x;</a></d>", scanner=scanner))
    assert "--dtd" in error.value.hint


@given(st.dictionaries(st.from_regex(r"[a-z]{1,4}", fullmatch=True), st.text(st.characters(codec="utf-8"), max_size=8)))
def test_a_declaration_stands_for_exactly_its_text(texts: dict[str, str]) -> None:
    from xml.parsers import expat

    # A declaration changes nothing about the entities that every document has; expat reports none of theirs.
    predefined = {"lt", "gt", "amp", "apos", "quot"}
    texts = {name: text for name, text in texts.items() if text.isprintable() and name not in predefined}
    found: dict[str, str] = {}
    parser = expat.ParserCreate()
    parser.EntityDeclHandler = lambda name, parameter, value, *rest: found.setdefault(name, value)
    parser.Parse(b"<!DOCTYPE a [" + declarations(texts) + b"]><a/>", True)
    assert found == texts
    assert declarations(texts).isascii()


def test_utf_16_is_refused_with_the_reason(dtd: Path) -> None:
    source = SuppliedEntities(ByteSource.of("<d/>".encode("utf-16")), entities_of(dtd))
    with pytest.raises(InputError, match="XYIN0007"):
        list(source)


def test_a_dtd_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.dtd").write_text("<!ENTITY")
    with pytest.raises(InputError, match="XYIN0020"):
        entities_of(tmp_path / "x.dtd")
    with pytest.raises(InputError, match="XYIN0002"):
        entities_of(tmp_path / "missing.dtd")
