//order[@id = "o1"] is (//order)[1]
