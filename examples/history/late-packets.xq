(: Query 3 of the paper: acknowledgements without a SYN of the last minute. What is current never leaves a window, so the
   router removes a SYN when it has been sent on, and an acknowledgement when it has been seen. :)
for $a in stream("ack")//packet
where not (some $s in stream("syn")//packet?[60] satisfies
  $s/id = $a/id and $s/srcIP = $a/destIP and $s/srcPort = $a/destPort)
return <warning>{ $a/id, $a/destIP, $a/destPort }</warning>
