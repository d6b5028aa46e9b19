(: data: rss.xml :)
(: How long the feed was silent, where that was more than five hours. :)
for sliding window $w in /feed/item
  start $s at $i when true()
  only end $e at $j when $j - $i eq 1
let $gap := xs:dateTime($e/date) - xs:dateTime($s/date)
where $gap gt xs:dayTimeDuration("PT5H")
return <silence after="{ $s/@n }">{ $gap }</silence>
