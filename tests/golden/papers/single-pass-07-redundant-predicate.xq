(: Efficient Evaluation of XQuery over Streaming Data, section 4.4.
   Corrected: `: =` is `:=`. :)
let $p := stream/pixel/x
for $i in $p
  where $i <= max($p)
  return $i
