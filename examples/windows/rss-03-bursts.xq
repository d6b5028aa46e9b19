(: data: rss.xml :)
(: Three postings within fifteen minutes: the windows in which they fall. :)
for sliding window $w in /feed/item
  start $s at $i when true()
  only end $e at $j when $j - $i eq 2
where xs:dateTime($e/date) - xs:dateTime($s/date) le xs:dayTimeDuration("PT15M")
return <burst from="{ $s/@n }" to="{ $e/@n }">{ string-join(distinct-values($w/author), " ") }</burst>
