(: XMark Q13. The names of items registered in Australia along with their descriptions. :)
let $auction := (/) return
for $i in $auction/site/regions/australia/item
return <item name="{$i/name/text()}">{$i/description}</item>
