(: items: $reads from rfid.xml :)
(: Who is in the building when someone comes in (windows paper, 2.2). :)
declare variable $reads as element(read)** external;
forseq $w in $reads landmark window
  start position $s when $s eq 1
  force end curItem $e when $e/@dir = "in"
return <hello to="{ $e/@person }">{
  for $p in distinct-values($w/@person)
  where $p ne $e/@person and $w[@person eq $p][last()]/@dir = "in"
  return $p
}</hello>
