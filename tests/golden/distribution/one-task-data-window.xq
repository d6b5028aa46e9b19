for $w in //order|count 2| return count($w)
