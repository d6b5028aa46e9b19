"""The applications of single-pass.txt §6 as queries, the same as in `examples/single-pass`.

The document is the context item. Recursive functions are written as the paper has them. Nothing is said of passes.
"""

from __future__ import annotations

from importlib.resources import files


def application(name: str) -> str:
    """The text of `satellite`, `microscope`, `frequent-items` or `frequent-items-tail`."""
    return files(__package__).joinpath(f"{name}.xq").read_text("utf-8")
