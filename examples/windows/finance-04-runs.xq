(: data: quotes.xml :)
(: Runs of falling prices, and by how much they fell. :)
for $symbol in distinct-values(/quotes/quote/@symbol)
for tumbling window $w in /quotes/quote[@symbol eq $symbol]
  start $s when true()
  end $e next $n when number($n) ge number($e)
where count($w) ge 2
return <fall symbol="{ $symbol }" by="{ number($s) - number($e) }">{ string-join($w, " ") }</fall>
