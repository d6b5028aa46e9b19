"""Tables of accumulators by key: the functions that rewritten loops call, and what they are asked for.

    pass:groups(records, [[kind, function($r) { value }, items]…], [function($records) { aggregate }…])
    pass:value(groups, number of the aggregate, [value of each key])

`kind` says what values are compared as: "double", "number" or "string", with ", one" where more than one value of a
record is an error. `items`, where they are given, are all values that will be asked for.

Aggregates are functions of fn:. In tables that will be merged, pass:sum-of-values and pass:avg-of-values keep the
values of a sum, and pass:avg-of-sum the sum and number of a mean.
"""

from __future__ import annotations

from xylem.syntax import ast

PASS_NAMESPACE = "urn:xylem:single-pass"
GROUPS = ast.Name("groups", "pass", PASS_NAMESPACE)
VALUE = ast.Name("value", "pass", PASS_NAMESPACE)
