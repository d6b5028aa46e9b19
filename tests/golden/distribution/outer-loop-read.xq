for $r in /shop/region
for $o in $r/order
return <o of="{ count($r/order) }">{ $o/total }</o>
