for tumbling window $w in //order
start at $s when $s mod 2 = 1
return <pair>{ $w/@id/string() }</pair>
