(: XMark Q6. How many items are listed on all continents? :)
let $auction := (/) return
for $b in $auction//site/regions return count($b//item)
