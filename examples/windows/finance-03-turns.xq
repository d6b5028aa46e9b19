(: data: quotes.xml :)
(: Down, down again, and up: a turn in four quotes. :)
for sliding window $w in /quotes/quote[@symbol = "ABC"]
  start $s at $i when true()
  only end $e at $j when $j - $i eq 3
where $w[1] > $w[2] and $w[2] > $w[3] and $w[3] < $w[4]
return <bottom>{ string-join($w, " ") }</bottom>
