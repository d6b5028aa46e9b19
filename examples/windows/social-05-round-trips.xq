(: data: rfid.xml :)
(: Out of one door and into the other: how long people were on the way. :)
for $p in distinct-values(/reads/read/@person)
for sliding window $w in /reads/read[@person eq $p]
  start $s at $i when $s/@dir = "out"
  only end $e at $j when $j eq $i + 1
return <way person="{ $p }" from="{ $s/@door }" to="{ $e/@door }">{ $e/@t - $s/@t }</way>
