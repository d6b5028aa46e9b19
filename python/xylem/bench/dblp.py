"""Bibliographies of any size, shaped like DBLP: millions of small records below one root, in no order that helps.

What XQPull's benchmark (xqpull.txt, section 5) reads: records of several kinds with a key, some authors, a title that
now and then has markup in it, a year, and where it appeared. One author in a few thousand is the one its queries look
for. The same number and seed give the same bytes.

    >>> from xylem.bench import dblp
    >>> "".join(dblp.generate(records=3)).count(" key=")
    3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike
from random import Random

from .auction_names import FIRST_NAMES, LAST_NAMES
from .vocabulary import word_pool

SOUGHT = "Leonidas Fegaras"
BYTES_PER_RECORD = 346
_SHARE_OF_SOUGHT = 1 / 4000
_KINDS = {"inproceedings": 0.5, "article": 0.38, "proceedings": 0.03, "phdthesis": 0.02, "book": 0.02, "www": 0.05}
_AUTHORS = {1: 0.2, 2: 0.3, 3: 0.25, 4: 0.15, 5: 0.06, 7: 0.03, 12: 0.01}
_VENUES = ("SIGMOD", "VLDB", "ICDE", "EDBT", "PODS", "WebDB", "XIME-P", "XSym", "CIKM", "DEXA")
_JOURNALS = ("TODS", "VLDB J.", "SIGMOD Record", "Inf. Syst.", "J. ACM", "TKDE")

DTD = """\
<!ENTITY % field "author | editor | title | booktitle | pages | year | journal | volume | crossref | school | url | ee">
<!ELEMENT dblp (article | inproceedings | proceedings | book | phdthesis | www)*>
<!ELEMENT article (%field;)*>
<!ELEMENT inproceedings (%field;)*>
<!ELEMENT proceedings (%field;)*>
<!ELEMENT book (%field;)*>
<!ELEMENT phdthesis (%field;)*>
<!ELEMENT www (%field;)*>
<!ELEMENT author (#PCDATA)>
<!ELEMENT editor (#PCDATA)>
<!ELEMENT title (#PCDATA | sub | sup | i)*>
<!ELEMENT sub (#PCDATA)>
<!ELEMENT sup (#PCDATA)>
<!ELEMENT i (#PCDATA)>
<!ELEMENT booktitle (#PCDATA)>
<!ELEMENT pages (#PCDATA)>
<!ELEMENT year (#PCDATA)>
<!ELEMENT journal (#PCDATA)>
<!ELEMENT volume (#PCDATA)>
<!ELEMENT crossref (#PCDATA)>
<!ELEMENT school (#PCDATA)>
<!ELEMENT url (#PCDATA)>
<!ELEMENT ee (#PCDATA)>
""" + "".join(
    f"<!ATTLIST {kind} key CDATA #REQUIRED mdate CDATA #IMPLIED>\n" for kind in _KINDS
)


def generate(records: int, seed: int = 0) -> Iterator[str]:
    """The document in pieces, one record each."""
    random = Random(f"dblp {seed}")
    writer = _Records(random)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<dblp>\n'
    for number in range(records):
        yield writer.record(number)
    yield "</dblp>\n"


def write(path: str | PathLike[str], records: int, seed: int = 0) -> int:
    """Write the document to a file; the number of bytes written."""
    size = 0
    with open(path, "w", encoding="ascii", newline="\n", buffering=1 << 20) as file:
        for piece in generate(records, seed):
            size += file.write(piece)
    return size


class _Records:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.pool = word_pool()

    def record(self, number: int) -> str:
        random = self.random
        kind = random.choices(list(_KINDS), list(_KINDS.values()))[0]
        year = 1970 + int(37 * random.random() ** 0.4)
        fields = [self._people("editor" if kind == "proceedings" else "author"), self._title()]
        fields += _FIELDS[kind](random, year, number)
        date = f"20{random.randrange(10):02}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}"
        return f'<{kind} mdate="{date}" key="{kind}/{number}">\n{"".join(fields)}</{kind}>\n\n'

    def _people(self, role: str) -> str:
        number = self.random.choices(list(_AUTHORS), list(_AUTHORS.values()))[0]
        return "".join(f"<{role}>{self._person()}</{role}>\n" for _ in range(number))

    def _person(self) -> str:
        random = self.random
        if random.random() < _SHARE_OF_SOUGHT:
            return SOUGHT
        return f"{random.choice(FIRST_NAMES)} {random.choice(LAST_NAMES)}"

    def _title(self) -> str:
        words = self.random.choices(self.pool, k=self.random.randrange(4, 12))
        if self.random.random() < 0.02:
            words[1] = f"<{(mark := self.random.choice(('sub', 'sup', 'i')))}>{words[1]}</{mark}>"
        return f"<title>{' '.join(words).capitalize()}.</title>\n"


def _pages(random: Random) -> str:
    first = random.randrange(1, 900)
    return f"<pages>{first}-{first + random.randrange(1, 30)}</pages>\n"


def _inproceedings(random: Random, year: int, number: int) -> list[str]:
    venue = random.choice(_VENUES)
    crossref = f"<crossref>conf/{venue.lower()}/{year}</crossref>\n" if random.random() < 0.5 else ""
    place = f"db/conf/{venue.lower()}/{number}"
    return [
        _pages(random),
        f"<year>{year}</year>\n{crossref}<booktitle>{venue}</booktitle>\n",
        f"<ee>{place}</ee>\n<url>{place}.html</url>\n" if random.random() < 0.7 else f"<url>{place}.html</url>\n",
    ]


def _article(random: Random, year: int, number: int) -> list[str]:
    journal = random.choice(_JOURNALS)
    volume = f"<volume>{year - 1970}</volume>\n"
    return [_pages(random), f"<year>{year}</year>\n{volume}<journal>{journal}</journal>\n<url>db/{number}</url>\n"]


def _proceedings(random: Random, year: int, number: int) -> list[str]:
    return [f"<booktitle>{random.choice(_VENUES)}</booktitle>\n<year>{year}</year>\n<url>db/{number}</url>\n"]


def _thesis(random: Random, year: int, number: int) -> list[str]:
    return [f"<year>{year}</year>\n<school>{random.choice(LAST_NAMES)} University</school>\n"]


def _book(random: Random, year: int, number: int) -> list[str]:
    return [f"<year>{year}</year>\n<ee>db/{number}</ee>\n"]


def _page(random: Random, year: int, number: int) -> list[str]:
    return [f"<url>db/{number}</url>\n"]


_FIELDS: dict[str, Callable[[Random, int, int], list[str]]] = {
    "inproceedings": _inproceedings,
    "article": _article,
    "proceedings": _proceedings,
    "phdthesis": _thesis,
    "book": _book,
    "www": _page,
}
