"""Dropping text nodes of white space only."""

from __future__ import annotations

from .tree_loader import TreeLoader


def drop_white_space(loader: TreeLoader) -> None:
    """Install a filter before the handlers: text waits until it is known whether all of it is white space."""
    parser = loader.parser
    text = parser.CharacterDataHandler
    start, end = loader.start_handler(), parser.EndElementHandler
    comment, instruction = parser.CommentHandler, parser.ProcessingInstructionHandler
    assert text is not None
    assert end is not None
    assert comment is not None
    assert instruction is not None
    waiting: list[str] = []

    def flush() -> None:
        if any(not part.isspace() for part in waiting):
            for part in waiting:
                text(part)
        waiting.clear()

    def later_start(tag: str, attributes: list[str]) -> None:
        flush()
        start(tag, attributes)

    def later_end(tag: str) -> None:
        flush()
        end(tag)

    def later_comment(data: str) -> None:
        flush()
        comment(data)

    def later_instruction(target: str, data: str) -> None:
        flush()
        instruction(target, data)

    parser.CharacterDataHandler = waiting.append
    parser.StartElementHandler = later_start
    parser.EndElementHandler = later_end
    parser.CommentHandler = later_comment
    parser.ProcessingInstructionHandler = later_instruction
