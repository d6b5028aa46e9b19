(: Two streams: one is gone over twice, the other once. :)
let $mean := avg(doc("prices.xml")/prices/price)
return
  <report stock="{ count(doc("stock.xml")/stock/item) }">{
    for $p in doc("prices.xml")/prices/price
    where $p > $mean
    return $p
  }</report>
