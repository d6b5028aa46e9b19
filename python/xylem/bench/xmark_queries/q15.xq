(: XMark Q15. The keywords in emphasis in annotations of closed auctions. :)
let $auction := (/) return
for $a in
  $auction/site/closed_auctions/closed_auction/annotation/description/parlist/
   listitem/
   parlist/
   listitem/
   text/
   emph/
   keyword/
   text()
return <text>{$a}</text>
