/shop/region[@code = "S"]/order[line/@qty > 1]/line
