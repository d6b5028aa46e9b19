(: Thesis, example 4.1.1: a pair of parts stays that no other pair is as cheap and as light as. :)
for $p1 in doc("parts.xml")/parts/part1
for $p2 in doc("parts.xml")/parts/part2
where $p1 bestmatch join $p2 on ($p1/cost + $p2/cost) min, ($p1/weight + $p2/weight) min
return <whole parts="{ $p1/@no }+{ $p2/@no }" cost="{ $p1/cost + $p2/cost }" weight="{ $p1/weight + $p2/weight }"/>
