"""A spelling as a query, with all that the table asks of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from xylem import Query
from xylem.errors import StaticError, XylemError
from xylem.lowering.stream.account import account_of
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.query.spreading import Spreading
from xylem.run.stream.passes import StreamPasses
from xylem.run.tasks.program import DistributedProgram
from xylem.source.xml_reader import read_document

from .documents import PLAIN, document, variables
from .spelling_files import Block, Spelling

ANSWER_SIZE = 24


class SpelledQuery(Query):
    """One spelling, over documents of its kind."""

    def __init__(self, block: Block, spelling: Spelling) -> None:
        super().__init__(CompiledQuery(spelling.query, StaticEnvironment()))
        self.kind = block.document
        self.text = spelling.query
        self._answers: dict[str, str] = {}

    @property
    def _passes(self) -> StreamPasses | None:
        try:
            return self.compiled.stream_passes()
        except StaticError:
            return None

    @property
    def is_streamed(self) -> bool:
        return self._passes is not None

    @property
    def waits_for_end(self) -> bool:
        """Whether a stream that is read once must end before there is an answer."""
        passes = self._passes
        once = None if passes is None else passes.in_one_pass
        return once is None or account_of(once.last).waits_for_end

    @property
    def distributed(self) -> DistributedProgram:
        return self.compiled.distributed(Spreading())

    def answer(self, variant: str) -> str:
        """What the tree answers, or the code of the error that comes instead."""
        if variant not in self._answers:
            self._answers[variant] = outcome(self.over_tree(ANSWER_SIZE, variant))
        return self._answers[variant]

    def over_tree(
        self, size: int, variant: str = PLAIN, reader: str = "auto", method: str | None = "adaptive"
    ) -> Callable[[], str]:
        """A run over a tree, which has been read; without a method, the answer is written as the query wants it."""
        context = read_document(document(self.kind, size, variant), reader=reader)
        given = self._given(size, variant, reader)
        options = {} if method is None else {"method": method}
        return lambda: self.run(context, given).serialize(**options)

    def over_stream(self, size: int, variant: str = PLAIN, scanner: str = "auto") -> Callable[[], str]:
        """A run over what streams by."""
        data = document(self.kind, size, variant).encode()
        given = self._given(size, variant, "python" if scanner == "python" else "auto")
        prepared = self.stream(data, given, scanner=scanner)

        def run() -> str:
            chunks: list[bytes] = []
            prepared.write_to(chunks.append, method="adaptive")
            return b"".join(chunks).decode()

        return run

    def _given(self, size: int, variant: str, reader: str) -> dict[str, object]:
        return {name: read_document(text, reader=reader) for name, text in variables(self.kind, size, variant).items()}


@lru_cache(maxsize=32)
def spelled_query(block: Block, spelling: Spelling) -> SpelledQuery:
    """The query of a spelling, the same for all tests of a block."""
    return SpelledQuery(block, spelling)


def outcome(run: Callable[[], str]) -> str:
    """A text, or the code of the error that came instead."""
    try:
        return run()
    except XylemError as error:
        return f"error {error.code}"
