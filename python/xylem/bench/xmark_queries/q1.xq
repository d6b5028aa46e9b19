(: XMark Q1. The name of the person with ID person0. :)
let $auction := (/) return
for $b in $auction/site/people/person[@id = "person0"] return $b/name/text()
