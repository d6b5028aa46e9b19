"""Facts about standard functions by name, for several stages, without importing their families.

A trait is the set of the functions that have it, as expanded names, so that a question reads

    call.name.expanded in traits.MERGES

and no prefix, nor a function of the user's with the same local name, can be taken for one of ours. A function is given
its traits here when it is written. The tests load all families: each name here must be registered, with a signature
that the trait allows. What a function does with each of its arguments when they are infinite is
`analysis/boundedness/function_table.py`.
"""

from __future__ import annotations

from .registry import FN, PREFIXES

Functions = frozenset[tuple[str, str]]


def standard(names: str) -> Functions:
    """Functions of the standard namespace, by their local names."""
    return frozenset((FN, local) for local in names.split())


# --- aggregates

COUNTS = standard("count empty exists")
"""Takes of items only how many there are, whatever they are."""

FOLDS = COUNTS | standard("avg max min string-join sum")
"""Folds a sequence into one value that follows from states which parts of the sequence have, merged in order."""

MERGES = FOLDS | standard("distinct-values")
"""Its value follows from states of parts, be it one value or several."""

GROWS = standard("codepoints-to-string distinct-values string-join")
"""What is kept for its value grows with what it has read."""

AGGREGATES = FOLDS - GROWS
"""Folds a sequence into one value and keeps no more than a few numbers meanwhile."""

BY_ORDER = standard("distinct-values fold-left string-join")
"""Gives another value where the same items come in another order."""

IN_ANY_ORDER = COUNTS | standard("max min")
"""Gives the very same value in whatever order items come. Sums are neither here nor above: they round."""

TRUTHS = standard("boolean empty exists not")
"""Takes of a sequence only whether it has items, or its effective boolean value."""

BOOLEAN = TRUTHS | standard(
    """contains contains-token deep-equal doc-available ends-with false has-children lang matches starts-with true
    unparsed-text-available"""
) | {(PREFIXES["map"], "contains")}  # fmt: skip
"""Gives one xs:boolean."""

# --- functions that give items they were given

PICKS_ONE = standard("exactly-one head zero-or-one")
"""Gives one item of its first argument at most."""

PICKS = PICKS_ONE | standard("one-or-more remove subsequence tail trace unordered")
"""Gives items of its first argument, in their order and each once."""

PASSES = PICKS | standard("insert-before reverse")
"""Gives nothing but items of its arguments."""

TAKES_MANY = MERGES | TRUTHS | PASSES - standard("trace")
"""Takes a sequence as a whole, and has no other effect: its value is kept where it is asked for many times."""

# --- what is asked of a node

OUTSIDE = COUNTS | TRUTHS | standard(
    """base-uri document-uri in-scope-prefixes lang local-name name namespace-uri namespace-uri-for-prefix nilled
    node-name resolve-QName"""
)  # fmt: skip
"""Asks of a node nothing that is inside it."""

ABOVE = standard("base-uri document-uri lang")
"""Its value comes from what is around a node: an ancestor or the document."""

VERSIONED = frozenset(
    (PREFIXES["_history"], local) for local in ("as-of", "content", "document", "lookup", "timeline", "versions")
) | frozenset((PREFIXES["xylem"], local) for local in ("begin", "end", "version"))
"""Asks for versions of nodes or values: its value follows from the history of the input, and from the moment."""

ELSEWHERE = VERSIONED | standard("element-with-id id idref path root")
"""Looks anywhere in the document of a node, or leads there."""

BY_IDENTITY = standard("generate-id")
"""Tells nodes apart that look the same."""

BY_PLACE = standard("innermost outermost")
"""Asks which nodes stand inside others."""

AROUND = ABOVE | ELSEWHERE | BY_IDENTITY | BY_PLACE
"""A copy of a node, or a node without its document, gives another answer."""

# --- what a call does beside giving a value

UNSTEADY = VERSIONED | standard("error load-xquery-module random-number-generator trace transform")
"""Fails, is seen outside, or differs from call to call: it must be called when and as often as the query says."""

CONSTRUCTS = standard("analyze-string json-to-xml parse-xml parse-xml-fragment") | {
    (PREFIXES["xylem"], "add-timestamp"),
}
"""Gives new nodes at each call, so that two calls with the same arguments are told apart by `is`."""

_CALLING = "filter fold-left fold-right for-each for-each-pair sort"
CALLS = standard(f"apply {_CALLING}") | frozenset(
    {(PREFIXES["map"], "for-each")} | {(PREFIXES["array"], local) for local in _CALLING.split()}
)
"""Calls a function that it is given."""
