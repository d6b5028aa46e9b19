(: data: rfid.xml :)
(: The greatest number of people at a door at once. :)
for $door in distinct-values(/reads/read/@door)
let $counts :=
  forseq $w in /reads/read[@door eq $door] landmark window
    start position $s when $s eq 1
    end when true()
  return count($w[@dir = "in"]) - count($w[@dir = "out"])
return <crowd door="{ $door }">{ max($counts) }</crowd>
