(: data: rfid.xml :)
(: Pairs that came in through the same door within five seconds. :)
for sliding window $w in /reads/read[@dir = "in"]
  start $s at $i when true()
  only end $e at $j when $j eq $i + 1
where $e/@door eq $s/@door and $e/@t - $s/@t le 5
return <met>{ $s/@person/string(), $e/@person/string() }</met>
