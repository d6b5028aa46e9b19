(: A value of the header is needed at every reading, wherever the header stands. :)
for $r in /log/reading
return <value>{ $r/raw * /log/header/scale }</value>
