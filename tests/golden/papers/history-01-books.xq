(: Processing Continuous Historical Queries over XML Update Streams, section 4, query 1. :)
<books>{
  for $b in stream("books")//biblio
    [publisher = "Wiley"]/books
  where $b/author/lastname = "Smith"
  order by $b/price
  return <book>{ $b/title, $b/price }</book>
}</books>
