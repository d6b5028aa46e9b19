"""Ways from a file to an answer: ours, and those people use today. Each is run in a process of its own.

Beside Xylem: a bare parse by expat, which answers nothing; loops over lxml's `iterparse` as they are written by hand,
freeing what has passed; Saxon and pygixml, which hold the whole tree. Who is not installed is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from .scan_tasks import BY_NAME

Answer = Callable[[], str | Path]
Engine = Callable[[str, Path], Answer]
"""Prepares a task over a document (imports, no reading); calling what it gives reads the document and answers.

Who can write the answer as it comes about writes it into a file: that must not be held in memory."""
PACKAGES = {"lxml": "lxml", "Saxon": "saxonche", "pygixml": "pygixml"}
"""What to install for an engine; it is measured where it is there."""


def expat(task: str, document: Path) -> Answer:
    """A parse without handlers: what any expat-based loop costs before it does anything."""
    from pyexpat import ParserCreate

    def parse() -> str:
        parser = ParserCreate()
        with document.open("rb") as file:
            parser.ParseFile(file)
        return ""

    return parse


def xylem(task: str, document: Path) -> Answer:
    """This engine over the stream, from the text of the query to the text of the answer."""
    import xylem as engine

    # Loads what is loaded on first use.
    engine.compile("<a>{ for $b in /b[c > 1] return count($b/c) }</a>").stream(b"<b><c>2</c></b>").write_to(len)

    def run() -> Path:
        answer = document.with_suffix(f".{task}.answer")
        with answer.open("wb", buffering=0) as file:
            engine.compile(BY_NAME[task].query).stream(document).write_to(file.write)
        return answer

    return run


def saxon(task: str, document: Path) -> Answer:
    """SaxonC-HE: the tree, then the query."""
    from .peers import Saxon

    peer = Saxon()
    return lambda: peer.answer(BY_NAME[task].query, peer.parse(document))


# --- lxml


def lxml(task: str, document: Path) -> Answer:
    """A loop by hand over iterparse."""
    import lxml.etree  # noqa: F401  # loaded before the clock starts

    loop = _LXML[task]
    return lambda: loop(document)


def _passing(document: Path, tag: str) -> Any:
    """Elements of a name as they end; what has passed is freed."""
    from lxml import etree

    for _, element in etree.iterparse(str(document), events=("end",), tag=tag):
        yield element
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def _lxml_q1(document: Path) -> str:
    return "".join(e.findtext("name") for e in _passing(document, "person") if e.get("id") == "person0")


def _lxml_q5(document: Path) -> str:
    return str(sum(float(e.findtext("price")) >= 40 for e in _passing(document, "closed_auction")))


def _lxml_q13(document: Path) -> str:
    from lxml import etree

    parts = []
    for item in _passing(document, "item"):
        if item.getparent().tag == "australia":
            description = etree.tostring(item.find("description"), encoding="unicode", with_tail=False)
            parts.append(f'<item name="{escape(item.findtext("name"))}">{description}</item>')
    return "".join(parts)


def _lxml_count(document: Path) -> str:
    return str(sum(1 for _ in _passing(document, "item")))


def _lxml_vela(document: Path) -> str:
    parts = []
    for photon in _passing(document, "photon"):
        ra, dec = float(photon.findtext("ra")), float(photon.findtext("dec"))
        if 120.0 < ra < 138.0 and -49.0 < dec < -40.0:
            fields = "".join(f"<{n}>{photon.findtext(n)}</{n}>" for n in ("ra", "dec", "phc", "en", "det_time"))
            parts.append(f"<vela>{fields}</vela>")
    return f"<photons>{''.join(parts)}</photons>"


def _lxml_rxj(document: Path) -> str:
    parts = []
    for photon in _passing(document, "photon"):
        if float(photon.findtext("en")) > 1.3:
            ra, dec = float(photon.findtext("ra")), float(photon.findtext("dec"))
            if 130.5 < ra < 135.5 and -48.0 < dec < -45.0:
                fields = "".join(f"<{n}>{photon.findtext(n)}</{n}>" for n in ("ra", "dec", "en", "det_time"))
                parts.append(f"<rxj>{fields}</rxj>")
    return f"<photons>{''.join(parts)}</photons>"


_LXML = {"Q1": _lxml_q1, "Q5": _lxml_q5, "Q13": _lxml_q13, "count": _lxml_count, "Vela": _lxml_vela, "RXJ": _lxml_rxj}


# --- pygixml


def pygixml(task: str, document: Path) -> Answer:
    """pugixml's tree in memory, asked by XPath."""
    import pygixml as module

    ask = _PYGIXML[task]

    def run() -> str:
        # Its nodes do not keep the tree alive.
        tree = module.parse_file(str(document), module.ParseFlags.DEFAULT | module.ParseFlags.WS_PCDATA)
        return ask(tree.root)

    return run


def _pygixml_q1(root: Any) -> str:
    return "".join(node.node.text() for node in root.select_nodes('/site/people/person[@id="person0"]/name'))


def _pygixml_q5(root: Any) -> str:
    return str(len(root.select_nodes("/site/closed_auctions/closed_auction[price >= 40]")))


def _pygixml_q13(root: Any) -> str:
    return "".join(
        f'<item name="{escape(found.node.child("name").text())}">{_flat(found.node.child("description"))}</item>'
        for found in root.select_nodes("/site/regions/australia/item")
    )


def _flat(node: Any) -> str:
    return str(node.to_string(""))


def _pygixml_count(root: Any) -> str:
    return str(len(root.select_nodes("//item")))


def _pygixml_vela(root: Any) -> str:
    path = "/photons/photon[ra > 120.0 and ra < 138.0 and dec > -49.0 and dec < -40.0]"
    return _pygixml_photons(root, path, "vela", ("ra", "dec", "phc", "en", "det_time"))


def _pygixml_rxj(root: Any) -> str:
    path = "/photons/photon[en > 1.3 and ra > 130.5 and ra < 135.5 and dec > -48.0 and dec < -45.0]"
    return _pygixml_photons(root, path, "rxj", ("ra", "dec", "en", "det_time"))


def _pygixml_photons(root: Any, path: str, name: str, fields: tuple[str, ...]) -> str:
    parts = []
    for found in root.select_nodes(path):
        photon = found.node
        parts.append(f"<{name}>{''.join(f'<{n}>{photon.child(n).text()}</{n}>' for n in fields)}</{name}>")
    return f"<photons>{''.join(parts)}</photons>"


_PYGIXML = {
    "Q1": _pygixml_q1,
    "Q5": _pygixml_q5,
    "Q13": _pygixml_q13,
    "count": _pygixml_count,
    "Vela": _pygixml_vela,
    "RXJ": _pygixml_rxj,
}

ENGINES: dict[str, Engine] = {"expat": expat, "lxml": lxml, "Saxon": saxon, "pygixml": pygixml, "Xylem": xylem}
