(: Query 4 of the paper: the position of what two antennas heard on one frequency within a second. :)
for $r in stream("radar1")//event?[1],
    $s in stream("radar2")//event?[1]
where $r/frequency = $s/frequency
return <position>{ udf:triangulate($r/angle, $s/angle) }</position>
