"""Tables of accumulators by key: the functions that rewritten loops call, and what they are asked for.

    pass:groups(records, [[kind, function($r) { value }, items]…], [function($records) { aggregate }…])
    pass:value(groups, number of the aggregate, [value of each key])

`kind` says what values are compared as: "double", "number" or "string", with ", one" where more than one value of a
record is an error. `items`, where they are given, are all values that will be asked for.

Tables of groups, whose keys are found in the records, as by `group by`: their kind is "group", or "each" where a record
belongs to the group of each of its values.

    pass:found(groups)                           the groups, in the order of their first records
    pass:key(group, number of the key)           its value in the first record
    pass:of(group, number of the aggregate)

Aggregates are functions of fn:. In tables that will be merged, pass:sum-of-values and pass:avg-of-values keep the
values of a sum, and pass:avg-of-sum the sum and number of a mean.
"""

from __future__ import annotations

from xylem.syntax import ast

PASS_NAMESPACE = "urn:xylem:single-pass"
GROUPS = ast.Name("groups", "pass", PASS_NAMESPACE)
VALUE = ast.Name("value", "pass", PASS_NAMESPACE)
FOUND = ast.Name("found", "pass", PASS_NAMESPACE)
KEY = ast.Name("key", "pass", PASS_NAMESPACE)
OF = ast.Name("of", "pass", PASS_NAMESPACE)
OF_GROUP = "group"
"""The kind of keys that are found: one value, or none, of each record."""
OF_EACH = "each"
"""The kind of keys of which a record has any number, and is in the group of each."""
FOUND_KEYS = (OF_GROUP, OF_EACH)
