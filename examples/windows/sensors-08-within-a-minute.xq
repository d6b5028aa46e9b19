(: items: $sensors from sensors.xml :)
(: The greatest value within a minute of each measurement. :)
declare variable $sensors as element(temp)** external;
forseq $w in $sensors sliding window
  start curItem $s when $s/@id = 1
  end curItem $e when $e/@t > $s/@t + 60
return <greatest t="{ $s/@t }">{ max($w) }</greatest>
