(: data: rss.xml :)
(: A day begins with the first posting after midnight and ends where the next one begins. :)
forseq $day in /feed/item tumbling window
  start curItem $s, prevItem $p when empty($p) or substring($p/date, 1, 10) ne substring($s/date, 1, 10)
  end when newstart
return <day date="{ substring($s/date, 1, 10) }" authors="{ count(distinct-values($day/author)) }">{ count($day) }</day>
