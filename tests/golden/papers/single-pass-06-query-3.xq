(: Efficient Evaluation of XQuery over Streaming Data, section 4.3.2, query 3.
   Corrected: `: =` is `:=`; `where` stands before `return`. :)
let $b := for $i in stream/pixel[x>0]
  return $i
for $j in $b/y
  where $j = count($b)
  return $j
