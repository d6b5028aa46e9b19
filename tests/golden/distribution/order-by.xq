<sorted>{
  for $o in //order
  order by xs:decimal($o/total) descending, $o/@id
  return $o/city
}</sorted>
