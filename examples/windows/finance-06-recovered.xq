(: data: quotes.xml :)
(: How long it took until a price was reached again after a fall. :)
forseq $w in /quotes/quote[@symbol = "XYL"] sliding window
  start curItem $s, nextItem $n when number($n) lt number($s)
  force end curItem $e, position $j when number($e) ge number($s) and $e/@at ne $s/@at
return <recovered price="{ $s }" after="{ count($w) - 1 }"/>
