(: data: quotes.xml :)
(: Bars of at least 15 shares traded: open, high, low, close. :)
forseq $w in /quotes/quote[@symbol = "XYL"] tumbling window
  start position $s when true()
  end position $e when sum(/quotes/quote[@symbol = "XYL"][position() ge $s and position() le $e]/@volume) ge 15
return <bar open="{ $w[1] }" high="{ max($w) }" low="{ min($w) }" close="{ $w[last()] }">{ sum($w/@volume) }</bar>
