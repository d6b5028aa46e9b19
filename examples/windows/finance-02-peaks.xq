(: data: quotes.xml :)
(: Local maxima of a price. :)
for sliding window $w in /quotes/quote[@symbol = "XYL"]
  start $s at $i when true()
  only end $e at $j when $j - $i eq 2
where number($w[2]) gt number($s) and number($w[2]) gt number($e)
return <peak at="{ substring($w[2]/@at, 12, 5) }">{ $w[2]/string() }</peak>
