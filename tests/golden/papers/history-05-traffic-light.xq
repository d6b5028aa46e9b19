(: Processing Continuous Historical Queries over XML Update Streams, section 4, query 5.
   Corrected: the pair inside `set` is enclosed in braces, lest its comma be text. :)
for $v in stream("vehicle")//event[type="ambulance"]?[1],
    $r in stream("road_sensor")//event?[1],
    $t in stream("traffic_light")//event?[1]
where distance($v/location,$r/location) < 0.1
  and distance($v/location,$t/location) < 10
return <set id="{ $t/id}">{
  <status>green</status>,
  <time>{ (distance($v/location,$t/location)
           div $r/speed) }</time>
}</set>
