count(//order), sum(//order/total), avg(//total), min(//line/@qty), max(//line/@qty),
string-join(//order/@id, " "), exists(//note), every $o in //order satisfies $o/total
