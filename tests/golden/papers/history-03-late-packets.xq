(: Processing Continuous Historical Queries over XML Update Streams, section 4, query 3. :)
for $a in stream("ack")//packet
where not (some $s in stream("syn")//packet?[60]
           satisfies $s/id = $a/id
                     and $s/srcIP = $a/destIP
                     and $s/srcPort = $a/destPort)
return <warning>{
  $a/id, $a/destIP, $a/destPort
}</warning>
