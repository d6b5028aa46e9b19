(: data: weblog.xml :)
(: Requests by the minute, minutes without requests left out. :)
for tumbling window $w in /log/entry
  start $s when true()
  end $e next $n when $n/@t idiv 60 ne $e/@t idiv 60
return <minute n="{ $s/@t idiv 60 }">{ count($w) }</minute>
