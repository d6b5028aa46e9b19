"""What the search for joins is called, where users switch rules off."""

RULE = "find_joins"
