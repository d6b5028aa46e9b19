(: Processing Continuous Historical Queries over XML Update Streams, section 4, query 4. :)
for $r in stream("radar1")//event?[1],
    $s in stream("radar2")//event?[1]
where $r/frequency = $s/frequency
return <position>{
  triangulate($r/angle,$s/angle)
}</position>
