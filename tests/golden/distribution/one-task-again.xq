for $c in distinct-values(//city)
return <c name="{ $c }">{ count(//order[city = $c]) }</c>
