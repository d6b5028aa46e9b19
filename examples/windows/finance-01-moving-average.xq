(: data: quotes.xml :)
(: The price of a share, averaged over three quotes. :)
for sliding window $w in /quotes/quote[@symbol = "XYL"]
  start $s at $i when true()
  only end $e at $j when $j - $i eq 2
return <avg at="{ substring($e/@at, 12, 5) }">{ round(avg($w), 2) }</avg>
