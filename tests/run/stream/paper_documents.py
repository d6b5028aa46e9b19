"""Small documents for the papers' example queries, each valid by its DTD."""

from __future__ import annotations

from dataclasses import dataclass

from xylem.bench import photons


@dataclass(frozen=True)
class Example:
    """A document and its DTD."""

    text: str
    dtd: str


BIB = Example(
    """<bib>
<article><author>Vianu</author><title>Chasing</title></article>
<article><author>Knuth</author><author>Hull</author><title>Trees</title></article>
<book><title>TCP/IP</title><author>Stevens</author><publisher>Addison-Wesley</publisher><year>1994</year>
  <bookstore><price>65.95</price></bookstore><bookstore><price>60</price></bookstore></book>
<book><title>Foundations</title><subtitle>of Databases</subtitle><author>Abiteboul</author><author>Hull</author>
  <editor>Vianu</editor><publisher>Addison-Wesley</publisher><year>1990</year></book>
<book><title>Many</title><author>A</author><author>B</author><author>C</author><author>D</author><author>E</author>
  <author>F</author><editor>Knuth</editor><publisher>Springer</publisher><year>2001</year>
  <bookstore><price>9</price></bookstore></book>
<dissertation><title>On Undecidability</title>
  <author><firstname>Kurt</firstname><lastname>Goedel</lastname><address>Wien</address></author></dissertation>
<dissertation><title>Other</title>
  <author><firstname>A</firstname><lastname>B</lastname><address>C</address></author></dissertation>
</bib>""",
    """<!ELEMENT bib (article*, book*, dissertation*)>
<!ELEMENT article (author+, title)>
<!ELEMENT book (title, subtitle?, author*, editor*, publisher, year, bookstore*)>
<!ELEMENT bookstore (price)>
<!ELEMENT dissertation (title, author)>
<!ELEMENT author (#PCDATA | firstname | lastname | address)*>
<!ELEMENT title (#PCDATA)> <!ELEMENT subtitle (#PCDATA)> <!ELEMENT editor (#PCDATA)> <!ELEMENT publisher (#PCDATA)>
<!ELEMENT year (#PCDATA)> <!ELEMENT price (#PCDATA)> <!ELEMENT firstname (#PCDATA)> <!ELEMENT lastname (#PCDATA)>
<!ELEMENT address (#PCDATA)>""",
)

PHOTONS = Example("".join(photons.generate(400, seed=1)), photons.DTD)

NUMBERS = Example(
    """<root>
<a><b>5</b><b>6</b><c><d>1</d><d>2</d><d>3</d></c><c><d>4</d><d>50</d><d>61</d><d>70</d></c></a>
<a><c><d>9</d></c></a>
<a><b>5</b><b>5</b><b>5</b><b>5</b><b>5</b><c/></a>
</root>""",
    """<!ELEMENT root (a*)> <!ELEMENT a (b*, c*)> <!ELEMENT b (#PCDATA)> <!ELEMENT c (d*)> <!ELEMENT d (#PCDATA)>""",
)

PARTS = Example(
    """<root><a><c><d><e>1</e><f>2</f></d><d><e>3</e><f>4</f></d><d><e>5</e><e>6</e></d></c>
<c><d><f>7</f></d><d/><d><e>8</e></d></c></a></root>""",
    """<!ELEMENT root (a*)> <!ELEMENT a (c*)> <!ELEMENT c (d*)> <!ELEMENT d (e*, f*)> <!ELEMENT e (#PCDATA)>
<!ELEMENT f (#PCDATA)>""",
)

PIXELS = Example(
    "<stream>"
    + "".join(f"<pixel><x>{n % 4}</x><y>{n}</y></pixel>" for n in range(25))
    + "<data>"
    + "".join(
        f"<pixel><x>{n % 3}</x><y>{n % 2}</y><band0>{n}</band0><band1>{n * n % 11 + 1}</band1></pixel>"
        for n in range(20)
    )
    + "</data></stream>",
    """<!ELEMENT stream (pixel*, data?)> <!ELEMENT data (pixel*)> <!ELEMENT pixel (x, y, (band0, band1)?)>
<!ELEMENT x (#PCDATA)> <!ELEMENT y (#PCDATA)> <!ELEMENT band0 (#PCDATA)> <!ELEMENT band1 (#PCDATA)>""",
)

DEPARTMENT = Example(
    """<department><name>CS</name>
<student><name>Ada</name><gpa>3.5</gpa></student><student><name>Bob</name><gpa>2</gpa></student>
<student><name>Eve</name><gpa>3.5</gpa><gpa>1</gpa></student></department>""",
    """<!ELEMENT department (name, student*)> <!ELEMENT student (name, gpa*)> <!ELEMENT name (#PCDATA)>
<!ELEMENT gpa (#PCDATA)>""",
)

LATE = Example(
    "<a><d>1</d><b><x/></b><d>2<d>3</d></d><b><c/></b><d>4</d></a>",
    """<!ELEMENT a (b | d)*> <!ELEMENT b (x?, c?)> <!ELEMENT c EMPTY> <!ELEMENT d (#PCDATA | d)*> <!ELEMENT x EMPTY>""",
)

CAPITALS = Example("<A><B>1</B><C/><B>2</B></A>", "<!ELEMENT A (B | C)*> <!ELEMENT B (#PCDATA)> <!ELEMENT C EMPTY>")
