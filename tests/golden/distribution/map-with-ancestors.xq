for $o in /shop/region/order
where $o/total > 5
return <o region="{ $o/../@name }" depth="{ count($o/ancestor::*) }">{ $o/city }</o>
