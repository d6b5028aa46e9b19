(: Query 5 of the paper: a green light for an ambulance, by its place and the speed on the road. :)
for $v in stream("vehicle")//event[type = "ambulance"]?[1],
    $r in stream("road_sensor")//event?[1],
    $t in stream("traffic_light")//event?[1]
where udf:distance($v/location, $r/location) < 0.1
  and udf:distance($v/location, $t/location) < 10
return <set id="{ $t/id }"><status>green</status><time>{ udf:distance($v/location, $t/location) div $r/speed }</time></set>
