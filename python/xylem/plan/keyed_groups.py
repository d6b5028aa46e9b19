"""Tables of accumulators by key: the functions that rewritten loops call, and their arguments.

    pass:groups(records, [[kind, function($r) { value }, items]…], [function($records) { aggregate }…])
    pass:value(groups, number of the aggregate, [value of each key])

`kind` is the type used for comparison: "double", "number" or "string", with ", one" if more than one value of a record
is an error. `items`, if given, are all values that will be requested.

Tables of groups, whose keys are found in the records as in `group by`, have the kind "group", or "each" if a record
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
"""The kind of keys that are found in records: at most one value per record."""
OF_EACH = "each"
"""The kind of keys with any number of values per record, which belongs to the group of each."""
FOUND_KEYS = (OF_GROUP, OF_EACH)
