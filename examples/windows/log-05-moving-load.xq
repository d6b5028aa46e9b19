(: data: weblog.xml :)
(: At each request: how many there were in the minute before it. :)
for sliding window $w in /log/entry
  start $s when true()
  end $e next $n when $n/@t - $s/@t gt 60
return <load from="{ $s/@t }">{ count($w) }</load>
