for $o in //order
return <o next="{ $o/following-sibling::order[1]/@id }"/>
