(: Query 1 of the paper: the books of Wiley by Smith, by price. Prices are numbers here, not strings. :)
<books>{
  for $b in stream("books")//biblio[publisher = "Wiley"]/books
  where $b/author/lastname = "Smith"
  order by number($b/price)
  return <book>{ $b/title, $b/price }</book>
}</books>
