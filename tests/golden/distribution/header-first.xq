let $title := string(/shop/title)
for $o in //order
return <o from="{ $title }">{ $o/@id }</o>
