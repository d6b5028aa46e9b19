(: data: rss.xml :)
(: Postings by the hour in which they were made. :)
for tumbling window $w in /feed/item
  start $s when true()
  end $e next $n when substring($n/date, 1, 13) ne substring($e/date, 1, 13)
return <hour at="{ substring($s/date, 1, 13) }">{ count($w) }</hour>
