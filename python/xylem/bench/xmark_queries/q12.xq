(: XMark Q12. For each richer-than-average person, the number of items on sale whose price does not exceed 0.02 % of the income. :)
let $auction := (/) return
for $p in $auction/site/people/person
let $l :=
  for $i in $auction/site/open_auctions/open_auction/initial
  where $p/profile/@income > 5000 * exactly-one($i/text())
  return $i
where $p/profile/@income > 50000
return <items person="{$p/profile/@income}">{count($l)}</items>
