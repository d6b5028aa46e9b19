//order[1]
