for $r in /shop/region
for $o in $r/order
return <o in="{ name($r) } { $r/@name }">{ $o/total }</o>
