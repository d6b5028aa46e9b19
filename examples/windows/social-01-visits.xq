(: data: rfid.xml :)
(: How long each person stayed, by door. :)
for $p in distinct-values(/reads/read/@person)
for tumbling window $w in /reads/read[@person eq $p]
  start $in when $in/@dir = "in"
  only end $out when $out/@dir = "out"
return <visit person="{ $p }" door="{ $in/@door }">{ $out/@t - $in/@t }</visit>
