"""Facts about standard functions by name, for several stages, without importing their families.

A trait is the set of the functions that have it, as expanded names, so that a question reads

    call.name.expanded in traits.MERGES

and no prefix, nor a user's function with the same local name, can be mistaken for one of ours. The traits of a new
function are added here. The tests load all families: each name here must be registered, with a signature that the trait
allows. The treatment of infinite arguments is in `analysis/boundedness/function_table.py`.
"""

from __future__ import annotations

from .registry import FN, PREFIXES

Functions = frozenset[tuple[str, str]]


def standard(names: str) -> Functions:
    """Functions of the standard namespace, by their local names."""
    return frozenset((FN, local) for local in names.split())


# --- aggregates

COUNTS = standard("count empty exists")
"""Depends only on the number of items."""

FOLDS = COUNTS | standard("avg max min string-join sum")
"""Folds a sequence into one value, computed from states of its parts, merged in order."""

MERGES = FOLDS | standard("distinct-values")
"""Its value can be computed from states of parts, be it one value or several."""

GROWS = standard("codepoints-to-string distinct-values string-join")
"""Its state grows with its input."""

AGGREGATES = FOLDS - GROWS
"""Folds a sequence into one value with a state of only a few numbers."""

BY_ORDER = standard("distinct-values fold-left string-join")
"""Its value depends on the order of the items."""

IN_ANY_ORDER = COUNTS | standard("max min")
"""Its value is exactly the same for any order of items. Sums are neither here nor above: they round."""

TRUTHS = standard("boolean empty exists not")
"""Depends only on whether a sequence has items, or on its effective boolean value."""

BOOLEAN = TRUTHS | standard(
    """contains contains-token deep-equal doc-available ends-with false has-children lang matches starts-with true
    unparsed-text-available"""
) | {(PREFIXES["map"], "contains")}  # fmt: skip
"""Returns one xs:boolean."""

# --- functions that return items of their arguments

PICKS_ONE = standard("exactly-one head zero-or-one")
"""Returns at most one item of its first argument."""

PICKS = PICKS_ONE | standard("one-or-more remove subsequence tail trace unordered")
"""Returns items of its first argument, in order and each once."""

PASSES = PICKS | standard("insert-before reverse")
"""Returns only items of its arguments."""

TAKES_MANY = MERGES | TRUTHS | PASSES - standard("trace")
"""Takes a sequence as a whole, without other effects: its value is cached if it is needed often."""

# --- facts about nodes that are read

OUTSIDE = COUNTS | TRUTHS | standard(
    """base-uri document-uri in-scope-prefixes lang local-name name namespace-uri namespace-uri-for-prefix nilled
    node-name resolve-QName"""
)  # fmt: skip
"""Reads nothing inside a node."""

ABOVE = standard("base-uri document-uri lang")
"""Its value comes from around a node: an ancestor or the document."""

VERSIONED = frozenset(
    (PREFIXES["_history"], local) for local in ("as-of", "content", "document", "lookup", "timeline", "versions")
) | frozenset((PREFIXES["xylem"], local) for local in ("begin", "end", "version"))
"""Reads versions of nodes or values: its value depends on the history of the input, and on the moment."""

ELSEWHERE = VERSIONED | standard("element-with-id id idref path root")
"""Looks anywhere in the document of a node, or leads there."""

BY_IDENTITY = standard("generate-id")
"""Distinguishes nodes that look the same."""

BY_PLACE = standard("innermost outermost")
"""Depends on the nesting of nodes."""

AROUND = ABOVE | ELSEWHERE | BY_IDENTITY | BY_PLACE
"""Has a different result for a copy of a node, or a node without its document."""

# # --- effects of a call besides its value

UNSTEADY = VERSIONED | standard("error load-xquery-module random-number-generator trace transform")
"""Fails, has visible effects, or differs from call to call: it must be called exactly as the query says."""

CONSTRUCTS = standard("analyze-string json-to-xml parse-xml parse-xml-fragment") | {
    (PREFIXES["xylem"], "add-timestamp"),
}
"""Returns new nodes at each call, so two calls with the same arguments differ by `is`."""

_CALLING = "filter fold-left fold-right for-each for-each-pair sort"
CALLS = standard(f"apply {_CALLING}") | frozenset(
    {(PREFIXES["map"], "for-each")} | {(PREFIXES["array"], local) for local in _CALLING.split()}
)
"""Calls a function argument."""
