"""`xylem explain`: the explanation of a query as text or as JSON."""

from __future__ import annotations

import sys
from pathlib import Path

from .query_source import QuerySource
from .run_query import compiled


def explain_query(source: QuerySource, schema: Path | None, *, as_json: bool, with_code: bool, with_ast: bool) -> None:
    """Write the explanation to standard output."""
    explanation = compiled(source).explain(schema)
    if as_json:
        import json

        facts = explanation.to_dict(with_code=with_code, with_ast=with_ast)
        sys.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(explanation.to_text(with_code=with_code, with_ast=with_ast))
