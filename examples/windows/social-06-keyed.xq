(: items: $reads from rfid.xml :)
(: The same person read again: open windows are found by person (windows paper, 6.3.3). :)
declare variable $reads as element(read)** external;
forseq $w in $reads sliding window
  start curItem $s when $s/@dir = "in"
  force end curItem $e when $e/@person eq $s/@person and $e/@dir eq "out"
return <stay person="{ $s/@person }" meanwhile="{ count($w) - 2 }">{ $e/@t - $s/@t }</stay>
