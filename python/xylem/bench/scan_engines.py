"""Ways from a file to an answer: ours, and those people use today. Each is run in a process of its own.

Beside Xylem: a bare parse by expat, which answers nothing; loops over lxml's `iterparse` as they are written by hand,
freeing what has passed; Saxon and pygixml, which hold the whole tree. An engine that is not installed is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from .file_to_answer import Answer, OverTree, streamed
from .peers import Saxon
from .scan_tasks import BY_NAME
from .xmark_by_hand import passing, q1, q5, q13

Engine = Callable[[str, Path], Answer]
"""Prepares a task over a document (imports, no reading); calling what it gives reads the document and answers."""
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
    """This engine over the stream."""
    return streamed(BY_NAME[task].query, document, task)


def saxon(task: str, document: Path) -> Answer:
    """SaxonC-HE: the tree, then the query."""
    return OverTree(Saxon(), BY_NAME[task].query, document)


# --- lxml


def lxml(task: str, document: Path) -> Answer:
    """A loop by hand over iterparse."""
    import lxml.etree  # noqa: F401  # loaded before the clock starts

    loop = _LXML[task]
    return lambda: loop(document)


def _lxml_count(document: Path) -> str:
    return str(sum(1 for _ in passing(document, "item")))


def _lxml_vela(document: Path) -> str:
    parts = []
    for photon in passing(document, "photon"):
        ra, dec = float(photon.findtext("ra")), float(photon.findtext("dec"))
        if 120.0 < ra < 138.0 and -49.0 < dec < -40.0:
            fields = "".join(f"<{n}>{photon.findtext(n)}</{n}>" for n in ("ra", "dec", "phc", "en", "det_time"))
            parts.append(f"<vela>{fields}</vela>")
    return f"<photons>{''.join(parts)}</photons>"


def _lxml_rxj(document: Path) -> str:
    parts = []
    for photon in passing(document, "photon"):
        if float(photon.findtext("en")) > 1.3:
            ra, dec = float(photon.findtext("ra")), float(photon.findtext("dec"))
            if 130.5 < ra < 135.5 and -48.0 < dec < -45.0:
                fields = "".join(f"<{n}>{photon.findtext(n)}</{n}>" for n in ("ra", "dec", "en", "det_time"))
                parts.append(f"<rxj>{fields}</rxj>")
    return f"<photons>{''.join(parts)}</photons>"


_LXML = {"Q1": q1, "Q5": q5, "Q13": q13, "count": _lxml_count, "Vela": _lxml_vela, "RXJ": _lxml_rxj}


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
