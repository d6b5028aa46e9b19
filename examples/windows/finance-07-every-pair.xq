(: data: quotes.xml :)
(: The best trade: buy once, sell later (landmark windows from every quote to every later one). :)
let $trades :=
  forseq $w in /quotes/quote[@symbol = "XYL"] landmark window
    start curItem $s when true()
    force end curItem $e when number($e) gt number($s)
  return <trade buy="{ $s }" sell="{ $e }">{ number($e) - number($s) }</trade>
return (for $t in $trades order by number($t) descending, $t/@buy return $t)[1]
