"""The name of the search for joins, for users who switch rules off."""

RULE = "find_joins"
