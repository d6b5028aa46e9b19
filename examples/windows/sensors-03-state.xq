(: items: $sensors from sensors.xml :)
(: The last value of every sensor, at every moment (windows paper, 5.3). :)
declare variable $sensors as element(temp)** external;
forseq $w in $sensors landmark window
  start position $s when $s eq 1
  end when true()
return <values>{ for $id in distinct-values($w/@id) return $w[@id eq $id][last()] }</values>
