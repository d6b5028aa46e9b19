"""On-first handlers fire at the first event at which their symbols are past; what comes later than that is an error."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from xylem.errors import InputError
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.run import Statistics
from xylem.schema.loading import load_schema
from xylem.sink.event_writer import EventWriter
from xylem.source.resources import FileResources

from .compare import SCANNERS, XML, from_stream, from_tree

BIB = """<!ELEMENT bib (book*)> <!ELEMENT book (title, author+, publisher, note*)> <!ELEMENT title (#PCDATA)>
<!ELEMENT author (#PCDATA)> <!ELEMENT publisher (#PCDATA)> <!ELEMENT note (#PCDATA)>"""


def compiled(query: str, schema: str, root: str | None = None) -> StreamProgram:
    return compile_stream(query, StaticEnvironment(), load_schema(schema, root=root))


def written_at(program: StreamProgram, document: str, scanner: str) -> Iterator[tuple[str, str]]:
    """After each tag that changed something: the document up to there, and what has been written."""
    ends = [index + 1 for index, character in enumerate(document) if character == ">"]
    read, parts = "", list[str]()
    writer = EventWriter(XML, parts.append)

    def chunks() -> Iterator[bytes]:
        nonlocal read
        for start, end in pairwise([0, *ends]):
            read = document[:end]
            yield document[start:end].encode()

    for _ in program.write(chunks(), FileResources(), writer, scanner=scanner):
        writer.flush()
        yield read, "".join(parts)


def when(program: StreamProgram, document: str, wanted: str, scanner: str) -> str:
    """The tag at which a text has been written for the first time."""
    for read, text in written_at(program, document, scanner):
        if wanted in text:
            return read[read.rindex("<") :]
    return ""


BOOK = (
    "<bib><book><title>T</title><author>A</author><author>B</author><publisher>P</publisher><note>n</note></book></bib>"
)


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize(
    ("result", "wanted", "at"),
    [
        ("<r>{ $b/author }{ $b/title }</r>", "<title>T</title>", "<publisher>"),
        ("<r>{ $b/author }{ $b/title }</r>", "</r>", "<publisher>"),
        ("<r>{ $b/title }</r>", "</r>", "</title>"),
        ("<r>{ if ($b/title = 'T') then 'yes' else 'no' }</r>", "yes", "</title>"),
        ("<r>{ count($b/author) }{ $b/title }</r>", "<r>2<title>T", "<publisher>"),
        ("<r>{ $b/note, $b/title }</r>", "<title>T</title>", "</book>"),
        ("<r>{ $b/publisher/text() }</r>", "<r>P", "</publisher>"),
        ("<r>{ $b/@id, $b/title }</r>", "<r>", "</title>"),
    ],
)
def test_fires_at_the_first_event_that_allows_it(result: str, wanted: str, at: str, scanner: str) -> None:
    query = f"for $b in /bib/book return {result}"
    program = compiled(query, BIB, "bib")
    assert when(program, BOOK, wanted, scanner) == at
    assert from_stream(program, [BOOK.encode()], scanner) == from_tree(query, BOOK.encode())


@pytest.mark.parametrize("scanner", SCANNERS)
def test_where_a_name_does_not_tell_the_automaton_does(scanner: str) -> None:
    """The first b says nothing of a, the second does."""
    schema = "<!ELEMENT r (a, b, a, b, c*)> <!ELEMENT a (#PCDATA)> <!ELEMENT b EMPTY> <!ELEMENT c EMPTY>"
    document = "<r><a>1</a><b/><a>2</a><b/><c/><c/></r>"
    program = compiled("for $r in /r return <o>{ string-join($r/a) }</o>", schema, "r")
    # The second a ends, and no further one can come: the automaton knows, the name does not.
    assert when(program, document, "12", scanner) == "</a>"
    assert from_stream(program, [document.encode()], scanner).text == "<o>12</o>"


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize(
    ("document", "at"),
    [
        ("<r><a>1</a><b/><c/></r>", "</a>"),
        ("<r><c/><b/><a>1</a></r>", "</a>"),
        ("<r><b/><c/></r>", "</r>"),
    ],
)
def test_children_in_any_order(document: str, at: str, scanner: str) -> None:
    schema = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="r"><xs:complexType><xs:all>
      <xs:element name="a" type="xs:string" minOccurs="0"/><xs:element name="b"/><xs:element name="c"/>
    </xs:all></xs:complexType></xs:element></xs:schema>"""
    program = compiled("for $r in /r return <o>{ if ($r/a = '1') then 'yes' else 'no' }</o>", schema)
    assert when(program, document, "</o>", scanner) == at


def test_buffers_are_given_back_when_their_last_reader_has_fired() -> None:
    schema = "<!ELEMENT r (a*, b*, c*, d*)> " + "".join(f"<!ELEMENT {name} (#PCDATA)> " for name in "abcd")
    query = "for $r in /r return ($r/b, $r/a, $r/d, $r/c)"
    values = "".join(f"<{name}>{'x' * 40}</{name}>" * 50 for name in "abcd")
    document = f"<r>{values}</r>".encode()
    peaks = []
    for program in (compiled(query, schema, "r"), compile_stream(query, StaticEnvironment())):
        measured = Statistics()
        assert from_stream(program, [document], "python", measured) == from_tree(query, document)
        peaks.append(measured.peak_buffered_bytes)
    # With the order known, the a's are gone when the c's come. Without a schema all but the b's wait for the end.
    assert 0 < peaks[0] < 0.4 * peaks[1]


def test_one_kept_child_goes_another_stays() -> None:
    schema = "<!ELEMENT r (a*, k, b*, c*)> " + "".join(f"<!ELEMENT {name} (#PCDATA)> " for name in "abck")
    query = "for $r in /r return ($r/b, $r/a, $r/c, $r/k)"
    values = "<a>1</a><a>2</a><k>key</k><b>3</b><c>4</c>"
    program = compiled(query, schema, "r")
    document = f"<r>{values}</r>"
    assert from_stream(program, [document.encode()]) == from_tree(query, document.encode())
    measured = Statistics()
    run = program.run(iter([f"<r>{values}".encode()]), FileResources(), scanner="python", statistics=measured)
    held = []

    def watch() -> None:
        for _ in run:
            held.append(measured.buffered_bytes["r"])

    # The input breaks off behind the last child.
    with pytest.raises(InputError):
        watch()
    assert held[-1] < measured.peak_by_variable["r"]


# --- inputs that do not follow the schema


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize(
    ("result", "document", "name"),
    [
        # A kept child: title was written at <publisher>, and here is another one.
        ("<r>{ $b/author }{ $b/title }</r>", "<title>T</title><author>A</author><publisher/><title>U</title>", "title"),
        # A streamed child, after a later handler has fired.
        ("<r>{ $b/author }{ $b/title }</r>", "<title>T</title><author/><publisher/><author>B</author>", "author"),
        # One that an aggregate has not seen.
        ("<r>{ count($b/author), $b/title }</r>", "<title/><author/><publisher/><author>B</author>", "author"),
        # One that a condition has not seen.
        ("<r>{ if ($b/author = 'B') then 1 else 2 }</r>", "<title/><author/><publisher/><author>B</author>", "author"),
    ],
)
def test_a_late_child_is_never_lost(result: str, document: str, name: str, scanner: str) -> None:
    query = f"for $b in /bib/book return {result}"
    program = compiled(query, BIB, "bib")
    data = f"<bib><book>{document}</book></bib>".encode()
    found = from_stream(program, [data], scanner)
    assert found.error == "XYIN0021"
    assert f"<{name}> in /bib/book" in found.message
    assert "bytes" in found.message


def test_what_could_not_occur_and_does_is_noticed() -> None:
    """The schema allows no note before the publisher: what reads it there fires at the start tag."""
    schema = BIB.replace("publisher, note*", "publisher")
    query = "for $b in /bib/book return <r>{ if ($b/title = $b/note) then 1 else 2 }{ $b/author }</r>"
    program = compiled(query, schema, "bib")
    data = b"<bib><book><title>T</title><note>T</note><author>A</author><publisher/></book></bib>"
    found = from_stream(program, [data])
    assert found.error == "XYIN0021" or found == from_tree(query, data)
