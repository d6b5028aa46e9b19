for $c in //customer
let $o := //order[@id = $c/@ref]
return <c name="{ $c/name }">{ $o/total }</c>
