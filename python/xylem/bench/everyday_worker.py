"""One everyday query over a file, by one engine, in a process of its own.

python -m xylem.bench.everyday_worker Xylem product photons.xml
"""

from __future__ import annotations

from pathlib import Path

from .everyday_tasks import BY_NAME
from .file_to_answer import Answer, streamed, tell_figures


def xylem(task: str, document: Path) -> Answer:
    """This engine over the stream."""
    return streamed(BY_NAME[task].query, document, task.replace(" ", "-"))


def tree(task: str, document: Path) -> Answer:
    """This engine over the tree, the parse counted."""
    import xylem as engine

    engine.compile("<a>{ /b/c }</a>").run(engine.parse("<b><c/></b>")).serialize()
    return lambda: engine.compile(BY_NAME[task].query).run(engine.parse(document)).serialize()


def lxml(task: str, document: Path) -> Answer:
    """A loop by hand over iterparse."""
    import lxml.etree  # noqa: F401  # loaded before the clock starts

    return lambda: BY_NAME[task].by_hand(document)


ENGINES = {"Xylem": xylem, "tree": tree, "lxml": lxml}


if __name__ == "__main__":
    tell_figures(ENGINES, {})
