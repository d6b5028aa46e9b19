(: items: $quotes from quotes.xml :)
(: The first quote in every five minutes, told as soon as it arrives. :)
declare variable $quotes as element(quote)** external;
forseq $w in $quotes tumbling window
  start curItem $s when true()
  end curItem $e, nextItem $n when minutes-from-dateTime(xs:dateTime($n/@at)) mod 5 eq 0
return <first at="{ substring($s/@at, 12, 5) }" symbol="{ $s/@symbol }">{ $s/string() }</first>
